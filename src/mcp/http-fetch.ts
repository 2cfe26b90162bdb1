import type { FetchLike } from '@modelcontextprotocol/client'
import type { Agents, Resolve } from '../toolbox/http/agents.ts'
import type { HttpServerConfig } from './types.ts'

export interface FetchDeps {
  /** The tools' connections: `inside` for the server's own origin, `outside` for all others. */
  agents: Agents
  /** Set where a proxy resolves names: what our own DNS knows of them is looked at first. */
  resolve?: Resolve | undefined
}

/** What one message of a server may weigh, in bytes, unpacked. */
export const MCP_MAX_BYTES = 5_000_000

/**
 * The fetch of one server: its own origin alone, private or not, redirects within it followed by hand, sizes capped.
 * The config's headers are added to what the SDK sends. @throws ToolError
 */
export declare function serverFetch(server: HttpServerConfig, deps: FetchDeps): FetchLike

/**
 * The fetch for a server's login: the server's origin as above, and besides any public address, to which nothing of the config's
 * headers goes. @throws ToolError
 */
export declare function authFetch(server: HttpServerConfig, deps: FetchDeps): FetchLike
