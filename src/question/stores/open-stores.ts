import type { Config } from '../../config.ts'
import { storesInMemory } from './stores-in-memory.ts'
import type { StoreContext, Stores } from './stores.ts'

/**
 * Opens Redis if REDIS_URL is set, else this process's memory, with the same bounds.
 * @throws ConfigError if Redis does not answer
 */
export async function createStores(config: Config, context: StoreContext): Promise<Stores> {
  const { REDIS_URL: url } = config
  if (!url) return storesInMemory(config, context)
  // BullMQ and the stores in Redis are loaded only with Redis.
  const { storesInRedis } = await import('./stores-in-redis.ts')
  return storesInRedis(url, config, context)
}
