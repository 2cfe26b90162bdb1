import { settledWithin } from '../base/async.ts'
import { ConfigError } from '../base/errors.ts'
import { createLog, type Log } from '../base/log.ts'
import { loadConfig, secretsOf, type Config } from '../config.ts'
import type { CommandIo } from './command.ts'
import type { StoreContext } from '../question/stores/stores.ts'
import { createValues, MCP_ROOM, type ValueStore } from '../stores/values/value-store.ts'
import { cannotConnect, connectRedis, type RedisClient } from '../base/redis/redis.ts'
import { memoryKv } from '../stores/kv/memory-kv.ts'
import { redisKv } from '../stores/kv/redis-kv.ts'

/** How long a command waits for Redis. Milliseconds. */
const PING_MS = 5_000

/**
 * Connects an operator's command to the Redis that the bot's processes share; the command disconnects it.
 * @throws ConfigError if it does not answer
 */
export async function openCommandRedis(url: string, log: Log): Promise<RedisClient> {
  const redis = connectRedis({ url }, { purpose: 'work', log })
  if (await settledWithin(PING_MS, [redis.ping()])) return redis
  redis.disconnect()
  throw new ConfigError(`${cannotConnect({ url })}: no answer within ${PING_MS / 1000} s.`)
}

/**
 * Runs a command over the Redis that the bot's processes share. `without` says what is missing without one.
 * @throws ConfigError if none is set, or it does not answer
 */
export async function withCommandRedis(
  io: CommandIo,
  without: string,
  work: (opened: { config: Config; log: Log; redis: RedisClient; prefix: string }) => Promise<number>,
): Promise<number> {
  const config = loadConfig(io.readEnv())
  if (!config.REDIS_URL) throw new ConfigError(`REDIS_URL is missing. ${without}`)
  const log = createLog(config.LOG_LEVEL, io.stderr, secretsOf(config))
  const redis = await openCommandRedis(config.REDIS_URL, log)
  try {
    return await work({ config, log, redis, prefix: config.REDIS_PREFIX })
  } finally {
    redis.disconnect()
  }
}

/**
 * Opens the store of MCP servers for an operator's command: the one that the bot's processes share, or this process's
 * memory.
 * @throws ConfigError if Redis does not answer
 */
export async function openMcpStore(
  config: Config,
  { log, now }: StoreContext,
): Promise<{ store: ValueStore; close(): void }> {
  const redis = config.REDIS_URL ? await openCommandRedis(config.REDIS_URL, log) : undefined
  const kv = redis ? redisKv({ redis, prefix: config.REDIS_PREFIX }) : memoryKv({ now })
  return { store: createValues(kv, { room: MCP_ROOM }), close: () => redis?.disconnect() }
}
