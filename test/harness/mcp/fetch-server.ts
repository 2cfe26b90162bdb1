import type { IncomingMessage, ServerResponse } from 'node:http'
import { listen, type Listening } from '../../../src/playground/loopback-server.ts'
import type { Ends } from '../ends.ts'

/** Answers as `fetch` has it, which is how the SDK's handlers do. */
export type Answer = (request: Request) => Promise<Response>

/** Serves it over HTTP on 127.0.0.1, under any path, until the test ends. */
export async function serveFetch(t: Ends, answer: Answer): Promise<Listening> {
  const listening = await listen((request, response) => void bridge(request, response, answer))
  t.onTestFinished(() => listening.close())
  return listening
}

/** Answers one request of Node's HTTP. What cannot be answered is cut off. */
export async function bridge(request: IncomingMessage, response: ServerResponse, answer: Answer): Promise<void> {
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
