import type { IncomingMessage, ServerResponse } from 'node:http'
import { listen, sendJson } from '../base/loopback-server.ts'
import { HEADERS, isOurs, sendFile } from './page-server.ts'

/** Shows one run's trace on its own page. Listens on 127.0.0.1 and checks the Host. */
export async function startTracePage(trace: object, port = 0): Promise<{ url: string; close(): Promise<void> }> {
  const server = await listen((request, response) => {
    serve(request, response).catch(() => response.destroy())
  }, port)

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value)
    if (!isOurs(request, server.port)) return void response.writeHead(403).end('This page answers only on localhost.')
    const { pathname } = new URL(request.url ?? '/', server.base)
    if (pathname === '/trace') return sendJson(response, trace)
    await sendFile(pathname === '/' ? 'trace.html' : pathname.slice(1), response)
  }

  return { url: `http://localhost:${server.port}`, close: server.close }
}
