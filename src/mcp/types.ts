/** The contracts of the MCP room: what a server is set to be, what it lists, what a call of it gives. */
import type { AuthProvider, FetchLike } from '@modelcontextprotocol/client'
import type { PersonsAnswer, ToolAsks, ToolOutput } from '../agent/types.ts'

/** MCP_CONFIG, read and checked: its servers in the file's order. */
export interface McpConfig {
  servers: McpServerConfig[]
}

export type McpServerConfig = StdioServerConfig | HttpServerConfig

interface ServerRules {
  /** The key in `mcpServers`. */
  name: string
  /** Names of tools, perhaps with `*` at the end: those that run without a person, those that ask, those that are not there. */
  allow?: string[]
  ask?: string[]
  deny?: string[]
  /** Whether the annotations of its tools count. */
  trust: boolean
  /** How long one call may take, in ms; TOOL_TIMEOUT_MS where left out. */
  timeoutMs?: number
  /** Ids of the channels where it may be used, `dm` for direct messages; everywhere where left out. */
  channels?: string[]
  /** What nobody may see: values of `env` and `headers`, of variables, and a password in the address. */
  secrets: string[]
}

export interface StdioServerConfig extends ServerRules {
  kind: 'stdio'
  command: string
  args: string[]
  /** Beside a minimal PATH all of its environment. */
  env: Record<string, string>
  cwd?: string
}

export interface HttpServerConfig extends ServerRules {
  kind: 'http'
  url: string
  headers: Record<string, string>
  /** Speaks the deprecated HTTP+SSE, as `"type": "sse"` says; otherwise that is tried where Streamable HTTP is not there. */
  sse?: boolean
  /** For an authorization server that registers no clients by itself, or more rights than the server asks for by itself. */
  oauth?: OAuthSettings
}

export interface OAuthSettings {
  clientId?: string | undefined
  clientSecret?: string | undefined
  /** Scopes with spaces between them (RFC 6749, 3.3). */
  scope?: string | undefined
}

/** A tool as its server tells of it: nothing in it is trusted, and nothing but its secrets has been taken out. */
export interface ServerTool {
  name: string
  title?: string
  description: string
  /** JSON Schema of an object, as it came. */
  inputSchema: Record<string, unknown>
  annotations: ToolHints
}

/** What a tool says of itself. */
export interface ToolHints {
  readOnlyHint?: boolean
  destructiveHint?: boolean
  idempotentHint?: boolean
  openWorldHint?: boolean
}

/** All that a server lists. The same object as long as nothing was listed anew. */
export interface ServerTools {
  tools: ServerTool[]
  /** What the server tells of its use. */
  instructions?: string
}

/** `idle`: nothing has been asked of it yet, or it has been ended for want of use. */
export interface ServerStatus {
  state: 'idle' | 'up' | 'down' | 'needs-login'
  /** A sentence: why it is down or needs a login. */
  why?: string
}

export interface CallOptions {
  signal: AbortSignal
  timeoutMs: number
  /** What the asker has answered to what this call asked so far. */
  answers?: readonly PersonsAnswer[] | undefined
  /** The same call made twice does no more than once: a read, or one that its server, which is trusted, says is idempotent. */
  isRepeatable?: boolean
  /** Called before a call that was refused unseen is made once more: the tool may have changed. @throws ToolError */
  recheck?: (() => Promise<void>) | undefined
}

/** What a call gives: an output, or a question to the asker (never both). */
export type CallResult = ToolOutput | ToolAsks

/** How a server is logged in to; it never asks a person. */
export interface ServerLogin extends AuthProvider {
  /** A sentence: why a person has to log in, as far as this process knows. */
  need?(): string | undefined
  /** Its tokens: nobody may see them. */
  secrets?(): string[]
}

/**
 * Who logs in for the workspace at a remote server, with the HTTP that a login may use. Undefined where there is no login for it: its
 * headers have to do.
 */
export type AuthOf = (server: HttpServerConfig, fetch: FetchLike) => ServerLogin | undefined
