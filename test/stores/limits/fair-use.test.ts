/** One contract for both implementations: memory and Redis. */
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Usage } from '../../../src/agent/contracts/model.ts'
import {
  createUsageLimits,
  type UsageLimits,
  type UsageLimitSettings,
} from '../../../src/stores/limits/usage-limits.ts'
import { describeWithRedis, startRedis, type RedisServer } from '../../harness/redis.ts'
import { question } from '../../harness/stores.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const RUN_MS = 5 * MINUTE

interface Place {
  limits: UsageLimits
  /** Lets time pass. */
  pass(ms: number): Promise<void>
}

type Open = (settings: UsageLimitSettings) => Place

function used(tokens: number, costUsd?: number): Usage[] {
  const usage = { model: 'm', inputTokens: tokens - 1, outputTokens: 1, estimated: false }
  return [costUsd === undefined ? usage : { ...usage, costUsd }]
}

const by = (user: string, name: string, channel = 'C1') => question(name, { user, channel })

/** Returns the names of the questions that are admitted when many ask at once. */
async function admitted(limits: UsageLimits, count: number, name: string): Promise<string[]> {
  const names = Array.from({ length: count }, (_, n) => `${name}${n}`)
  const refusals = await Promise.all(names.map((one) => limits.admit(by('U1', one))))
  return names.filter((_, n) => refusals[n] === undefined)
}

