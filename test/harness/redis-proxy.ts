import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import type { Redis } from 'ioredis'
import { onTestFinished } from 'vitest'
import type { Ends } from './ends.ts'

export interface RedisProxy {
  url: string
  /** Commands that clients have sent through so far, those of the greeting included. */
  commands(): number
  /** Lets nothing pass any more in either direction: to Redis the client seems dead, to the client everything hangs. */
  cut(): void
  /** Cuts at the `n`th command from now: before Redis gets it, or after it was done but before its reply comes back. */
  cutAt(n: number, when: 'before' | 'after'): void
  isCut(): boolean
  /**
   * Returns whether Redis, asked by another way, has done what had come through, and has taken its leave of all that
   * was cut.
   */
  isForgotten(redis: Redis): Promise<boolean>
  /** Lets nothing pass from the `n`th command from now on, until `release()`: a process that is frozen and woken. */
  holdAt(n: number): void
  /**
   * The same from the first command on that this takes; it is told the command as it is on the wire. `after`: Redis
   * does that one, and its reply is the first that waits.
   */
  holdWhen(isMeant: (command: string) => boolean, when?: 'before' | 'after'): void
  isHeld(): boolean
  release(): void
}

/** A proxy to Redis that a test can cut at any point, as the death of a process would. It closes with the test. */
export async function redisProxy(port: number, t: Ends = { onTestFinished }): Promise<RedisProxy> {
  const sockets = new Set<Socket>()
  let [commands, isCut, cutAt, when, holdAt] = [0, false, Infinity, 'before', Infinity]
  // What waits to pass while the way is held, in order, both ways.
  const held: (() => void)[] = []
  // The ways to Redis; those that were cut, by their own ports, once they have been.
  const upstreams = new Set<Socket>()
  let cutPorts: number[] | undefined
  let isHeld = false
  let isMeant: (command: string) => boolean = () => false
  let holds: 'before' | 'after' = 'before'
  const pass = (step: () => void) => (isHeld ? void held.push(step) : step())

  const cut = () => {
    isCut = true
    for (const socket of sockets) socket.pause()
    // Over a way that is only being opened nothing has come to Redis.
    for (const socket of upstreams) if (socket.connecting) socket.destroy()
    cutPorts = [...upstreams].flatMap(({ localPort = [] }) => localPort)
    for (const socket of upstreams) socket.end()
  }
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    }
    upstreams.add(upstream)
    upstream.on('close', () => upstreams.delete(upstream))
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => isCut || client.destroy())
    upstream.on('data', (chunk) => isCut || pass(() => client.write(chunk)))
    client.on(
      'data',
      commandReader((command) => {
        if (isCut) return
        commands += 1
        const isTaken = !isHeld && isMeant(command.toString())
        if (isTaken && holds === 'after') upstream.write(command)
        if (commands === holdAt || isTaken) isHeld = true
        if (isTaken && holds === 'after') return
        if (commands < cutAt) return pass(() => upstream.write(command))
        isCut = true
        if (when === 'before') return cut()
        upstream.write(command, () => setTimeout(cut, 5))
      }),
    )
    if (isCut) client.pause()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    commands: () => commands,
    cut,
    cutAt(n, at) {
      cutAt = commands + n
      when = at
    },
    isCut: () => isCut,
    async isForgotten(redis) {
      const clients = String(await redis.client('LIST'))
      return cutPorts?.every((own) => !clients.includes(` addr=127.0.0.1:${own} `)) ?? false
    },
    holdAt(n) {
      holdAt = commands + n
    },
    holdWhen(takes, at = 'before') {
      isMeant = takes
      holds = at
    },
    isHeld: () => isHeld,
    release() {
      isHeld = false
      holdAt = Infinity
      isMeant = () => false
      for (const step of held.splice(0)) step()
    },
  }
}

/** Splits a stream of requests (arrays of bulk strings, in Redis' protocol) into commands. */
function commandReader(onCommand: (command: Buffer) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0)
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    for (;;) {
      const end = endOfCommand(rest)
      if (end === undefined) return
      onCommand(rest.subarray(0, end))
      rest = rest.subarray(end)
    }
  }
}

function endOfCommand(buffer: Buffer): number | undefined {
  let at = 0
  const number = (): number | undefined => {
    const end = buffer.indexOf('\r\n', at)
    if (end < 0) return undefined
    const value = Number(buffer.toString('latin1', at + 1, end))
    at = end + 2
    return value
  }
  const words = number()
  if (words === undefined) return undefined
  for (let i = 0; i < words; i++) {
    const length = number()
    if (length === undefined) return undefined
    at += length + 2
    if (at > buffer.length) return undefined
  }
  return at
}
