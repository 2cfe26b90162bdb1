/** The HTTP server of `npm run bench -- mcp`: prints its address, and ends with its parent. */
import { startNotesServer } from '../../harness/mcp/notes-server.ts'

const { url } = await startNotesServer({ onTestFinished() {} })
process.send?.(url)
process.once('disconnect', () => process.exit())