function contract(open: Open): void {
  test('questions are admitted up to the limit; the refusal names the limit and when to try again', async () => {
    const { limits } = open({ userHour: 3 })
    for (const name of ['a', 'b', 'c']) expect(await limits.admit(by('U1', name))).toBeUndefined()
    const refusal = await limits.admit(by('U1', 'd'))
    expect(refusal).toEqual({ limit: 'userHour', allowed: 3, resetsInMs: expect.any(Number) })
    expect(refusal!.resetsInMs).toBeGreaterThan(19 * MINUTE)
    expect(refusal!.resetsInMs).toBeLessThanOrEqual(20 * MINUTE)
  })

  test('a bucket refills over time: a third of the hour admits one of three questions', async () => {
    const { limits, pass } = open({ userHour: 3 })
    for (const name of ['a', 'b', 'c']) await limits.admit(by('U1', name))
    await pass(19 * MINUTE)
    expect(await limits.admit(by('U1', 'd'))).toMatchObject({ limit: 'userHour' })
    await pass(MINUTE)
    expect(await limits.admit(by('U1', 'e'))).toBeUndefined()
    expect(await limits.admit(by('U1', 'f'))).toMatchObject({ limit: 'userHour' })
    await pass(3 * HOUR)
    for (const name of ['g', 'h', 'i']) expect(await limits.admit(by('U1', name))).toBeUndefined()
    expect(await limits.admit(by('U1', 'j'))).toMatchObject({ limit: 'userHour' })
  })

  test('forgetting a team resets its use and slots only', async () => {
    const { limits } = open({ userHour: 1, teamRuns: 1, userDayTokens: 100 })
    const elsewhere = question('a', { team: 'T12' })
    for (const asked of [by('U1', 'a'), elsewhere]) await limits.admit(asked)
    expect(await limits.admit(by('U1', 'b'))).toBeDefined()
    await limits.forgetTeam('T1')
    expect(await limits.admit(by('U1', 'c'))).toBeUndefined()
    expect(await limits.admit(question('b', { team: 'T12' }))).toBeDefined()
  })

  test('each limit counts by its own subject: person, channel, workspace', async () => {
    const person = open({ userHour: 1 }).limits
    expect(await person.admit(by('U1', 'a'))).toBeUndefined()
    expect(await person.admit(by('U2', 'b'))).toBeUndefined()
    expect(await person.admit(by('U1', 'c', 'C2'))).toMatchObject({ limit: 'userHour' })
    const channel = open({ channelHour: 1 }).limits
    expect(await channel.admit(by('U1', 'a'))).toBeUndefined()
    expect(await channel.admit(by('U1', 'b', 'C2'))).toBeUndefined()
    expect(await channel.admit(by('U2', 'c'))).toMatchObject({ limit: 'channelHour' })
    const team = open({ teamDayTokens: 5_000 }).limits
    expect(await team.admit(by('U1', 'a'))).toBeUndefined()
    expect(await team.admit(question('b', { team: 'T2' }))).toBeUndefined()
    expect(await team.admit(by('U2', 'c', 'C2'))).toMatchObject({ limit: 'teamDayTokens' })
    const tokens = open({ userDayTokens: 1_000 }).limits
    await tokens.admit(by('U1', 'a'))
    await tokens.release(by('U1', 'a'), used(2_000))
    expect(await tokens.admit(by('U1', 'b'))).toMatchObject({ limit: 'userDayTokens' })
    expect(await tokens.admit(by('U2', 'c'))).toBeUndefined()
  })

  test('`left` returns the rest of each personal limit, and when it refills', async () => {
    const { limits, pass } = open({ userHour: 2, channelHour: 5, userDayTokens: 10_000, teamRuns: 9 })
    const left = async (user: string) =>
      Object.fromEntries((await limits.left({ team: 'T1', user })).map(({ limit, left }) => [limit, left]))
    expect(await left('U1')).toEqual({ userDayTokens: 10_000, userHour: 2 })
    await limits.admit(by('U1', 'a'))
    await limits.release(by('U1', 'a'), used(4_000))
    expect(await left('U1')).toEqual({ userDayTokens: 6_000, userHour: 1 })
    expect(await left('U2')).toEqual({ userDayTokens: 10_000, userHour: 2 })
    await limits.admit(by('U1', 'b'))
    await limits.release(by('U1', 'b'), used(9_000))
    const [tokens, hour] = await limits.left({ team: 'T1', user: 'U1' })
    expect(tokens).toMatchObject({ limit: 'userDayTokens', allowed: 10_000, left: 0 })
    expect(tokens!.nextInMs).toBeGreaterThan(7 * HOUR)
    expect(tokens!.fullInMs).toBeGreaterThan(31 * HOUR)
    expect(hour).toMatchObject({ limit: 'userHour', left: 0 })
    expect(hour!.nextInMs).toBeGreaterThan(29 * MINUTE)
    expect(hour!.nextInMs).toBeLessThanOrEqual(30 * MINUTE)
    expect(hour!.fullInMs).toBeLessThanOrEqual(HOUR)
    await pass(31 * MINUTE)
    expect(await limits.left({ team: 'T1', user: 'U1' })).toContainEqual(
      expect.objectContaining({ limit: 'userHour', left: 1, nextInMs: 0 }),
    )
  })

  test('a question refused by one limit is counted by none', async () => {
    const { limits } = open({ userHour: 2, channelHour: 1, teamDayTokens: 15_000, teamRuns: 4 })
    await limits.admit(by('U1', 'a'))
    for (const name of ['b', 'c', 'd', 'e'])
      expect(await limits.admit(by('U1', name))).toMatchObject({ limit: 'channelHour' })
    expect(await limits.admit(by('U1', 'f', 'C2'))).toBeUndefined()
    expect(await limits.admit(by('U2', 'g', 'C3'))).toBeUndefined()
    expect(await limits.admit(by('U3', 'h', 'C4'))).toMatchObject({ limit: 'teamDayTokens' })
  })

  test('of concurrent questions exactly the limit is admitted', async () => {
    const { limits } = open({ userHour: 10, channelHour: 100, teamRuns: 50 })
    const all = Array.from({ length: 40 }, (_, n) => limits.admit(by('U1', `q${n}`)))
    expect((await Promise.all(all)).filter((refusal) => refusal === undefined)).toHaveLength(10)
    const others = Array.from({ length: 60 }, (_, n) => limits.admit(by(`U${n + 2}`, `o${n}`)))
    expect((await Promise.all(others)).filter((refusal) => refusal === undefined)).toHaveLength(40)
  })

  test('a question counts once, however often its run starts', async () => {
    const { limits } = open({ userHour: 2, teamRuns: 2 })
    for (let begun = 0; begun < 5; begun++) expect(await limits.admit(by('U1', 'a'))).toBeUndefined()
    expect(await limits.admit(by('U1', 'b'))).toBeUndefined()
    expect(await limits.admit(by('U1', 'c'))).toMatchObject({ limit: 'userHour' })
  })

  test('a refused question is checked again when it is repeated', async () => {
    const { limits, pass } = open({ userHour: 1 })
    await limits.admit(by('U1', 'a'))
    expect(await limits.admit(by('U1', 'b'))).toMatchObject({ limit: 'userHour' })
    await pass(HOUR)
    expect(await limits.admit(by('U1', 'b'))).toBeUndefined()
  })

  test('a run’s use is booked once, and blocks the next question until the bucket has refilled', async () => {
    const { limits, pass } = open({ userDayTokens: 1000 })
    await limits.admit(by('U1', 'a'))
    for (let times = 0; times < 3; times++) await limits.release(by('U1', 'a'), used(1250))
    const refusal = await limits.admit(by('U1', 'b'))
    expect(refusal).toMatchObject({ limit: 'userDayTokens', allowed: 1000 })
    expect(Math.round(refusal!.resetsInMs! / HOUR)).toBe(6)
    expect(await limits.admit(by('U2', 'c'))).toBeUndefined()
    await pass(6 * HOUR + 2 * MINUTE)
    expect(await limits.admit(by('U1', 'd'))).toBeUndefined()
  })

  test('a budget without a token left is exhausted', async () => {
    const { limits } = open({ teamDayTokens: 60 })
    await limits.admit(by('U1', 'a'))
    await limits.release(by('U1', 'a'), used(60))
    expect(await limits.admit(by('U2', 'b'))).toMatchObject({ limit: 'teamDayTokens' })
  })

  test('dollars count too; a model without a price costs none', async () => {
    const { limits } = open({ teamDayUsd: 0.5 })
    await limits.admit(by('U1', 'a'))
    await limits.release(by('U1', 'a'), used(1_000_000))
    await limits.admit(by('U1', 'b'))
    await limits.release(by('U1', 'b'), used(10, 0.4))
    expect(await limits.admit(by('U1', 'c'))).toBeUndefined()
    await limits.release(by('U1', 'c'), used(10, 0.2))
    const refusal = await limits.admit(by('U1', 'd'))
    expect(refusal).toMatchObject({ limit: 'teamDayUsd', allowed: 0.5 })
    expect(Math.round(refusal!.resetsInMs! / HOUR)).toBe(5)
  })

  test('the most expensive question blocks the next for a day at most', async () => {
    const { limits, pass } = open({ userDayTokens: 10 })
    await limits.admit(by('U1', 'a'))
    await limits.release(by('U1', 'a'), used(1_000_000))
    const refusal = await limits.admit(by('U1', 'b'))
    expect(refusal!.resetsInMs).toBeLessThanOrEqual(27 * HOUR)
    await pass(27 * HOUR)
    expect(await limits.admit(by('U1', 'c'))).toBeUndefined()
  })

  test('concurrent questions are admitted up to the budget by their expected cost', async () => {
    const { limits } = open({ userDayTokens: 1000 })
    expect(await admitted(limits, 15, 'first')).toEqual(['first0'])
    await limits.release(by('U1', 'first0'), used(100))
    const second = await admitted(limits, 15, 'second')
    expect(second).toHaveLength(9)
    for (const name of second) await limits.release(by('U1', name), used(90))
    expect(await admitted(limits, 15, 'third')).toHaveLength(1)
  })

  test('the expected cost is learned per workspace and limit', async () => {
    const { limits } = open({ userDayTokens: 30_000, teamDayUsd: 0.03 })
    expect(await admitted(limits, 15, 'first')).toHaveLength(3)
    for (const n of [0, 1, 2]) await limits.release(by('U1', `first${n}`), used(10, 0.002))
    expect(await admitted(limits, 15, 'second')).toHaveLength(12)
  })

  test('a question that cost nothing returns its reservation, and does not change the expected cost', async () => {
    const { limits } = open({ userDayTokens: 10_000 })
    for (let n = 0; n < 9; n++) {
      expect(await limits.admit(by('U1', `down${n}`))).toBeUndefined()
      await limits.release(by('U1', `down${n}`), [])
    }
    expect(await admitted(limits, 15, 'up')).toHaveLength(2)
  })

  test('a returned reservation does not cover others’ debt', async () => {
    const { limits, pass } = open({ userDayTokens: 1000 })
    await limits.admit(by('U1', 'cheap'))
    await limits.release(by('U1', 'cheap'), used(100))
    const names = await admitted(limits, 15, 'dear')
    expect(names).toHaveLength(9)
    for (const name of names.slice(0, 5)) await limits.release(by('U1', name), used(2000))
    for (const name of names.slice(5)) await limits.release(by('U1', name), [])
    expect(await limits.admit(by('U1', 'next'))).toMatchObject({ limit: 'userDayTokens' })
    await pass(23 * HOUR)
    expect(await limits.admit(by('U1', 'next'))).toMatchObject({ limit: 'userDayTokens' })
    await pass(1.1 * HOUR)
    expect(await limits.admit(by('U1', 'next'))).toBeUndefined()
  })

  test('use after a run was settled is booked too, and never reversed', async () => {
    const { limits } = open({ userDayTokens: 10_000 })
    await limits.admit(by('U1', 'a'))
    for (const tokens of [4000, 10_500, 300]) await limits.release(by('U1', 'a'), used(tokens))
    const refusal = await limits.admit(by('U1', 'b'))
    expect(Math.round(refusal!.resetsInMs! / MINUTE)).toBe(72)
  })

  test.for(['before', 'after'])('a refund %s the end covers the question, not its tokens', async (when) => {
    const { limits } = open({ userHour: 1, channelHour: 1, userDayTokens: 1000 })
    await limits.admit(by('U1', 'a'))
    if (when === 'after') await limits.release(by('U1', 'a'), used(400))
    for (let times = 0; times < 3; times++) await limits.release(by('U1', 'a'), used(400), { refund: true })
    expect(await limits.admit(by('U1', 'b'))).toBeUndefined()
    expect(await limits.admit(by('U2', 'c'))).toMatchObject({ limit: 'channelHour' })
    await limits.release(by('U1', 'b'), used(700), { refund: true })
    expect(await limits.admit(by('U1', 'd'))).toMatchObject({ limit: 'userDayTokens' })
    expect(await limits.admit(by('U2', 'e'))).toBeUndefined()
  })

  test('a slot is free when its run has ended', async () => {
    const { limits } = open({ teamRuns: 2 })
    await limits.admit(by('U1', 'a'))
    await limits.admit(by('U1', 'b'))
    expect(await limits.admit(by('U2', 'c'))).toEqual({ limit: 'teamRuns', allowed: 2 })
    expect(await limits.admit(question('d', { team: 'T2' }))).toBeUndefined()
    await limits.release(by('U1', 'a'), [])
    expect(await limits.admit(by('U2', 'e'))).toBeUndefined()
    expect(await limits.admit(by('U2', 'f'))).toMatchObject({ limit: 'teamRuns' })
  })

  test('a dead worker’s slot expires; a restarted run takes its own again', async () => {
    const { limits, pass } = open({ teamRuns: 1 })
    await limits.admit(by('U1', 'a'))
    await pass(RUN_MS - MINUTE)
    await limits.admit(by('U1', 'a'))
    await pass(2 * MINUTE)
    expect(await limits.admit(by('U2', 'b'))).toMatchObject({ limit: 'teamRuns' })
    await pass(RUN_MS)
    expect(await limits.admit(by('U2', 'c'))).toBeUndefined()
  })
}

