/** What an admin is told of the MCP servers, and decides about them, whichever process the admin reaches. */

/** A tool that is off until an admin takes it as it is now. */
export interface ToolOff {
  /** The server's name in MCP_CONFIG, and the server's own name for its tool. */
  server: string
  tool: string
  /** A sentence. */
  why: string
}

export interface LoginNeeded {
  server: string
  /** A sentence. */
  why?: string | undefined
}

/** Made real over what the MCP room keeps for all processes, so that a front which calls no tool has it too. */
export interface McpAdmin {
  off(): ToolOff[] | Promise<ToolOff[]>
  needLogin(): LoginNeeded[] | Promise<LoginNeeded[]>
  /** The tool as it is now may be used from then on. One that is not off (any more) is left as it is. */
  accept(server: string, tool: string): Promise<unknown>
}
