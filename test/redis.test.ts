import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { expect, onTestFinished, test } from 'vitest'
import { redisHistory } from '../src/history/redis.ts'
import { redisQueue } from '../src/queue/redis.ts'
import type { Queue } from '../src/queue/types.ts'
import { connect, scanKeys, type RedisSettings } from '../src/redis.ts'
import { findRuns } from '../src/run/inspect.ts'
import { PlayedSlack } from './harness/played-slack.ts'
import { describeWithRedis, freePort, startRedis } from './harness/redis.ts'
import { eventually, keptLog, question } from './harness/stores.ts'

async function server(settings: string[] = []) {
  const started = await startRedis(settings)
  onTestFinished(() => started.stop())
  return started
}

async function openQueue(redis: RedisSettings): Promise<Queue> {
  const queue = redisQueue({ redis, log: keptLog(), backoffMs: 5, graceMs: 50, lockMs: 2_000, stalledMs: 500 })
  onTestFinished(() => queue.stop(0))
  await eventually(async () => expect(await queue.ready()).toBe(true))
  return queue
}

function client(redis: RedisSettings) {
  const connection = connect(redis, { purpose: 'work', log: keptLog() })
  onTestFinished(() => connection.disconnect())
  return connection
}

describeWithRedis('a connection', () => {
  test('takes password and database from the address', async () => {
    const { port } = await server(['--requirepass', 'p@ss w'])
    const redis = client({ url: `redis://:p%40ss%20w@127.0.0.1:${port}/3` })
    expect(String(await redis.client('INFO'))).toMatch(/ db=3 /)
  })

  test('logs one line when Redis is lost and one when it is back, and neither carries the password', async () => {
    const running = await server(['--requirepass', 'secret'])
    const log = keptLog()
    const redis = connect({ url: `redis://:secret@127.0.0.1:${running.port}` }, { purpose: 'work', log })
    onTestFinished(() => redis.disconnect())
    await redis.ping()
    await running.kill()
    const waiting = redis.ping()
    await eventually(() => expect(log.lines).toHaveLength(1))
    await running.restart()
    expect(await waiting).toBe('PONG')
    expect(log.lines.map(({ level }) => level)).toEqual(['warn', 'info'])
    expect(JSON.stringify(log.lines)).not.toContain('secret')
  })

  test('says nothing when it is closed on purpose', async () => {
    const { url } = await server()
    const log = keptLog()
    const redis = connect({ url }, { purpose: 'intake', log })
    await eventually(() => expect(redis.status).toBe('ready'))
    redis.disconnect()
    await eventually(() => expect(redis.status).toBe('end'))
    expect(log.lines).toEqual([])
  })
})

describeWithRedis('a Cluster', () => {
  /** Three masters on this machine that share the slots. */
  async function startCluster(): Promise<number[]> {
    const cluster = ['--cluster-enabled', 'yes', '--cluster-node-timeout', '2000']
    const nodes = await Promise.all([1, 2, 3].map(() => server(cluster)))
    const clients = nodes.map(({ url }) => new Redis(url))
    onTestFinished(() => clients.forEach((each) => each.disconnect()))
    const [first] = nodes
    for (const [n, each] of clients.entries()) {
      await each.call('CLUSTER', 'ADDSLOTSRANGE', Math.ceil((n * 16384) / 3), Math.ceil(((n + 1) * 16384) / 3) - 1)
      await each.call('CLUSTER', 'SET-CONFIG-EPOCH', n + 1)
      if (n > 0) await each.call('CLUSTER', 'MEET', '127.0.0.1', first?.port ?? 0)
    }
    await eventually(async () => {
      for (const each of clients) expect(await each.call('CLUSTER', 'INFO')).toContain('cluster_state:ok')
    })
    return nodes.map(({ port }) => port)
  }

  test('holds the whole of it: questions, runs and history, a thread on one node', async () => {
    const [port] = await startCluster()
    const settings = { url: `redis://127.0.0.1:${port}`, cluster: true }
    const queue = await openQueue(settings)
    const redis = client(settings)
    const history = redisHistory({ redis, log: keptLog() })
    const slack = new PlayedSlack()
    await queue.start(async (asked, run, signal) => {
      await slack.handler()(asked, run, signal)
      const said = { question: asked.text, standalone: asked.text, answer: '!', user: 'U1', at: 1 }
      await history.append(`T1:C1:${asked.thread}`, { id: asked.id, ...said })
    })
    const names = Array.from({ length: 24 }, (_, n) => `q${n}`)
    for (const [n, name] of names.entries()) await queue.accept(question(name, { thread: `${n % 8}.0` }))
    await eventually(() => expect(slack.posts).toHaveLength(72))
    expect(new Set(slack.posts).size).toBe(72)
    await eventually(async () => expect(await history.load('T1:C1:7.0')).toHaveLength(3))
    expect(await findRuns({ redis, prefix: 'thinkaloud' }, 'T1:C1:q5')).toHaveLength(1)
    let found = 0
    for await (const keys of scanKeys(redis, 'thinkaloud:{*}:run:*')) found += keys.length
    expect(found).toBe(24)
  })
})

describeWithRedis('Sentinels', () => {
  /** One Sentinel over a master and its replica, quick to decide. */
  async function startSentinel(masterPort: number): Promise<number> {
    const port = await freePort()
    const dir = await mkdtemp(join(tmpdir(), 'thinkaloud-sentinel-'))
    const file = join(dir, 'sentinel.conf')
    const lines = [`port ${port}`, `dir ${dir}`, `sentinel monitor main 127.0.0.1 ${masterPort} 1`]
    lines.push('sentinel down-after-milliseconds main 500', 'sentinel failover-timeout main 3000')
    await writeFile(file, lines.join('\n'))
    const sentinel: ChildProcess = spawn('redis-server', [file, '--sentinel'], { stdio: 'ignore' })
    onTestFinished(async () => {
      sentinel.kill('SIGKILL')
      await once(sentinel, 'exit')
      await rm(dir, { recursive: true, force: true })
    })
    return port
  }

  test('say where the master is, and after it died where the new one is', async () => {
    const master = await server()
    const replica = await server(['--replicaof', `127.0.0.1 ${master.port}`, '--repl-diskless-sync-delay', '0'])
    const sentinelPort = await startSentinel(master.port)
    const sentinel = new Redis(sentinelPort)
    const [toMaster, toReplica] = [new Redis(master.url), new Redis(replica.url)]
    onTestFinished(() => [sentinel, toMaster, toReplica].forEach((each) => each.disconnect()))
    toMaster.on('error', () => {})
    await eventually(async () => expect(await toReplica.info('replication')).toContain('master_link_status:up'))
    await eventually(async () =>
      expect(String(await sentinel.call('SENTINEL', 'REPLICAS', 'main'))).toContain(`${replica.port}`),
    )

    const queue = await openQueue({ url: 'redis://unused/main', sentinels: [`127.0.0.1:${sentinelPort}`] })
    const slack = new PlayedSlack()
    await queue.start(slack.handler())
    await queue.accept(question('before'))
    await eventually(() => expect(slack.posts).toHaveLength(3))
    await toMaster.call('WAIT', 1, 1_000)
    await master.kill()
    await expect(queue.accept(question('meanwhile'))).rejects.toThrow()

    await eventually(async () => expect(await queue.ready()).toBe(true))
    expect(await queue.accept(question('before'))).toBe('duplicate')
    await queue.accept(question('after'))
    await eventually(() => expect(slack.posts).toEqual(PlayedSlack.postsOf('before', 'after')))
  })
})
