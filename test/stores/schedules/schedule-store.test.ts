/** One contract for both implementations, memory and Redis, and the scheduler on them. */
import { describe, expect, test } from 'vitest'
import { sealerOf, type Sealer } from '../../../src/base/encryption.ts'
import { enqueueDue, startScheduler } from '../../../src/question/scheduler.ts'
import { occurrenceIn, type Question } from '../../../src/stores/runs/types.ts'
import { memoryKv } from '../../../src/stores/kv/memory-kv.ts'
import { redisKv } from '../../../src/stores/kv/redis-kv.ts'
import { Schedules } from '../../../src/stores/schedules/schedule-store.ts'
import {
  activated,
  nextCheckAt,
  withRun,
  type Schedule,
  type ScheduleRun,
  type ScheduleStore,
} from '../../../src/stores/schedules/types.ts'
import { describeWithRedis, suiteRedis } from '../../harness/redis.ts'
import { keptLog } from '../../harness/stores.ts'

const MINUTE = 60_000
const START = Date.UTC(2026, 10, 30, 9)

function schedule(id: string, more: Partial<Schedule> = {}): Schedule {
  const when = { kind: 'every', minutes: 20, start: START, zone: 'UTC' } as const
  const draft: Schedule = {
    ...{
      id,
      team: 'T1',
      channel: 'C1',
      user: 'U1',
      createdAt: START,
      text: 'every 20 minutes what?',
      question: 'what?',
    },
    ...{ when, gapMs: 20 * MINUTE, state: 'draft', place: { isPrivate: false, isShared: false, isMember: true } },
    ...{ failures: 0, runs: [], spent: {}, ...more },
  }
  return more.state === 'draft' ? draft : activated(draft, START)
}

/** Returns the enqueued occurrences like a queue, each id once. */
function acceptedBy(store: ScheduleStore, now: () => number) {
  const accepted: Question[] = []
  const queue = {
    accept: async (question: Question) => {
      if (accepted.some(({ id }) => id === question.id)) return 'duplicate' as const
      accepted.push(question)
      return 'accepted' as const
    },
  }
  const log = { ...keptLog(), debug() {} } as never
  const options = { schedules: store, queue, log, now: () => new Date(now()), everyMs: 1 }
  const look = () => enqueueDue(options)
  return { accepted, options, look, times: () => accepted.map((one) => (occurrenceIn(one)!.at - START) / MINUTE) }
}

const inMemory = (now: () => number) => new Schedules(memoryKv({ now }), { log: keptLog(), now })

function contract(make: () => ScheduleStore): void {
  test('lists a person’s or channel’s schedules in order without drafts, and forgets them', async () => {
    const store = make()
    await store.add(schedule('a', { createdAt: 1 }))
    await store.add(schedule('b', { channel: 'C2' }))
    await store.add(schedule('c', { user: 'U2' }))
    await store.add(schedule('d', { state: 'draft' }))
    await store.add(schedule('a', { question: 'another' }))
    const ids = async (of: Parameters<ScheduleStore['list']>[0]) => (await store.list(of)).map(({ id }) => id)
    expect([await ids({ team: 'T1', user: 'U1' }), await ids({ team: 'T1', channel: 'C1' })]).toEqual([
      ['a', 'b'],
      ['a', 'c'],
    ])
    expect((await store.list({ team: 'T1', user: 'U1' }))[0]).toEqual(schedule('a', { createdAt: 1 }))
    await store.moveChannel({ team: 'T1', channel: 'C2' }, 'C3')
    expect(await ids({ team: 'T1', channel: 'C3' })).toEqual(['b'])
    await store.forgetUser({ team: 'T1', user: 'U2' })
    await store.forgetChannel({ team: 'T1', channel: 'C1' })
    expect([await ids({ team: 'T1', user: 'U1' }), await ids({ team: 'T1', user: 'U2' })]).toEqual([['b'], []])
    await store.forgetTeam('T1')
    expect(await store.due(Infinity, 10)).toEqual([])
  })

  test('changes are atomic, and the index follows the latest', async () => {
    const store = make()
    await store.add(schedule('a'))
    const ref = schedule('a')
    const more = () => store.update(ref, (one) => ({ ...one, failures: one.failures + 1 }))
    await Promise.all(Array.from({ length: 8 }, more))
    expect((await store.load(ref))?.failures).toBe(8)
    expect(await store.due(nextCheckAt(ref)! - 1, 10)).toEqual([])
    expect((await store.due(nextCheckAt(ref)!, 10)).map(({ id }) => id)).toEqual(['a'])
    await store.update(ref, ({ due: _, ...one }) => ({ ...one, state: 'paused' }))
    expect(await store.due(nextCheckAt(ref)!, 10)).toEqual([])
    await store.remove(ref)
    expect(await store.update(ref, (one) => one)).toBeUndefined()
  })

  test('each occurrence is enqueued once by any number of schedulers; a late one is missed and reported', async () => {
    const store = make()
    let now = START
    const one = acceptedBy(store, () => now)
    await store.add(schedule('a'))
    for (; now < START + 60 * MINUTE; now += MINUTE) await Promise.all([one.look(), one.look(), one.look()])
    expect(one.times()).toEqual([20, 40])
    now = START + 4 * 60 * MINUTE + 19 * MINUTE
    await one.look()
    expect(one.times()).toEqual([20, 40])
    const [missed] = (await store.load(schedule('a')))!.runs
    expect(missed).toMatchObject({ end: 'missed', count: 10, due: START + 4 * 60 * MINUTE })
    now = START + 4 * 60 * MINUTE + 21 * MINUTE
    await one.look()
    expect(one.times()).toEqual([20, 40, 260])
    const once = schedule('o', { when: { kind: 'once', at: now + MINUTE, zone: 'UTC' } })
    delete once.gapMs
    await store.add(activated({ ...once, state: 'draft' }, now))
    now += 30 * MINUTE
    await one.look()
    expect(one.accepted.at(-1)).toMatchObject({ text: 'what?', schedule: { id: 'o', kind: 'due' } })
    expect((await store.load(once))?.state).toBe('over')
  })
}