test('without settings there are no limits', () => {
  expect(createUsageLimits({ userHour: undefined }, { now: Date.now, prefix: 'p', runMs: RUN_MS })).toBeUndefined()
})

describe('in memory', () => {
  contract((settings) => {
    let now = 1_700_000_000_000
    const limits = createUsageLimits(settings, { prefix: 'p', runMs: RUN_MS, now: () => now })!
    return { limits, pass: async (ms) => void (now += ms) }
  })

  test('a run that was suspended for days is charged once', async () => {
    let now = 1_700_000_000_000
    const settings = { teamDayTokens: 100 }
    const limits = createUsageLimits(settings, { prefix: 'p', runMs: RUN_MS, suspendedMs: 72 * HOUR, now: () => now })!
    const left = async () => (await limits.left({ team: 'T1', user: 'U1' }))[0]?.left
    await limits.admit(question('a'))
    await limits.release(question('a'), used(40))
    now += 71 * HOUR
    await limits.release(question('a'), used(50))
    expect(await left()).toBe(90)
  })
})

describeWithRedis('in Redis', () => {
  let server: RedisServer
  let redis: Redis
  let prefixes = 0
  beforeAll(async () => {
    server = await startRedis()
    redis = new Redis(server.url)
  })
  afterAll(async () => {
    const forEver = await keysThat(redis, (left) => left < 0)
    redis.disconnect()
    await server.stop()
    expect(forEver).toEqual([])
  })

  contract((settings) => {
    const prefix = `p${prefixes++}`
    return {
      limits: createUsageLimits(settings, { now: Date.now, redis, prefix, runMs: RUN_MS })!,
      pass: (ms) => age(redis, prefix, ms),
    }
  })

  test('two processes count together', async () => {
    const [one, other] = [0, 1].map(() =>
      createUsageLimits({ userHour: 2, teamRuns: 9 }, { now: Date.now, redis, prefix: 'both', runMs: RUN_MS })!,
    )
    expect(await one!.admit(question('a'))).toBeUndefined()
    expect(await other!.admit(question('b'))).toBeUndefined()
    expect(await one!.admit(question('c'))).toMatchObject({ limit: 'userHour' })
    expect(await other!.admit(question('d'))).toMatchObject({ limit: 'userHour' })
  })

  test('a reservation lasts as long as its run may be suspended', async () => {
    const suspendedMs = 700 * HOUR
    const limits = createUsageLimits(
      { teamDayTokens: 100 },
      { now: Date.now, redis, prefix: 'parked', runMs: RUN_MS, suspendedMs: suspendedMs },
    )!
    await limits.admit(question('a'))
    const left = () => redis.pttl(`parked:{T1}:limit:question:${question('a').id}`)
    expect(await left()).toBeGreaterThan(suspendedMs)
    await limits.release(question('a'), used(10))
    expect(await left()).toBeGreaterThan(suspendedMs)
  })

  test('a full bucket expires', async () => {
    const limits = createUsageLimits({ userHour: 4 }, { now: Date.now, redis, prefix: 'full', runMs: RUN_MS })!
    await limits.admit(question('a'))
    const left = await redis.pttl('full:{T1}:limit:userHour:U1')
    expect(left).toBeGreaterThan(14 * MINUTE)
    expect(left).toBeLessThanOrEqual(15 * MINUTE + 2)
  })

  test('a Redis that accepts no writes makes the question be redelivered, uncounted', async () => {
    const limits = createUsageLimits({ userHour: 1 }, { now: Date.now, redis, prefix: 'oom', runMs: RUN_MS })!
    await redis.config('SET', 'maxmemory', '1')
    await expect(limits.admit(question('a'))).rejects.toThrow(/OOM/)
    await redis.config('SET', 'maxmemory', '0')
    expect(await redis.keys('oom:*')).toEqual([])
    expect(await limits.admit(question('a'))).toBeUndefined()
    expect(await limits.admit(question('b'))).toMatchObject({ limit: 'userHour' })
  })
})

async function keysThat(redis: Redis, fits: (leftMs: number) => boolean): Promise<string[]> {
  const keys = await redis.keys('*')
  const left = await Promise.all(keys.map((key) => redis.pttl(key)))
  return keys.filter((_, i) => fits(left[i]!))
}

/** Makes the data in Redis older, because Redis' clock cannot be set. */
async function age(redis: Redis, prefix: string, ms: number): Promise<void> {
  for (const key of await redis.keys(`${prefix}:*`)) {
    const left = (await redis.pttl(key)) - ms
    if (left <= 0) await redis.del(key)
    else if ((await redis.type(key)) === 'zset') await ageMembers(redis, key, ms)
    else if (!/:limit:(question|mean):/.test(key)) await redis.set(key, String(Number(await redis.get(key)) - ms))
    if (left > 0) await redis.pexpire(key, left)
  }
}

async function ageMembers(redis: Redis, key: string, ms: number): Promise<void> {
  for (const member of await redis.zrange(key, '0', '-1')) await redis.zincrby(key, -ms, member)
}
