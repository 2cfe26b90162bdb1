/** The names by which models call the tools of servers: `server__tool`, as every endpoint and every dialect takes them. */
import { createHash } from 'node:crypto'
import { namesFinish } from '../../agent/parser/tool-names.ts'

/** A tool by its server and by the server's own name for it. */
export interface ToolOfServer {
  server: string
  tool: string
}

const LONGEST = 64
const HASH_CHARS = 6

/**
 * A name for each, in their order, within `^[a-zA-Z0-9_-]{1,64}$`. No two are alike, whatever their case, and none is like one of
 * `taken` or ends a run. The first of those that would have the same name keeps it; the others get a part of a hash.
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

/** The name that operators' rules are about: the server's own name for the tool behind the server's, in the letters of names. */
export function ruleNameOf({ server, tool }: ToolOfServer): string {
  return `${allowed(server)}__${allowed(tool)}`
}

function hashed(name: string, tool: ToolOfServer | undefined): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([tool?.server, tool?.tool]))
    .digest('hex')
  return `${name.slice(0, LONGEST - HASH_CHARS - 1)}_${hash.slice(0, HASH_CHARS)}`
}

function allowed(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]+/g, '_').replace(/^_+$/, 'x') || 'x'
}
