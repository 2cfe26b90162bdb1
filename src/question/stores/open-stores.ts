import type { Config } from '../../config.ts'
import { memoryQueue } from '../../queue/memory-queue.ts'
import type { Queue } from '../../queue/types.ts'
import { kvKey, tagsMatching, type Kv } from '../../stores/kv/kv.ts'
import { memoryKv } from '../../stores/kv/memory-kv.ts'
import type { RunControl } from '../../stores/runs/run-control.ts'
import { forgettingAll, type ForgettingAll } from './forget-all.ts'
import { boundsOf } from './store-bounds.ts'
import { openEach, type EachStore, type Storage, type StoreContext } from './stores.ts'

/** The stores of conversations and work. */
export interface Stores extends Omit<EachStore, 'queue'> {
  queue: Queue
  forgetting: ForgettingAll
  /** Reaches the runs of the queue's questions. */
  control: RunControl
  /** True if an accepted question outlives this process. */
  durable: boolean
  close(): Promise<void>
}

/**
 * Opens the stores in Redis if REDIS_URL is set, else in this process's memory.
 * @throws ConfigError if Redis does not answer
 */
export async function createStores(config: Config, context: StoreContext): Promise<Stores> {
  const storage = await openStorage(config, context)
  const stores = openEach(config, storage, context)
  return {
    ...stores,
    forgetting: forgettingAll(stores, context.now, () => teamsIn(storage.kvFor())),
    control: storage.queue.control,
    durable: storage.redis !== undefined,
    close: async () => storage.close(),
  }
}

async function openStorage(config: Config, context: StoreContext): Promise<Storage> {
  if (config.REDIS_URL) {
    // BullMQ and ioredis are loaded only with Redis.
    const { openRedis } = await import('./open-redis.ts')
    return openRedis(config.REDIS_URL, config, context)
  }
  const { log, now } = context
  const queue = memoryQueue({ ...boundsOf(config).queue, log, now })
  return { kvFor: (options) => memoryKv({ ...options, now }), queue, close() {} }
}

/** The tag of each of our keys in Redis begins with its team, which is a Slack id. */
async function teamsIn(kv: Kv): Promise<string[]> {
  const tags = await tagsMatching(kv, kvKey('*', '*'))
  return [...new Set(tags.flatMap((tag) => /^[TE][A-Z0-9]+(?=:|$)/.exec(tag) ?? []))]
}
