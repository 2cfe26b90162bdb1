import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import type { Redis } from 'ioredis'
import { onTestFinished } from 'vitest'
import type { Ends } from './ends.ts'

export interface RedisProxy {
  url: string
  /** Returns the number of commands that clients have sent, including those of the greeting. */
  commands(): number
  /** Blocks both directions: Redis considers the client dead, and the client hangs. */
  cut(): void
  /** Cuts at the `n`th command from now: before Redis gets it, or before its reply comes back. */
  cutAt(n: number, when: 'before' | 'after'): void
  isCut(): boolean
  /**
   * Returns whether Redis has executed all forwarded commands and dropped all cut connections, asked over another
   * connection.
   */
  isForgotten(redis: Redis): Promise<boolean>
  /** Blocks from the `n`th command on until `release()`, like a frozen process. */
  holdAt(n: number): void
  /**
   * Blocks from the first command that `isMeant` accepts, given the bytes on the wire. `after`: Redis executes that
   * command, and its reply is the first that waits.
   */
  holdWhen(isMeant: (command: string) => boolean, when?: 'before' | 'after'): void
  isHeld(): boolean
  release(): void
}

/** A proxy to Redis that a test can cut at any point, like the death of a process. It closes with the test. */
export async function redisProxy(port: number, t: Ends = { onTestFinished }): Promise<RedisProxy> {
  const sockets = new Set<Socket>()
  let [commands, isCut, cutAt, when, holdAt] = [0, false, Infinity, 'before', Infinity]
  // The writes that wait while the proxy is blocked, in order, in both directions.
  const held: (() => void)[] = []
  // The connections to Redis, and the local ports of the cut ones.
  const upstreams = new Set<Socket>()
  let cutPorts: number[] | undefined
  let isHeld = false
  let isMeant: (command: string) => boolean = () => false
  let holds: 'before' | 'after' = 'before'
  const pass = (step: () => void) => (isHeld ? void held.push(step) : step())

  const cut = () => {
    isCut = true
    for (const socket of sockets) socket.pause()
    // A connection that is still being opened has sent nothing to Redis.
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

/** Splits a stream of requests (arrays of bulk strings in Redis' protocol) into commands. */
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
