import { ExpiringMap, forgettingIn, movingIn } from '../../base/expiring-map.ts'
import { withoutPerson } from './thread-context.ts'
import type { Person, ThreadKey } from '../../base/place.ts'
import { MAX_TURNS, type History, type Turn } from './types.ts'

interface MemoryHistoryOptions {
  /** HISTORY_TTL_DAYS: how long a thread is kept after its last turn. Milliseconds. */
  ttlMs: number
  /** The maximum number of threads, so that the memory of a bot that runs for a year does not grow. */
  maxThreads?: number
  /**
   * The maximum bytes of all threads. Beyond it, the threads that have been quiet for longest are dropped. One thread
   * takes at most a sixteenth of it.
   */
  maxBytes?: number
  now: () => number
}

/** The approximate bytes of a turn besides its texts. */
const TURN_BYTES = 200

/** History in this process's memory: lost when it ends, and bounded in turns, threads, bytes and time. */
export function memoryHistory(options: MemoryHistoryOptions): History {
  const { ttlMs, maxThreads = 10_000, maxBytes = 64_000_000, now } = options
  const threads = new ExpiringMap<Turn[]>({ ttlMs, maxSize: maxThreads, now, weight: { max: maxBytes, of: bytesOf } })

  return {
    async load(thread: ThreadKey): Promise<Turn[]> {
      return (threads.get(thread) ?? []).map((turn) => ({ ...turn }))
    },
    async append(thread: ThreadKey, turn: Turn): Promise<void> {
      const turns = threads.get(thread) ?? []
      const isKept = turns.some(({ id }) => id === turn.id)
      threads.set(thread, isKept ? turns : lastThatFit([...turns, { ...turn }].slice(-MAX_TURNS), maxBytes / 16))
    },
    async remove(thread: ThreadKey, id: string): Promise<void> {
      const turns = threads.get(thread)
      if (turns)
        threads.set(
          thread,
          turns.filter((turn) => turn.id !== id),
        )
    },
    async forget(thread: ThreadKey): Promise<void> {
      threads.delete(thread)
    },
    async forgetUser({ team, user }: Person): Promise<void> {
      for (const thread of threads.keys().filter((key) => key.startsWith(`${team}:`))) {
        const turns = threads.get(thread) ?? []
        // Changed in place, because `set` would restart the expiry.
        turns.splice(0, Infinity, ...turns.flatMap((turn) => withoutPerson(turn, user) ?? []))
      }
    },
    ...movingIn(threads),
    ...forgettingIn(threads),
  }
}

/** Returns the last turns that fit into `bytes` together. Empty if even the last one does not fit. */
function lastThatFit(turns: Turn[], bytes: number): Turn[] {
  let first = turns.length
  for (let left = bytes; first > 0; first -= 1) {
    left -= bytesOf(turns.slice(first - 1, first))
    if (left < 0) break
  }
  return turns.slice(first)
}

/** Returns an upper estimate: V8 stores two bytes a character unless the whole text is Latin-1. */
function bytesOf(turns: Turn[]): number {
  const characters = turns.flatMap(
    ({ id, question, said = '', saidBy = [], standalone, answer, user, tables = [] }) => {
      const cells = tables.flatMap(({ name, columns, rows }) => [name, ...columns, ...rows.flat()])
      return [id, question, said, ...saidBy, standalone, answer, user, ...cells].map((text) => text.length)
    },
  )
  return turns.length * TURN_BYTES + 2 * characters.reduce((sum, length) => sum + length, 0)
}
