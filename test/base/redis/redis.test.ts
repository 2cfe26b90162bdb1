import { expect, onTestFinished, test } from 'vitest'
import { createHistory } from '../../../src/stores/history/history-store.ts'
import { redisQueue } from '../../../src/queue/redis-queue.ts'
import type { Queue } from '../../../src/queue/types.ts'
import { connectRedis, type RedisSettings } from '../../../src/base/redis/redis.ts'
import { scanKeys } from '../../../src/base/redis/redis-keys.ts'
import { findRuns } from '../../../src/stores/runs/list-runs.ts'
import { conversationOf, type Question } from '../../../src/stores/runs/types.ts'
import { PlayedSlack } from '../../harness/played-slack.ts'
import { startCluster } from '../../harness/redis-cluster.ts'
import { asking, killMaster } from '../../harness/redis-fleet.ts'
import { startSentinels } from '../../harness/redis-sentinels.ts'
import { describeWithRedis, startRedis } from '../../harness/redis.ts'
import { eventually, keptLog, question } from '../../harness/stores.ts'
import { redisKv } from '../../../src/stores/kv/redis-kv.ts'

async function server(settings: string[] = []) {
  const started = await startRedis(settings)
  onTestFinished(() => started.stop())
  return started
}

async function openQueue(redis: RedisSettings): Promise<Queue> {
  const queue = redisQueue({
    now: Date.now,
    redis,
    log: keptLog(),
    backoffMs: 5,
    graceMs: 50,
    lockMs: 2_000,
    stalledMs: 500,
  })
  onTestFinished(() => queue.stop(0))
  await eventually(async () => expect(await queue.ready()).toBe(true))
  return queue
}

function client(redis: RedisSettings) {
  const connection = connectRedis(redis, { purpose: 'work', log: keptLog() })
  onTestFinished(() => connection.disconnect())
  return connection
}

describeWithRedis('a connection', () => {
  test('reads password and database from the URL', async () => {
    const { port } = await server(['--requirepass', 'p@ss w'])
    const redis = client({ url: `redis://:p%40ss%20w@127.0.0.1:${port}/3` })
    expect(String(await redis.client('INFO'))).toMatch(/ db=3 /)
  })

  test('logs one line when Redis is lost and one when it is back, neither with the password', async () => {
    const running = await server(['--requirepass', 'secret'])
    const log = keptLog()
    const redis = connectRedis({ url: `redis://:secret@127.0.0.1:${running.port}` }, { purpose: 'work', log })
    onTestFinished(() => redis.disconnect())
    await redis.ping()
    await running.kill()
    const waiting = redis.ping()
    await eventually(() => expect(log.lines).toHaveLength(1))
    await running.restart()
    expect(await waiting).toBe('PONG')
    await eventually(() => expect(log.lines.map(({ level }) => level)).toEqual(['warn', 'info']))
    expect(JSON.stringify(log.lines)).not.toContain('secret')
  })

  test('logs nothing when it is closed on purpose', async () => {
    const { url } = await server()
    const log = keptLog()
    const redis = connectRedis({ url }, { purpose: 'intake', log })
    await eventually(() => expect(redis.status).toBe('ready'))
    redis.disconnect()
    await eventually(() => expect(redis.status).toBe('end'))
    expect(log.lines).toEqual([])
  })
})

describeWithRedis('a Cluster', () => {
  test('stores questions, runs and history, each thread on one node', async () => {
    const { settings } = await startCluster({ onTestFinished }, { silentMs: 15_000 })
    const queue = await openQueue(settings)
    const redis = client(settings)
    const history = createHistory(redisKv({ redis, prefix: 'thinkaloud' }), { log: keptLog(), ttlMs: 60_000 })
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

  test('finds the conversation that a question in a direct message continues', async () => {
    const { settings } = await startCluster({ onTestFinished }, { silentMs: 15_000 })
    const queue = await openQueue(settings)
    const seen: Question[] = []
    await queue.start(async (asked) => void seen.push(asked))
    const messages = Array.from({ length: 40 }, (_, n) => ({ ts: `${1_700_000_000 + n}.000100`, channel: `D${n % 5}` }))
    for (const { ts, channel } of messages) await queue.accept(question(ts, { channel, surface: 'dm', thread: ts }))
    await eventually(() => expect(seen).toHaveLength(40))
    expect(new Set(seen.map(conversationOf))).toEqual(
      new Set(messages.slice(0, 5).map(({ ts, channel }) => `T1:${channel}:${ts}`)),
    )
  })

  test('that lost a master: commands wait, and one log line reports the loss and one the recovery', async () => {
    const { settings, masterOf } = await startCluster({ onTestFinished })
    const log = keptLog()
    const redis = connectRedis(settings, { purpose: 'work', log })
    onTestFinished(() => redis.disconnect())
    await redis.set('some key', 'some value')
    const master = await masterOf('some key')
    await master.kill()
    const waiting = [redis.set('some key', 'another value'), redis.set('some key', 'a third')]
    // Longer than ioredis' default: sixteen tries, a tenth of a second apart.
    await new Promise((resolve) => setTimeout(resolve, 3_000))
    await master.restart()
    expect(await Promise.all(waiting)).toEqual(['OK', 'OK'])
    await eventually(() => expect(log.lines.map(({ level }) => level)).toEqual(['warn', 'info']))
    expect(log.lines[0]?.fields).toMatchObject({ error: `connect ECONNREFUSED 127.0.0.1:${master.port}` })
  })
})

describeWithRedis('Sentinels', () => {
  test('report the master, and after a failover the new one', async () => {
    const sentinels = await startSentinels({ onTestFinished }, { sentinels: 1 })
    const queue = await openQueue(sentinels.settings)
    const [sentinel] = sentinels.addresses
    const patience = (ms: number) =>
      asking({ url: `redis://${sentinel}` }, (redis) =>
        redis.call('SENTINEL', 'SET', 'main', 'down-after-milliseconds', ms),
      )
    const slack = new PlayedSlack()
    await queue.start(slack.handler())
    await queue.accept(question('before'))
    await eventually(() => expect(slack.posts).toHaveLength(3))
    // Nobody may take over before the refusal, even if this process is slow.
    await patience(600_000)
    await killMaster(await sentinels.masterOf('any'))
    await expect(queue.accept(question('meanwhile'))).rejects.toThrow()
    await patience(700)

    await eventually(async () => expect(await queue.ready()).toBe(true))
    expect(await queue.accept(question('before'))).toBe('duplicate')
    await queue.accept(question('after'))
    await eventually(() => expect(slack.posts).toEqual(PlayedSlack.postsOf('before', 'after')))
  })
})
