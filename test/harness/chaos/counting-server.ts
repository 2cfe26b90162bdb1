/** An MCP server over Streamable HTTP that counts the calls it receives and completes. Made with the SDK of 2026. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { parseJson } from '../../../src/base/parse-json.ts'
import type { Ends } from '../ends.ts'
import { mcpFile } from '../mcp/mcp-servers.ts'

/** The point at which a call is held: before the server handles it, or after its effect. */
type Point = 'before' | 'after'

export interface CountingServer {
  /** For MCP_CONFIG: `shelf`, with one tool that needs no approval, and `vault`, which is trusted. */
  config: string
  /** Everything that `keep` and `stamp` wrote, with repetitions. */
  written: string[]
  /** The values that `put` set, without and with repetitions. */
  set: Set<string>
  puts: string[]
  /** The calls that are held, by their texts. */
  held: { text: string; at: Point }[]
  /** The texts of calls that were not handled, because the caller had left. */
  left: string[]
  /** Holds calls with this text until the promise is resolved. A call whose caller has left is not handled. */
  hold(text: string, at: Point, until: Promise<unknown>): void
}

const FIELDS = z.object({ text: z.string() })

/**
 * Starts the server. `shelf` has no annotations: `keep` asks a person, and `stamp` is allowed. `vault` has `put`, which
 * is idempotent, and `look`, which reads.
 */
export async function startCountingServer(t: Ends): Promise<CountingServer> {
  const holds = new Map<string, Promise<unknown>>()
  const counts = {
    written: [] as string[],
    set: new Set<string>(),
    puts: [] as string[],
    held: [] as CountingServer['held'],
    left: [] as string[],
  }
  const pass = async (text: string, at: Point) => {
    const until = holds.get(`${at} ${text}`)
    if (until) counts.held.push({ text, at })
    await until
  }
  const done = async (text: string) => {
    await pass(text, 'after')
    return said(`noted: ${text}`)
  }

  function shelf(): McpServer {
    const server = new McpServer({ name: 'shelf', version: '1.0.0' })
    for (const name of ['keep', 'stamp'])
      server.registerTool(name, { description: `Can ${name} a text.`, inputSchema: FIELDS }, ({ text }) => {
        counts.written.push(text)
        return done(text)
      })
    return server
  }

  function vault(): McpServer {
    const server = new McpServer({ name: 'vault', version: '1.0.0' })
    const twice = { readOnlyHint: false, idempotentHint: true }
    server.registerTool('put', { description: 'Sets a text.', inputSchema: FIELDS, annotations: twice }, ({ text }) => {
      counts.puts.push(text)
      counts.set.add(text)
      return done(text)
    })
    const reads = { readOnlyHint: true }
    server.registerTool('look', { description: 'Finds a text.', inputSchema: FIELDS, annotations: reads }, ({ text }) =>
      said(`noted: ${text}: ${counts.written.filter((one) => one === text).length} times`),
    )
    return server
  }

  const handlers = { '/shelf': createMcpHandler(shelf), '/vault': createMcpHandler(vault) }
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const text = textIn(body)
    await Promise.race([pass(text, 'before'), once(request.socket, 'close')])
    if (request.socket.destroyed) return void counts.left.push(text)
    const handler = handlers[request.url === '/vault' ? '/vault' : '/shelf']
    const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    const init = { method: request.method ?? 'GET', headers, ...(body === '' ? {} : { body }) }
    const answer = await handler.fetch(new Request(`${base}${request.url}`, init))
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    for await (const chunk of answer.body ?? []) response.write(chunk)
    response.end()
  }
  const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  t.onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await Promise.all(Object.values(handlers).map((handler) => handler.close()))
  })
  const servers = { shelf: { url: `${base}/shelf`, allow: ['stamp'] }, vault: { url: `${base}/vault`, trust: true } }
  return {
    ...counts,
    config: mcpFile(t, { mcpServers: servers }),
    hold: (text, at, until) => void holds.set(`${at} ${text}`, until),
  }
}

function said(text: string) {
  return { content: [{ type: 'text' as const, text }] }
}

/** Returns the text of a call. Empty for anything else. */
function textIn(body: string): string {
  const call = z.object({ params: z.object({ arguments: FIELDS }) })
  return call.safeParse(parseJson(body)).data?.params.arguments.text ?? ''
}
