/** One contract of the waiting lines for both implementations: memory and Redis. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { memoryQueue } from '../../src/queue/memory-queue.ts'
import { redisQueue } from '../../src/queue/redis-queue.ts'
import { describeWithRedis, suiteRedis } from '../harness/redis.ts'
import { eventually, keptLog, question } from '../harness/stores.ts'
import { lineContract } from './line-contract.ts'

/** The pause before a retry is long enough for the test to see the question waiting. */
const times = { now: Date.now, concurrency: 1, graceMs: 50, backoffMs: 5_000 }

describe('lines in memory', () => {
  lineContract(() => memoryQueue({ log: keptLog(), ...times }))
})

describeWithRedis('lines in Redis', () => {
  const server = suiteRedis()
  let count = 0

  const open = (prefix = `l${count++}`) =>
    redisQueue({
      redis: { url: server.url },
      ...{ log: keptLog(), prefix, ...times, lockMs: 60_000, acceptMs: 60_000 },
    })

  lineContract(() => open())

  test('an unreadable question is skipped', async () => {
    const queue = open('torn')
    onTestFinished(() => queue.stop(0))
    await eventually(async () => expect(await queue.ready()).toBe(true))
    for (const name of ['1', '2']) await queue.accept(question(name))
    await server.rawClient().hset('torn:{T1:C1:1.0}:run:T1:C1:1', 'question', '{"text":')
    expect(await queue.inThread('T1:C1:1.0')).toEqual({ waiting: [question('2')] })
  })

  test('forgetting a channel removes its finished runs, and keeps its waiting questions', async () => {
    const queue = open('over')
    onTestFinished(() => queue.stop(0))
    await eventually(async () => expect(await queue.ready()).toBe(true))
    for (const name of ['1', '2']) await queue.accept(question(name))
    const redis = server.rawClient()
    await redis.hset('over:{T1:C1:1.0}:run:T1:C1:1', 'state', 'dead-lettered')
    await queue.forgetChannel({ team: 'T1', channel: 'C1' })
    expect(await redis.keys('over:*:run:*')).toEqual(['over:{T1:C1:1.0}:run:T1:C1:2'])
  })
})
