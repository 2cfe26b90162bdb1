import { settledWithin } from '../base/async.ts'
import { ConfigError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import { connect, type RedisClient } from '../base/redis/redis.ts'

/** How long a command waits for Redis, in ms. */
const PING_MS = 5_000

/**
 * Connects an operator's command to the Redis that the bot's processes share. The command must disconnect it.
 * @throws ConfigError if Redis does not answer
 */
export async function openCommandRedis(url: string, log: Log): Promise<RedisClient> {
  const redis = connect({ url }, { purpose: 'work', log })
  if (await settledWithin(PING_MS, [redis.ping()])) return redis
  redis.disconnect()
  throw new ConfigError('The Redis of REDIS_URL does not answer.')
}
