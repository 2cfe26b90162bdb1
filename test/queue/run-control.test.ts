import { describe, expect, onTestFinished, test } from 'vitest'
import { memoryQueue } from '../../src/queue/memory-queue.ts'
import { redisQueue, type RedisQueueOptions } from '../../src/queue/redis-queue.ts'
import { resumeRun } from '../../src/queue/lua-scripts.ts'
import type { ControlledQueue, Handler } from '../../src/queue/types.ts'
import type { RedisSettings } from '../../src/base/redis/redis.ts'
import type { Signal } from '../../src/stores/runs/run-control.ts'
import { findRuns, summaryOf } from '../../src/stores/runs/list-runs.ts'
import { threadKeys } from '../../src/stores/runs/thread-keys.ts'
import { startCluster } from '../harness/redis-cluster.ts'
import { asking, killMaster } from '../harness/redis-fleet.ts'
import { startSentinels } from '../harness/redis-sentinels.ts'
import { describeWithRedis, type RedisServer, suiteRedis } from '../harness/redis.ts'
import { deferred, eventually, keptLog, question } from '../harness/stores.ts'
import { askForApproval, refOf, runControlContract } from './run-control-contract.ts'

const quick = { now: Date.now, backoffMs: 5, graceMs: 50 }
const ALLOWED = { outcome: 'allowed', by: 'U2', at: 1, key: 'k' } as const

describe('runs in memory', () => {
  runControlContract(async (settings) => {
    const queue = memoryQueue({ log: keptLog(), ...quick, ...settings })
    return { queue, control: queue.control }
  })

  test('a stop of the process also reports runs that wait for a person', async () => {
    const log = keptLog()
    const queue = memoryQueue({ log, ...quick })
    const told: boolean[] = []
    await queue.start(async (_, run, signal) => {
      told.push(signal.aborted)
      return askForApproval(run)
    })
    await queue.accept(question('1'))
    await eventually(async () => expect([told, (await queue.stats()).active]).toEqual([[false], 0]))
    await queue.stop(100)
    expect(told).toEqual([false, true])
    expect(log.lines.at(-1)).toMatchObject({ fields: { questions: 1 } })
  })
})

