/** Starts a Redis for `npm run dev` and `npm run playground -- --redis`, behind a port that can be closed. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface OwnRedis {
  /** For REDIS_URL. */
  url: string
  /** Closes its port, or opens it again. The data stays. */
  setGone(isGone: boolean): void
  /** Ends it and removes its folder. */
  stop(): Promise<void>
}

const MISSING =
  'No redis-server is installed (apt install redis-server, brew install redis). Without --redis the playground keeps everything in memory.'

/**
 * Starts a Redis in a new temporary folder, behind a port of 127.0.0.1. @throws Error with a sentence if Redis is not
 * installed
 */
export async function startOwnRedis(command = 'redis-server', within = tmpdir()): Promise<OwnRedis> {
  const folder = await mkdtemp(join(within, 'thinkaloud-playground-'))
  const remove = () => rm(folder, { recursive: true, force: true })
  // A socket in the folder is private and needs no free port.
  const path = join(folder, 'redis.sock')
  const server = await launch(command, folder, path).catch((error: unknown) =>
    remove().then(() => Promise.reject(error)),
  )
  const kill = () => void server.kill('SIGKILL')
  process.once('exit', kill)
  const way = await openWay(path)
  return {
    url: `redis://127.0.0.1:${way.port}`,
    setGone: way.setGone,
    async stop() {
      process.off('exit', kill)
      way.close()
      if (server.exitCode === null && server.signalCode === null) {
        kill()
        await once(server, 'exit')
      }
      await remove()
    },
  }
}

async function launch(command: string, folder: string, path: string): Promise<ChildProcess> {
  const kept = ['--dir', folder, '--save', '', '--maxmemory-policy', 'noeviction']
  const server = spawn(command, ['--port', '0', '--unixsocket', path, ...kept], { stdio: ['ignore', 'pipe', 'ignore'] })
  const failed = once(server, 'error').then(() => Promise.reject(new Error(MISSING)))
  let said = ''
  const ready = new Promise<ChildProcess>((resolve, reject) => {
    server.stdout.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-4_000)
      if (/ready to accept connections/i.test(said)) resolve(server)
    })
    server.once('exit', () => reject(new Error(`redis-server did not start: ${said.trim().split('\n').at(-1)}`)))
  })
  return Promise.race([ready, failed])
}

/** Opens a port of 127.0.0.1 that forwards to Redis. Closing it cuts all connections and refuses new ones. */
async function openWay(path: string) {
  const sockets = new Set<Socket>()
  let isClosed = false
  const cut = () => sockets.forEach((socket) => socket.destroy())
  const server = createServer((client) => {
    if (isClosed) return void client.destroy()
    const redis = connect(path)
    for (const [from, to] of [[client, redis] as const, [redis, client] as const]) {
      sockets.add(from)
      from.on('error', () => from.destroy()).on('close', () => (sockets.delete(from), to.destroy()))
      from.pipe(to)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A TCP server's address is an object; only a pipe's is a string.
  const { port } = server.address() as AddressInfo
  return {
    port,
    setGone(isGone: boolean) {
      isClosed = isGone
      if (isGone) cut()
    },
    close() {
      server.close()
      cut()
    },
  }
}
