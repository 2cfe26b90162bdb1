import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { redisQueue, type RedisQueueOptions } from '../../src/queue/redis-queue.ts'
import type { Handler, Queue } from '../../src/queue/types.ts'
import { endLeases } from '../harness/dead-worker.ts'
import { PlayedSlack } from '../harness/played-slack.ts'
import { describeWithRedis, startRedis, type RedisServer } from '../harness/redis.ts'
import { nodeArgs } from '../harness/compiled-sources.ts'
import { deferred, eventually, keptLog, question } from '../harness/stores.ts'

describeWithRedis('a failing Redis', () => {
  let server: RedisServer
  let count = 0
  const queues: Queue[] = []
  beforeAll(async () => {
    server = await startRedis(['--appendonly', 'yes', '--appendfsync', 'always'])
  })
  afterEach(() => Promise.all(queues.splice(0).map((queue) => queue.stop(0))))
  afterAll(() => server.stop())

  const open = (prefix: string, options: Partial<RedisQueueOptions> = {}) => {
    const times = {
      now: Date.now,
      backoffMs: 5,
      graceMs: 50,
      lockMs: 2_000,
      stalledMs: 500,
      sweepMs: 1_000,
      acceptMs: 10_000,
      settleMs: 100,
    }
    const queue = redisQueue({ redis: { url: server.url }, log: keptLog(), prefix, ...times, ...options })
    queues.push(queue)
    return queue
  }
  const isReady = (queue: Queue) => eventually(async () => expect(await queue.ready()).toBe(true))
  const rawClient = () => {
    const redis = new Redis(server.url)
    onTestFinished(() => redis.disconnect())
    return redis
  }

  test('after a restart with its file, accepted questions are answered; meanwhile others are refused at once', async () => {
    const log = keptLog()
    const queue = open(`f${count++}`, { log })
    const slack = new PlayedSlack()
    const [begun, back] = [deferred(), deferred()]
    await isReady(queue)
    await queue.start(async (asked, run, signal) => {
      await run.save({ part: 'memory', value: {} })
      begun.resolve()
      await back.promise
      await slack.handler()(asked, run, signal)
    })
    for (const name of ['a', 'b']) await queue.accept(question(name))
    await queue.accept(question('c', { thread: '2.0' }))
    await begun.promise
    await server.kill()
    await eventually(async () => expect(await queue.ready()).toBe(false))
    await expect(queue.accept(question('d'))).rejects.toThrow()
    back.resolve()
    await server.restart()

    await isReady(queue)
    expect(await queue.accept(question('a'))).toBe('duplicate')
    expect(await queue.accept(question('d'))).toBe('accepted')
    await eventually(() => expect(slack.posts).toHaveLength(12))
    const inThread = slack.posts.filter((post) => !post.startsWith('c'))
    expect(inThread).toEqual(PlayedSlack.postsOf('a', 'b', 'd'))
    const about = (text: string) => log.lines.filter(({ message }) => message.includes(text))
    // Once for the intake's connection, and once for the workers'.
    expect(about('Redis is unreachable')).toHaveLength(2)
    expect(about('Redis connection restored')).toHaveLength(2)
  })

  test('a bot that starts without Redis works as soon as Redis is there', async () => {
    await server.kill()
    const queue = open(`f${count++}`)
    const slack = new PlayedSlack()
    await queue.start(slack.handler())
    expect(await queue.ready()).toBe(false)
    await expect(queue.accept(question('a'))).rejects.toThrow()
    await server.restart()
    await isReady(queue)
    expect(await queue.accept(question('a'))).toBe('accepted')
    await eventually(() => expect(slack.posts).toEqual(PlayedSlack.postsOf('a')))
  })

  test('a stop without Redis does not wait for it', async () => {
    const queue = open(`f${count++}`)
    await isReady(queue)
    const begun = deferred()
    await queue.start(async (_, run) => {
      begun.resolve()
      await new Promise((resolve) => setTimeout(resolve, 100))
      await run.claimPost('answer-1')
    })
    await queue.accept(question('a'))
    await begun.promise
    await server.kill()
    await queue.stop(200)
    await server.restart()
  })

  test('a hanging Redis makes accept fail in time, and a question that it stored nevertheless is a duplicate', async () => {
    const queue = open(`f${count++}`)
    const slack = new PlayedSlack()
    await isReady(queue)
    await queue.accept(question('a'))
    server.freeze()
    onTestFinished(() => server.thaw())
    await expect(queue.accept(question('b'))).rejects.toThrow()
    expect(await queue.ready()).toBe(false)
    server.thaw()
    await isReady(queue)
    expect(await queue.accept(question('b'))).toMatch(/accepted|duplicate/)
    await queue.start(slack.handler())
    await eventually(() => expect(slack.posts).toEqual(PlayedSlack.postsOf('a', 'b')))
  })

  test('a full Redis accepts nothing, is not ready(), and loses nothing', async () => {
    const prefix = `f${count++}`
    const queue = open(prefix)
    const slack = new PlayedSlack()
    const redis = rawClient()
    await isReady(queue)
    await queue.accept(question('a'))
    await redis.config('SET', 'maxmemory', '1mb')
    const settings = new Redis(server.url)
    onTestFinished(async () => {
      await settings.config('SET', 'maxmemory', '0')
      settings.disconnect()
    })
    await expect(queue.accept(question('b'))).rejects.toThrow('OOM')
    expect(await queue.ready()).toBe(false)
    expect(await redis.exists(`${prefix}:{T1:C1:1.0}:run:T1:C1:b`)).toBe(0)
    await queue.start(slack.handler())
    await redis.config('SET', 'maxmemory', '0')
    await isReady(queue)
    expect(await queue.accept(question('b'))).toBe('accepted')
    await eventually(() => expect(slack.posts).toEqual(PlayedSlack.postsOf('a', 'b')))
  })

  test('a run during which Redis fills up finishes when there is room again', async () => {
    const queue = open(`f${count++}`)
    const slack = new PlayedSlack()
    const redis = rawClient()
    const begun = deferred()
    await isReady(queue)
    await queue.start(async (asked, run, signal) => {
      await slack.postOnce(run, 'step-1', 'a: step-1')
      begun.resolve()
      await eventually(async () => expect(await queue.ready()).toBe(run.saved.attempts > 1))
      await slack.handler()(asked, run, signal)
    })
    await queue.accept(question('a'))
    await begun.promise
    await redis.config('SET', 'maxmemory', '1mb')
    await eventually(async () => expect(await queue.ready()).toBe(false))
    await new Promise((resolve) => setTimeout(resolve, 300))
    await redis.config('SET', 'maxmemory', '0')
    await eventually(() => expect(slack.posts).toEqual(PlayedSlack.postsOf('a')))
  })

  test('a Redis that fills up repeatedly uses up none of a question’s tries', async () => {
    const queue = open(`f${count++}`)
    const redis = rawClient()
    const ends: string[] = []
    let faults = 0
    await isReady(queue)
    const handler: Handler = async (_, run) => {
      if (faults < 5) await redis.config('SET', 'maxmemory', '1mb')
      try {
        await run.save({ part: 'memory', value: { faults } })
        ends.push('answered')
      } catch (error) {
        faults += 1
        throw error
      } finally {
        await redis.config('SET', 'maxmemory', '0')
      }
    }
    await queue.start(handler, async () => void ends.push('given up'))
    await queue.accept(question('a'))
    await eventually(() => expect(ends).toEqual(['answered']))
    expect(faults).toBe(5)
  })

  test('a worker that was frozen past its lease has lost it, and changes nothing', async () => {
    const prefix = `f${count++}`
    const front = open(prefix, { role: 'front' })
    await isReady(front)
    const child = spawn('node', [...nodeArgs('test/harness/frozen-worker.ts'), server.url, prefix], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const lines: string[] = []
    createInterface(child.stdout).on('line', (line) => lines.push(line))
    await front.accept(question('a'))
    await eventually(() => expect(lines).toEqual(['claimed']))
    child.kill('SIGSTOP')

    const heir = open(prefix, { role: 'worker', lockMs: 60_000, stalledMs: 250 })
    const claims: unknown[] = []
    const taken = deferred()
    await heir.start(async (_, run) => {
      claims.push(await run.claimPost('step-1'), await run.claimPost('answer-1'))
      await run.posted('step-1', '5.5')
      taken.resolve()
      await eventually(() => expect(lines).toContain('end'))
      claims.push(await run.claimPost('step-1'), await run.claimPost('answer-1'))
    })
    await taken.promise
    child.kill('SIGCONT')
    child.stdin.write('go on\n')
    await eventually(() => expect(claims).toHaveLength(4))
    expect(claims).toEqual(['unsure', 'fresh', { ts: '5.5' }, 'unsure'])
    expect(lines.filter((line) => line !== 'aborted')).toEqual([
      'claimed',
      'LeaseLost',
      'LeaseLost',
      'LeaseLost',
      'LeaseLost',
      'end',
    ])
    await eventually(() => expect(lines).toContain('aborted'))
    child.kill('SIGKILL')
    await once(child, 'exit')
  })

  test('a post that a worker still sends after a take-over is there before the next worker looks it up', async () => {
    const prefix = `f${count++}`
    const [claimed, taken, looked] = [deferred(), deferred(), deferred()]
    const inSlack: string[] = []
    // For this process, no time has passed since its lease was confirmed.
    const at = Date.now()
    const first = open(prefix, { concurrency: 1, lockMs: 60_000, now: () => at })
    await first.start(async (_, run) => {
      await run.claimPost('answer-1')
      claimed.resolve()
      await taken.promise
      await run.checkLease()
      setTimeout(() => inSlack.push('answer-1'), 20)
      await looked.promise
    })
    await isReady(first)
    await first.accept(question('a'))
    await claimed.promise
    const heir = open(prefix, { role: 'worker', lockMs: 60_000, stalledMs: 100, settleMs: 200 })
    const found: unknown[] = []
    await heir.start(async (_, run) => {
      taken.resolve()
      found.push(await run.claimPost('answer-1'), ...inSlack)
      looked.resolve()
    })
    await endLeases(server.url, prefix)
    await looked.promise
    expect(found).toEqual(['unsure', 'answer-1'])
  })
})
