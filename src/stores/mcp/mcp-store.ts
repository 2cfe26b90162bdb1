/**
 * Values that all processes share: for MCP servers, their known tools, tokens and logins in progress; for
 * installations, everything but their records.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { inTurn } from '../../base/async.ts'
import { TransientError } from '../../base/errors.ts'
import { threadKey, type RedisKeyspace } from '../../base/redis/redis-keys.ts'
import { redisScript } from '../../base/redis/redis-script.ts'

/**
 * Stores JSON values of up to a few megabytes. A value without an explicit lifetime is kept for a year after it was
 * last read or put.
 */
export interface McpStore {
  /** @returns undefined if there is no value, or it has expired or cannot be read */
  get(key: string): Promise<unknown>
  put(key: string, value: unknown, options?: PutOptions): Promise<void>
  /** Puts a value unless there is one. @returns whether it was put */
  putIfAbsent(key: string, value: unknown, options?: PutOptions): Promise<boolean>
  /** Returns whether there was a value. Of several concurrent callers, only one gets true. */
  remove(key: string): Promise<boolean>
  /**
   * Does `work` while no other process works under the same name, for at most `ms`; after that another may begin.
   * @throws TransientError if the lock cannot be had within twice that time
   */
  lock<T>(name: string, ms: number, work: () => Promise<T>): Promise<T>
}

interface PutOptions {
  /** How long the value is kept. Milliseconds. */
  ttlMs?: number
}

const YEAR_MS = 365 * 86_400_000
/** Every so many puts, the memory store drops what has expired. */
const SWEEP_PUTS = 1_000

interface StoredValue {
  text: string
  until: number
  ttlMs?: number | undefined
}

/** Keeps values in this process's memory. */
export function memoryMcpStore({ now }: { now: () => number }): McpStore {
  const kept = new Map<string, StoredValue>()
  const turns = new Map<string, Promise<unknown>>()
  const find = (key: string) => {
    const entry = kept.get(key)
    if (entry && entry.until > now()) return entry
    kept.delete(key)
    return undefined
  }
  let puts = 0
  const put = (key: string, value: unknown, { ttlMs }: PutOptions = {}) => {
    // Expired values that nobody reads again are dropped too.
    if (++puts % SWEEP_PUTS === 0) for (const [other, { until }] of kept) if (until <= now()) kept.delete(other)
    return kept.set(key, { text: JSON.stringify(value), until: now() + (ttlMs ?? YEAR_MS), ttlMs })
  }
  return {
    async get(key) {
      const entry = find(key)
      if (entry && entry.ttlMs === undefined) entry.until = now() + YEAR_MS
      return entry && JSON.parse(entry.text)
    },
    async put(key, value, options) {
      put(key, value, options)
    },
    async putIfAbsent(key, value, options) {
      return find(key) === undefined && Boolean(put(key, value, options))
    },
    async remove(key) {
      return find(key) !== undefined && kept.delete(key)
    },
    lock: (name, ms, work) => inTurn(turns, { name, ms, work }),
  }
}

export interface RedisMcpStoreOptions extends RedisKeyspace {
  /** The owner of the keys: `mcp` unless given. */
  room?: string
  /** The beginning of the keys' names. */
  names?: string
  now: () => number
}

const releaseLock = redisScript(new URL('./lua/release-lock.lua', import.meta.url), { keys: ['lock'], args: ['token'] })

/** How long a process waits before it tries again to get a lock. Milliseconds. */
const AGAIN_MS = 40

/** Keeps values in Redis, under `PREFIX:{ROOM}:KEY`. */
export function redisMcpStore({ redis, prefix, room = 'mcp', names = '', now }: RedisMcpStoreOptions): McpStore {
  const keyOf = (key: string) => threadKey(prefix, room, `${names}${key}`)
  const textOf = (value: unknown, ttlMs: number | undefined) => JSON.stringify({ value, ttlMs })
  return {
    async get(key) {
      const stored = readStored(await redis.get(keyOf(key)))
      if (stored && stored.ttlMs === undefined) await redis.pexpire(keyOf(key), YEAR_MS)
      return stored?.value
    },
    async put(key, value, { ttlMs } = {}) {
      await redis.set(keyOf(key), textOf(value, ttlMs), 'PX', ttlMs ?? YEAR_MS)
    },
    async putIfAbsent(key, value, { ttlMs } = {}) {
      return (await redis.set(keyOf(key), textOf(value, ttlMs), 'PX', ttlMs ?? YEAR_MS, 'NX')) === 'OK'
    },
    remove: async (key) => (await redis.unlink(keyOf(key))) === 1,
    async lock(name, ms, work) {
      const [lock, token, until] = [keyOf(`lock:${name}`), randomUUID(), now() + 2 * ms]
      while ((await redis.set(lock, token, 'PX', ms, 'NX')) !== 'OK') {
        if (now() > until) throw new TransientError(`The lock "${name}" was not to be had within ${2 * ms} ms.`)
        await sleep(AGAIN_MS)
      }
      try {
        return await work()
      } finally {
        await releaseLock(redis, { lock, token })
      }
    },
  }
}

function readStored(text: string | null): { value: unknown; ttlMs: unknown } | undefined {
  try {
    const stored: unknown = JSON.parse(text ?? 'null')
    if (typeof stored !== 'object' || stored === null || !('value' in stored)) return undefined
    return { value: stored.value, ttlMs: 'ttlMs' in stored ? stored.ttlMs : undefined }
  } catch {
    return undefined
  }
}
