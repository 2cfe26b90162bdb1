import type { FetchLike } from '@modelcontextprotocol/client'
import { LRUCache } from 'lru-cache'
import { once } from '../../base/async.ts'
import { ToolError } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { createAgents, systemResolve, type ProxySetting, type Resolve } from '../../base/http/connection-pools.ts'
import { authFetch, serverFetch } from './http-fetch.ts'
import { McpServer } from './mcp-server.ts'
import type { StdioProcess } from './stdio-process.ts'
import type { AuthOf, HttpServerConfig, McpConfig, McpServerConfig, PersonLogin } from '../types.ts'

export interface ServersDeps {
  log: Log
  /** Milliseconds since the epoch. */
  now(): number
  proxy?: ProxySetting | undefined
  /** Replaces the system's DNS. */
  resolve?: Resolve | undefined
  authOf?: AuthOf | undefined
  /** See `ConnectDeps`. */
  probeMs?: number | undefined
}

/** The servers of MCP_CONFIG. */
export interface McpServers {
  all(): McpServer[]
  /**
   * Returns the shared server, or with `as` a connection that only this person uses.
   * @throws ToolError for a name that MCP_CONFIG does not have
   */
  of(name: string, as?: PersonLogin): McpServer
  /** Ends what was started, and waits for its end. */
  close(): Promise<void>
}

/** Opens the servers. Nothing is started or called until a server is first needed. */
export function openServers(config: McpConfig, deps: ServersDeps): McpServers {
  const opened = once(() => createAgents(deps))
  const resolve = deps.proxy ? (deps.resolve ?? systemResolve) : undefined
  const loginHttp =
    (server: HttpServerConfig): FetchLike =>
    async (url, init) =>
      authFetch(server, { agents: await opened(), resolve })(url, init)
  const processes = new Set<StdioProcess>()
  // For a process that ends without `close`: stdio servers are in process groups of their own, and nothing else would
  // end them.
  const endAll = () => processes.forEach((one) => one.signal('SIGKILL'))
  process.once('exit', endAll)
  const serverOf = (server: McpServerConfig, as?: PersonLogin) => {
    const login = server.kind === 'http' ? deps.authOf?.(server, loginHttp(server), as) : undefined
    const fetchOf = async () => (server.kind === 'http' ? serverFetch(server, { agents: await opened() }) : undefined)
    return new McpServer(server, { ...deps, login, fetchOf, processes })
  }
  const servers = new Map(config.servers.map((server) => [server.name, serverOf(server)]))
  const personal = new LRUCache<string, McpServer>({ max: MAX_PERSONAL, dispose: (server) => void server.close() })
  return {
    all: () => [...servers.values()],
    of(name, as) {
      const server = servers.get(name)
      if (!server) throw new ToolError(`${name} is not a server in MCP_CONFIG.`)
      if (!as) return server
      const key = `${name} ${as.person} ${as.since}`
      return personal.get(key) ?? personal.set(key, serverOf(server.config, as)).get(key)!
    },
    async close() {
      await Promise.all([...servers.values(), ...personal.values()].map((server) => server.close()))
      process.off('exit', endAll)
      const agents = await opened()
      await Promise.all([agents.inside.destroy(), agents.outside.destroy()])
    },
  }
}

/** The maximum number of people's connections that a process keeps. */
const MAX_PERSONAL = 200
