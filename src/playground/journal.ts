/** What passes between Slack, the bot, its model and its tools, in order, for whoever looks under the hood. */
import { createCopier } from './journal-copy.ts'
import type { Json } from './types.ts'

/** `trouble`: something that was switched on or off to see what people would see. */
export type EntryKind = 'delivery' | 'call' | 'model' | 'tool' | 'trouble'

/**
 * One thing that passed. `request` and `response` are copies: without secrets, pictures and what is too long shortened.
 *
 * - delivery: `request` is `{ type, payload, headers? }` (`type` as Socket Mode names it), `response` `{ attempts }`
 * - call: `{ method, path, headers, args }`, and `{ status, headers, body }`
 * - model: `{ path, headers, body }`, and `{ status, headers, firstMs, text, reasoning, toolCalls, finish, usage, raw }`
 * - tool: `{ tool, input }`, and `{ output }`
 */
export interface Entry {
  /** Counts from 1. */
  n: number
  /** Milliseconds since the epoch. */
  at: number
  /** How long it took; absent while it is under way. */
  ms?: number
  kind: EntryKind
  name: string
  /** `channel:root ts` */
  thread?: string
  ok?: boolean
  /** What went wrong, in words. */
  error?: string
  /** The entry that was sent again. */
  of?: number
  request: Json
  response?: Json
  /** Something of the request stands here shortened or hidden. */
  isShortened?: true
}

/** What is known at the beginning. */
export type Begun = Pick<Entry, 'kind' | 'name' | 'request'> &
  Partial<Pick<Entry, 'at' | 'ms' | 'thread' | 'ok' | 'error' | 'of' | 'response'>>

/** What becomes known later. */
export type Ended = Partial<Pick<Entry, 'ms' | 'name' | 'thread' | 'ok' | 'error' | 'response'>>

export interface Journal {
  /** The oldest first. */
  entries(): readonly Entry[]
  /** The entry of this number, unless it is gone. */
  find(n: number): Entry | undefined
  begin(fields: Begun): Entry
  /** `ms` counts from the beginning unless it is given. */
  end(entry: Entry, fields: Ended): void
  /** Changes what is known of it, and leaves it open or ended as it is. */
  amend(entry: Entry, fields: Ended): void
  /** What is over as soon as it is there. */
  note(fields: Begun): Entry
  /** The request as it was, where it is still held: the journal's own copy is shortened. */
  whole(entry: Entry): Json | undefined
  /** From now on `secret` stands in no entry: `name` stands in its place. */
  hide(secret: string, name: string): void
  /** Told of each beginning, change and end. */
  watch(cb: (entry: Entry) => void): () => void
}

export interface JournalOptions {
  /** Milliseconds since the epoch. */
  now?: () => number
  /** How many entries are kept. */
  most?: number
  /** How many characters of bodies are kept in all. */
  mostChars?: number
}

const MOST = 20_000
const MOST_CHARS = 200_000_000
/** Requests that an entry holds shortened are held whole besides, so many at a time. */
const MOST_WHOLE = 200

/** What an entry's bodies take, in characters. */
interface Sizes {
  request: number
  response: number
}

/** Keeps the newest entries: beyond a number of them, or of their characters, the oldest go. */
export function createJournal({ now = Date.now, most = MOST, mostChars = MOST_CHARS }: JournalOptions = {}): Journal {
  let kept: Entry[] = []
  /** How many of `kept` are gone: they are cut off many at a time. */
  let gone = 0
  let next = 1
  let chars = 0
  const sizes = new Map<Entry, Sizes>()
  const wholes = new Map<Entry, Json>()
  const watchers = new Set<(entry: Entry) => void>()
  const copier = createCopier()

  /** Puts a copy of a body into an entry, in place of the one before. */
  function keep(entry: Entry, field: keyof Sizes, body: Json) {
    const size = sizes.get(entry)
    // It has fallen out of the journal, while it was under way.
    if (!size) return
    const copied = copier.copy(body)
    entry[field] = copied.copy
    chars += copied.size - size[field]
    size[field] = copied.size
    if (field === 'response' || !copied.isShortened) return
    entry.isShortened = true
    wholes.set(entry, body)
    const [oldest] = wholes.keys()
    if (oldest && wholes.size > MOST_WHOLE) wholes.delete(oldest)
  }

  function forgetOldest() {
    while (sizes.size > most || (chars > mostChars && sizes.size > 1)) {
      const [oldest, size] = sizes.entries().next().value ?? []
      if (!oldest || !size) return
      chars -= size.request + size.response
      sizes.delete(oldest)
      wholes.delete(oldest)
      gone += 1
    }
    if (gone > most / 10) [kept, gone] = [kept.slice(gone), 0]
  }

  function change(entry: Entry, { response, ...fields }: Ended) {
    const { error } = fields
    Object.assign(entry, fields, error !== undefined && { error: copier.text(error) })
    if (response) keep(entry, 'response', response)
    forgetOldest()
    for (const tell of watchers) tell(entry)
  }

  function begin({ request, ...fields }: Begun): Entry {
    const entry: Entry = { n: next, at: now(), ...fields, request: {} }
    next += 1
    kept.push(entry)
    sizes.set(entry, { request: 0, response: 0 })
    keep(entry, 'request', request)
    const { response, error } = fields
    change(entry, { ...(error !== undefined && { error }), ...(response && { response }) })
    return entry
  }

  return {
    entries: () => kept.slice(gone),
    find: (n) => {
      const entry = n < next ? kept[kept.length - (next - n)] : undefined
      return entry && sizes.has(entry) ? entry : undefined
    },
    begin,
    end: (entry, fields) => change(entry, { ms: Math.max(0, now() - entry.at), ...fields }),
    amend: change,
    note: (fields) => begin({ ms: 0, ...fields }),
    whole: (entry) => (entry.isShortened ? wholes.get(entry) : entry.request),
    hide: copier.hide,
    watch: (cb) => {
      watchers.add(cb)
      return () => void watchers.delete(cb)
    },
  }
}
