import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server that listens only on 127.0.0.1. */
export interface LoopbackServer {
  server: Server
  port: number
  /** `http://127.0.0.1:<port>`, without a slash at the end. */
  base: string
  close(): Promise<void>
}

/** Longer than clients keep an idle connection. Milliseconds. */
const KEEP_ALIVE_MS = 600_000

/** Listens on 127.0.0.1; port 0 takes a free one. */
export async function listen(handler: RequestListener, port = 0): Promise<LoopbackServer> {
  const server = createServer(handler)
  // A busy process would otherwise close an idle connection while a request arrives on it.
  server.keepAliveTimeout = KEEP_ALIVE_MS
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  // A TCP server's address is an object; only a pipe's is a string.
  const { port: taken } = server.address() as AddressInfo
  return { server, port: taken, base: `http://127.0.0.1:${taken}`, close: () => closeServer(server) }
}

/**
 * Returns whether a request names this machine, or `alias`, as its Host. A website that resolves its own name to
 * 127.0.0.1 (DNS rebinding) keeps that name in the Host header.
 */
export function hasOwnHost({ headers: { host = '' } }: IncomingMessage, alias?: string): boolean {
  const name = host.replace(/:\d+$/, '').toLowerCase()
  return ['localhost', '127.0.0.1', '[::1]', alias?.toLowerCase()].includes(name)
}

/** Returns whether a request names another Host, or whether a browser sent it for a page of another origin. */
export function isForeign(request: IncomingMessage, alias?: string): boolean {
  const { origin, host = '' } = request.headers
  return !hasOwnHost(request, alias) || (origin !== undefined && origin !== `http://${host}`)
}

/** Closes a server and its connections, because open sockets and event streams would keep it from closing. */
function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

/** Reads the body as text. Rejects beyond `limit` bytes. */
export async function readBody(request: IncomingMessage, limit?: number): Promise<string> {
  return (await readBytes(request, limit)).toString('utf8')
}

/** Reads the body as bytes. Rejects beyond `limit` bytes. */
export async function readBytes(request: IncomingMessage, limit = 4_000_000): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk)
    size += bytes.length
    if (size > limit) throw new Error(`The body is over ${limit} bytes.`)
    chunks.push(bytes)
  }
  return Buffer.concat(chunks)
}

/** Answers with JSON. */
export function sendJson(
  response: ServerResponse,
  body: unknown,
  options: { status?: number; headers?: Record<string, string> } = {},
) {
  const { status = 200, headers = {} } = options
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers })
  response.end(JSON.stringify(body))
}

/** Waits, to simulate latency. */
export function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
