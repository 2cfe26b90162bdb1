import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import type { Ends } from './ends.ts'

export interface ConnectProxy {
  /** For HTTPS_PROXY. */
  url: string
  /** `host:port` of every CONNECT so far, and `GET url` of requests without one. */
  asked: string[]
  /** The credentials of the last request. */
  authorization: string | undefined
  /** Hosts that it refuses to connect to. */
  refuses: Set<string>
}

/** A name of the local Slack that only the proxy can resolve. */
export const SLACK_HOST = 'slack.tst'

/**
 * A tunnelling proxy. It resolves every name to this machine, so `http://model.tst:PORT` leads to the test's server at
 * PORT.
 */
export async function connectProxy(t: Ends): Promise<ConnectProxy> {
  const proxy: ConnectProxy = { url: '', asked: [], authorization: undefined, refuses: new Set() }
  const sockets = new Set<Socket>()
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  }
  const server = createServer((request, response) => {
    proxy.asked.push(`${request.method} ${request.url}`)
    response.writeHead(501).end()
  })
  server.on('connection', keep)
  server.on('connect', (request, client: Socket) => {
    const [host = '', port] = (request.url ?? '').split(':')
    proxy.asked.push(request.url ?? '')
    proxy.authorization = request.headers['proxy-authorization']
    if (proxy.refuses.has(host)) return void client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
    const upstream = connect(Number(port), '127.0.0.1', () =>
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n'),
    )
    keep(upstream)
    client.on('close', () => upstream.destroy()).on('data', (bytes) => upstream.write(bytes))
    upstream.on('close', () => client.destroy()).on('data', (bytes) => client.write(bytes))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  proxy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  t.onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return proxy
}
