/**
 * The names by which models call MCP tools: `server__tool`, in a form that every endpoint and every dialect accepts.
 */
import { createHash } from 'node:crypto'
import { namesFinish } from '../../agent/parser/tool-names.ts'

/** A tool, identified by its server and the server's own name for it. */
interface ToolOfServer {
  server: string
  tool: string
}

const LONGEST = 64
const HASH_CHARS = 6

/**
 * Returns a name for each tool, in order, that matches `^[a-zA-Z0-9_-]{1,64}$`. Names are unique regardless of case,
 * differ from those in `taken`, and never end a run. On a collision the first tool keeps the name and the others get a
 * hash suffix.
 */
export function mcpNames(tools: readonly ToolOfServer[], taken: readonly string[] = []): string[] {
  const used = new Set(taken.map((name) => name.toLowerCase()))
  return tools.map((one) => {
    const name = ruleNameOf(one)
    const isSound = name.length <= LONGEST && !used.has(name.toLowerCase()) && !namesFinish(name, [])
    used.add(name.toLowerCase())
    return isSound ? name : hashed(name, one)
  })
}

/** Returns the name that operators' rules refer to: `server__tool`, with other characters replaced. */
export function ruleNameOf({ server, tool }: ToolOfServer): string {
  return `${allowed(server)}__${allowed(tool)}`
}

function hashed(name: string, { server, tool }: ToolOfServer): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([server, tool]))
    .digest('hex')
  return `${name.slice(0, LONGEST - HASH_CHARS - 1)}_${hash.slice(0, HASH_CHARS)}`
}

function allowed(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]+/g, '_').replace(/^_+$/, 'x') || 'x'
}
