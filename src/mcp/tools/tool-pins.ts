/**
 * Trust on first use, for each tool: its description and schema are pinned when its server is first seen. A tool whose
 * description or schema has changed since (a rug pull), and a new tool that may change something, are off until an
 * admin accepts them.
 */
import { z } from 'zod'
import { comparableNumbers, roundedNumbers } from '../../base/parse-json.ts'
import { jsonHash } from './json-hash.ts'

/** A tool as last listed, cleaned and bounded: what a model may see. */
const seenTool = z.object({
  name: z.string(),
  /** For people only, so that a change of it needs no new approval. */
  title: z.string().optional(),
  description: z.string(),
  parameters: z.record(z.string(), z.unknown()),
  /** The tool's own hints; none unless its server is trusted. */
  hints: z.object({ readOnly: z.boolean(), idempotent: z.boolean() }),
  /** Why an admin has to accept it even if it has not changed: the end of a sentence that begins with its name. */
  suspect: z.string().optional(),
  /** Why it cannot be used at all: the end of such a sentence. */
  broken: z.string().optional(),
})
export type SeenTool = z.infer<typeof seenTool>

/** Hashes of the accepted description and schema. `written` covers their notation. */
const pinSchema = z.object({
  description: z.string(),
  schema: z.string(),
  written: z.string(),
  /** `schema` with the digits of numbers that a double rounds. Pins of 0.1.0 get it when the tool is next listed. */
  exact: z.string().optional(),
  readOnly: z.boolean(),
  idempotent: z.boolean(),
  /** Counts the tools of the server in the order in which they were pinned: an earlier one keeps its name. */
  order: z.number(),
  /** An admin has accepted it as it is, including its suspect parts. */
  accepted: z.boolean().optional(),
  /** The number of times an admin has accepted it. Approvals from before no longer count. */
  taken: z.number().optional(),
})
type Pin = z.infer<typeof pinSchema>

/** A server's record, which all processes share. */
const serverRecord = z.object({
  /** A hash of the command or the address. If it changes, it is another server, which is pinned anew. */
  identity: z.string(),
  /** The tools by the server's own names. A tool that is not listed now keeps only its pin. */
  tools: z.record(z.string(), z.object({ seen: seenTool.optional(), pin: pinSchema.optional() })),
})
export type ServerRecord = z.infer<typeof serverRecord>

export interface PinNote {
  tool: string
  what: 'new' | 'changed' | 'notation'
}

/** @returns undefined for anything but a valid record */
export function readRecord(stored: unknown): ServerRecord | undefined {
  return serverRecord.safeParse(stored).data
}

/**
 * Returns the record after a server has listed its tools. All tools of a new server are pinned; later, only a new tool
 * that only reads. `notes` describes the changes.
 */
export function withListed(
  before: ServerRecord | undefined,
  listed: SeenTool[],
  { identity, trust }: { identity: string; trust: boolean },
): { record: ServerRecord; notes: PinNote[] } {
  const known = before?.identity === identity ? before : undefined
  const notes: PinNote[] = []
  let order = nextOrder(known)
  const tools = listed.map((seen): [string, ServerRecord['tools'][string]] => {
    const entry = known?.tools[seen.name]
    const [now, pin] = [pinOf(seen), entry?.pin]
    const note = (what: PinNote['what']) => notes.push({ tool: seen.name, what })
    if (!pin) {
      if (known && !entry) note('new')
      return [
        seen.name,
        !known || (trust && seen.hints.readOnly) ? { seen, pin: { ...now, order: order++ } } : { seen },
      ]
    }
    const isSame = !changeOf(seen, pin, trust)
    const isNews = !entry?.seen || pinOf(entry.seen).written !== now.written
    if (!isSame && isNews) note('changed')
    if (isSame && pin.written !== now.written) note('notation')
    return [seen.name, { seen, pin: isSame ? { ...pin, written: now.written, exact: now.exact } : pin }]
  })
  const names = new Set(listed.map(({ name }) => name))
  const gone = Object.entries(known?.tools ?? {}).flatMap(([name, { pin }]) =>
    pin && !names.has(name) ? [[name, { pin }] as const] : [],
  )
  return { record: { identity, tools: Object.fromEntries([...tools, ...gone.slice(0, MAX_GONE)]) }, notes }
}

/** The maximum number of tools that are remembered although they are not listed any more. */
const MAX_GONE = 1_000

/**
 * Returns why a tool is off, as the end of a sentence that begins with its name. `suspect`: a conflict with the tools
 * of other servers.
 * @returns undefined for a tool that is on
 */
