import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { connectRedis, type RedisClient } from '../../src/base/redis/redis.ts'
import { describeWith } from './programs.ts'
import { keptLog } from './stores.ts'

/** For tests that need a real Redis. They are skipped if there is none, except in CI. */
export const describeWithRedis = describeWith({ commands: ['redis-server'], from: 'redis-server' })

export interface RedisServer {
  url: string
  port: number
  /** Kills it, like a power cut. The append-only file stays. */
  kill(): Promise<void>
  /**
   * Starts it again on the same port with the same file. `older`: with the file as it was when `remember` was called.
   */
  restart(options?: { older?: boolean }): Promise<void>
  remember(): Promise<void>
  /** Freezes it, and wakes it. Connections stay open without replies. */
  freeze(): void
  thaw(): void
  /** Ends it, and removes its folder. */
  stop(): Promise<void>
}

/** Starts a redis-server on a free port, in a temporary folder. `settings` are its command-line options. */
export async function startRedis(settings: string[] = []): Promise<RedisServer> {
  const port = await freePort()
  const dir = await mkdtemp(join(tmpdir(), 'thinkaloud-redis-'))
  const remembered = `${dir}-older`
  const fixed = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--dir',
    dir,
    '--save',
    '',
    '--maxmemory-policy',
    'noeviction',
  ]
  const launch = () => launchRedis([...fixed, ...settings])
  let server = await launch()
  const kill = async () => {
    if (server.exitCode !== null || server.signalCode !== null) return
    server.kill('SIGKILL')
    await once(server, 'exit')
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    kill,
    async restart({ older = false } = {}) {
      await kill()
      if (older) {
        await rm(dir, { recursive: true })
        await cp(remembered, dir, { recursive: true })
      }
      server = await launch()
    },
    remember: () => cp(dir, remembered, { recursive: true }),
    freeze: () => void server.kill('SIGSTOP'),
    thaw: () => void server.kill('SIGCONT'),
    async stop() {
      await kill()
      for (const folder of [dir, remembered]) await rm(folder, { recursive: true, force: true })
    },
  }
}

async function launchRedis(args: string[]): Promise<ChildProcess> {
  const server = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  for await (const chunk of server.stdout) {
    said += String(chunk)
    if (said.includes('Ready to accept connections')) break
  }
  if (!said.includes('Ready to accept connections')) throw new Error(`redis-server did not start:\n${said}`)
  return server
}

export interface SuiteRedis extends Pick<RedisServer, 'url' | 'port'> {
  /** Returns a connection of the bot's own kind, until the end of the test. */
  connect(log?: ReturnType<typeof keptLog>): RedisClient
  /** Returns a plain connection for looking at stored data, until the end of the test. */
  rawClient(): Redis
}

/** Returns one Redis for all tests of the `describe` that calls it. */
export function suiteRedis(): SuiteRedis {
  let server: RedisServer | undefined
  beforeAll(async () => {
    server = await startRedis()
  })
  afterAll(() => server?.stop())
  const running = () => {
    if (!server) throw new Error('The suite’s Redis runs once its tests do.')
    return server
  }
  return {
    get url() {
      return running().url
    },
    get port() {
      return running().port
    },
    connect(log = keptLog()) {
      const redis = connectRedis({ url: running().url }, { purpose: 'work', log })
      onTestFinished(() => redis.disconnect())
      return redis
    },
    rawClient() {
      const redis = new Redis(running().url)
      onTestFinished(() => redis.disconnect())
      return redis
    },
  }
}

/** Below the ephemeral ports of systems (Linux: from 32768), which other tests may get. */
const FIRST_PORT = 10_240
const PORTS = 22_000
let nextPort = (process.pid * 101) % PORTS

/** Returns a free port of 127.0.0.1 that no other test gets. Each process starts at a different port. */
export async function freePort(): Promise<number> {
  nextPort = (nextPort + 1) % PORTS
  const server = createServer().listen(FIRST_PORT + nextPort, '127.0.0.1')
  const isFree = await once(server, 'listening').then(
    () => true,
    () => false,
  )
  if (!isFree) return freePort()
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
