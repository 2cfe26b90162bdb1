import { requireUsableRedis } from '../../base/redis/redis-check.ts'
import { connectRedis } from '../../base/redis/redis.ts'
import { systemNow } from '../../base/system-clock.ts'
import type { Config } from '../../config.ts'
import { redisQueue } from '../../queue/redis-queue.ts'
import { redisKv } from '../../stores/kv/redis-kv.ts'
import { boundsOf } from './store-bounds.ts'
import type { Storage, StoreContext } from './stores.ts'

/**
 * Opens the Redis at `url`. The queue has the system's clock, as BullMQ does.
 * @throws ConfigError if Redis does not answer
 */
export async function openRedis(url: string, config: Config, { log }: StoreContext): Promise<Storage> {
  const { REDIS_PREFIX: prefix, ROLE: role, WORKER_LOCK_MS: lockMs } = config
  await requireUsableRedis({ url }, log, prefix)
  const redis = connectRedis({ url }, { purpose: 'work', log })
  // BullMQ gives a lost job to another worker at the first check after its lock expired. The workers share these
  // checks, each at its own times, so it may take up to two intervals.
  const locks = { lockMs, stalledMs: Math.ceil(lockMs / 3) }
  const queue = redisQueue({ ...boundsOf(config).queue, ...locks, redis: { url }, log, now: systemNow, prefix, role })
  const kv = redisKv({ redis, prefix })
  return { kvFor: () => kv, queue, redis, close: () => redis.disconnect() }
}
