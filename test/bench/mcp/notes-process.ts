/** The MCP server of `npm run bench -- mcp` over HTTP: says where it listens, and ends with its parent. */
import { startNotesServer } from '../../harness/mcp/notes-server.ts'

const { url } = await startNotesServer({ onTestFinished() {} })
process.send?.(url)
process.once('disconnect', () => process.exit())
