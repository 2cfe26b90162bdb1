import type { IncomingMessage, ServerResponse } from 'node:http'

/** A handler with the request and response of `fetch`, as the SDKs have them. */
export type FetchHandler = (request: Request) => Promise<Response>

/** Answers one request of Node's HTTP server. Cuts the connection if the handler fails. */
export async function bridge(request: IncomingMessage, response: ServerResponse, answer: FetchHandler): Promise<void> {
  try {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(Buffer.from(chunk))
    const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    const { method = 'GET', url = '/' } = request
    const body = chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}
    const given = await answer(new Request(`http://${request.headers.host}${url}`, { method, headers, ...body }))
    response.writeHead(given.status, Object.fromEntries(given.headers))
    for await (const chunk of given.body ?? []) response.write(chunk)
    response.end()
  } catch {
    response.destroy()
  }
}
