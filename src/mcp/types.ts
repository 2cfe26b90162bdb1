/** The contracts of MCP: a server's configuration, its list of tools, and the result of a call. */
import type { AuthProvider, FetchLike } from '@modelcontextprotocol/client'
import { z } from 'zod'
import type { PersonsAnswer, ToolAsks, ToolOutput } from '../agent/contracts/tool.ts'

/** The parsed and validated MCP_CONFIG. Its servers are in the file's order. */
export interface McpConfig {
  servers: McpServerConfig[]
}

export type McpServerConfig = StdioServerConfig | HttpServerConfig

interface ServerRules {
  /** The key in `mcpServers`. */
  name: string
  /**
   * Names of tools, perhaps with `*` at the end: tools that run without a person, tools that ask, tools that are left
   * out.
   */
  allow?: string[]
  ask?: string[]
  deny?: string[]
  /** Whether to believe the annotations of its tools. */
  trust: boolean
  /** How long one call may take, in milliseconds; TOOL_TIMEOUT_MS unless given. */
  timeoutMs?: number
  /** Ids of the channels where it may be used, `dm` for direct messages. Default: everywhere. */
  channels?: string[]
  /** Values that nobody may see: of `env` and `headers`, of variables, and a password in the address. */
  secrets: string[]
}

export interface StdioServerConfig extends ServerRules {
  kind: 'stdio'
  command: string
  args: string[]
  /** The whole environment of the process, besides a minimal PATH. */
  env: Record<string, string>
  cwd?: string
}

export interface HttpServerConfig extends ServerRules {
  kind: 'http'
  url: string
  headers: Record<string, string>
  /** Uses the deprecated HTTP+SSE at once (`"type": "sse"`), which is otherwise tried if Streamable HTTP is missing. */
  sse?: boolean
  /** `person`: its tools are called as the asker, with their own login. */
  login?: 'workspace' | 'person'
  /** For an authorization server that registers no clients, or for more scopes than the server asks for. */
  oauth?: OAuthSettings
}

export interface OAuthSettings {
  clientId?: string | undefined
  clientSecret?: string | undefined
  /** Space-separated scopes (RFC 6749, 3.3). */
  scope?: string | undefined
}

/** A tool in its server's words. Nothing in it is trusted, and only secrets have been removed. */
export type ServerTool = z.infer<typeof serverTool>

const hint = z.boolean().optional().catch(undefined)

export const serverTool = z.object({
  name: z.string().min(1).max(256),
  title: z.string().optional().catch(undefined),
  description: z.string().catch(''),
  /** The JSON Schema of an object, as it came. */
  inputSchema: z.record(z.string(), z.unknown()),
  annotations: z.object({ readOnlyHint: hint, idempotentHint: hint }).catch({}),
})

/** A server's complete list. It stays the same object until the tools are listed again. */
export interface ServerTools {
  tools: ServerTool[]
}

/** `idle`: it is not connected, and the last attempt has not failed. */
export interface ServerStatus {
  state: 'idle' | 'up' | 'down' | 'needs-login'
  /** A sentence that says why it is down or needs a login. */
  why?: string
}

export interface ToolCallOptions {
  signal: AbortSignal
  timeoutMs: number
  /** The asker's answers to this call's questions so far. */
  answers?: readonly PersonsAnswer[] | undefined
  /**
   * The call may be repeated without a further effect: it only reads, or its trusted server says that it is idempotent.
   */
  isRepeatable?: boolean
  /**
   * Called before a call is repeated that the server refused without looking at it, because the tool may have changed.
   * @throws ToolError
   */
  recheck?: (() => Promise<void>) | undefined
}

/** The result of a call: an output, or a question to the asker, never both. */
export type CallResult = ToolOutput | ToolAsks

/** The login at a server. It never asks a person. */
export interface ServerLogin extends AuthProvider {
  /** Returns why a person has to log in, as a sentence, if this process knows of it. */
  need?(): string | undefined
  /** Returns its tokens, which nobody may see. */
  secrets?(): string[]
}

/**
 * Returns the workspace's or a person's login at a remote server, given the HTTP that a login may use.
 * @returns undefined if there is none; then only the configured headers are sent
 */
export type AuthOf = (server: HttpServerConfig, fetch: FetchLike, person?: PersonLogin) => ServerLogin | undefined

/** One login of a person (`team:user`) at a server that people log in to. Another login has another `since`. */
export interface PersonLogin {
  person: string
  /** Milliseconds since the epoch. */
  since: number
}

/** Returns whether MCP_CONFIG itself has the server's login. */
export function hasOwnAuthorization({ headers }: HttpServerConfig): boolean {
  return Object.keys(headers).some((header) => header.toLowerCase() === 'authorization')
}
