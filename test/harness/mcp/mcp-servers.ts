import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { createLog } from '../../../src/base/log.ts'
import { loadMcpConfig } from '../../../src/mcp/config/mcp-config.ts'
import { openServers, type ServersDeps } from '../../../src/mcp/servers/servers.ts'
import type { McpServer } from '../../../src/mcp/servers/mcp-server.ts'
import type { McpServers } from '../../../src/mcp/servers/servers.ts'
import type { ToolCallOptions, CallResult } from '../../../src/mcp/types.ts'
import type { Ends } from '../ends.ts'

export function mcpFile(t: Ends, content: unknown): string {
  const folder = mkdtempSync(join(tmpdir(), 'thinkaloud-mcp-'))
  t.onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'mcp.json')
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

export interface OpenedServers {
  servers: McpServers
  /** Returns all log lines, at every level. */
  logged(): string
}

/** Opens the servers of MCP_CONFIG, read from a real file. They end with the test. */
export function openMcp(
  t: Ends,
  mcpServers: Record<string, unknown>,
  { env = {}, ...deps }: Partial<ServersDeps> & { env?: Record<string, string> } = {},
): OpenedServers {
  const lines: string[] = []
  const destination = new Writable({ write: (line, _, done) => (lines.push(String(line)), done()) })
  const log = createLog('trace', destination)
  const servers = openServers(loadMcpConfig(mcpFile(t, { mcpServers }), env), { log, now: () => Date.now(), ...deps })
  t.onTestFinished(() => servers.close())
  return { servers, logged: () => lines.join('') }
}

const TIME_MS = 60_000

/** Calls a tool with a long timeout. */
export function use(
  server: McpServer,
  tool: string,
  given: { args?: Record<string, unknown> } & Partial<ToolCallOptions> = {},
): Promise<CallResult> {
  const { args = {}, ...options } = given
  return server.call(tool, args, { signal: AbortSignal.timeout(2 * TIME_MS), timeoutMs: TIME_MS, ...options })
}

/** Returns the text of a call's output. */
export async function said(result: Promise<CallResult>): Promise<string> {
  const output = await result
  return 'text' in output ? output.text : JSON.stringify(output.asks)
}

export function toolNamesOf(server: McpServer): Promise<string[]> {
  return server.list(AbortSignal.timeout(TIME_MS)).then(({ tools }) => tools.map(({ name }) => name))
}
