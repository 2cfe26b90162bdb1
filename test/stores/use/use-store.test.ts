/** Counts of use and lists of the newest ids: one contract each, for memory and Redis. */
import { describe, expect, test } from 'vitest'
import { createRecentList, type RecentList } from '../../../src/stores/recent-list.ts'
import { memoryKv } from '../../../src/stores/kv/memory-kv.ts'
import { redisKv } from '../../../src/stores/kv/redis-kv.ts'
import { createUseStore, teamsWithUse } from '../../../src/stores/use/use-store.ts'
import { USE_TTL_MS, type UseStore } from '../../../src/stores/use/types.ts'
import { describeWithRedis, suiteRedis } from '../../harness/redis.ts'

const DAY_MS = 86_400_000
const at = Date.UTC(2026, 10, 26, 23, 59)
const DAYS = ['2026-11-26', '2026-11-27']

function useContract(make: () => UseStore): void {
  test('an id’s booking counts once, and a later one replaces it', async () => {
    const use = make()
    const booked = (id: string, counts: object, grows?: boolean) =>
      use.book({ team: 'T1', id, at }, { ...counts }, grows === undefined ? {} : { grows })
    await Promise.all(Array.from({ length: 5 }, () => booked('a', { 'all - questions': 1, 'tool x calls': 2 })))
    await booked('b', { 'all - questions': 1 })
    expect((await use.days('T1', DAYS))[0]).toEqual({ 'all - questions': 2, 'tool x calls': 2 })
    await booked('a', { 'all - questions': 1, 'tool y calls': 7 })
    expect((await use.days('T1', DAYS))[0]).toMatchObject({
      'all - questions': 2,
      'tool x calls': 0,
      'tool y calls': 7,
    })
    await booked('a', {})
    expect((await use.days('T1', DAYS))[0]).toMatchObject({ 'all - questions': 1, 'tool y calls': 0 })
  })

  test('a growing booking is never reduced by a slower process', async () => {
    const use = make()
    for (const n of [10, 30, 20]) await use.book({ team: 'T1', id: 'a', at }, { n, [`of ${n}`]: 1 }, { grows: true })
    expect((await use.days('T1', DAYS))[0]).toEqual({ n: 30, 'of 10': 1, 'of 30': 1, 'of 20': 1 })
  })

  test('each UTC day and team counts separately, and is forgotten with its team', async () => {
    const use = make()
    await use.book({ team: 'T1', id: 'a', at }, { n: 1 })
    await use.book({ team: 'T1', id: 'b', at: at + 60_000 }, { n: 2 })
    await use.book({ team: 'T12', id: 'a', at }, { n: 4 })
    expect(await use.days('T1', DAYS)).toEqual([{ n: 1 }, { n: 2 }])
    await use.book({ team: 'T1', id: 'c', at }, { 'person U1 n': 1, 'person U12 n': 2 })
    await use.drop('T1', DAYS, ['person U1 '])
    expect((await use.days('T1', DAYS))[0]).toEqual({ n: 1, 'person U12 n': 2 })
    await use.forgetTeam('T1')
    expect(await use.days('T1', DAYS)).toEqual([{}, {}])
    expect(await use.days('T12', DAYS)).toEqual([{ n: 4 }, {}])
    await use.book({ team: 'T1', id: 'a', at }, { n: 1 })
    expect(await use.days('T1', DAYS)).toEqual([{ n: 1 }, {}])
  })
}

function listContract(make: (now: () => number) => RecentList): void {
  test('lists a team’s newest first, each once, bounded by age and number', async () => {
    let now = at
    const list = make(() => now)
    for (const [id, ago] of Object.entries({ a: 3, b: 1, c: 2, d: 4 })) await list.add('T1', id, at - ago)
    await list.add('T2', 'x', at)
    expect(await list.newest('T1', 9)).toEqual(['b', 'c', 'a'])
    await list.add('T1', 'a', at)
    expect(await list.newest('T1', 2)).toEqual(['a', 'b'])
    await list.remove('T1', 'a')
    expect(await list.newest('T1', 9)).toEqual(['b', 'c'])
    now += DAY_MS - 1
    expect(await list.newest('T1', 9)).toEqual([])
    await list.add('T1', 'e', now)
    await list.forgetTeam('T1')
    expect(await list.newest('T1', 9)).toEqual([])
    expect(await list.newest('T2', 9)).toEqual(['x'])
  })
}

const BOUNDS = { name: 'unanswered', ttlMs: DAY_MS, max: 3 }

describe('in memory', () => {
  useContract(() => createUseStore(memoryKv({ now: () => at })))
  listContract((now) => createRecentList(memoryKv({ now }), { ...BOUNDS, now }))
})

describeWithRedis('in Redis', () => {
  const server = suiteRedis()
  let count = 0
  const place = () => ({ redis: server.connect(), prefix: `u${count++}` })
  useContract(() => createUseStore(redisKv(place())))
  listContract((now) => createRecentList(redisKv(place()), { ...BOUNDS, now }))

  test('every key belongs to its team and expires; teams can be listed', async () => {
    const { redis, prefix } = place()
    const use = createUseStore(redisKv({ redis, prefix }))
    for (const team of ['T2', 'T1']) await use.book({ team, id: `${team}:C1:1.0`, at }, { n: 1 })
    await createRecentList(redisKv({ redis, prefix }), { now: Date.now, ...BOUNDS }).add('T1', 'a', Date.now())
    expect(await teamsWithUse(redisKv({ redis, prefix }))).toEqual(['T1', 'T2'])
    const keys = (await redis.keys(`${prefix}:*`)).sort()
    expect(keys).toHaveLength(5)
    for (const key of keys) {
      expect(key).toMatch(/^u\d+:\{T[12]\}:/)
      const ttl = await redis.pttl(key)
      expect(ttl > 0 && ttl <= USE_TTL_MS, key).toBe(true)
    }
  })
})
