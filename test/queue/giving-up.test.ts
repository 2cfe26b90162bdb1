/** The questions that the queue in Redis dead-letters, and those that it does not. */
import { expect, onTestFinished, test } from 'vitest'
import { redisQueue, type RedisQueueOptions } from '../../src/queue/redis-queue.ts'
import type { Handler } from '../../src/queue/types.ts'
import { dies } from '../harness/dead-worker.ts'
import { redisProxy } from '../harness/redis-proxy.ts'
import { describeWithRedis, suiteRedis } from '../harness/redis.ts'
import { deliver, eventually, keptLog, question, toolStep } from '../harness/stores.ts'

describeWithRedis('giving up', () => {
  const server = suiteRedis()
  let count = 0

  const open = (options: Partial<RedisQueueOptions> = {}) => {
    const times = { backoffMs: 5, graceMs: 50, lockMs: 60_000, stalledMs: 150, acceptMs: 60_000 }
    const place = { redis: { url: server.url }, log: keptLog(), prefix: `g${count++}` }
    const queue = redisQueue({ now: Date.now, ...place, ...times, ...options })
    onTestFinished(() => queue.stop(0))
    return queue
  }
  const opened = async (options: Partial<RedisQueueOptions> = {}) => {
    const queue = open(options)
    await eventually(async () => expect(await queue.ready()).toBe(true))
    return queue
  }

  test('the usage of a failing question does not count as progress', async () => {
    const queue = await opened({ maxFailures: 3 })
    const seen: string[] = []
    const usage = { model: 'm', inputTokens: 1, outputTokens: 2, estimated: false }
    const handler: Handler = async (_, run) => {
      seen.push(`paid ${run.saved.usage.length}`)
      if (seen.length > 9) return
      await run.save({ part: 'usage', n: run.saved.usage.length + 1, value: usage })
      throw new Error('after the call')
    }
    await queue.start(handler, async () => void seen.push('given up'))
    await deliver(queue, question('costly'))
    await eventually(() => expect(seen).toContain('given up'))
    expect(seen).toEqual(['paid 0', 'paid 1', 'paid 2', 'given up'])
  })

  test('a question that makes progress each time may fail any number of times', async () => {
    const queue = await opened({ maxFailures: 2 })
    const seen: string[] = []
    const handler: Handler = async (_, run) => {
      const n = run.saved.steps.length + 1
      seen.push(`step ${n}`)
      await run.save({ part: 'step', n, value: toolStep(n) })
      if (n < 5) throw new Error('after the step')
      seen.push('answered')
    }
    await queue.start(handler, async () => void seen.push('given up'))
    await deliver(queue, question('long'))
    await eventually(() => expect(seen.at(-1)).toMatch(/answered|given up/))
    expect(seen).toEqual(['step 1', 'step 2', 'step 3', 'step 4', 'step 5', 'answered'])
  })

  test('a missing question does not block those behind it', async () => {
    const prefix = `g${count++}`
    const log = keptLog()
    const queue = await opened({ prefix, log })
    for (const name of ['gone', 'next']) await deliver(queue, question(name))
    const redis = server.rawClient()
    expect(await redis.del(`${prefix}:{T1:C1:1.0}:run:T1:C1:gone`)).toBe(1)
    const seen: string[] = []
    await queue.start(async ({ ts }) => void seen.push(ts ?? ''))
    await eventually(() => expect(seen).toEqual(['next']))
    expect(log.lines.filter(({ level }) => level === 'error')).toEqual([])
  })

  test('if two questions always lose their worker together, only the one that kills it is dead-lettered', async () => {
    const prefix = `g${count++}`
    const front = await opened({ prefix, role: 'front' })
    await deliver(front, question('bad', { thread: '1.0' }))
    await deliver(front, question('good', { thread: '2.0' }))
    const ends: string[] = []
    const live = async (life: number) => {
      const proxy = await redisProxy(server.port)
      const worker = open({ prefix, role: 'worker', redis: { url: proxy.url } })
      const begun = new Set<string>()
      const handler: Handler = async ({ ts = '' }, run) => {
        begun.add(ts)
        if (ts === 'bad') {
          if (life <= 2) await eventually(() => expect(begun.size).toBe(2))
          // The work takes time, and other work dies with it.
          else await new Promise((resolve) => setTimeout(resolve, 100))
          return proxy.cut()
        }
        await new Promise((resolve) => setTimeout(resolve, life <= 2 ? 5_000 : 400))
        await run.posted('answer-1', '1.1')
        ends.push('good: answered')
      }
      await worker.start(handler, async ({ ts }, run) => {
        await run.posted('given-up-1', '2.2')
        ends.push(`${ts}: given up`)
      })
      await eventually(() => expect(proxy.isCut() || ends.length === 2).toBe(true))
      if (proxy.isCut()) await dies(proxy, { url: server.url, prefix })
    }
    for (let life = 1; ends.length < 2 && life < 8; life++) await live(life)
    expect(ends.toSorted()).toEqual(['bad: given up', 'good: answered'])
  })
})
