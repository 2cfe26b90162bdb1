import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface WebServer {
  /** `http://127.0.0.1:port`, without a trailing slash. */
  url: string
  /** The path and query of every request so far. */
  paths: string[]
  requests: { path: string; headers: IncomingMessage['headers'] }[]
}

/** Starts an HTTP server on 127.0.0.1 with a test's answers. It stops when the test ends. */
export async function startWebServer(
  handler: (path: string, response: ServerResponse, request: IncomingMessage) => void,
): Promise<WebServer> {
  const requests: WebServer['requests'] = []
  const paths: string[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    paths.push(path)
    requests.push({ path, headers: request.headers })
    handler(path, response, request)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, paths, requests }
}

/** Ends a response with JSON. */
export function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(value))
}
