import { ExpiringMap } from './expiring-map.ts'
import type { History, ThreadKey, Turn } from './types.ts'

export interface MemoryHistoryOptions {
  /** Turns kept a thread; the oldest go first. */
  maxTurns?: number
  /** Milliseconds that a thread is remembered after its last turn. */
  ttlMs?: number
  /** Threads kept at once, so that a bot that runs for a year does not grow. */
  maxThreads?: number
  now?: () => number
}

const DAY_MS = 86_400_000

/** History in this process's memory: gone with it, and bounded in turns, threads and time. */
export function memoryHistory(options: MemoryHistoryOptions = {}): History {
  const { maxTurns = 20, ttlMs = 30 * DAY_MS, maxThreads = 10_000, now = Date.now } = options
  const threads = new ExpiringMap<Turn[]>({ ttlMs, maxSize: maxThreads, now })

  return {
    async load(thread: ThreadKey): Promise<Turn[]> {
      return (threads.get(thread) ?? []).map((turn) => ({ ...turn }))
    },
    async append(thread: ThreadKey, turn: Turn): Promise<void> {
      const turns = threads.get(thread) ?? []
      const isKept = turns.some(({ id }) => id === turn.id)
      threads.set(thread, isKept ? turns : [...turns, { ...turn }].slice(-maxTurns))
    },
    async forget(thread: ThreadKey): Promise<void> {
      threads.delete(thread)
    },
  }
}
