import { ToolError } from '../errors.ts'
import type { Log } from '../log.ts'
import { createAgents, type ProxySetting, type Resolve } from '../toolbox/http/agents.ts'
import { serverFetch } from './http-fetch.ts'
import { LiveServer } from './live-server.ts'
import type { StdioProcess } from './stdio-process.ts'
import type { AuthOf, McpConfig, McpServers } from './types.ts'

export interface ServersDeps {
  log: Log
  /** In ms. */
  now(): number
  proxy?: ProxySetting | undefined
  /** In place of the system's DNS. */
  resolve?: Resolve | undefined
  authOf?: AuthOf | undefined
}

/** Nothing is started or called until a server is first needed. */
export function openServers(config: McpConfig, deps: ServersDeps): McpServers {
  const opened = once(() => createAgents(deps))
  const processes = new Set<StdioProcess>()
  // Where the process ends without close: they are in groups of their own, and nothing else would end them.
  const endAll = () => processes.forEach((one) => one.signal('SIGKILL'))
  process.once('exit', endAll)
  const servers = new Map(
    config.servers.map((server) => {
      const fetchOf = async () => (server.kind === 'http' ? serverFetch(server, { agents: await opened() }) : undefined)
      return [server.name, new LiveServer(server, { ...deps, fetchOf, processes })]
    }),
  )
  return {
    all: () => [...servers.values()],
    of(name) {
      const server = servers.get(name)
      if (!server) throw new ToolError(`${name} is no server of MCP_CONFIG.`)
      return server
    },
    async close() {
      await Promise.all([...servers.values()].map((server) => server.close()))
      process.off('exit', endAll)
      const agents = await opened()
      await Promise.all([agents.inside.destroy(), agents.outside.destroy()])
    },
  }
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => (made ??= { value: make() }).value
}
