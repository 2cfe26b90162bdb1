import { expect, onTestFinished, test } from 'vitest'
import { redisQueue, type RedisQueueOptions } from '../../src/queue/redis-queue.ts'
import type { Handler } from '../../src/queue/types.ts'
import { conversationOf, type Question, type SavedRun } from '../../src/stores/runs/types.ts'
import { PlayedSlack } from '../harness/played-slack.ts'
import { describeWithRedis, suiteRedis } from '../harness/redis.ts'
import { atRest, deferred, eventually, keptLog, question, toolStep } from '../harness/stores.ts'
import { queueContract } from './contract.ts'
import { conversationContract } from './dm-conversations.ts'
import { fairnessContract } from './fairness.ts'

describeWithRedis('the queue in Redis', () => {
  const server = suiteRedis()
  let count = 0

  /**
   * Opens a queue with its own prefix, short pauses, and leases that survive a pause of the machine of some seconds.
   */
  const open = (options: Partial<RedisQueueOptions> = {}) =>
    redisQueue({
      now: Date.now,
      redis: { url: server.url },
      log: keptLog(),
      prefix: `q${count++}`,
      backoffMs: 5,
      graceMs: 50,
      lockMs: 60_000,
      stalledMs: 30_000,
      acceptMs: 60_000,
      ...options,
    })

  queueContract((settings) => open(settings))
  fairnessContract((settings) => open(settings))
  conversationContract((settings) => open(settings))

  /** Opens a queue and waits until it is ready. It stops at the end of the test. */
  const opened = async (options: Partial<RedisQueueOptions> = {}) => {
    const queue = open(options)
    onTestFinished(() => queue.stop(0))
    await eventually(async () => expect(await queue.ready()).toBe(true))
    return queue
  }

  test('saves and claims in one turn of the event loop are one command', async () => {
    const queue = await opened()
    const redis = server.rawClient()
    const scripts = async () => Number(/cmdstat_evalsha:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1] ?? 0)
    const asked = deferred<number>()
    await queue.start(async (_, run) => {
      // Loads the script.
      await run.claimPost('root')
      const before = await atRest(scripts)
      const step = { kind: 'tool' as const, turn: 1, thought: 'hm', action: { tool: 'x', input: 'y' } }
      await Promise.all([
        run.save({ part: 'step', n: 1, value: step }),
        run.claimPost('step-1'),
        run.posted('root', '7.7'),
        run.claimPost('answer-1'),
      ])
      // The holder remembers that, so no call is made.
      await run.claimPost('root')
      asked.resolve((await scripts()) - before)
    })
    await queue.accept(question('1'))
    expect(await asked.promise).toBe(1)
  })

  test('a post is recorded with the next write, the last one with the end of the run', async () => {
    const queue = await opened({ prefix: 'records', now: () => 60_000 })
    const redis = server.rawClient()
    const scripts = async () => Number(/cmdstat_evalsha:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1] ?? 0)
    const written = deferred<number>()
    const finished = deferred<number>()
    let before = 0
    await queue.start(async (_, run) => {
      await run.claimPost('step-1')
      before = await atRest(scripts)
      await run.posted('step-1', '5.5')
      await run.claimPost('answer-1')
      written.resolve((await scripts()) - before)
      await run.posted('answer-1', '6.6')
      finished.resolve(await scripts())
    })
    await queue.accept(question('1'))
    expect(await written.promise).toBe(1)
    expect(await finished.promise).toBe(before + 1)
    const [key = ''] = await redis.keys('records:*:run:*')
    await eventually(async () => expect(await redis.hget(key, 'state')).toBe('done'))
    expect(await redis.hmget(key, 'post:step-1', 'post:answer-1')).toEqual(['5.5', '6.6'])
  })

  test('a post is recorded if the handler fails after it, or works for long', async () => {
    const queue = await opened({ now: () => 60_000 })
    const redis = server.rawClient()
    const claims: unknown[] = []
    await queue.start(async (_, run) => {
      claims.push(await run.claimPost('step-1'))
      if (claims.length > 1) return
      await run.posted('step-1', '5.5')
      throw new Error('no')
    })
    await queue.accept(question('1'))
    await eventually(() => expect(claims).toEqual(['fresh', { ts: '5.5' }]))
    const [other, end] = [await opened({ prefix: 'long', now: () => 60_000 }), deferred()]
    onTestFinished(() => end.resolve())
    await other.start(async (_, run) => {
      await run.claimPost('step-1')
      await run.posted('step-1', '7.7')
      await end.promise
    })
    await other.accept(question('2'))
    await eventually(async () => {
      const [key = ''] = await redis.keys('long:*:run:*')
      expect(await redis.hget(key, 'post:step-1')).toBe('7.7')
    })
  })

  test('every key except BullMQ’s own expires, and all keys of a thread have one hash tag', async () => {
    const prefix = 'keys'
    const queue = await opened({ prefix, maxFailures: 1 })
    const slack = new PlayedSlack()
    await queue.start(async (asked, run, signal) => {
      if (asked.ts === 'bad') throw new Error('no')
      await slack.handler()(asked, run, signal)
    })
    for (const name of ['a', 'bad', 'b']) await queue.accept(question(name))
    await queue.accept(question('c', { thread: '2.0', channel: 'C2' }))
    await queue.accept(question('3.0', { thread: '3.0', channel: 'D1', surface: 'dm' }))
    const redis = server.rawClient()
    const expectTidy = async () => {
      const keys = await redis.keys('*')
      for (const key of keys.filter((key) => key.startsWith(prefix) || key.startsWith(`{${prefix}`))) {
        if (key.startsWith('{keys:bull}:turns:')) continue
        // -2: the key has expired already.
        expect(`${key} ${await redis.pttl(key)}`).toMatch(/ ([1-9]\d*|-2)$/)
        if (!/^\{keys:bull\}:(fair|waiting)$|ready|sweep/.test(key))
          expect(key).toMatch(
            /^keys:\{T1:(C[12]:[12]|D1:3)\.0\}:(thread|inbox|run:|event:)|^keys:\{T1:D1\}:conversation(:3\.0)?$/,
          )
      }
    }
    await expectTidy()
    await eventually(() => expect(slack.posts).toHaveLength(12))
    await expectTidy()
  })

  test('BullMQ keeps no finished jobs', async () => {
    const prefix = 'tidy'
    const queue = await opened({ prefix })
    const slack = new PlayedSlack()
    await queue.start(slack.handler())
    for (let n = 0; n < 30; n++) await queue.accept(question(`${n}`, { thread: `${n % 10}.0` }))
    await eventually(() => expect(slack.posts).toHaveLength(90))
    const redis = server.rawClient()
    await eventually(async () => {
      const jobs = (await redis.keys(`{${prefix}:bull}:turns:*`)).filter((key) => key.includes('#'))
      expect(jobs).toEqual([])
    })
    await eventually(async () => expect(await redis.keys(`${prefix}:*:inbox`)).toEqual([]))
  })

  test('fronts that accept direct messages at the same moment agree on their conversation', async () => {
    const fronts = await Promise.all([1, 2, 3].map(() => opened({ prefix: 'agree', role: 'front' })))
    const worker = await opened({ prefix: 'agree' })
    const messages = Array.from({ length: 30 }, (_, n) => `${1_700_000_000 + n}.000100`)
    await Promise.all(
      messages.map((ts, n) => fronts[n % 3]!.accept(question(ts, { channel: 'D1', surface: 'dm', thread: ts }))),
    )
    const seen: Question[] = []
    await worker.start(async (asked) => void seen.push(asked))
    await eventually(() => expect(seen.map(({ ts }) => ts)).toEqual(messages))
    expect(new Set(seen.map(conversationOf)).size).toBe(1)
  })

  test('a question stored before conversations existed is answered in its thread’s own conversation', async () => {
    const queue = await opened({ prefix: 'old' })
    await queue.accept(question('1.5', { channel: 'D1', surface: 'dm', thread: '1.5' }))
    const redis = server.rawClient()
    const stored = await redis.hget('old:{T1:D1:1.5}:run:T1:D1:1.5', 'question')
    expect(stored).not.toContain('conversation')
    const seen: string[] = []
    await queue.start(async (asked) => void seen.push(conversationOf(asked)))
    await eventually(() => expect(seen).toEqual(['T1:D1:1.5']))
  })

  test('a front answers nothing; a worker answers, and accepts its own questions', async () => {
    const prefix = 'roles'
    const front = await opened({ prefix, role: 'front' })
    const worker = await opened({ prefix, role: 'worker' })
    const slack = new PlayedSlack()
    await front.start(async () => void slack.post('by the front'))
    await front.accept(question('ask-1', { thread: 'T1:C1:ask-1', surface: 'ask' }))
    await worker.start(async (asked, run, signal) => {
      if (asked.thread === '9.0') return slack.handler()(asked, run, signal)
      const root = await run.claimPost('root')
      if (root === 'fresh') await run.posted('root', '9.0')
      await worker.accept({ ...asked, thread: '9.0' })
    })
    await eventually(() => expect(slack.posts).toEqual(PlayedSlack.postsOf('ask-1')))
  })

  test('many fronts and workers answer each question once, and each thread in order', async () => {
    const prefix = 'many'
    const queues = await Promise.all([1, 2, 3].map(() => opened({ prefix, concurrency: 4 })))
    const slack = new PlayedSlack()
    for (const queue of queues) await queue.start(slack.handler())
    const names = Array.from({ length: 60 }, (_, n) => `q${n}`)
    for (const [n, name] of names.entries()) {
      const deliveries = queues.map((queue) => queue.accept(question(name, { thread: `${n % 6}.0` })))
      expect((await Promise.all(deliveries)).filter((result) => result === 'accepted')).toHaveLength(1)
    }
    await eventually(() => expect(slack.posts).toHaveLength(180))
    for (let thread = 0; thread < 6; thread++) {
      const mine = names.filter((_, n) => n % 6 === thread)
      expect(slack.posts.filter((post) => mine.includes(post.split(':')[0] ?? ''))).toEqual(
        PlayedSlack.postsOf(...mine),
      )
    }
  })

  test('a worker that stops hands its run over at once, and the run continues where it was', async () => {
    const options = { prefix: 'handover', lockMs: 600_000, stalledMs: 600_000 }
    const slack = new PlayedSlack()
    const leaving = await opened(options)
    const begun = deferred()
    await leaving.start(async (_, run, signal) => {
      await slack.postOnce(run, 'step-1', 'a: step-1')
      await run.save({ part: 'step', n: 1, value: toolStep(1) })
      begun.resolve()
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
    })
    await leaving.accept(question('a'))
    await leaving.accept(question('b'))
    await begun.promise
    const heir = await opened(options)
    const attempts: number[] = []
    await heir.start(async (asked, run, signal) => {
      attempts.push(run.saved.attempts, run.saved.steps.length)
      await slack.handler()(asked, run, signal)
    })
    await leaving.stop(0)
    await eventually(() => expect(slack.posts).toEqual(PlayedSlack.postsOf('a', 'b')))
    expect(attempts).toEqual([2, 1, 1, 0])
  })

  test('a rolling restart under load loses, repeats and dead-letters nothing', async () => {
    const options = { prefix: 'rolling', lockMs: 600_000, stalledMs: 600_000, concurrency: 5 }
    const slack = new PlayedSlack()
    const givenUp: string[] = []
    const slow: Handler = async (asked, run, signal) => {
      await new Promise((resolve) => setTimeout(resolve, 20))
      if (signal.aborted) throw signal.reason
      await slack.handler()(asked, run, signal)
    }
    const start = async () => {
      const queue = await opened(options)
      await queue.start(slow, async ({ id }) => void givenUp.push(id))
      return queue
    }
    const front = await opened({ ...options, role: 'front' })
    const names = Array.from({ length: 80 }, (_, n) => `q${n}`)
    let worker = await start()
    for (const [n, name] of names.entries()) {
      await front.accept(question(name, { thread: `${n % 8}.0` }))
      if (n % 10 !== 9) continue
      const next = await start()
      await worker.stop(0)
      worker = next
    }
    await eventually(() => expect(slack.posts).toHaveLength(240))
    expect(new Set(slack.posts).size).toBe(240)
    expect(givenUp).toEqual([])
  })

  test('an unreadable stored question is skipped, and the thread continues', async () => {
    const log = keptLog()
    const queue = await opened({ prefix: 'broken', log })
    await queue.accept(question('a'))
    await queue.accept(question('b'))
    await server.rawClient().hset('broken:{T1:C1:1.0}:run:T1:C1:a', 'question', '{"id":')
    const slack = new PlayedSlack()
    await queue.start(slack.handler())
    await eventually(() => expect(slack.posts).toEqual(PlayedSlack.postsOf('b')))
    expect(log.lines).toContainEqual(expect.objectContaining({ level: 'error', fields: { question: 'T1:C1:a' } }))
  })

  test('an unreadable checkpoint counts as absent', async () => {
    const queue = await opened({ prefix: 'torn' })
    const runs: SavedRun[] = []
    await queue.start(async (_, run) => {
      runs.push(structuredClone(run.saved))
      if (runs.length > 1) return
      for (const n of [1, 2, 3]) await run.save({ part: 'step', n, value: toolStep(n) })
      await server.rawClient().hset('torn:{T1:C1:1.0}:run:T1:C1:a', 'step:2', 'null}')
      throw new Error('once')
    })
    await queue.accept(question('a'))
    await eventually(() => expect(runs).toHaveLength(2))
    expect(runs[1]?.steps).toEqual([toolStep(1)])
  })

  test('never logs what people wrote', async () => {
    const log = keptLog()
    const queue = await opened({ log, maxFailures: 1 })
    let givenUp = 0
    const fail = async () => {
      throw new Error('broken')
    }
    await queue.start(fail, async () => void givenUp++)
    await queue.accept(question('a', { text: 'my secret' }))
    await eventually(() => expect(givenUp).toBe(1))
    expect(log.lines.length).toBeGreaterThan(0)
    expect(JSON.stringify(log.lines)).not.toContain('secret')
  })
})
