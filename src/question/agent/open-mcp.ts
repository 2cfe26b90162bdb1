import { ConfigError } from '../../base/errors.ts'
import type { ProxySetting } from '../../base/http/connection-pools.ts'
import type { Person } from '../../base/place.ts'
import { sealerFrom } from '../../base/encryption.ts'
import { readEnv, type Config } from '../../config.ts'
import type { Account } from '../../mcp/login/connectable-account.ts'
import { loadMcpConfig } from '../../mcp/config/mcp-config.ts'
import { loginStore } from '../../mcp/login/login-store.ts'
import { personLogins } from '../../mcp/login/person-logins.ts'
import { serverAccount } from '../../mcp/login/server-account.ts'
import { mcpAdmin, type McpAdmin } from '../../mcp/tools/mcp-admin.ts'
import { openMcpToolbox, type McpToolbox } from '../../mcp/tools/mcp-toolbox.ts'
import type { McpServerConfig } from '../../mcp/types.ts'
import { isPersonal } from '../../mcp/login/whose-login.ts'
import type { AgentSources } from './agent-parts.ts'

interface McpSources extends Pick<AgentSources, 'log' | 'mcpStore' | 'people'> {
  /** Milliseconds since the epoch. */
  now: () => number
  proxy: ProxySetting | undefined
  /** Names of other tools. */
  taken: string[]
}

/**
 * Opens the tools of MCP servers, if MCP_CONFIG is set and there is a store for them. A front calls none: it knows them
 * from the records that workers store.
 */
export async function openMcp(
  config: Config,
  { log, now, mcpStore: store, people, proxy, taken }: McpSources,
): Promise<{ toolbox: McpToolbox; admin: McpAdmin; accounts: Account[] } | undefined> {
  if (!config.MCP_CONFIG || !store) return undefined
  const servers = loadMcpConfig(config.MCP_CONFIG, readEnv())
  const personal = servers.servers.filter(isPersonal)
  checkPersonal(personal, config)
  const sealer = sealerFrom(config)
  const logins = people && personLogins(people, store, sealer, now)
  const login = { store, sealer, loginsOf: logins?.of }
  const open = async () =>
    (await import('../../mcp/login/server-auth.ts')).openLoggedIn(servers, { log, now, proxy, ...login })
  const toolbox = await openMcpToolbox(servers, {
    store,
    log,
    now,
    taken,
    logins,
    open: config.ROLE === 'front' ? undefined : open,
    maxTools: config.MCP_TOOLS_MAX,
    timeoutMs: config.TOOL_TIMEOUT_MS,
    approvers: config.APPROVERS,
  })
  const titles = (server: string, person: Person) => toolbox.titles(server, person)
  // The servers that people log in to, each for themselves.
  const accounts = logins ? personal.map((one) => serverAccount(one, { logins, proxy, log, now, titles })) : []
  const admin = mcpAdmin(toolbox, { config: servers, needOf: loginStore(store, sealer).needOf })
  return { toolbox, admin, accounts }
}

/** @throws ConfigError if a server wants people's logins and they could not log in */
function checkPersonal([server]: McpServerConfig[], config: Config): void {
  const missing = (['PUBLIC_URL', 'SECRETS_KEY'] as const).filter((name) => !config[name])
  if (server && missing.length > 0)
    throw new ConfigError(
      `MCP_CONFIG: ${server.name} has "login": "person", which needs ${missing.join(' and ')}. Set ${missing.length > 1 ? 'them' : 'it'}, or remove "login".`,
    )
}
