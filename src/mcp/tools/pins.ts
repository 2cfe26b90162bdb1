/**
 * Trust on first use, tool by tool: what a tool says of itself is pinned when its server is first seen. A description or a schema
 * that has changed since (a rug pull), and a tool that is new and may change the world, are off until an admin accepts them.
 */
import { z } from 'zod'
import { jsonHash } from './json-hash.ts'
import type { Schema } from './plain-schema.ts'

/** A tool as it was last listed, cleaned and bounded: what a model may be shown. */
export interface SeenTool {
  name: string
  description: string
  parameters: Schema
  /** What it says of itself; nothing, unless its server is trusted. */
  hints: { readOnly: boolean; idempotent: boolean }
  /** Why it should not be used, whether it has changed or not, unless an admin accepts it: a sentence without a name. */
  suspect?: string | undefined
  /** Why it cannot be used at all. */
  broken?: string | undefined
}

/** Hashes of what was accepted, description and schema apart. `written` is over what they are written like. */
export interface Pin {
  description: string
  schema: string
  written: string
  readOnly: boolean
  idempotent: boolean
  /** Counts the tools of the server in the order in which they were pinned: the earlier one keeps its name. */
  order: number
  /** An admin has accepted it as it is, with what is suspect about it. */
  accepted?: boolean | undefined
  /** How often an admin has accepted it: what was approved before does not count any more. */
  taken?: number | undefined
}

/** What is kept of a server for all processes. */
export interface ServerRecord {
  /** Of what is run or asked: another command or address is another server, and pinned anew. */
  identity: string
  /** By the server's own names. A tool that is not listed now keeps its pin alone. */
  tools: Record<string, { seen?: SeenTool | undefined; pin?: Pin | undefined }>
}

export interface PinNote {
  tool: string
  what: 'new' | 'changed' | 'notation'
}

const seenSchema = z.object({
  name: z.string(),
  description: z.string(),
  parameters: z.record(z.string(), z.unknown()),
  hints: z.object({ readOnly: z.boolean(), idempotent: z.boolean() }),
  suspect: z.string().optional(),
  broken: z.string().optional(),
})
const pinSchema = z.object({
  ...{ description: z.string(), schema: z.string(), written: z.string() },
  ...{ readOnly: z.boolean(), idempotent: z.boolean(), order: z.number(), accepted: z.boolean().optional() },
  taken: z.number().optional(),
})
const recordSchema: z.ZodType<ServerRecord> = z.object({
  identity: z.string(),
  tools: z.record(z.string(), z.object({ seen: seenSchema.optional(), pin: pinSchema.optional() })),
})

/** Undefined for what is no record. */
export function readRecord(stored: unknown): ServerRecord | undefined {
  return recordSchema.safeParse(stored).data
}

/**
 * The record after a server has listed its tools. All tools of a server that is first seen are pinned; later only a new tool that
 * reads alone. `notes` tells what is other than before.
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
    return [seen.name, { seen, pin: isSame ? { ...pin, written: now.written } : pin }]
  })
  const names = new Set(listed.map(({ name }) => name))
  const gone = Object.entries(known?.tools ?? {}).flatMap(([name, { pin }]) =>
    pin && !names.has(name) ? [[name, { pin }] as const] : [],
  )
  return { record: { identity, tools: Object.fromEntries([...tools, ...gone.slice(0, MAX_GONE)]) }, notes }
}

/** Of tools that are listed no more so many are remembered. */
const MAX_GONE = 1_000

/**
 * Why a tool is off, as the end of a sentence that begins with its name; undefined for one that is on. `suspect`: what is wrong
 * with it beside the tools of other servers.
 */
export function whyOff(
  { seen, pin }: ServerRecord['tools'][string],
  { trust, suspect }: { trust: boolean; suspect?: string | undefined },
): string | undefined {
  if (!seen) return 'is listed no more'
  if (seen.broken !== undefined) return `cannot be used: ${seen.broken}`
  if (!pin) return `is new, and may change things${UNTAKEN}`
  const change = changeOf(seen, pin, trust)
  if (change) return `has changed ${change}${UNTAKEN}`
  const why = seen.suspect ?? suspect
  return why === undefined || pin.accepted ? undefined : `${why}${UNTAKEN}`
}

const UNTAKEN = ': it is off until an admin takes it'

/** The record once an admin has taken a tool as it is listed now. */
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

/** What an approval is bound to: which server it is, and what the tool says of itself. */
export function versionOf({ seen, pin }: { seen: SeenTool; pin?: Pin | undefined }, target: string): string {
  return jsonHash([target, fingerprintOf(seen), pin?.taken ?? 0]).slice(0, 16)
}

/** What identifies a tool as it is listed: whoever accepts it says what they have seen. */
export function fingerprintOf(seen: SeenTool): string {
  const { description, schema, readOnly, idempotent } = pinOf(seen)
  return jsonHash([description, schema, readOnly, idempotent]).slice(0, 16)
}

/** Hashing a thousand schemas is felt, and nothing changes what was seen. */
const pinned = new WeakMap<SeenTool, Omit<Pin, 'order'>>()

function pinOf(seen: SeenTool): Omit<Pin, 'order'> {
  const { description, parameters, hints } = seen
  const pin = pinned.get(seen) ?? {
    description: jsonHash(plainWords(description)),
    schema: jsonHash(canonical(parameters)),
    written: jsonHash([description, parameters]),
    ...hints,
  }
  pinned.set(seen, pin)
  return pin
}

/** What has changed in earnest. Hints that have become stricter are no reason to ask anybody. */
function changeOf(seen: SeenTool, pin: Pin, trust: boolean): string | undefined {
  const now = pinOf(seen)
  const changed = [
    ...(now.description === pin.description ? [] : ['its description']),
    ...(now.schema === pin.schema ? [] : ['its input']),
    ...(trust && isLoosened(now, pin) ? ['what it says it may do'] : []),
  ]
  return changed.length > 0 ? changed.join(' and ') : undefined
}

function isLoosened(now: Omit<Pin, 'order'>, pin: Pin): boolean {
  return (now.readOnly && !pin.readOnly) || (now.idempotent && !pin.idempotent)
}

/** The same words in another notation are the same: spaces, line ends, quotes, dashes, forms of Unicode, marks of Markdown. */
function plainWords(text: string): string {
  const plain = text
    .normalize('NFKC')
    .replace(/[`*“”„"‘’']/g, '')
    .replace(/[‐-―−]/g, '-')
  return plain.replace(/\s+/g, ' ').trim()
}

/** Lists in which the order says nothing. */
const SETS = new Set(['required', 'type', 'enum'])

/** A schema with its keys in order, and without what is only another way to write the same. */
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
