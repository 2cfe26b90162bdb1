import { scanKeys, type RedisKeyspace } from '../../base/redis/redis-keys.ts'
import { redisScript } from '../../base/redis/redis-script.ts'
import type { RedisClient } from '../../base/redis/redis.ts'
import type { Kv, KvHashes, KvIndexes, KvKey, KvKeys, KvLists, KvTexts } from './kv.ts'

/** Keeps values in Redis, under `PREFIX:KEY`. */
export function redisKv({ redis, prefix }: RedisKeyspace): Kv {
  const at = (key: KvKey) => `${prefix}:${key}`
  return {
    swap: swapIn(redis, at),
    texts: textsIn(redis, at),
    hashes: hashesIn(redis, at),
    indexes: indexesIn(redis, at),
    lists: listsIn(redis, at),
    keys: keysIn(redis, at),
  }
}

type KeyIn = (key: KvKey) => string

const swapScript = redisScript(new URL('./lua/swap.lua', import.meta.url), {
  keys: ['key', 'sums'],
  args: ['field', 'before', 'after', 'ttlMs'],
})

function swapIn(redis: RedisClient, at: KeyIn): Kv['swap'] {
  return async (key, { field = '', before = '', after = '', ttlMs, add = { key, numbers: {} } }) => {
    const args = Object.entries(add.numbers).flat()
    if (field === '' && before === '' && after !== '' && args.length === 0)
      return (await redis.set(at(key), after, 'PX', ttlMs, 'NX')) === 'OK'
    const swap = { key: at(key), sums: at(add.key), field, before, after, ttlMs }
    return (await swapScript(redis, swap, { args })) === 1
  }
}

function textsIn(redis: RedisClient, at: KeyIn): KvTexts {
  return {
    get: async (key) => (await redis.get(at(key))) ?? undefined,
    getAll: async (keys) => (await redis.mget(...keys.map(at))).map((text) => text ?? undefined),
    async put(key, text, { ttlMs }) {
      await redis.set(at(key), text, 'PX', ttlMs)
    },
  }
}

function hashesIn(redis: RedisClient, at: KeyIn): KvHashes {
  return {
    async getAll(key, fields) {
      const texts = fields.length > 0 ? await redis.hmget(at(key), ...fields) : []
      return texts.map((text) => text ?? undefined)
    },
    lengths: (key, fields) => Promise.all(fields.map((field) => redis.hstrlen(at(key), field))),
    all: (key) => redis.hgetall(at(key)),
    async put(key, fields, { ttlMs }) {
      await redis.multi().hset(at(key), fields).pexpire(at(key), ttlMs).exec()
    },
    remove: async (key, ...fields) => (fields.length > 0 ? redis.hdel(at(key), ...fields) : 0),
  }
}

const addToIndex = redisScript(new URL('./lua/add-to-index.lua', import.meta.url), {
  keys: ['index'],
  args: ['name', 'score', 'above', 'max', 'ttlMs'],
})

function indexesIn(redis: RedisClient, at: KeyIn): KvIndexes {
  return {
    async add(key, name, { score, onlyNew = false, bounds, ttlMs }) {
      const index = at(key)
      if (bounds) {
        const gone = await addToIndex(redis, { index, name, score, ...bounds, ttlMs })
        return Array.isArray(gone) ? gone.map(String) : []
      }
      const added = onlyNew ? redis.zadd(index, 'NX', score, name) : redis.zadd(index, score, name)
      await Promise.all([added, redis.pexpire(index, ttlMs)])
      return []
    },
    async remove(key, name) {
      await redis.zrem(at(key), name)
    },
    async range(key, { above = -Infinity, upTo = Infinity, newest = false, limit = Infinity } = {}) {
      const [from, to, count] = [`(${scoreOf(above)}`, scoreOf(upTo), Number.isFinite(limit) ? limit : -1]
      return newest
        ? redis.zrevrangebyscore(at(key), to, from, 'LIMIT', 0, count)
        : redis.zrangebyscore(at(key), from, to, 'LIMIT', 0, count)
    },
    async matching(key, glob) {
      const names = new Set<string>()
      let cursor = '0'
      do {
        const [next, found] = await redis.zscan(at(key), cursor, 'MATCH', glob, 'COUNT', 1_000)
        cursor = next
        for (const [i, name] of found.entries()) if (i % 2 === 0) names.add(name)
      } while (cursor !== '0')
      return [...names]
    },
  }
}

/** Redis' notation of a score. */
function scoreOf(score: number): string {
  return Number.isFinite(score) ? String(score) : score > 0 ? '+inf' : '-inf'
}

const appendToList = redisScript(new URL('./lua/append-to-list.lua', import.meta.url), {
  keys: ['key'],
  args: ['beginning', 'max', 'ttlMs'],
})
const replaceInList = redisScript(new URL('./lua/replace-in-list.lua', import.meta.url), {
  keys: ['key'],
  args: ['before', 'after'],
})

function listsIn(redis: RedisClient, at: KeyIn): KvLists {
  return {
    all: (key) => redis.lrange(at(key), 0, -1),
    async append(key, texts, options) {
      await appendToList(redis, { key: at(key), ...options }, { args: texts })
    },
    async replace(key, before, after = '') {
      await replaceInList(redis, { key: at(key), before, after })
    },
  }
}

function keysIn(redis: RedisClient, at: KeyIn): KvKeys {
  return {
    async *matching(glob) {
      for await (const keys of scanKeys(redis, at(glob))) yield keys.map((key) => key.slice(at('').length))
    },
    async renew(key, { ttlMs }) {
      await redis.pexpire(at(key), ttlMs)
    },
    leftMs: async (key) => Math.max(0, await redis.pttl(at(key))),
    remove: (...keys) => redis.unlink(...keys.map(at)),
  }
}
