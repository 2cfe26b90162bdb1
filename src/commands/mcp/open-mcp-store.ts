import { openCommandRedis } from '../command-redis.ts'
import type { Config } from '../../config.ts'
import type { Log } from '../../base/log.ts'
import { memoryMcpStore, redisMcpStore, type McpStore } from '../../stores/mcp/mcp-store.ts'

/**
 * Opens the store of MCP servers for an operator's command: the Redis that the bot's processes share, or memory.
 * @throws ConfigError if Redis does not answer
 */
export async function openMcpStore(config: Config, log: Log): Promise<{ store: McpStore; close(): void }> {
  if (!config.REDIS_URL) return { store: memoryMcpStore(), close() {} }
  const redis = await openCommandRedis(config.REDIS_URL, log)
  return { store: redisMcpStore({ redis, prefix: config.REDIS_PREFIX }), close: () => redis.disconnect() }
}
