import type { Log } from '../log.ts'
import type { ProxySetting, Resolve } from '../toolbox/http/agents.ts'
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
export declare function openServers(config: McpConfig, deps: ServersDeps): McpServers
