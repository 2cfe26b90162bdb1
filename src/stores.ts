import type { Config } from './config.ts'
import { embeddedHistory } from './history/embedded.ts'
import type { History } from './history/types.ts'
import type { Log } from './log.ts'
import { embeddedQueue } from './queue/embedded.ts'
import type { Queue } from './queue/types.ts'

/** Where conversations and work are kept. */
export interface Stores {
  history: History
  queue: Queue
  /** True where an accepted question outlives this process. */
  durable: boolean
  close(): Promise<void>
}

const DAY_MS = 86_400_000

/** Redis where REDIS_URL is set, else this process's memory, with the same bounds. */
export function createStores(config: Config, log: Log): Stores {
  const ttlMs = config.HISTORY_TTL_DAYS * DAY_MS
  return {
    history: embeddedHistory({ maxTurns: config.HISTORY_MAX_TURNS, ttlMs }),
    queue: embeddedQueue({ concurrency: config.WORKER_CONCURRENCY, knownTtlMs: ttlMs, log }),
    durable: false,
    close: async () => {},
  }
}
