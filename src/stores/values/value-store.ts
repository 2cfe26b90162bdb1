import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { TransientError } from '../../base/errors.ts'
import { parseJson } from '../../base/parse-json.ts'
import { kvKey, type Kv } from '../kv/kv.ts'

/**
 * JSON values of up to a few megabytes that all processes share: for MCP servers, their known tools, tokens and logins
 * in progress; for installations, everything but their records. A value without an explicit lifetime is kept for a year
 * after it was last read or put.
 */
export interface ValueStore {
  /** @returns undefined if there is no value, or it has expired or cannot be read */
  get(key: string): Promise<unknown>
  put(key: string, value: unknown, options?: PutOptions): Promise<void>
  /** Puts a value unless there is one. @returns whether it was put */
  putIfAbsent(key: string, value: unknown, options?: PutOptions): Promise<boolean>
  /** Returns whether there was a value. Only one of several concurrent callers gets true. */
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

/** How long a process waits before it tries again to get a lock. Milliseconds. */
const AGAIN_MS = 40

/** The room of MCP's shared values. */
export const MCP_ROOM = 'mcp'

/** The values of a room, under `{ROOM}:KEY`. `names`: the beginning of the keys' names. */
export function createValues(kv: Kv, { room, names = '' }: { room: string; names?: string }): ValueStore {
  const keyOf = (key: string) => kvKey(room, `${names}${key}`)
  const textOf = (value: unknown, ttlMs: number | undefined) => JSON.stringify({ value, ttlMs })
  return {
    async get(key) {
      const stored = readStored(await kv.texts.get(keyOf(key)))
      if (stored && stored.ttlMs === undefined) await kv.keys.renew(keyOf(key), { ttlMs: YEAR_MS })
      return stored?.value
    },
    put: (key, value, { ttlMs } = {}) => kv.texts.put(keyOf(key), textOf(value, ttlMs), { ttlMs: ttlMs ?? YEAR_MS }),
    putIfAbsent: (key, value, { ttlMs } = {}) =>
      kv.swap(keyOf(key), { before: undefined, after: textOf(value, ttlMs), ttlMs: ttlMs ?? YEAR_MS }),
    remove: async (key) => (await kv.keys.remove(keyOf(key))) === 1,
    async lock(name, ms, work) {
      const [lock, token] = [keyOf(`lock:${name}`), randomUUID()]
      for (let left = 2 * ms; !(await kv.swap(lock, { before: undefined, after: token, ttlMs: ms }));) {
        if (left < 0) throw new TransientError(`The lock "${name}" was not to be had within ${2 * ms} ms.`)
        await sleep(AGAIN_MS)
        left -= AGAIN_MS
      }
      try {
        return await work()
      } finally {
        await kv.swap(lock, { before: token, after: undefined, ttlMs: ms })
      }
    },
  }
}

function readStored(text: string | undefined): { value: unknown; ttlMs: unknown } | undefined {
  const stored = parseJson(text)
  if (typeof stored !== 'object' || stored === null || !('value' in stored)) return undefined
  return { value: stored.value, ttlMs: 'ttlMs' in stored ? stored.ttlMs : undefined }
}
