import { expiringCache, ttlFor } from '../../base/expiring-cache.ts'
import type { Kv, KvHashes, KvIndexes, KvKey, KvKeys, KvLists, KvTexts } from './kv.ts'

/** A value of one kind. */
interface Entry {
  text?: string
  hash?: Map<string, string>
  index?: Map<string, number>
  list?: string[]
}

interface MemoryKvOptions {
  /** The maximum bytes of all values, approximately. Beyond it, the least recently used ones are forgotten. */
  maxBytes?: number
  now: () => number
}

/** The approximate bytes of a key, and of each name in a value. */
const KEY_BYTES = 200
const NAME_BYTES = 50

const YEAR_MS = 365 * 86_400_000

/** Keeps values in this process's memory. Nothing in here awaits, so each call is one atomic step. */
export function memoryKv({ maxBytes = 64_000_000, now }: MemoryKvOptions): Kv {
  const values = openValues({ maxBytes, now })
  return {
    swap: swapIn(values),
    texts: textsIn(values),
    hashes: hashesIn(values),
    indexes: indexesIn(values),
    lists: listsIn(values),
    keys: keysIn(values),
  }
}

type Values = ReturnType<typeof openValues>

function openValues({ maxBytes, now }: Required<MemoryKvOptions>) {
  const cache = expiringCache<Entry>({ ttlMs: YEAR_MS, max: maxBytes, weightOf: bytesOf, now })
  return {
    cache,
    get: (key: KvKey): Entry => cache.get(key) ?? {},
    /** Without `ttlMs` the expiry stays. An empty value is none. */
    put(key: KvKey, value: Entry, ttlMs?: number) {
      if (isEmpty(value)) cache.delete(key)
      else cache.set(key, value, ttlMs === undefined ? { noUpdateTTL: true } : { ttl: ttlFor(ttlMs) })
    },
  }
}

function isEmpty({ text, hash, index, list }: Entry): boolean {
  return text === undefined && !(hash?.size ?? index?.size ?? list?.length)
}

/** V8 stores two bytes a character unless the whole text is Latin-1. */
function bytesOf({ text = '', hash, index, list = [] }: Entry): number {
  const texts = [text, ...list, ...[...(hash ?? [])].flat(), ...(index?.keys() ?? [])]
  return KEY_BYTES + texts.reduce((sum, one) => sum + NAME_BYTES + 2 * one.length, 0)
}

function swapIn({ get, put }: Values): Kv['swap'] {
  return async (key, { field, before, after, ttlMs, add }) => {
    const { text, hash = new Map<string, string>() } = get(key)
    if ((field === undefined ? text : hash.get(field)) !== before) return false
    if (field === undefined) put(key, after === undefined ? {} : { text: after }, ttlMs)
    else {
      hash.delete(field)
      put(key, { hash: after === undefined ? hash : hash.set(field, after) }, ttlMs)
    }
    if (add && Object.keys(add.numbers).length > 0) {
      const sums = new Map(get(add.key).hash)
      for (const [name, number] of Object.entries(add.numbers))
        sums.set(name, String(Number(sums.get(name) ?? 0) + number))
      put(add.key, { hash: sums }, ttlMs)
    }
    return true
  }
}

function textsIn({ get, put }: Values): KvTexts {
  return {
    get: async (key) => get(key).text,
    getAll: async (keys) => keys.map((key) => get(key).text),
    put: async (key, text, { ttlMs }) => put(key, { text }, ttlMs),
  }
}

function hashesIn({ get, put }: Values): KvHashes {
  const remove = (key: KvKey, fields: string[]) => {
    const { hash } = get(key)
    const count = fields.filter((field) => hash?.delete(field)).length
    if (hash && count > 0) put(key, { hash })
    return count
  }
  return {
    getAll: async (key, fields) => fields.map((field) => get(key).hash?.get(field)),
    lengths: async (key, fields) => fields.map((field) => get(key).hash?.get(field)?.length ?? 0),
    all: async (key) => Object.fromEntries(get(key).hash ?? []),
    put: async (key, fields, { ttlMs }) =>
      put(key, { hash: new Map([...(get(key).hash ?? []), ...Object.entries(fields)]) }, ttlMs),
    remove: async (key, ...fields) => remove(key, fields),
  }
}

function indexesIn({ get, put }: Values): KvIndexes {
  const sorted = (index: Map<string, number> = new Map()) =>
    [...index].sort(([one, a], [other, b]) => a - b || (one < other ? -1 : 1))
  const remove = (key: KvKey, name: string) => {
    const { index } = get(key)
    if (index?.delete(name)) put(key, { index })
  }
  return {
    async add(key, name, { score, onlyNew = false, bounds, ttlMs }) {
      const { index = new Map<string, number>() } = get(key)
      if (!onlyNew || !index.has(name)) index.set(name, score)
      const gone = bounds
        ? sorted(index).flatMap(([old, at], i) => (at <= bounds.above || i < index.size - bounds.max ? old : []))
        : []
      for (const old of gone) index.delete(old)
      put(key, { index }, ttlMs)
      return gone
    },
    remove: async (key, name) => remove(key, name),
    async range(key, { above = -Infinity, upTo = Infinity, newest = false, limit } = {}) {
      const names = sorted(get(key).index).flatMap(([name, score]) => (score > above && score <= upTo ? name : []))
      return (newest ? names.reverse() : names).slice(0, limit)
    },
    matching: async (key, glob) => [...(get(key).index?.keys() ?? [])].filter(matches(glob)),
  }
}

function listsIn({ get, put }: Values): KvLists {
  return {
    all: async (key) => [...(get(key).list ?? [])],
    async append(key, texts, { beginning, max, ttlMs }) {
      const { list = [] } = get(key)
      if (!list.some((one) => one.startsWith(beginning))) put(key, { list: [...list, ...texts].slice(-max) }, ttlMs)
    },
    async replace(key, before, after) {
      const { list } = get(key)
      if (list) put(key, { list: list.flatMap((one) => (one === before ? (after ?? []) : one)) })
    },
  }
}

function keysIn({ cache }: Values): KvKeys {
  return {
    async *matching(glob) {
      yield [...cache.keys()].filter(matches(glob))
    },
    async renew(key, { ttlMs }) {
      const value = cache.get(key)
      if (value) cache.set(key, value, { ttl: ttlFor(ttlMs) })
    },
    leftMs: async (key) => (cache.has(key) ? cache.getRemainingTTL(key) : 0),
    remove: async (...keys) => keys.filter((key) => cache.delete(key)).length,
  }
}

/** `*` and escaped characters are all that our globs have. */
function matches(glob: string): (text: string) => boolean {
  const source = glob.replace(/\\(.)|(\*)|[^\w:]/gs, (all, escaped?: string, star?: string) =>
    star ? '.*' : `\\${escaped ?? all}`,
  )
  const expression = new RegExp(`^${source}$`, 's')
  return (text) => expression.test(text)
}