test('the last run with news is known after any number of others', async () => {
  const store = inMemory(() => START)
  await store.add(schedule('a'))
  const ends: ScheduleRun['end'][] = ['quiet', 'answered', ...Array.from({ length: 9 }, () => 'failed' as const)]
  for (const [n, end] of ends.entries())
    await store.update(schedule('a'), (one) => withRun(one, { occurrence: `o${n}`, due: n, at: n, end }))
  const { accepted, look } = acceptedBy(store, () => START + 21 * MINUTE)
  await look()
  expect(occurrenceIn(accepted[0]!)).toMatchObject({ kind: 'due', lastRunAt: 1 })
  const { runs } = (await store.load(schedule('a')))!
  expect(runs.map(({ due }) => due)).toEqual([10, 9, 8, 7, 1])
})

test('a one-off schedule stays for its run and is gone a day later', async () => {
  let now = START
  const store = inMemory(() => now)
  const once = schedule('o', { when: { kind: 'once', at: START + MINUTE, zone: 'UTC' } })
  await store.add(once)
  // Each look finds it due, like one that began before another process moved it on.
  const { look, times } = acceptedBy(alwaysDue(store, once), () => now)
  now += MINUTE
  await look()
  await look()
  expect(times()).toEqual([1])
  expect(await store.load(once)).toMatchObject({ state: 'over' })
  now += 25 * 60 * MINUTE
  await look()
  expect(await store.load(once)).toBeUndefined()
})

/** Returns a store whose index always contains this schedule. */
function alwaysDue(store: ScheduleStore, one: Schedule): ScheduleStore {
  return new Proxy(store, {
    get(of, name) {
      if (name === 'due') return async () => [one]
      const value: unknown = Reflect.get(of, name, of)
      return typeof value === 'function' ? value.bind(of) : value
    },
  })
}

describe('in memory', () => contract(() => inMemory(() => START)))

describeWithRedis('in Redis', () => {
  const server = suiteRedis()
  let n = 0
  const inRedis = ({ prefix = `p${n++}`, ...more }: { prefix?: string; now?: () => number; sealer?: Sealer } = {}) => {
    const kv = redisKv({ redis: server.connect(), prefix })
    return { prefix, store: new Schedules(kv, { log: keptLog(), now: () => START, ...more }) }
  }
  contract(() => inRedis().store)

  test('a schedule without its key is left to a process that has it', async () => {
    let now = START
    const withKey = (key: string) => inRedis({ prefix: 'keys', now: () => now, sealer: sealerOf(key.repeat(40)) }).store
    await withKey('a').add(schedule('mine', { gapMs: 20 * MINUTE }))
    now += 21 * MINUTE
    const other = acceptedBy(withKey('b'), () => now)
    await other.look()
    expect(other.accepted).toEqual([])
    now += 6 * MINUTE
    const own = acceptedBy(withKey('a'), () => now)
    await own.look()
    expect(own.times()).toEqual([20])
  })

  test('index entries lost in a failover are repaired', async (t) => {
    let now = START
    const { prefix, store } = inRedis({ now: () => now })
    const raw = server.rawClient()
    await store.add(schedule('a'))
    const { options, times } = acceptedBy(store, () => now)
    const lose = () => raw.del(`${prefix}:{schedules}:due`)
    await lose()
    const scheduler = startScheduler(options)
    t.onTestFinished(() => scheduler.stop())
    // The start repairs it, and it is lost again.
    await expect.poll(lose).toBe(1)
    now += 22 * MINUTE
    await expect.poll(times).toEqual([20])
  })

  test('every key expires, the text is sealed with a key, forgetting leaves none, and the index is repaired', async () => {
    const { prefix, store } = inRedis({ sealer: sealerOf('a'.repeat(32)) })
    const raw = server.rawClient()
    await store.add(schedule('a'))
    const keys = await raw.keys(`${prefix}:*`)
    expect(keys.sort()).toEqual([`${prefix}:{T1:C1}:schedule:U1:a`, `${prefix}:{schedules}:due`])
    for (const key of keys) expect(await raw.pttl(key)).toBeGreaterThan(0)
    expect(await raw.get(keys[0]!)).not.toContain('what')
    await raw.del(`${prefix}:{schedules}:due`)
    await store.repair()
    expect(await store.list({ team: 'T1', user: 'U1' })).toEqual([schedule('a')])
    await store.forgetTeam('T1')
    expect(await raw.keys(`${prefix}:*`)).toEqual([])
  })
})
