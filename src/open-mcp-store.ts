import { settledWithin } from './async.ts'
import type { Config } from './config.ts'
import { ConfigError } from './errors.ts'
import type { Log } from './log.ts'
import { memoryMcpStore, redisMcpStore, type McpStore } from './mcp/mcp-store.ts'
import { connect } from './redis.ts'
import { redisSettings } from './stores.ts'

/** What is kept of MCP servers, for an operator's command: what the bot's processes share, or this process's memory. @throws ConfigError where Redis does not answer. */
export async function openMcpStore(config: Config, log: Log): Promise<{ store: McpStore; close(): void }> {
  if (!config.REDIS_URL) return { store: memoryMcpStore(), close() {} }
  const redis = connect(redisSettings(config, config.REDIS_URL), { purpose: 'work', log })
  if (await settledWithin(5_000, [redis.ping()]))
    return { store: redisMcpStore({ redis, prefix: config.REDIS_PREFIX }), close: () => redis.disconnect() }
  redis.disconnect()
  throw new ConfigError('The Redis of REDIS_URL does not answer.')
}
