/** Socket Mode: https://docs.slack.dev/apis/events-api/using-socket-mode. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer, type WebSocket } from 'ws'
import { isObject } from '../args.ts'
import { isForeign } from '../../base/loopback-server.ts'
import { APP } from '../store.ts'
import type { Json } from '../types.ts'

/** The maximum number of sockets of an app. */
const MAX_SOCKETS = 10
const PING_MS = 10_000
/** The beginning of a socket's address, and a base URL for parsing the rest. */
const DOOR = '/link/'

interface Ack {
  payload: unknown
}

/** The sockets of one app, at a server's `/link`. */
export class Sockets {
  private readonly door = new WebSocketServer({ noServer: true })
  private readonly tickets = new Set<string>()
  private readonly open: WebSocket[] = []
  private readonly waiting = new Set<() => void>()
  private readonly acks = new Map<string, (payload: unknown) => void>()
  private readonly pings: NodeJS.Timeout
  private turn = 0
  private isOver = false

  constructor(server: Server, { pingMs = PING_MS, host }: { pingMs?: number; host?: string } = {}) {
    server.on('upgrade', (request, socket, head) => {
      // A client that connects and disconnects must not end the process.
      socket.on('error', () => socket.destroy())
      if (isForeign(request, host)) return turnAway(socket, '403 Forbidden')
      if (!this.tickets.delete(ticketOf(request))) return turnAway(socket, '401 Unauthorized')
      this.door.handleUpgrade(request, socket, head, (ready) => this.welcome(ready))
    })
    this.pings = setInterval(() => this.open.forEach((socket) => socket.ping()), pingMs)
    this.pings.unref()
  }

  /** Returns a fresh address for one connection of one socket. */
  issue(base: string): string {
    const ticket = randomUUID()
    this.tickets.add(ticket)
    return `${base.replace(/^http/, 'ws')}${DOOR}?ticket=${ticket}&app_id=${APP}`
  }

  /** Returns the number of open sockets. */
  count(): number {
    return this.open.length
  }

  /**
   * Sends to an open socket, each in turn, and waits for one if there is none. If it closes without an ack, sends to
   * the next. Resolves with the ack, or with undefined after `ms`.
   */
  async send(envelope: Json, ms: number): Promise<Ack | undefined> {
    const end = performance.now() + ms
    for (;;) {
      const socket = await this.next(end - performance.now())
      if (!socket) return undefined
      const ack = await this.sendOver(socket, envelope, end - performance.now())
      if (ack !== 'closed') return ack
    }
  }

  private sendOver(socket: WebSocket, envelope: Json, ms: number): Promise<Ack | 'closed' | undefined> {
    const id = randomUUID()
    return new Promise((resolve) => {
      const end = (ack?: Ack | 'closed') => {
        clearTimeout(timer)
        socket.off('close', closed)
        this.acks.delete(id)
        resolve(ack)
      }
      const closed = () => end('closed')
      const timer = setTimeout(end, ms)
      socket.on('close', closed)
      this.acks.set(id, (payload) => end({ payload }))
      socket.send(JSON.stringify({ envelope_id: id, ...envelope }))
    })
  }

  /** Asks all open sockets to reconnect, as Slack does every few hours. */
  refresh(reason: 'warning' | 'refresh_requested' | 'link_disabled' = 'refresh_requested') {
    const goodbye = JSON.stringify({ type: 'disconnect', reason, debug_info: { host: 'local' } })
    for (const socket of this.open) socket.send(goodbye)
  }

  /** Cuts all open sockets without a close frame. */
  cut() {
    for (const socket of this.open.splice(0)) socket.terminate()
  }

  /** Stops reading from all open sockets, so that no close frame is answered. Simulates a hanging connection. */
  hang() {
    for (const socket of this.open) socket.pause()
  }

  /**
   * Stops sending and reading messages on all open sockets. Pings are still answered, so both ends consider them alive.
   */
  hush() {
    for (const socket of this.open.splice(0)) socket.removeAllListeners('message')
  }

  close() {
    this.isOver = true
    clearInterval(this.pings)
    for (const go of this.waiting) go()
    this.cut()
    for (const socket of this.door.clients) socket.terminate()
    this.door.close()
  }

  /** Greets a socket, or refuses it with a message if it is over Slack's limit. */
  private welcome(socket: WebSocket) {
    // Each envelope in progress listens for the socket's close.
    socket.setMaxListeners(0)
    socket.on('error', () => socket.terminate())
    if (this.open.length >= MAX_SOCKETS) {
      socket.send(JSON.stringify({ type: 'disconnect', reason: 'too_many_websockets' }))
      return socket.close()
    }
    socket.on('message', (data) => this.take(String(data)))
    socket.on('close', () => this.forget(socket))
    socket.send(JSON.stringify(hello(this.open.length + 1)))
    this.open.push(socket)
    for (const go of this.waiting) go()
  }

  private forget(socket: WebSocket) {
    const place = this.open.indexOf(socket)
    if (place >= 0) this.open.splice(place, 1)
  }

  /** Reads an ack: JSON with the envelope’s id. Anything else is ignored. */
  private take(text: string) {
    let ack: unknown
    try {
      ack = JSON.parse(text)
    } catch {
      return
    }
    if (isObject(ack)) this.acks.get(String(ack['envelope_id']))?.(ack['payload'])
  }

  /** Returns the next open socket in turn. If there is none, waits for the first one until the time is up. */
  private async next(ms: number): Promise<WebSocket | undefined> {
    const ready = () => this.open.filter((socket) => socket.readyState === socket.OPEN)
    if (this.isOver || ms < 0) return undefined
    if (ready().length === 0) {
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
    const all = ready()
    return all[this.turn % Math.max(all.length, 1)]
  }
}

/** Returns the ticket in an address. Empty if it is not an address of ours. */
function ticketOf({ url = '' }: IncomingMessage): string {
  return url.startsWith(`${DOOR}?`) ? (new URLSearchParams(url.slice(DOOR.length)).get('ticket') ?? '') : ''
}

function turnAway(socket: Duplex, status: string) {
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`, () => socket.destroy())
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
