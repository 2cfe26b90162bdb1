/** The commands of `npm run mcp`: each prints its result and returns its exit code. */
import type { Readable } from 'node:stream'
import type { Config } from '../../config.ts'
import { ConfigError, messageOf } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { createAgents, proxyFrom, systemResolve } from '../../base/http/connection-pools.ts'
import { createNetwork } from '../../base/http/proxy.ts'
import { hideSecrets } from '../../mcp/tools/hide-config-secrets.ts'
import { NO_KEY, loginStore, type LoginStore } from '../../mcp/login/login-store.ts'
import { unmatchedRules, type ListedTools, type UnmatchedRule } from '../../mcp/tools/unmatched-rules.ts'
import { SealBroken, sealerFrom } from '../../base/encryption.ts'
import { countText } from '../command.ts'
import type { ValueStore } from '../../stores/values/value-store.ts'
import { hasOwnAuthorization, type HttpServerConfig, type McpConfig, type McpServerConfig } from '../../mcp/types.ts'
import { isPersonal } from '../../mcp/login/whose-login.ts'
import { authFetch } from '../../mcp/servers/http-fetch.ts'
import type { McpServers } from '../../mcp/servers/servers.ts'

export interface OperatorPlace {
  config: Config
  servers: McpConfig
  store: ValueStore
  log: Log
  now: () => number
  say(line: string): void
}

/** How long one server may take to connect and list its tools. Milliseconds. */
const CHECK_MS = 30_000

export async function listServers(place: OperatorPlace): Promise<number> {
  const logins = loginStore(place.store, sealerFrom(place.config))
  for (const server of place.servers.servers)
    place.say([server.name, server.kind, await loginWords(logins, server)].join('\t'))
  place.say(countText(place.servers.servers.length, 'server'))
  return 0
}

/** Returns the login state of a server in words, as far as the bot knows it. */
async function loginWords(logins: LoginStore, server: McpServerConfig): Promise<string> {
  if (server.kind === 'stdio') return 'starts when needed'
  if (hasOwnAuthorization(server)) return 'has its login in MCP_CONFIG'
  try {
    const [need, login] = [await logins.needOf(server), await logins.load(server)]
    if (need) return `needs a login: ${need.why}`
    return login ? 'logged in' : 'no login'
  } catch (error) {
    if (error instanceof SealBroken) return `needs a login: its login cannot be read. ${error.message}`
    throw error
  }
}

export async function checkServers(place: OperatorPlace): Promise<number> {
  const inspected = await inspectServers(place)
  for (const { name, state, words } of inspected) place.say([name, state, words].join('\t'))
  const unmatched = await currentUnmatchedRules(place, inspected)
  for (const { setting, rule } of unmatched) place.say([setting, 'matches no tool', rule].join('\t'))
  return inspected.every(({ state }) => state === 'up') && unmatched.length === 0 ? 0 : 1
}

/**
 * Returns the rules of APPROVERS and MCP_CONFIG that match no tool, given the servers' current tools and the bot's
 * others.
 */
export async function currentUnmatchedRules(
  { config, log, now }: Pick<OperatorPlace, 'config' | 'log' | 'now'>,
  inspected: InspectedServer[],
): Promise<UnmatchedRule[]> {
  const { openTools } = await import('../tool-context.ts')
  const agent = await openTools(config, { log, net: await createNetwork(config), now: () => new Date(now()) })
  const own = agent.defaults.tools.map(({ name }) => name)
  await agent.close()
  return unmatchedRules(inspected, { approvers: config.APPROVERS, own })
}

/** The current state of a server, with the number of its tools or its fault in words. */
export interface InspectedServer extends ListedTools {
  name: string
  state: 'up' | 'needs a login' | 'down'
  words: string
}

/** Connects to each server and lists its tools. */
export async function inspectServers(place: OperatorPlace): Promise<InspectedServer[]> {
  const servers = await openedServers(place)
  try {
    return await Promise.all(servers.all().map(({ config: { name } }) => inspect(servers, name)))
  } finally {
    await servers.close()
  }
}

async function inspect(servers: McpServers, name: string): Promise<InspectedServer> {
  const server = servers.of(name)
  const known = { name, config: server.config, tools: undefined }
  try {
    const { tools } = await server.list(AbortSignal.timeout(CHECK_MS))
    const names = tools.map((tool) => tool.name)
    return { ...known, state: 'up', words: countText(tools.length, 'tool'), tools: names }
  } catch (error) {
    const { state, why } = server.status()
    const words = hideSecrets(server.config.secrets).text(why ?? messageOf(error))
    return { ...known, state: state === 'needs-login' ? 'needs a login' : 'down', words }
  }
}

/** Checks the requirements of a login before any request. @throws ConfigError */
export function checkLogin(config: Config, servers: McpConfig, name: string): void {
  if (isPersonal(remoteServer(servers, name)))
    throw new ConfigError(`${name} has "login": "person": people connect it themselves, by /ask connections in Slack.`)
  if (!config.SECRETS_KEY) throw new ConfigError(NO_KEY)
}

/** @throws ConfigError for a server without a login; ToolError if the login fails */
export async function logInAt(place: OperatorPlace, name: string, port: number, input: Readable): Promise<number> {
  const server = remoteServer(place.servers, name)
  const logins = loginStore(place.store, sealerFrom(place.config))
  const { logIn } = await import('../../mcp/login/log-in.ts')
  const { proxy, resolve } = proxyOptions(place.config)
  const agents = await createAgents({ proxy })
  try {
    const fetch = authFetch(server, { agents, resolve })
    await logIn(server, { logins, fetch, port, input, say: place.say, now: place.now })
  } finally {
    await Promise.all([agents.inside.destroy(), agents.outside.destroy()])
  }
  place.say(`Logged in at ${name}. The bot uses it from now on.`)
  return 0
}

/** @throws ConfigError if MCP_CONFIG has no such server */
export function serverNamed({ servers }: McpConfig, name: string): McpServerConfig {
  const server = servers.find((one) => one.name === name)
  if (server) return server
  throw new ConfigError(`MCP_CONFIG has no server ${name}. It has ${servers.map((one) => one.name).join(', ')}.`)
}

function remoteServer(servers: McpConfig, name: string): HttpServerConfig {
  const server = serverNamed(servers, name)
  if (server.kind === 'stdio')
    throw new ConfigError(`${name} runs on this machine. Put its credentials into its env in MCP_CONFIG.`)
  if (hasOwnAuthorization(server))
    throw new ConfigError(`${name} needs no login: MCP_CONFIG has an Authorization header for it.`)
  return server
}

async function openedServers({ config, servers, store, log, now }: OperatorPlace): Promise<McpServers> {
  const { openLoggedIn } = await import('../../mcp/login/server-auth.ts')
  return openLoggedIn(servers, { log, now, store, sealer: sealerFrom(config), ...proxyOptions(config) })
}

/** The proxy, if there is one. Behind it we also resolve names ourselves, before the proxy does. */
function proxyOptions(config: Config) {
  const proxy = proxyFrom(config)
  return proxy ? { proxy, resolve: systemResolve } : {}
}