export function whyOff(
  { seen, pin }: ServerRecord['tools'][string],
  { trust, suspect }: { trust: boolean; suspect?: string | undefined },
): string | undefined {
  if (!seen) return 'is no longer listed'
  if (seen.broken !== undefined) return `cannot be used: ${seen.broken}`
  if (!pin) return `is new, and may change things${UNACCEPTED}`
  const change = changeOf(seen, pin, trust)
  if (change) return `has changed ${change}${UNACCEPTED}`
  const why = seen.suspect ?? suspect
  return why === undefined || pin.accepted ? undefined : `${why}${UNACCEPTED}`
}

const UNACCEPTED = ': it is off until an admin turns it on'

/** Returns the record after an admin has accepted a tool as it is listed now. */
export function withAccepted(record: ServerRecord, tool: string): ServerRecord {
  const seen = Object.hasOwn(record.tools, tool) ? record.tools[tool]?.seen : undefined
  if (!seen) return record
  const { order = nextOrder(record), taken = 0 } = record.tools[tool]?.pin ?? {}
  const pin = { ...pinOf(seen), order, accepted: true, taken: taken + 1 }
  return { ...record, tools: { ...record.tools, [tool]: { seen, pin } } }
}

function nextOrder(record: ServerRecord | undefined): number {
  return Math.max(-1, ...Object.values(record?.tools ?? {}).map(({ pin }) => pin?.order ?? -1)) + 1
}

/** Returns the version that an approval is bound to: the server, and the tool's description of itself. */
export function versionOf({ seen, pin }: { seen: SeenTool; pin?: Pin | undefined }, target: string): string {
  return jsonHash([target, fingerprintOf(seen), pin?.taken ?? 0]).slice(0, 16)
}

/** Identifies a tool as it is listed, so that an admin accepts exactly what was shown. */
export function fingerprintOf(seen: SeenTool): string {
  const { description, schema, exact, readOnly, idempotent } = pinOf(seen)
  const numbers = exact === schema ? [] : [exact]
  return jsonHash([description, schema, readOnly, idempotent, ...numbers]).slice(0, 16)
}

/** Cached: hashing a thousand schemas is noticeable, and nothing changes a seen tool. */
const pinned = new WeakMap<SeenTool, Omit<Pin, 'order'>>()

function pinOf(seen: SeenTool): Omit<Pin, 'order'> {
  const known = pinned.get(seen)
  if (known) return known
  const { description, hints } = seen
  // As 0.1.0 hashed them, which read all numbers as doubles.
  const parameters = roundedNumbers(seen.parameters)
  const pin = {
    description: jsonHash(plainWords(description)),
    schema: jsonHash(canonical(parameters)),
    exact: jsonHash(canonical(comparableNumbers(seen.parameters))),
    written: jsonHash([description, parameters]),
    ...hints,
  }
  pinned.set(seen, pin)
  return pin
}

/** Returns the real changes. Hints that have become stricter need no new approval. */
function changeOf(seen: SeenTool, pin: Pin, trust: boolean): string | undefined {
  const now = pinOf(seen)
  const changed = [
    ...(now.description === pin.description ? [] : ['its description']),
    ...(now.schema === pin.schema && now.exact === (pin.exact ?? now.exact) ? [] : ['its input']),
    ...(trust && isLoosened(now, pin) ? ['what it claims to do'] : []),
  ]
  return changed.length > 0 ? changed.join(' and ') : undefined
}

function isLoosened(now: Omit<Pin, 'order'>, pin: Pin): boolean {
  return (now.readOnly && !pin.readOnly) || (now.idempotent && !pin.idempotent)
}

/** Normalizes notation: spaces, line ends, quotes, dashes, forms of Unicode, marks of Markdown. */
function plainWords(text: string): string {
  const plain = text
    .normalize('NFKC')
    .replace(/[`*“”„"‘’']/g, '')
    .replace(/[‐-―−]/g, '-')
  return plain.replace(/\s+/g, ' ').trim()
}

/** Keywords whose lists have no order. */
const SETS = new Set(['required', 'type', 'enum'])

/** Returns a schema with its keys in order and one notation for equivalent forms. */
function canonical(value: unknown, key = ''): unknown {
  if (typeof value === 'string') return key === 'description' || key === 'title' ? plainWords(value) : value
  if (Array.isArray(value)) {
    const items = value.map((one) => canonical(one))
    return SETS.has(key) ? items.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : items
  }
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([name, one]) => !(name === 'required' && isEmpty(one)))
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, one]) => [name, canonical(one, name)]),
  )
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}
