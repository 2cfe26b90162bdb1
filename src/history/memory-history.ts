import { ExpiringMap } from './expiring-map.ts'
import type { History, ThreadKey, Turn } from './types.ts'

export interface MemoryHistoryOptions {
  /** Turns kept a thread; the oldest go first. */
  maxTurns?: number
  /** Milliseconds that a thread is remembered after its last turn. */
  ttlMs?: number
  /** Threads kept at once, so that a bot that runs for a year does not grow. */
  maxThreads?: number
  /** Bytes that all threads may take together, those talked in longest ago go first; one thread takes a 16th at most. */
  maxBytes?: number
  now?: () => number
}

const DAY_MS = 86_400_000
/** What a turn takes besides its texts, roughly. */
const TURN_BYTES = 200

/** History in this process's memory: gone with it, and bounded in turns, threads, bytes and time. */
export function memoryHistory(options: MemoryHistoryOptions = {}): History {
  const { maxTurns = 20, ttlMs = 30 * DAY_MS, maxThreads = 10_000, maxBytes = 64_000_000, now = Date.now } = options
  const threads = new ExpiringMap<Turn[]>({ ttlMs, maxSize: maxThreads, now, weight: { most: maxBytes, of: bytesOf } })

  return {
    async load(thread: ThreadKey): Promise<Turn[]> {
      return (threads.get(thread) ?? []).map((turn) => ({ ...turn }))
    },
    async append(thread: ThreadKey, turn: Turn): Promise<void> {
      const turns = threads.get(thread) ?? []
      const isKept = turns.some(({ id }) => id === turn.id)
      threads.set(thread, isKept ? turns : newest([...turns, { ...turn }].slice(-maxTurns), maxBytes / 16))
    },
    async forget(thread: ThreadKey): Promise<void> {
      threads.delete(thread)
    },
  }
}

/** The last turns that fit into so many bytes together; none where the very last does not. */
function newest(turns: Turn[], bytes: number): Turn[] {
  let first = turns.length
  for (let room = bytes; first > 0; first -= 1) {
    room -= bytesOf(turns.slice(first - 1, first))
    if (room < 0) break
  }
  return turns.slice(first)
}

/** As V8 keeps a text that is not Latin: two bytes a character. */
function bytesOf(turns: Turn[]): number {
  const characters = turns.flatMap(({ id, question, standalone, answer, user }) =>
    [id, question, standalone, answer, user].map((text) => text.length),
  )
  return turns.length * TURN_BYTES + 2 * characters.reduce((sum, length) => sum + length, 0)
}
