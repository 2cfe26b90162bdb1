import { loginStore } from './login-store.ts'
import type { McpStore } from '../../stores/mcp/mcp-store.ts'
import { createAuthOf } from './server-auth.ts'
import { openServers, type ServersDeps } from '../servers/servers.ts'
import type { McpConfig, McpServers } from '../types.ts'

/** Opens the servers with the workspace's logins, which the store keeps encrypted under SECRETS_KEY. */
export function openLoggedIn(
  config: McpConfig,
  { store, secretsKey, ...deps }: ServersDeps & { store: McpStore; secretsKey: string | undefined },
): McpServers {
  return openServers(config, { ...deps, authOf: createAuthOf(loginStore(store, secretsKey), deps) })
}
