/** An MCP server over Streamable HTTP, of the protocol before 2026-07-28, whose tools a test can change. */
import type { ServerResponse } from 'node:http'
import { z } from 'zod'
import { parseJson, stringifyExact } from '../../../src/base/parse-json.ts'
import { startWebServer } from '../web-server.ts'

export interface ListedTool {
  name: string
  description?: string
  inputSchema?: unknown
  annotations?: Record<string, boolean>
}

export interface ChangingServer {
  url: string
  /** Sets the tools that it lists. */
  tools: ListedTool[]
  /** The calls that it received, in order. */
  calls: { name: string; arguments: unknown }[]
  /** Sets the result of a call. */
  answer: (name: string) => string
  /** Called before each answer to a call; returns the code of a protocol error that the call gets instead. */
  refuse: (name: string) => number | undefined
  /** The number of requests for its tools. */
  listings: number
}

const askedSchema = z.object({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string(),
  params: z.object({ name: z.string().optional(), arguments: z.unknown() }).partial().optional(),
})

export async function startChangingServer(tools: ListedTool[] = []): Promise<ChangingServer> {
  const told: ChangingServer = {
    ...{ url: '', tools, calls: [], listings: 0 },
    ...{ answer: (name) => `${name} is done`, refuse: () => undefined },
  }
  const server = await startWebServer((_, response, request) => {
    if (request.method !== 'POST') return void response.writeHead(405).end()
    let body = ''
    request.on('data', (data) => (body += String(data)))
    request.on('end', () => {
      const { data: asked } = askedSchema.safeParse(parseJson(body))
      if (asked) answer(asked, response)
      else response.writeHead(400).end()
    })
  })
  told.url = `${server.url}/mcp`

  function answer({ id, method, params }: z.infer<typeof askedSchema>, response: ServerResponse): void {
    if (id === undefined) return void response.writeHead(202).end()
    const known: Record<string, () => object> = {
      initialize: () => ({
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'changing', version: '1' },
      }),
      'tools/list': () => {
        told.listings += 1
        return { tools: told.tools.map((tool) => ({ inputSchema: { type: 'object' }, ...tool })) }
      },
      'tools/call': () => {
        told.calls.push({ name: params?.name ?? '', arguments: params?.arguments })
        return { content: [{ type: 'text', text: told.answer(params?.name ?? '') }] }
      },
    }
    const code = method === 'tools/call' ? told.refuse(params?.name ?? '') : undefined
    const result = code === undefined ? known[method]?.() : undefined
    const said = result ? { result } : { error: { code: code ?? -32601, message: 'refused' } }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(stringifyExact({ jsonrpc: '2.0', id, ...said }))
  }

  return told
}
