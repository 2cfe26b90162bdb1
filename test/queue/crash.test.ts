import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { redisQueue, type RedisQueueOptions } from '../../src/queue/redis.ts'
import type { Queue } from '../../src/queue/types.ts'
import { PlayedSlack } from '../harness/played-slack.ts'
import { redisProxy } from '../harness/redis-proxy.ts'
import { describeWithRedis, startRedis, type RedisServer } from '../harness/redis.ts'
import { eventually, keptLog, question } from '../harness/stores.ts'

describeWithRedis('a process that dies', () => {
  let server: RedisServer
  let count = 0
  const queues: Queue[] = []
  beforeAll(async () => {
    server = await startRedis()
  })
  afterAll(() => server.stop())
  // All at once: one that was cut off takes a moment to give up.
  afterEach(() => Promise.all(queues.splice(0).map((queue) => queue.stop(0))))

  const open = (prefix: string, options: Partial<RedisQueueOptions> = {}) => {
    const times = { backoffMs: 5, graceMs: 50, lockMs: 1_000, stalledMs: 250, sweepMs: 500 }
    const queue = redisQueue({ redis: { url: server.url }, log: keptLog(), prefix, ...times, ...options })
    queues.push(queue)
    return queue
  }

  /** Three questions in two threads; the worker is cut off at its `n`th command and another one takes over. */
  async function workerDies(n: number, when: 'before' | 'after'): Promise<boolean> {
    const prefix = `worker${count++}`
    const slack = new PlayedSlack()
    const front = open(prefix, { role: 'front' })
    await eventually(async () => expect(await front.ready()).toBe(true))
    for (const [name, thread] of [
      ['a', '1.0'],
      ['b', '1.0'],
      ['c', '2.0'],
    ] as const)
      await front.accept(question(name, { thread }))

    const proxy = await redisProxy(server.port)
    proxy.cutAt(n, when)
    const dying = open(prefix, { role: 'worker', redis: { url: proxy.url } })
    await dying.start(slack.handler())
    await eventually(() => expect(proxy.isCut() || slack.posts.length === 9).toBe(true))
    const wasCut = proxy.isCut()

    const heir = open(prefix, { role: 'worker' })
    await heir.start(slack.handler())
    await eventually(() => expect(slack.posts).toHaveLength(9))
    await front.accept(question('last', { thread: '1.0' }))
    await eventually(() => expect(slack.posts).toHaveLength(12))
    const inThread = (names: string) => slack.posts.filter((post) => names.includes(post.split(':')[0] ?? ''))
    expect(inThread('a b last')).toEqual(PlayedSlack.postsOf('a', 'b', 'last'))
    expect(inThread('c')).toEqual(PlayedSlack.postsOf('c'))
    return wasCut
  }

  test('a worker may die before or after any of its commands, and every post is made once, in order', async () => {
    const points = Array.from({ length: 45 }, (_, i) => i + 1)
    for (const when of ['before', 'after'] as const)
      for (let from = 0; from < points.length; from += 15)
        await Promise.all(points.slice(from, from + 15).map((n) => workerDies(n, when)))
  }, 120_000)
})
