import type { Sealer } from '../../base/seal.ts'
import { loginStore, type LoginStore } from './login-store.ts'
import type { McpStore } from '../../stores/mcp/mcp-store.ts'
import { createAuthOf } from './server-auth.ts'
import { openServers, type ServersDeps } from '../servers/servers.ts'
import type { McpServers } from '../servers/servers.ts'
import type { McpConfig } from '../types.ts'

interface LoggedInDeps extends ServersDeps {
  store: McpStore
  sealer: Sealer | undefined
  /** The logins of one person, `team:user`. */
  loginsOf?: ((person: string) => LoginStore) | undefined
}

/** Opens the servers with the workspace's and people's logins, which are in the store under SECRETS_KEY. */
export function openLoggedIn(config: McpConfig, { store, sealer, loginsOf, ...deps }: LoggedInDeps): McpServers {
  return openServers(config, { ...deps, authOf: createAuthOf(loginStore(store, sealer), { ...deps, loginsOf }) })
}
