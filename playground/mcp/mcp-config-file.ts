import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Json } from '../slack/types.ts'

/** Writes a file for MCP_CONFIG into a new folder, which `remove` deletes. `servers` are by name. */
export async function writeMcpConfig(servers: Json): Promise<{ file: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'thinkaloud-playground-'))
  const file = join(folder, 'mcp.json')
  await writeFile(file, JSON.stringify({ mcpServers: servers }))
  return { file, remove: () => rm(folder, { recursive: true, force: true }) }
}
