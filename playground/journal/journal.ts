/** Records everything between Slack, the bot, its model and its tools, in order, for the panel *Under the hood*. */
import { createCopier, type JournalCopy } from './journal-copy.ts'
import type { Json } from '../slack/types.ts'

/** `fault`: a fault's switch was changed in the panel Trouble. */
type EntryKind = 'delivery' | 'call' | 'model' | 'tool' | 'fault'

/**
 * One entry. `request` and `response` are copies without secrets; pictures and long texts are shortened.
 * - delivery: `request` is `{ type, payload, headers? }` (`type` as in Socket Mode), `response` is `{ attempts }`
 * - call: `{ method, path, headers, args }`, and `{ status, headers, body }`
 * - model: `{ path, headers, body }`, and `{ status, headers, firstMs, text, reasoning, toolCalls, finish, usage, raw
 * }`
 * - tool: `{ tool, input }`, and `{ output }`
 */
export interface JournalEntry {
  /** The entry's number, from 1. */
  n: number
  /** Milliseconds since the epoch. */
  at: number
  /** Its duration in ms; absent while it is in progress. */
  ms?: number
  kind: EntryKind
  name: string
  /** `channel:root ts` */
  thread?: string
  ok?: boolean
  /** The error's message. */
  error?: string
  /** The number of the entry that this one repeats. */
  of?: number
  request: Json
  response?: Json
  /** Whether part of the request is shortened or hidden. */
  isShortened?: true
}

/** The fields that are set at the beginning. */
export interface EntryStart extends Partial<Omit<JournalEntry, 'n' | 'isShortened'>> {
  kind: EntryKind
  name: string
  request: Json
}

/** The fields that are set later. */
export type EntryEnd = Partial<Pick<JournalEntry, 'ms' | 'name' | 'thread' | 'ok' | 'error' | 'response'>>

export interface Journal {
  /** Returns the entries, oldest first. */
  entries(): readonly JournalEntry[]
  /** Returns the entry with this number. Returns undefined if it was dropped. */
  find(n: number): JournalEntry | undefined
  begin(fields: EntryStart): JournalEntry
  /** Ends an entry. `ms` defaults to the time since its start. */
  end(entry: JournalEntry, fields: EntryEnd): void
  /** Changes fields of an open or ended entry. */
  amend(entry: JournalEntry, fields: EntryEnd): void
  /** Adds an entry that has already ended. */
  note(fields: EntryStart): JournalEntry
  /** Returns the request before it was shortened, if it is still held. */
  whole(entry: JournalEntry): Json | undefined
  /** Replaces `secret` with `name` in every entry from now on. */
  hide(secret: string, name: string): void
  /** Returns a text without secrets. */
  hidden(text: string): string
  /** Calls back on each start, change and end of an entry. Returns a function that ends this. */
  watch(cb: (entry: JournalEntry) => void): () => void
}

interface JournalOptions {
  /** Milliseconds since the epoch. */
  now?: () => number
  /** The maximum number of entries. */
  max?: number
  /** The maximum number of characters of all bodies. */
  maxChars?: number
}

const MAX = 20_000
const MAX_CHARS = 200_000_000
/** The maximum number of requests that are kept whole beside their shortened copies. */
const MAX_WHOLE = 200

/** The size of an entry's bodies, in characters. */
interface EntrySizes {
  request: number
  response: number
}

/** Keeps the newest entries, up to a number of entries and of characters. */
class Shelf {
  private kept: JournalEntry[] = []
  /** The number of dropped entries at the start of `kept`. They are cut off in batches. */
  private gone = 0
  private chars = 0
  private readonly sizes = new Map<JournalEntry, EntrySizes>()
  private readonly wholes = new Map<JournalEntry, Json>()
  private readonly bounds: Required<Pick<JournalOptions, 'max' | 'maxChars'>>

  constructor(bounds: Required<Pick<JournalOptions, 'max' | 'maxChars'>>) {
    this.bounds = bounds
  }

  all(): readonly JournalEntry[] {
    return this.kept.slice(this.gone)
  }

  /** Entries have consecutive numbers. */
  find(n: number): JournalEntry | undefined {
    const last = this.kept.at(-1)
    const entry = last && this.kept[this.kept.length - 1 - (last.n - n)]
    return entry && this.sizes.has(entry) ? entry : undefined
  }

  whole(entry: JournalEntry): Json | undefined {
    return entry.isShortened ? this.wholes.get(entry) : entry.request
  }

  add(entry: JournalEntry) {
    this.kept.push(entry)
    this.sizes.set(entry, { request: 0, response: 0 })
  }

  /** Replaces the copy of a body in an entry, unless the entry was dropped in the meantime. */
  replaceCopy(
    entry: JournalEntry,
    field: keyof EntrySizes,
    { body, copied: { copy, size, isShortened } }: { body: Json; copied: JournalCopy },
  ) {
    const sizes = this.sizes.get(entry)
    if (!sizes) return
    entry[field] = copy
    this.chars += size - sizes[field]
    sizes[field] = size
    if (field === 'request' && isShortened) this.holdWhole(entry, body)
    this.forgetOldest()
  }

  private holdWhole(entry: JournalEntry, body: Json) {
    entry.isShortened = true
    this.wholes.set(entry, body)
    const [oldest] = this.wholes.keys()
    if (oldest && this.wholes.size > MAX_WHOLE) this.wholes.delete(oldest)
  }

  private forgetOldest() {
    const { max, maxChars } = this.bounds
    while (this.sizes.size > max || (this.chars > maxChars && this.sizes.size > 1)) {
      const [oldest, size] = this.sizes.entries().next().value ?? []
      if (!oldest || !size) return
      this.chars -= size.request + size.response
      this.sizes.delete(oldest)
      this.wholes.delete(oldest)
      this.gone += 1
    }
    if (this.gone <= max / 10) return
    this.kept = this.kept.slice(this.gone)
    this.gone = 0
  }
}

export function createJournal({ now = Date.now, max = MAX, maxChars = MAX_CHARS }: JournalOptions = {}): Journal {
  const shelf = new Shelf({ max, maxChars })
  const watchers = new Set<(entry: JournalEntry) => void>()
  const copier = createCopier()
  let next = 1

  const put = (entry: JournalEntry, field: keyof EntrySizes, body: Json) =>
    shelf.replaceCopy(entry, field, { body, copied: copier.copy(body) })

  function change(entry: JournalEntry, { response, ...fields }: EntryEnd) {
    const { error } = fields
    // A later attempt can succeed.
    if (fields.ok === true) delete entry.error
    Object.assign(entry, fields, error !== undefined && { error: copier.text(error) })
    if (response) put(entry, 'response', response)
    for (const tell of watchers) tell(entry)
  }

  function begin({ request, response, error, ...fields }: EntryStart): JournalEntry {
    const entry: JournalEntry = { n: next, at: now(), ...fields, request: {} }
    next += 1
    shelf.add(entry)
    put(entry, 'request', request)
    change(entry, { ...(error !== undefined && { error }), ...(response && { response }) })
    return entry
  }

  return {
    entries: () => shelf.all(),
    find: (n) => shelf.find(n),
    begin,
    end: (entry, fields) => change(entry, { ms: Math.max(0, now() - entry.at), ...fields }),
    amend: change,
    note: (fields) => begin({ ms: 0, ...fields }),
    whole: (entry) => shelf.whole(entry),
    hide: copier.hide,
    hidden: copier.hidden,
    watch: (cb) => {
      watchers.add(cb)
      return () => void watchers.delete(cb)
    },
  }
}
