/** The contracts of `src/mcp`: a server's settings, what it lists, and what a call returns. */
import type { AuthProvider, FetchLike } from '@modelcontextprotocol/client'
import type { PersonsAnswer, ToolAsks, ToolOutput } from '../agent/types.ts'

/** The parsed and validated MCP_CONFIG. Its servers are in the file's order. */
export interface McpConfig {
  servers: McpServerConfig[]
}

export type McpServerConfig = StdioServerConfig | HttpServerConfig

interface ServerRules {
  /** The key in `mcpServers`. */
  name: string
  /**
   * Names of tools, with an optional trailing `*`: tools that run without approval, tools that need approval, hidden
   * tools.
   */
  allow?: string[]
  ask?: string[]
  deny?: string[]
  /** Whether to believe the annotations of its tools. */
  trust: boolean
  /** Timeout of one call, in ms. Defaults to TOOL_TIMEOUT_MS. */
  timeoutMs?: number
  /** Ids of the channels where it may be used, `dm` for direct messages. Undefined means everywhere. */
  channels?: string[]
  /** Values that nobody may see: from `env`, `headers` and variables, and a password in the address. */
  secrets: string[]
}

export interface StdioServerConfig extends ServerRules {
  kind: 'stdio'
  command: string
  args: string[]
  /** Its whole environment, apart from a minimal PATH. */
  env: Record<string, string>
  cwd?: string
}

export interface HttpServerConfig extends ServerRules {
  kind: 'http'
  url: string
  headers: Record<string, string>
  /** Uses the deprecated HTTP+SSE (`"type": "sse"`). Otherwise it is tried only if the server lacks Streamable HTTP. */
  sse?: boolean
  /** For an authorization server without dynamic registration, or to request more scopes than the server asks for. */
  oauth?: OAuthSettings
}

export interface OAuthSettings {
  clientId?: string | undefined
  clientSecret?: string | undefined
  /** Space-separated scopes (RFC 6749, 3.3). */
  scope?: string | undefined
}

/** A tool as its server describes it. Untrusted: only secrets have been removed. */
export interface ServerTool {
  name: string
  title?: string
  description: string
  /** JSON Schema of an object, exactly as received. */
  inputSchema: Record<string, unknown>
  annotations: ToolHints
}

/** The annotations of a tool, as its server claims them. */
export interface ToolHints {
  readOnlyHint?: boolean
  destructiveHint?: boolean
  idempotentHint?: boolean
  openWorldHint?: boolean
}

/** Everything that a server lists. The same object is returned until the server is listed again. */
export interface ServerTools {
  tools: ServerTool[]
  /** The server's usage instructions. */
  instructions?: string
}

/** `idle`: not connected, and the last attempt did not fail. */
export interface ServerStatus {
  state: 'idle' | 'up' | 'down' | 'needs-login'
  /** A sentence that says why it is down or needs a login. */
  why?: string
}

export interface CallOptions {
  signal: AbortSignal
  timeoutMs: number
  /** The asker's answers so far to what this call asked. */
  answers?: readonly PersonsAnswer[] | undefined
  /**
   * Whether making the call twice has no further effect: a read, or a call that a trusted server says is idempotent.
   */
  isRepeatable?: boolean
  /**
   * Called before a call that the server rejected unprocessed is sent again: the tool may have changed.
   * @throws ToolError
   */
  recheck?: (() => Promise<void>) | undefined
}

/** The result of a call: an output or a question to the asker, never both. */
export type CallResult = ToolOutput | ToolAsks

/** One server. Connections are opened when first needed and shared by all calls. */
export interface McpServer {
  readonly config: McpServerConfig
  /**
   * Lists all pages of its tools. The list is cached for as long as the server says, or until it reports a change.
   * `isFresh` skips the cache.
   * @throws ToolError with `isDown` if the server cannot be reached.
   */
  list(signal: AbortSignal, options?: { isFresh?: boolean }): Promise<ServerTools>
  /**
   * Calls a tool by the name that the server uses.
   * @throws ToolError with a sentence for the model: the server's error, or why there is no answer.
   */
  call(tool: string, args: Record<string, unknown>, options: CallOptions): Promise<CallResult>
  status(): ServerStatus
}

export interface McpServers {
  all(): McpServer[]
  /** @throws ToolError for a name that is not in MCP_CONFIG. */
  of(name: string): McpServer
  /** Ends everything that was started and waits for it. */
  close(): Promise<void>
}

/** Authenticates to a server. It never asks a person. */
export interface ServerLogin extends AuthProvider {
  /** A sentence that says why a person has to log in, as far as this process knows. */
  need?(): string | undefined
  /** Its tokens, to be hidden from everyone. */
  secrets?(): string[]
}

/**
 * Returns the workspace's login at a remote server. `fetch` is the HTTP that the login may use. Returns undefined if
 * the server has no login and only uses its configured headers.
 */
export type AuthOf = (server: HttpServerConfig, fetch: FetchLike) => ServerLogin | undefined
