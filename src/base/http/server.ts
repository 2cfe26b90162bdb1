import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What answers a GET, or a HEAD as load balancers send it: a status, a type and a body. */
export interface Page {
  status: number
  type?: string
  body: string
}

export interface Server {
  port: number
  close(): Promise<void>
}

/** A small HTTP server: GET pages by path, all else is 404. `front` comes before them, and hands on what is not its own. */
export async function serve(options: {
  port: number
  host: string
  pages: Record<string, () => Promise<Page> | Page>
  front?: ((rest: RequestListener) => RequestListener) | undefined
}): Promise<Server> {
  const pages: RequestListener = (request, response) => {
    // Not by URL: it throws for some paths that a stranger may ask for, and nobody would catch that.
    const page = options.pages[(request.url ?? '/').split('?')[0] ?? '/']
    if (page && (request.method === 'GET' || request.method === 'HEAD')) return void respond(response, page)
    response.writeHead(404).end()
  }
  const server = createServer(options.front?.(pages) ?? pages)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, options.host, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeIdleConnections()
        // Whoever sends half a request and then nothing must not hold up the end.
        setTimeout(() => server.closeAllConnections(), CLOSE_MS).unref()
      }),
  }
}

/** How long requests under way may still take when the server closes. */
const CLOSE_MS = 2_000

async function respond(response: ServerResponse, page: () => Promise<Page> | Page): Promise<void> {
  try {
    const { status, type = 'text/plain; charset=utf-8', body } = await page()
    response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body)
  } catch {
    response.writeHead(503).end()
  }
}
