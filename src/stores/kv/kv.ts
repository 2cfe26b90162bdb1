/**
 * Small values under keys that expire, in this process (memory-kv.ts) and in Redis (redis-kv.ts). Every store but the
 * queue, the limits and a run's control is written over it, once.
 */
import { TransientError } from '../../base/errors.ts'
import { movedKey, type Forgetting, type Place } from '../../base/place.ts'

/** Each part is one kind of value. Each call is one atomic step. A value's expiry starts when it is written. */
export interface Kv {
  /** @returns whether it was done */
  swap(key: KvKey, swap: Swap): Promise<boolean>
  texts: KvTexts
  hashes: KvHashes
  indexes: KvIndexes
  lists: KvLists
  keys: KvKeys
}

/** `{TAG}:NAME`. Keys with the same tag are on the same node of a Cluster. */
export type KvKey = string

interface Expiry {
  /** Milliseconds. */
  ttlMs: number
}

/** A compare-and-swap: it is done if the text is still `before`. Undefined: there is none. */
interface Swap extends Expiry {
  /** Swaps a field of a hash. */
  field?: string
  before: string | undefined
  after: string | undefined
  /** Numbers that are added to the fields of a hash of the same tag in the same step. */
  add?: { key: KvKey; numbers: Record<string, number> }
}

export interface KvTexts {
  get(key: KvKey): Promise<string | undefined>
  /** Gets several texts of one tag. */
  getAll(keys: KvKey[]): Promise<(string | undefined)[]>
  put(key: KvKey, text: string, expiry: Expiry): Promise<void>
}

/** Texts by field. All of a hash's fields expire together. */
export interface KvHashes {
  getAll(key: KvKey, fields: string[]): Promise<(string | undefined)[]>
  /** The lengths of the texts of several fields, in bytes. */
  lengths(key: KvKey, fields: string[]): Promise<number[]>
  all(key: KvKey): Promise<Record<string, string>>
  put(key: KvKey, fields: Record<string, string>, expiry: Expiry): Promise<void>
  /** @returns how many of the fields there were */
  remove(key: KvKey, ...fields: string[]): Promise<number>
}

/** Names in the order of their scores. */
export interface KvIndexes {
  /** Adds a name, or moves it. @returns the names that were removed by the bounds */
  add(key: KvKey, name: string, entry: IndexEntry): Promise<string[]>
  remove(key: KvKey, name: string): Promise<void>
  /** The lowest score first. */
  range(key: KvKey, range?: IndexRange): Promise<string[]>
  /** The names that match a glob. */
  matching(key: KvKey, glob: string): Promise<string[]>
}

interface IndexEntry extends Expiry {
  score: number
  /** A name that is there already keeps its score. */
  onlyNew?: boolean
  /** Names up to the score `above` are removed, and those with the lowest scores beyond the number `max`. */
  bounds?: { above: number; max: number }
}

interface IndexRange {
  /** Only scores above this one. */
  above?: number
  /** Only scores up to this one. */
  upTo?: number
  /** The highest score first. */
  newest?: boolean
  limit?: number
}

/** Texts in the order in which they were added. */
export interface KvLists {
  all(key: KvKey): Promise<string[]>
  /** Adds texts, unless there is one with this beginning. Beyond `max` the oldest are removed. */
  append(key: KvKey, texts: string[], options: AppendOptions): Promise<void>
  /** Replaces a text, if it is there; an undefined `after` removes it. The expiry stays. */
  replace(key: KvKey, before: string, after?: string): Promise<void>
}

interface AppendOptions extends Expiry {
  /** '': only an empty list gets the texts. */
  beginning: string
  max: number
}

/** The keys of all values. */
export interface KvKeys {
  /** Keys that match a glob, in batches. A key may occur twice. Slow: it reads all keys. */
  matching(glob: string): AsyncIterable<KvKey[]>
  /** Restarts the expiry of a value, if there is one. */
  renew(key: KvKey, expiry: Expiry): Promise<void>
  /** How long a value is still kept, in milliseconds. 0 if there is none. */
  leftMs(key: KvKey): Promise<number>
  /** Deletes values of one tag. @returns how many there were */
  remove(...keys: KvKey[]): Promise<number>
}

/** How often a change is tried again because another process was faster. */
const MAX_TRIES = 100

/**
 * Changes a text in one atomic step. `change` may be called several times. It returns undefined to leave the text as it
 * is.
 * @throws TransientError if other processes change it all the time
 */
export async function changeText(
  kv: Kv,
  key: KvKey,
  change: (before: string | undefined) => Omit<Swap, 'before'> | undefined,
): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const before = await kv.texts.get(key)
    const swap = change(before)
    if (!swap || (await kv.swap(key, { before, ...swap }))) return
  }
  throw new TransientError('A stored value was changed too often at the same time.')
}

export function kvKey(tag: string, name: string): KvKey {
  return `{${tag}}:${name}`
}

/** The tag of a key. */
export function tagOf(key: KvKey): string {
  return key.slice(1, key.indexOf('}:'))
}

/** The part of a key after its tag. */
function nameOf(key: KvKey): string {
  return key.slice(key.indexOf('}:') + 2)
}

/** Escapes a text for use in a glob. */
export function escapeGlob(text: string): string {
  return text.replace(/[\\*?[\]^-]/g, '\\$&')
}

/** A glob for the tags below a team, or below a channel of it: threads, people, … */
export function below(...ids: string[]): string {
  return `${ids.map(escapeGlob).join(':')}:*`
}

/** The tags of the keys that match a glob, each once. Slow: it reads all keys. */
export async function tagsMatching(kv: Kv, glob: string): Promise<string[]> {
  const tags = new Set<string>()
  for await (const keys of kv.keys.matching(glob)) for (const key of keys) tags.add(tagOf(key))
  return [...tags]
}

/** Deletes the values whose tag matches a glob and whose name matches. Slow: it reads all keys. */
export async function forgetKeys(kv: Kv, tag: string, name: RegExp): Promise<void> {
  for await (const keys of kv.keys.matching(kvKey(tag, '*')))
    // One by one, because in a Cluster they are on several nodes.
    await Promise.all(keys.filter((key) => name.test(nameOf(key))).map((key) => kv.keys.remove(key)))
}

/** Deletes a store's data about a channel or team, from keys whose name matches. */
export function forgettingKeys(kv: Kv, name: RegExp): Forgetting {
  return {
    forgetChannel: ({ team, channel }) => forgetKeys(kv, below(team, channel), name),
    forgetTeam: (team) => forgetKeys(kv, below(team), name),
  }
}

/**
 * Calls `move` for each key of a channel's threads whose name matches, with the key that it gets in the channel's new
 * id `to`. The two keys may be on different nodes of a Cluster. If it is interrupted, another call does the rest.
 */
export async function moveKeys(
  kv: Kv,
  place: Place,
  to: string,
  name: RegExp,
  move: (from: KvKey, to: KvKey) => Promise<void>,
): Promise<void> {
  for await (const keys of kv.keys.matching(kvKey(below(place.team, place.channel), '*')))
    for (const from of keys.filter((key) => name.test(nameOf(key)))) {
      const moved = movedKey(tagOf(from), place, to)
      if (moved !== undefined) await move(from, kvKey(moved, nameOf(from)))
    }
}
