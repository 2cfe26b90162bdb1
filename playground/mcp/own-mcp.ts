import { writeMcpConfig } from './mcp-config-file.ts'
import { startNotesServer, type NotesServer } from './notes-server.ts'

/** Starts the MCP server of notes. Writes a file for MCP_CONFIG that names it. */
export async function startOwnMcp(): Promise<{ server: NotesServer; file: string; stop(): Promise<void> }> {
  const server = await startNotesServer()
  const { file, remove } = await writeMcpConfig({ notes: { type: 'http', url: server.url, trust: true } })
  const stop = async () => {
    await server.close()
    await remove()
  }
  return { server, file, stop }
}