describeWithRedis('runs in Redis', () => {
  const server = suiteRedis()
  let count = 0

  const open = (prefix: string, options: Partial<RedisQueueOptions> = {}): ControlledQueue => {
    const times = { ...quick, lockMs: 60_000, acceptMs: 60_000 }
    const queue = redisQueue({ redis: { url: server.url }, log: keptLog(), prefix, ...times, ...options })
    onTestFinished(() => queue.stop(0))
    return queue
  }
  const opened = async (...[prefix, options]: Parameters<typeof open>) => {
    const queue = open(prefix, options)
    await eventually(async () => expect(await queue.ready()).toBe(true), 60_000)
    return queue
  }
  /** Waits until something is decided. */
  const approval: Handler = async (_, run) => (run.saved.decisions[1] ? undefined : askForApproval(run))
  const state = async (prefix: string) => {
    const [run] = await findRuns({ redis: server.rawClient(), prefix }, question('1').id)
    return run && summaryOf(run).split('  ')[1]
  }

  runControlContract(async (settings) => {
    const prefix = `c${count++}`
    const front = await opened(prefix, { role: 'front', ...settings })
    return { queue: open(prefix, settings), control: front.control }
  })

  test('a run waits while all processes are replaced, and any new one takes it up', async () => {
    const prefix = `c${count++}`
    const before = await opened(prefix)
    await before.start(approval)
    await before.accept(question('1'))
    await eventually(async () => expect(await state(prefix)).toBe('waiting for a person'))
    await before.stop(1_000)
    const seen: number[] = []
    const after = await opened(prefix)
    await after.start(async (_, run) => void seen.push(run.saved.steps.length))
    const front = await opened(prefix, { role: 'front' })
    expect(await front.control.resume(refOf(question('1')), '1', ALLOWED)).toBe('woken')
    await eventually(async () => expect([seen, await state(prefix)]).toEqual([[1], 'done']))
  })

  test('every key of a suspended run expires, but not before its deadline', async () => {
    const prefix = `c${count++}`
    const queue = await opened(prefix, { knownTtlMs: 1_000, deadLetterTtlMs: 1_000, suspendedMs: 60_000 })
    const before = Date.now()
    await queue.start(approval)
    await queue.accept(question('1'))
    await eventually(async () => expect(await state(prefix)).toBe('waiting for a person'))
    await queue.control.send(refOf(question('1')), { type: 'message', id: 'm', user: 'U1', text: 'x' })
    const redis = server.rawClient()
    for (const key of ['parked', `run:${question('1').id}`, `signals:${question('1').id}`])
      expect((await redis.pttl(`${prefix}:{T1:C1:1.0}:${key}`)) + Date.now() - before).toBeGreaterThan(60_000)
  })

  test('if a process dies between the decision and the job, the sweeper creates the job', async () => {
    const prefix = `c${count++}`
    const queue = await opened(prefix, { sweepMs: 100 })
    const done = deferred()
    await queue.start(async (_, run) => (run.saved.decisions[1] ? done.resolve() : askForApproval(run)))
    await queue.accept(question('1'))
    await eventually(async () => expect(await state(prefix)).toBe('waiting for a person'))
    const { thread, inbox, runs, suspended: suspended } = threadKeys(prefix, refOf(question('1')).thread)
    const { id } = question('1')
    const named = {
      thread,
      inbox,
      run: runs + id,
      suspended: suspended,
      id,
      now: Date.now(),
      ttlMs: 60_000,
      isExpiry: 0,
    }
    await resumeRun(server.rawClient(), { ...named, decision: JSON.stringify(ALLOWED) }, { args: ['decision:1'] })
    await done.promise
  })

  /** Starts a run that listens for signals, and its control. */
  const listening = async (redis: RedisSettings) => {
    const prefix = `c${count++}`
    const heard: string[] = []
    const [begun, over] = [deferred(), deferred()]
    onTestFinished(() => over.resolve())
    const queue = await opened(prefix, { redis })
    await queue.start(async (asked) => {
      const hear = (signal: Signal) => void (signal.type === 'message' && heard.push(signal.id))
      await queue.control.listen(refOf(asked), hear)
      begun.resolve()
      await over.promise
    })
    const front = await opened(prefix, { redis, role: 'front' })
    await front.accept(question('1'))
    await begun.promise
    const send = (id: string) =>
      front.control.send(refOf(question('1')), { type: 'message', id, user: 'U1', text: 'x' })
    const isHeard = (id: string) => eventually(() => expect(heard).toContain(id), 60_000)
    return { front, send, isHeard, heard, prefix }
  }

  /** Kills all connections that only listen. */
  const killListeners = (servers: Pick<RedisServer, 'url'>[]) =>
    Promise.all(servers.map((one) => asking(one, (redis) => redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub'))))

  test('a signal sent while the listening connection is down arrives when it is back', async () => {
    const { send, isHeard } = await listening({ url: server.url })
    for (const id of ['m1', 'm2']) {
      await send(id)
      await isHeard(id)
      await killListeners([server])
      await send(`${id} meanwhile`)
      await isHeard(`${id} meanwhile`)
    }
  })

  test('missed signals arrive before later ones, and each once', async () => {
    const { send, isHeard, heard, prefix } = await listening({ url: server.url })
    const redis = server.rawClient()
    await eventually(async () => expect(await redis.publish(`${prefix}:signals`, '')).toBe(1))
    const { thread, id } = refOf(question('1'))
    const missed = { type: 'message', id: 'missed', user: 'U1', text: 'x' }
    await redis.rpush(threadKeys(prefix, thread).signals + id, JSON.stringify(missed))
    for (const called of ['m1', 'm2']) await send(called)
    await isHeard('m2')
    expect(heard).toEqual(['missed', 'm1', 'm2'])
  })

  test('in a Cluster a signal arrives from any node, even after the listening connection was cut', async () => {
    const { settings, servers } = await startCluster({ onTestFinished })
    const { send, isHeard } = await listening(settings)
    await send('m1')
    await isHeard('m1')
    await killListeners(servers)
    await send('m2')
    await isHeard('m2')
  })

  test('behind Sentinels a signal arrives through the new master when the old one is dead', async () => {
    const sentinels = await startSentinels({ onTestFinished })
    const { front, send, isHeard } = await listening(sentinels.settings)
    await send('m1')
    await isHeard('m1')
    await killMaster(sentinels.servers[0]!)
    // A Sentinel that was paused does not trust its clock for half a minute.
    await eventually(async () => expect(await front.ready()).toBe(true), 150_000)
    await send('m2')
    await isHeard('m2')
  }, 240_000)

  test('foreign messages on the channel do no harm', async () => {
    const { send, isHeard } = await listening({ url: server.url })
    const redis = server.rawClient()
    const channel = `c${count - 1}:signals`
    await eventually(async () => expect(await redis.publish(channel, '')).toBe(1))
    for (const text of ['{', '[]', '{"thread":1}', `{"thread":"${refOf(question('1')).thread}","id":"x"}`])
      expect(await redis.publish(channel, text)).toBe(1)
    await send('m1')
    await isHeard('m1')
  })
})
