/** What an admin is told of the MCP servers and decides about them, in whichever process the admin is heard: a front too. */
import type { HttpServerConfig, McpConfig } from './types.ts'

/** A tool that is off, or a server whose tools are not known: then `tool` is empty. */
export interface ToolOff {
  /** The server's name in MCP_CONFIG, and the server's own name for its tool. */
  server: string
  tool: string
  /** The end of a sentence that begins with the tool's name. */
  why: string
  /** What the tool is like now; absent where no admin can take it. */
  fingerprint?: string | undefined
}

export interface LoginNeeded {
  server: string
  /** A sentence. */
  why: string
}

export interface McpAdmin {
  off(): Promise<ToolOff[]>
  needLogin(): Promise<LoginNeeded[]>
  /**
   * Takes a tool, if it is still what the admin was shown: it may be used from then on.
   * @returns the names of the tools that were taken; none where it has changed or was taken before
   */
  accept(server: string, tool: string, fingerprint: string): Promise<string[]>
}

export interface McpAdminParts {
  config: McpConfig
  toolbox: {
    /** Reads what all processes know of the servers' tools. */
    load(): Promise<void>
    off(): ToolOff[]
    accept(server: string, tool: string, fingerprint: string): Promise<string[]>
  }
  logins: { needOf(server: HttpServerConfig): Promise<{ why: string } | undefined> }
}

export function mcpAdmin({ config, toolbox, logins }: McpAdminParts): McpAdmin {
  return {
    async off() {
      await toolbox.load()
      return toolbox.off()
    },
    async needLogin() {
      const remote = config.servers.filter((server) => server.kind === 'http')
      const needs = await Promise.all(
        remote.map(async (server) => ({ server: server.name, need: await logins.needOf(server) })),
      )
      return needs.flatMap(({ server, need }) => (need ? [{ server, why: need.why }] : []))
    },
    accept: (server, tool, fingerprint) => toolbox.accept(server, tool, fingerprint),
  }
}
