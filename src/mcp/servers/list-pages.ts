import type { Client } from '@modelcontextprotocol/client'
import { z } from 'zod'
import { ToolError } from '../../base/errors.ts'
import { MCP_MAX_BYTES } from './bounded-body.ts'
import type { Hide } from '../tools/hide-config-secrets.ts'
import { serverTool, type ServerTool, type ServerTools } from '../types.ts'

/** A server's list, and how long it may be kept, in milliseconds; undefined if the server does not say. */
interface ToolListing {
  list: ServerTools
  ttlMs: number | undefined
}

const MAX_PAGES = 64
const MAX_TOOLS = 1_000
/** Pages without tools in a row, after which the rest of a list that has tools is taken to be empty too. */
const MAX_EMPTY = 8

/** Parsed tool by tool, so that an invalid one does not spoil the others. */
const pageSchema = z.object({
  tools: z.array(z.unknown()),
  nextCursor: z.string().nullish().catch(undefined),
  ttlMs: z.number().optional().catch(undefined),
})

/**
 * Reads all pages of a server's tools. Invalid entries are left out.
 * @throws ToolError for a list without an end
 */
export async function listPages(
  client: Client,
  options: { signal: AbortSignal; timeoutMs: number; name: string; hide: Hide; onRepeat(): void },
): Promise<ToolListing> {
  const { hide, name, onRepeat } = options
  const tools = new Map<string, ServerTool>()
  let [cursor, ttlMs, size]: [string | undefined, number | undefined, number] = [undefined, undefined, 0]
  const [cursors, pages] = [new Set<string>(), new Set<string>()]
  let empty = 0
  for (let page = 1; ; page += 1) {
    const found = await onePage(client, cursor, options)
    // The first page decides, as in the SDK.
    if (page === 1) ttlMs = found.ttlMs
    const written = JSON.stringify(found.tools)
    size += written.length
    for (const one of found.tools) {
      const { data } = serverTool.safeParse(one)
      if (data && !tools.has(data.name)) tools.set(data.name, hide.json(data))
    }
    cursor = found.nextCursor ?? undefined
    if (cursor === undefined) break
    // A cursor or a page that repeats would list the same for ever: what was read is the list.
    empty = found.tools.length === 0 ? empty + 1 : 0
    const isRepeated =
      cursors.has(cursor) || (found.tools.length > 0 ? pages.has(written) : tools.size > 0 && empty > MAX_EMPTY)
    if (isRepeated) {
      onRepeat()
      break
    }
    cursors.add(cursor)
    pages.add(written)
    if (page >= MAX_PAGES || tools.size > MAX_TOOLS || size > MCP_MAX_BYTES)
      throw new ToolError(`${name} lists too many tools: at most ${MAX_TOOLS} on ${MAX_PAGES} pages.`)
  }
  return { list: { tools: [...tools.values()].slice(0, MAX_TOOLS) }, ttlMs }
}

function onePage(
  client: Client,
  cursor: string | undefined,
  { signal, timeoutMs }: { signal: AbortSignal; timeoutMs: number },
) {
  const params = cursor === undefined ? {} : { params: { cursor } }
  return client.request({ method: 'tools/list', ...params }, pageSchema, { signal, timeout: timeoutMs })
}
