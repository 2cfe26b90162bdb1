import { openCommandRedis } from '../command-redis.ts'
import type { Config } from '../../config.ts'
import type { StoreContext } from '../../question/stores/stores.ts'
import { memoryMcpStore, redisMcpStore, type McpStore } from '../../stores/mcp/mcp-store.ts'

/**
 * Opens the store of MCP servers for an operator's command: the one that the bot's processes share, or this process's
 * memory.
 * @throws ConfigError if Redis does not answer
 */
export async function openMcpStore(
  config: Config,
  { log, now }: StoreContext,
): Promise<{ store: McpStore; close(): void }> {
  if (!config.REDIS_URL) return { store: memoryMcpStore({ now }), close() {} }
  const redis = await openCommandRedis(config.REDIS_URL, log)
  return { store: redisMcpStore({ redis, prefix: config.REDIS_PREFIX, now }), close: () => redis.disconnect() }
}
