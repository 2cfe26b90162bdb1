import type { ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'
import type { ToolContext, ToolOutput } from '../../src/agent/contracts/tool.ts'
import { createToolHttp } from '../../src/base/http/tool-http.ts'
import { createToolbox, type ToolSettings } from '../../tools/index.ts'
import { startWebServer, type WebServer } from './web-server.ts'
import { runTool, toolContext } from './tool-context.ts'

/**
 * Runs a built-in tool with its service simulated on 127.0.0.1. `setting` is the tool's address setting; the service is
 * at `path`.
 */
export async function playService(
  played: { tool: string; setting: keyof ToolSettings; path?: string; settings?: ToolSettings },
  handler: (path: string, response: ServerResponse) => void,
): Promise<{ server: WebServer; use(input: unknown, context?: ToolContext): Promise<ToolOutput> }> {
  const server = await startWebServer(handler)
  const http = createToolHttp({ timeoutMs: 60_000, clocks: { now: Date.now, sleep: async () => undefined } })
  onTestFinished(() => http.close())
  const address = { [played.setting]: `${server.url}${played.path ?? ''}` }
  const tools = createToolbox({ http, settings: { TOOLS: [played.tool], ...played.settings, ...address } })
  return { server, use: (input, context = toolContext()) => runTool(tools, { tool: played.tool, input }, context) }
}
