import { Redis } from 'ioredis'
import { describe, expect, test } from 'vitest'
import { redisQueue, type RedisQueueOptions } from '../../src/queue/redis-queue.ts'
import type { Handler, Queue } from '../../src/queue/types.ts'
import { dies, endLeases } from '../harness/dead-worker.ts'
import type { Ends } from '../harness/ends.ts'
import { PlayedSlack } from '../harness/played-slack.ts'
import { redisProxy } from '../harness/redis-proxy.ts'
import { describeWithRedis, suiteRedis } from '../harness/redis.ts'
import { deferred, deliver, eventually, keptLog, question, toolStep } from '../harness/stores.ts'

describeWithRedis('a process that dies', () => {
  const server = suiteRedis()
  let count = 0

  // The sweep repairs much. These tests check what must be right without it.
  const noSweep = { sweepMs: 600_000 }
  const openFor = (t: Ends) => {
    const queues: Queue[] = []
    // All at once, because a queue that was cut takes a moment to give up.
    t.onTestFinished(async () => void (await Promise.all(queues.map((queue) => queue.stop(0)))))
    return (prefix: string, options: Partial<RedisQueueOptions> = {}) => {
      const times = {
        now: Date.now,
        backoffMs: 5,
        graceMs: 50,
        lockMs: 60_000,
        stalledMs: 150,
        sweepMs: 500,
        acceptMs: 60_000,
      }
      const queue = redisQueue({ redis: { url: server.url }, log: keptLog(), prefix, ...times, ...options })
      queues.push(queue)
      return queue
    }
  }
  type Open = ReturnType<typeof openFor>

  /** Asks three questions in two threads. The worker is cut at its `n`th command, and another one takes over. */
  async function workerDies(open: Open, n: number, when: 'before' | 'after'): Promise<boolean> {
    const prefix = `worker${count++}`
    const slack = new PlayedSlack()
    const front = open(prefix, { role: 'front' })
    await eventually(async () => expect(await front.ready()).toBe(true))
    for (const [name, thread] of [
      ['a', '1.0'],
      ['b', '1.0'],
      ['c', '2.0'],
    ] as const)
      await deliver(front, question(name, { thread }))

    const proxy = await redisProxy(server.port)
    proxy.cutAt(n, when)
    const dying = open(prefix, { role: 'worker', redis: { url: proxy.url }, ...noSweep })
    await dying.start(slack.handler())
    await eventually(() => expect(proxy.isCut() || slack.posts.length === 9).toBe(true))
    const wasCut = proxy.isCut()
    const last = () => deliver(front, question('last', { thread: '1.0' }))
    // The worker may get further before it is cut.
    if (!wasCut) await last()
    await eventually(() => expect(proxy.isCut() || slack.posts.length === 12).toBe(true))
    if (proxy.isCut()) await dies(proxy, { url: server.url, prefix })

    const heir = open(prefix, { role: 'worker', ...noSweep })
    await heir.start(slack.handler())
    await eventually(() => expect(slack.posts.length).toBeGreaterThanOrEqual(9))
    if (wasCut) await last()
    await eventually(() => expect(slack.posts).toHaveLength(12))
    const inThread = (names: string) => slack.posts.filter((post) => names.includes(post.split(':')[0] ?? ''))
    expect(inThread('a b last')).toEqual(PlayedSlack.postsOf('a', 'b', 'last'))
    expect(inThread('c')).toEqual(PlayedSlack.postsOf('c'))
    return wasCut
  }

  test('a worker dies before or after any Redis command: every post is made once, in order', async (t) => {
    const open = openFor(t)
    // The first twenty commands or so are greetings. A worker sends about seventy for these three questions.
    const points = Array.from({ length: 64 }, (_, i) => i + 16)
    for (let from = 0; from < points.length; from += 8)
      await Promise.all(points.slice(from, from + 8).map((n) => workerDies(open, n, n % 2 ? 'before' : 'after')))
  }, 300_000)

  /** The worker is held at its `n`th command until another one has taken over and is working. */
  async function workerFreezes(open: Open, n: number): Promise<void> {
    const prefix = `frozen${count++}`
    const slack = new PlayedSlack()
    const front = open(prefix, { role: 'front' })
    await eventually(async () => expect(await front.ready()).toBe(true))
    for (const name of ['a', 'b']) await deliver(front, question(name))
    const proxy = await redisProxy(server.port)
    proxy.holdAt(n)
    const frozen = open(prefix, { role: 'worker', redis: { url: proxy.url } })
    await frozen.start(slack.handler())
    await eventually(() => expect(proxy.isHeld() || slack.posts.length === 6).toBe(true))
    const wasHeld = proxy.isHeld()
    const last = () => deliver(front, question('last'))
    // The worker may get further before it is held.
    if (!wasHeld) await last()
    await eventually(() => expect(proxy.isHeld() || slack.posts.length === 9).toBe(true))
    if (proxy.isHeld()) await endLeases(server.url, prefix)

    const log = keptLog()
    const heir = open(prefix, { role: 'worker', log })
    await heir.start(async (asked, run, signal) => {
      await run.claimPost('step-1')
      if (proxy.isHeld()) {
        proxy.release()
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
      await slack.handler()(asked, run, signal)
    })
    await eventually(() => expect(slack.posts.length).toBeGreaterThanOrEqual(6))
    if (wasHeld) await last()
    await eventually(() => expect(slack.posts).toEqual(PlayedSlack.postsOf('a', 'b', 'last')))
    expect(log.lines.map(({ message }) => message)).not.toContainEqual(expect.stringContaining('another worker has'))
  }

  test('a worker freezes at any Redis command: when it wakes, it takes nothing from the worker that took over', async (t) => {
    const open = openFor(t)
    const points = Array.from({ length: 24 }, (_, i) => 2 * i + 18)
    for (let from = 0; from < points.length; from += 8)
      await Promise.all(points.slice(from, from + 8).map((n) => workerFreezes(open, n)))
  }, 300_000)

  /** The front is cut at its `n`th command after the greeting. Events without an ack are delivered to another front. */
  async function frontDies(open: Open, n: number, when: 'before' | 'after'): Promise<boolean> {
    const prefix = `front${count++}`
    const slack = new PlayedSlack()
    const proxy = await redisProxy(server.port)
    const dying = open(prefix, { role: 'front', redis: { url: proxy.url }, acceptMs: 200 })
    await eventually(async () => expect(await dying.ready()).toBe(true))
    await new Promise((resolve) => setTimeout(resolve, 50))
    proxy.cutAt(n, when)
    const [worker, other] = [open(prefix, { role: 'worker', ...noSweep }), open(prefix, { role: 'front' })]
    await worker.start(slack.handler())
    await eventually(async () => expect(await other.ready()).toBe(true))
    const names = ['a', 'b', 'c']
    // Each in its own thread, so that a later question cannot replace a missing job.
    for (const name of names) {
      const asked = question(name, { thread: `${name}.0` })
      const acked = await dying.accept(asked).then(
        () => true,
        () => false,
      )
      if (!acked) await deliver(other, asked)
    }
    await eventually(() => expect(slack.posts.toSorted()).toEqual(PlayedSlack.postsOf(...names).toSorted()))
    return proxy.isCut()
  }

  test('a front dies before or after any Redis command: each question is answered once', async (t) => {
    const open = openFor(t)
    const points = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]
    const before = await Promise.all(points.map((n) => frontDies(open, n, 'before')))
    const after = await Promise.all(points.map((n) => frontDies(open, n, 'after')))
    expect([...before, ...after].filter(Boolean).length).toBeGreaterThan(15)
  })

  // These tests wait for leases to end, each with its own queues.
  describe.concurrent('its runs', () => {
    test('a front dies before it adds a question’s job: the sweep finds the question, and it is answered once', async (t) => {
      const open = openFor(t)
      const prefix = `front${count++}`
      const slack = new PlayedSlack()
      const proxy = await redisProxy(server.port, t)
      const dying = open(prefix, { role: 'front', redis: { url: proxy.url }, acceptMs: 3_000 })
      await eventually(async () => expect(await dying.ready()).toBe(true))
      await dying.accept(question('first', { thread: '2.0' }))
      proxy.cutAt(2, 'before')
      await expect(dying.accept(question('lost'))).rejects.toThrow()
      expect(proxy.isCut()).toBe(true)

      const worker = open(prefix, { role: 'worker' })
      await worker.start(slack.handler())
      await eventually(() => expect(slack.posts).toContain('lost: answer-1'))
      expect(slack.posts.toSorted()).toEqual(PlayedSlack.postsOf('first', 'lost').toSorted())
    })

    test('Redis loses all jobs: they are added again, also for runs that had begun', async (t) => {
      const open = openFor(t)
      const prefix = `lost${count++}`
      const slack = new PlayedSlack()
      const proxy = await redisProxy(server.port, t)
      const front = open(prefix, { role: 'front' })
      await eventually(async () => expect(await front.ready()).toBe(true))
      const dying = open(prefix, { role: 'worker', redis: { url: proxy.url }, concurrency: 1, sweepMs: 60_000 })
      const begun = deferred()
      await dying.start(async ({ ts }, run) => {
        await slack.postOnce(run, 'step-1', `${ts}: step-1`)
        if (run.saved.attempts === 1) throw new Error('so that the job has been started more than once')
        begun.resolve()
        await new Promise(() => {})
      })
      await deliver(front, question('a'))
      await deliver(front, question('b', { thread: '2.0' }))
      await begun.promise
      proxy.cut()
      const redis = new Redis(server.url)
      t.onTestFinished(() => redis.disconnect())
      await redis.del(...(await redis.keys(`{${prefix}:bull}*`)), `${prefix}:sweep`)

      const heir = open(prefix, { role: 'worker' })
      await heir.start(slack.handler())
      await eventually(() => expect(slack.posts).toHaveLength(6))
      expect(slack.posts.toSorted()).toEqual(PlayedSlack.postsOf('a', 'b').toSorted())
    })

    test('a run that loses its worker three times without a checkpoint is given up, and the next question runs', async (t) => {
      const open = openFor(t)
      const prefix = `poison${count++}`
      const front = open(prefix, { role: 'front' })
      await eventually(async () => expect(await front.ready()).toBe(true))
      await deliver(front, question('poison'))
      await deliver(front, question('next'))
      const seen: string[] = []
      const live = async (isPoisonous: boolean) => {
        const proxy = await redisProxy(server.port, t)
        const begun = deferred()
        const worker = open(prefix, { role: 'worker', redis: { url: proxy.url } })
        const handler: Handler = async ({ ts }) => {
          seen.push(`${ts}`)
          begun.resolve()
          if (isPoisonous && ts === 'poison') await new Promise(() => {})
        }
        await worker.start(handler, async ({ ts }, run) => void seen.push(`${ts}: ${await run.claimPost('sorry')}`))
        await begun.promise
        if (isPoisonous) await dies(proxy, { url: server.url, prefix })
      }
      for (const isPoisonous of [true, true, true, false]) await live(isPoisonous)
      await eventually(() => expect(seen.at(-1)).toBe('next'))
      expect(seen).toEqual(['poison', 'poison', 'poison', 'poison: fresh', 'next'])
    })

    test('a question that is given up is not tried again, and its message is retried while Redis is full or Slack is away', async (t) => {
      const open = openFor(t)
      const queue = open(`poison${count++}`, { maxFailures: 2 })
      const seen: string[] = []
      const giveUp: Handler = async (_, run) => {
        seen.push('give up')
        if (seen.length < 8) throw new Error("OOM command not allowed when used memory > 'maxmemory'.")
        await run.posted('given-up-1', '1.1')
        if (seen.length < 10) throw new Error('Slack is away.')
        seen.push('said')
      }
      await eventually(async () => expect(await queue.ready()).toBe(true))
      await queue.start(async () => {
        seen.push('work')
        throw new Error('Never.')
      }, giveUp)
      await deliver(queue, question('bad'))
      await eventually(() => expect(seen.at(-1)).toBe('said'))
      expect(seen).toEqual(['work', 'work', ...Array.from({ length: 8 }, () => 'give up'), 'said'])
    })

    test('a completed step counts as a checkpoint, and the same step saved again does not', async (t) => {
      const open = openFor(t)
      const prefix = `poison${count++}`
      const front = open(prefix, { role: 'front' })
      await eventually(async () => expect(await front.ready()).toBe(true))
      await deliver(front, question('poison'))
      const [begun, ended] = [toolStep(1), toolStep(1, { observation: { ok: true, text: 'seen' } })]
      let attempts = 0
      // The worker dies while the tool runs; then after it, which is a checkpoint; then twice without a new one.
      for (const value of [begun, ended, ended, ended]) {
        const proxy = await redisProxy(server.port, t)
        const saved = deferred()
        const worker = open(prefix, { role: 'worker', redis: { url: proxy.url } })
        await worker.start(async (_, run) => {
          attempts += 1
          await run.save({ part: 'step', n: 1, value })
          saved.resolve()
          await new Promise(() => {})
        })
        await saved.promise
        await dies(proxy, { url: server.url, prefix })
      }
      const givenUp = deferred<number>()
      await open(prefix, { role: 'worker' }).start(
        async () => {},
        async () => givenUp.resolve(attempts),
      )
      expect(await givenUp.promise).toBe(4)
    })

    test('a run that saves a new step each time survives the loss of any number of workers', async (t) => {
      const open = openFor(t)
      const prefix = `poison${count++}`
      const front = open(prefix, { role: 'front' })
      await eventually(async () => expect(await front.ready()).toBe(true))
      await deliver(front, question('long'))
      const attempts: number[] = []
      for (let step = 1; step <= 5; step++) {
        const proxy = await redisProxy(server.port, t)
        const begun = deferred()
        const worker = open(prefix, { role: 'worker', redis: { url: proxy.url } })
        await worker.start(async (_, run) => {
          expect(run.saved.steps).toHaveLength(step - 1)
          attempts.push(run.saved.attempts)
          await run.save({ part: 'step', n: step, value: toolStep(step) })
          begun.resolve()
          if (step < 5) await new Promise(() => {})
        })
        await begun.promise
        await dies(proxy, { url: server.url, prefix })
      }
      expect(attempts).toEqual([1, 2, 3, 4, 5])
    })
  })
})
