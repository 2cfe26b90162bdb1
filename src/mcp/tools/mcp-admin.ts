/** The MCP servers as admins see and accept them, in any process that serves admins, including a front. */
import type { McpToolbox } from './mcp-toolbox.ts'
import type { OffTool } from './available-tools.ts'
import type { HttpServerConfig, McpConfig } from '../types.ts'

export interface LoginNeeded {
  server: string
  /** A sentence. */
  why: string
}

export interface McpAdmin {
  off(): Promise<OffTool[]>
  needLogin(): Promise<LoginNeeded[]>
  /**
   * Accepts a tool if it has not changed since the admin saw it. It is usable from then on.
   * @returns the names of the accepted tools; none if the tool changed or was accepted before
   */
  accept(server: string, tool: string, fingerprint: string): Promise<string[]>
}

/** The servers of MCP_CONFIG, and whether one needs a login. */
interface RemoteLogins {
  config: McpConfig
  needOf(server: HttpServerConfig): Promise<{ why: string } | undefined>
}

/** `logins` is absent if no server can be logged in to. */
export function mcpAdmin(toolbox: Pick<McpToolbox, 'load' | 'off' | 'accept'>, logins?: RemoteLogins): McpAdmin {
  return {
    async off() {
      await toolbox.load()
      return toolbox.off()
    },
    async needLogin() {
      const remote = logins?.config.servers.filter((server) => server.kind === 'http') ?? []
      const needs = await Promise.all(
        remote.map(async (server) => ({ server: server.name, need: await logins?.needOf(server) })),
      )
      return needs.flatMap(({ server, need }) => (need ? [{ server, why: need.why }] : []))
    },
    accept: (server, tool, fingerprint) => toolbox.accept(server, tool, fingerprint),
  }
}
