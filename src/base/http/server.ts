import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ConfigError, messageOf } from '../errors.ts'

/** The response to a GET, or to a HEAD as load balancers send it. */
export interface Page {
  status: number
  type?: string
  headers?: Record<string, string | string[]>
  body: string
}

export type Pages = Record<string, (request: IncomingMessage) => Promise<Page> | Page>

interface Server {
  port: number
  close(): Promise<void>
}

interface ServerOptions {
  port: number
  host: string
  pages: Pages
  front?: ((rest: RequestListener) => RequestListener) | undefined
}

/**
 * A small HTTP server: GET pages by path, 404 for anything else. `front` runs first and passes on requests that it does
 * not handle.
 */
export async function serve(options: ServerOptions): Promise<Server> {
  const pages: RequestListener = (request, response) => {
    // Does not parse a URL: that throws for some paths that strangers may request, and nobody would catch it.
    const page = options.pages[(request.url ?? '/').split('?')[0] ?? '/']
    if (page && (request.method === 'GET' || request.method === 'HEAD'))
      return void respond(response, () => page(request))
    response.writeHead(404, NOT_SNIFFED).end()
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
        // A client that sends half a request must not delay the shutdown.
        setTimeout(() => server.closeAllConnections(), CLOSE_MS).unref()
      }),
  }
}

/** How long open requests may take when the server closes, in ms. */
const CLOSE_MS = 2_000

const NOT_SNIFFED = { 'x-content-type-options': 'nosniff' }

async function respond(response: ServerResponse, page: () => Promise<Page> | Page): Promise<void> {
  try {
    const { status, type = 'text/plain; charset=utf-8', headers, body } = await page()
    response
      .writeHead(status, { 'content-type': type, 'cache-control': 'no-store', ...NOT_SNIFFED, ...headers })
      .end(body)
  } catch {
    response.writeHead(503, NOT_SNIFFED).end()
  }
}

/** Serves at a port that a setting names. @throws ConfigError if the port or HOST cannot be used */
export async function listen(setting: string, options: ServerOptions): Promise<Server> {
  try {
    return await serve(options)
  } catch (error) {
    if (NO_ADDRESS.has((error as NodeJS.ErrnoException).code ?? ''))
      throw new ConfigError(
        `HOST is ${options.host}, which is not an address of this machine. Set it to 0.0.0.0 or 127.0.0.1.`,
      )
    throw new ConfigError(portTaken(setting, options.port, error))
  }
}

function portTaken(setting: string, port: number, error: unknown): string {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE') return `Port ${port} is in use. Set ${setting} to a free one.`
  if (code === 'EACCES') return `Port ${port} needs more rights than this user has. Set ${setting} to one above 1023.`
  return `Cannot listen on port ${port} (${setting}): ${messageOf(error)}.`
}

const NO_ADDRESS = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL'])
