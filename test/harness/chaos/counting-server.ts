/**
 * An MCP server over Streamable HTTP that counts the calls it gets, and those it completes. Made with the SDK of 2026.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Ends } from '../ends.ts'
import { mcpFile } from '../mcp/mcp-servers.ts'

/** The point at which a call is held: before the server handles it, or after its effect. */
type Point = 'before' | 'after'

export interface CountingServer {
  /** For MCP_CONFIG: `shelf`, which may do one thing unasked, and `vault`, which is trusted. */
  config: string
  /** Everything that `keep` and `stamp` have written, with repetitions. */
  written: string[]
  /** The values that `put` has set, without repetitions, and with them. */
  set: Set<string>
  puts: string[]
  /** Calls that came in and are held at a point, by their texts. */
  held: { text: string; at: Point }[]
  /** Texts of calls that it never looked at, as whoever made them has gone. */
  left: string[]
  /**
   * Holds calls with this text there until the promise is resolved. A call that nobody waits for any more is not
   * handled.
   */
  hold(text: string, at: Point, until: Promise<unknown>): void
}

const FIELDS = z.object({ text: z.string() })

/**
 * Tools of `shelf`, which says nothing of them: `keep`, which asks a person, and `stamp`, which is allowed. Of `vault`:
 * `put`, which may be done twice, and `look`, which reads.
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

/** The text that a call is about; of anything else none. */
function textIn(body: string): string {
  const call = z.object({ params: z.object({ arguments: FIELDS }) })
  return (body === '' ? undefined : call.safeParse(JSON.parse(body)).data)?.params.arguments.text ?? ''
}
