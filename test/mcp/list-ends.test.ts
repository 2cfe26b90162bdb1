/** The end of a server's list of tools: no cursor, an empty one, one that repeats, a page that repeats. */
import { expect, test } from 'vitest'
import { z } from 'zod'
import { atUrl, openToolbox } from '../harness/mcp/toolbox.ts'
import { startWebServer } from '../harness/web-server.ts'

const asked = z.object({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string(),
  params: z.object({ cursor: z.string().optional() }).optional(),
})

type Page = { tools: object[]; nextCursor?: unknown }
const page = (name: string, nextCursor?: unknown): Page => ({
  tools: [{ name, description: name, inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }],
  ...(nextCursor === undefined ? {} : { nextCursor }),
})

async function listing(pages: (cursor: string | undefined) => Page): Promise<string> {
  const server = await startWebServer((_, response, request) => {
    let body = ''
    request.on('data', (data) => (body += String(data)))
    request.on('end', () => {
      const { data } = asked.safeParse(body === '' ? undefined : JSON.parse(body))
      if (data?.id === undefined) return void response.writeHead(data ? 202 : 405).end()
      const opened = {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'x', version: '1' },
      }
      const known: Record<string, object> = { initialize: opened, 'tools/list': pages(data.params?.cursor) }
      const result = known[data.method]
      const said = result ? { result } : { error: { code: -32601, message: 'refused' } }
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ jsonrpc: '2.0', id: data.id, ...said }))
    })
  })
  return `${server.url}/mcp`
}

const emptyAfter = (cursor: string | undefined): Page => {
  const nextCursor = `${Number(cursor ?? 0) + 1}`
  return cursor === undefined ? page('one', nextCursor) : { tools: [], nextCursor }
}

const REPEATS = 'MCP server repeats its list of tools'

test.for<[string, (cursor: string | undefined) => Page, string[], boolean]>([
  ['null ends it', () => page('one', null), ['one'], false],
  ['no cursor ends it', (cursor) => (cursor === 'b' ? page('two') : page('one', 'b')), ['one', 'two'], false],
  ['an empty cursor for ever', () => page('one', ''), ['one'], true],
  [
    'the same cursor for ever',
    (cursor) => (cursor === 'b' ? page('two', 'b') : page('one', 'b')),
    ['one', 'two'],
    true,
  ],
  ['the same page under new cursors', (cursor) => page('one', `${Number(cursor ?? 0) + 1}`), ['one'], true],
  ['two cursors in turn', (cursor) => (cursor === 'b' ? page('two', 'c') : page('one', 'b')), ['one', 'two'], true],
  ['empty pages for ever', (cursor) => emptyAfter(cursor), ['one'], true],
  ['some empty pages', (cursor) => (cursor === '3' ? page('two') : emptyAfter(cursor)), ['one', 'two'], false],
  ['a cursor that is no text', () => page('one', 7), ['one'], false],
  ['a cursor that is an object', () => page('one', {}), ['one'], false],
])('%s', async ([, pages, names, isLogged], t) => {
  const toolbox = await openToolbox(t, [atUrl('hub', await listing(pages))])
  expect(await toolbox.names()).toEqual(names.map((name) => `hub__${name}`))
  expect(toolbox.offs()).toEqual({})
  expect(toolbox.logs.some((line) => line.includes(REPEATS))).toBe(isLogged)
})
