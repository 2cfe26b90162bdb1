import { openMcpToolbox, type McpToolbox, type McpToolboxDeps } from '../../../src/mcp/tools/mcp-toolbox.ts'
import { createValues, type ValueStore } from '../../../src/stores/values/value-store.ts'
import { openServers } from '../../../src/mcp/servers/servers.ts'
import type { McpServerConfig } from '../../../src/mcp/types.ts'
import type { Tool } from '../../../src/agent/contracts/tool.ts'
import type { Ends } from '../ends.ts'
import { createLog } from '../../../src/base/log.ts'
import { memoryKv } from '../../../src/stores/kv/memory-kv.ts'

export const PLACE = { team: 'T1', channel: 'C0123456', waits: true }

/** Returns a server at an address, as the reader of MCP_CONFIG does. */
export function atUrl(name: string, url: string, more: Partial<McpServerConfig> = {}): McpServerConfig {
  return { name, trust: false, secrets: [], ...more, kind: 'http', url, headers: {} }
}

/** Returns a server that is started by a command. */
export function byCommand(name: string, [command = '', ...args]: string[], more: Partial<McpServerConfig> = {}) {
  const config: McpServerConfig = { name, trust: false, secrets: [], ...more, kind: 'stdio', command, args, env: {} }
  return config
}

export interface OpenToolbox extends McpToolbox {
  store: ValueStore
  /** All log lines. */
  logs: string[]
  /** Moves its clock forward, so that it checks the servers again. */
  later(): void
  /** Returns the names of the tools for a question. */
  names(channel?: string): Promise<string[]>
  /** Returns the reasons why tools are off, by name. */
  offs(): Record<string, string>
  tool(name: string): Promise<Tool>
}

/** Opens the toolbox over real connections. Its processes end with the test. */
export async function openToolbox(
  t: Ends,
  servers: McpServerConfig[],
  deps: Partial<McpToolboxDeps> = {},
): Promise<OpenToolbox> {
  const logs: string[] = []
  const log = createLog('info', { write: (line) => void logs.push(line) })
  const store = deps.store ?? createValues(memoryKv({ now: Date.now }), { room: 'mcp' })
  let ahead = 0
  const now = () => Date.now() + ahead
  const config = { servers }
  const open = async () => openServers(config, { log, now })
  const toolbox = await openMcpToolbox(config, {
    ...{ store, log, now, open, taken: [], approvers: [], maxTools: 40, timeoutMs: 60_000, ...deps },
  })
  t.onTestFinished(() => toolbox.close())
  const toolsAt = (channel = PLACE.channel) => toolbox.toolsFor({ ...PLACE, channel })
  return {
    ...toolbox,
    store,
    logs,
    later: () => void (ahead += 3_600_000),
    names: async (channel) => (await toolsAt(channel)).map(({ name }) => name),
    offs: () => Object.fromEntries(toolbox.off().map(({ server, tool, why }) => [`${server} ${tool}`.trim(), why])),
    async tool(name) {
      const tool = (await toolsAt()).find((one) => one.name === name)
      if (!tool) throw new Error(`no tool ${name}`)
      return tool
    },
  }
}
