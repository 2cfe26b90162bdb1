/** Sends changes of the workspace to the open pages. */
import type { IncomingMessage } from 'node:http'
import { WebSocketServer, type WebSocket } from 'ws'
import type { LocalSlack } from '../slack/local-slack.ts'
import type { LoopbackServer } from '../base/loopback-server.ts'
import { personAt, shownChange } from './page-state.ts'
import type { PagePart } from './page-part.ts'
import type { Json } from '../slack/types.ts'

/**
 * Sends each change to every WebSocket at `/events`, as its person sees it. An event stream would not do: a browser
 * opens only six of those per server, and the page in a seventh tab would wait.
 * Without `mayListen` any website could open a socket.
 * @returns a function that closes them
 */
export function tellChanges(
  { server, base }: LoopbackServer,
  slack: LocalSlack,
  parts: PagePart[],
  mayListen: (request: IncomingMessage) => boolean,
): () => void {
  const door = new WebSocketServer({ noServer: true, maxPayload: 1024 })
  server.on('upgrade', (request, socket, head) => {
    // A client that connects and disconnects must not end the process.
    socket.on('error', () => socket.destroy())
    if (!mayListen(request)) return void socket.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\n')
    const path = request.url ?? '/'
    const url = URL.canParse(path, base) ? new URL(path, base) : undefined
    if (url?.pathname !== '/events') return void socket.end('HTTP/1.1 404 Not Found\r\nconnection: close\r\n\r\n')
    const you = personAt(slack, url.searchParams.get('as'))
    door.handleUpgrade(request, socket, head, (ready) => tell(ready, slack, parts, you))
  })
  return () => {
    for (const client of door.clients) client.terminate()
  }
}

function tell(client: WebSocket, slack: LocalSlack, parts: PagePart[], you: string) {
  const send = (change: Json) => client.send(JSON.stringify(change))
  const unwatch = slack.store.watch((change) => {
    const shown = shownChange(slack, change, you)
    if (shown) send(shown)
  })
  const unwatchParts = parts.map(({ watch }) => watch?.(send, you))
  client.on('error', () => client.terminate())
  client.on('close', () => {
    unwatch()
    for (const end of unwatchParts) end?.()
  })
}
