import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createOncePerDay, type OncePerDay } from '../../../src/stores/limits/once-per-day.ts'
import { describeWithRedis, startRedis, type RedisServer } from '../../harness/redis.ts'
import { memoryKv } from '../../../src/stores/kv/memory-kv.ts'
import { redisKv } from '../../../src/stores/kv/redis-kv.ts'

/** The contract of both implementations. */
function oncePerDayContract(make: () => OncePerDay): void {
  test('only the first call returns true, per team and key', async () => {
    const said = make()
    const asked = [
      ['T1', 'a'],
      ['T1', 'a'],
      ['T1', 'b'],
      ['T2', 'a'],
      ['T1', 'a'],
    ] as const
    const answers: boolean[] = []
    for (const [team, what] of asked) answers.push(await said.isFirst(team, what))
    expect(answers).toEqual([true, false, true, true, false])
  })

  test('forgetting a team resets only that team', async () => {
    const said = make()
    for (const team of ['T4', 'T40']) await said.isFirst(team, 'a')
    await said.forgetTeam('T4')
    expect([await said.isFirst('T4', 'a'), await said.isFirst('T40', 'a')]).toEqual([true, false])
  })

  test('of concurrent calls one is the first', async () => {
    const said = make()
    const answers = await Promise.all(Array.from({ length: 20 }, () => said.isFirst('T3', 'at once')))
    expect(answers.filter(Boolean)).toHaveLength(1)
  })
}

describe('in memory', () => {
  oncePerDayContract(() => createOncePerDay(memoryKv({ now: Date.now })))

  test('a key is new again after a day', async () => {
    let now = 0
    const said = createOncePerDay(memoryKv({ now: () => now }))
    const answers = [await said.isFirst('T1', 'a')]
    for (now of [86_399_999, 86_400_000]) answers.push(await said.isFirst('T1', 'a'))
    expect(answers).toEqual([true, false, true])
  })
})

describeWithRedis('in Redis', () => {
  let server: RedisServer
  let redis: Redis
  beforeAll(async () => {
    server = await startRedis()
    redis = new Redis(server.url)
  })
  afterAll(async () => {
    redis.disconnect()
    await server.stop()
  })
  let count = 0
  oncePerDayContract(() => createOncePerDay(redisKv({ redis, prefix: `p${count++}` })))

  test('its keys expire within a day', async () => {
    await createOncePerDay(redisKv({ redis, prefix: 'ttl' })).isFirst('T1', 'a')
    const [key = ''] = await redis.keys('ttl:*')
    expect(await redis.pttl(key)).toBeGreaterThan(86_000_000)
  })
})
