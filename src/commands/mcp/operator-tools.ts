/** `npm run mcp -- tools` and `accept`: lists the tools as the bot has them, and accepts those that are off. */
import type { Tool } from '../../agent/contracts/tool.ts'
import type { McpToolbox } from '../../mcp/tools/mcp-toolbox.ts'
import type { OffTool } from '../../mcp/tools/available-tools.ts'
import { countText } from '../command.ts'
import { serverNamed, type OperatorPlace } from './operator.ts'
import type { McpServerConfig } from '../../mcp/types.ts'

/** @throws ConfigError for a server that is not in MCP_CONFIG */
export async function listTools({ servers, say }: OperatorPlace, toolbox: McpToolbox, name?: string): Promise<number> {
  const meant = name === undefined ? servers.servers : [serverNamed(servers, name)]
  let count = 0
  for (const server of meant) {
    await toolbox.refresh(server.name)
    for (const tool of await toolsOf(server, toolbox)) {
      say(
        [
          tool.name,
          tool.effects === 'write' ? 'may change things' : 'reads',
          tool.needsApproval ? 'needs approval' : 'runs',
        ].join('\t'),
      )
      count += 1
    }
    for (const off of offAt(server.name, toolbox)) say(offLine(off))
  }
  say(countText(count, 'tool'))
  return 0
}

/** Returns the tools that are on, in whichever channels they may be used. */
async function toolsOf({ name, channels }: McpServerConfig, toolbox: McpToolbox): Promise<Tool[]> {
  const [channel = ''] = channels ?? []
  const tools = await toolbox.toolsFor({ team: '', channel: channel === 'dm' ? 'D' : channel })
  return tools.filter(({ server }) => server === name)
}

function offAt(server: string, toolbox: McpToolbox): OffTool[] {
  return toolbox.off().filter((one) => one.server === server)
}

function offLine({ server, tool, why }: OffTool): string {
  return tool === '' ? `${server}\tno tools\t${why}` : `${server} ${tool}\toff\tit ${why}`
}

/** @throws ConfigError for a server that is not in MCP_CONFIG */
export async function acceptTools(
  { servers, say }: OperatorPlace,
  toolbox: McpToolbox,
  { server: name, tool }: { server: string; tool: string | undefined },
): Promise<number> {
  const { name: server } = serverNamed(servers, name)
  await toolbox.refresh(server)
  const wereOff = offAt(server, toolbox).filter((one) => one.tool !== '' && (tool === undefined || one.tool === tool))
  for (const one of wereOff) await toolbox.accept(server, one.tool, one.fingerprint)
  const stillOff = offAt(server, toolbox)
  const taken = wereOff.filter((one) => !stillOff.some((other) => other.tool === one.tool))
  for (const one of taken) say(`Accepted ${one.tool} of ${server} as it is now: it ${one.why.split(':')[0]}.`)
  for (const one of stillOff) if (tool === undefined || one.tool === tool) say(offLine(one))
  if (taken.length === 0) say(`Nothing of ${server} was accepted.`)
  return taken.length > 0 || (tool === undefined && stillOff.length === 0) ? 0 : 1
}
