/** What an admin is told of the MCP servers and decides about them, in whichever process the admin is heard: a front too. */
import type { McpToolbox, OffTool } from './mcp-toolbox.ts'
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
   * Takes a tool, if it is still what the admin was shown: it may be used from then on.
   * @returns the names of the tools that were taken; none where it has changed or was taken before
   */
  accept(server: string, tool: string, fingerprint: string): Promise<string[]>
}

/** The servers of MCP_CONFIG, and whether a person has to log in at one. */
export interface RemoteLogins {
  config: McpConfig
  needOf(server: HttpServerConfig): Promise<{ why: string } | undefined>
}

/** `logins` is absent where nobody logs in. */
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
