/** Socket Mode: https://docs.slack.dev/apis/events-api/using-socket-mode. */
import { randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import { WebSocketServer, type WebSocket } from 'ws'
import { isObject } from './args.ts'
import { APP } from './store.ts'
import type { Json } from './types.ts'

/** At most so many sockets an app. */
const MOST_SOCKETS = 10
const PING_MS = 10_000

/** The sockets of one app, taken on a server's `/link`. */
export class Sockets {
  private readonly door = new WebSocketServer({ noServer: true })
  private readonly tickets = new Set<string>()
  private readonly open: WebSocket[] = []
  private readonly waiting = new Set<() => void>()
  private readonly acks = new Map<string, (payload: unknown) => void>()
  private readonly pings: NodeJS.Timeout
  private turn = 0

  constructor(server: Server) {
    server.on('upgrade', (request, socket, head) => {
      const ticket = new URL(request.url ?? '/', 'http://localhost').searchParams.get('ticket') ?? ''
      if (!this.tickets.delete(ticket)) return void socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n')
      this.door.handleUpgrade(request, socket, head, (ready) => this.welcome(ready))
    })
    this.pings = setInterval(() => this.open.forEach((socket) => socket.ping()), PING_MS)
    this.pings.unref()
  }

  /** A fresh address that one socket may connect to, once. */
  issue(base: string): string {
    const ticket = randomUUID()
    this.tickets.add(ticket)
    return `${base.replace(/^http/, 'ws')}/link/?ticket=${ticket}&app_id=${APP}`
  }

  /** How many are open. */
  count(): number {
    return this.open.length
  }

  /** Sends to one open socket, in turn, waiting for one if need be; resolves with the ack, or nothing when time is up. */
  async send(envelope: Json, ms: number): Promise<{ payload: unknown } | undefined> {
    const socket = await this.next(ms)
    if (!socket) return undefined
    const id = randomUUID()
    return await new Promise((resolve) => {
      const end = (ack?: { payload: unknown }) => {
        clearTimeout(timer)
        this.acks.delete(id)
        resolve(ack)
      }
      const timer = setTimeout(end, ms)
      this.acks.set(id, (payload) => end({ payload }))
      socket.send(JSON.stringify({ envelope_id: id, ...envelope }))
    })
  }

  /** Asks all open sockets to connect anew, as Slack does every few hours. */
  refresh(reason: 'warning' | 'refresh_requested' | 'link_disabled' = 'refresh_requested') {
    const goodbye = JSON.stringify({ type: 'disconnect', reason, debug_info: { host: 'local' } })
    for (const socket of this.open) socket.send(goodbye)
  }

  /** Cuts all open sockets without a word. */
  cut() {
    for (const socket of this.open.splice(0)) socket.terminate()
  }

  /** Reads nothing more from any open socket, so that no goodbye is answered: a line that hangs. */
  hang() {
    for (const socket of this.open) socket.pause()
  }

  close() {
    clearInterval(this.pings)
    for (const go of this.waiting) go()
    this.cut()
    this.door.close()
  }

  /** Slack turns away what is over its limit with a word, and greets the others. */
  private welcome(socket: WebSocket) {
    if (this.open.length >= MOST_SOCKETS) {
      socket.send(JSON.stringify({ type: 'disconnect', reason: 'too_many_websockets' }))
      return socket.close()
    }
    socket.on('message', (data) => this.take(String(data)))
    socket.on('error', () => socket.terminate())
    socket.on('close', () => this.forget(socket))
    socket.send(JSON.stringify(hello(this.open.length + 1)))
    this.open.push(socket)
    for (const go of this.waiting) go()
  }

  private forget(socket: WebSocket) {
    const place = this.open.indexOf(socket)
    if (place >= 0) this.open.splice(place, 1)
  }

  /** Acks come back as JSON with the envelope’s id; anything else on the line is nobody’s. */
  private take(text: string) {
    let ack: unknown
    try {
      ack = JSON.parse(text)
    } catch {
      return
    }
    if (isObject(ack)) this.acks.get(String(ack['envelope_id']))?.(ack['payload'])
  }

  /** The next open socket in turn; while there is none, the first that opens within the time. */
  private async next(ms: number): Promise<WebSocket | undefined> {
    if (this.open.length === 0) {
      await new Promise<void>((resolve) => {
        const go = () => {
          clearTimeout(timer)
          this.waiting.delete(go)
          resolve()
        }
        const timer = setTimeout(go, ms)
        this.waiting.add(go)
      })
    }
    this.turn += 1
    const ready = this.open.filter((socket) => socket.readyState === socket.OPEN)
    return ready[this.turn % Math.max(ready.length, 1)]
  }
}

/** The greeting that tells a client it is connected. */
function hello(count: number): Json {
  return {
    type: 'hello',
    num_connections: count,
    debug_info: { host: 'local', approximate_connection_time: 18_060 },
    connection_info: { app_id: APP },
  }
}
