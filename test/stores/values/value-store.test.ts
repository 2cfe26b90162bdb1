/** One contract for both implementations: memory and Redis. */
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { createValues, type ValueStore } from '../../../src/stores/values/value-store.ts'
import { describeWithRedis, suiteRedis } from '../../harness/redis.ts'
import { deferred, eventually } from '../../harness/stores.ts'
import { memoryKv } from '../../../src/stores/kv/memory-kv.ts'
import { redisKv } from '../../../src/stores/kv/redis-kv.ts'

const YEAR_MS = 365 * 86_400_000

/** The contract of every MCP store. `make` returns two that share their data. */
function mcpStoreContract(make: () => [ValueStore, ValueStore]): void {
  test('a value is returned unchanged until it is removed', async () => {
    const [store, other] = make()
    const value = { text: 'Über "x" 🦉', list: [1, null, { deep: true }] }
    expect(await store.get('a')).toBeUndefined()
    await store.put('a', value)
    value.list.push(2)
    expect(await other.get('a')).toEqual({ text: 'Über "x" 🦉', list: [1, null, { deep: true }] })
    await other.put('a', 7)
    expect(await store.get('a')).toBe(7)
    await store.remove('a')
    expect(await other.get('a')).toBeUndefined()
  })

  test('of two concurrent first writes one succeeds', async () => {
    const [store, other] = make()
    const done = await Promise.all([store.putIfAbsent('a', 1), other.putIfAbsent('a', 2)])
    expect(done.filter(Boolean)).toHaveLength(1)
    expect(await store.get('a')).toBe(done[0] ? 1 : 2)
  })

  test('a value with a lifetime expires and may be set again', async () => {
    const [store] = make()
    await store.put('a', 1, { ttlMs: 100 })
    expect(await store.putIfAbsent('b', 1, { ttlMs: 100 })).toBe(true)
    await eventually(async () => expect([await store.get('a'), await store.get('b')]).toEqual([undefined, undefined]))
    expect(await store.putIfAbsent('a', 2)).toBe(true)
  })

  test('a lock admits one at a time, and a failure releases it', async () => {
    const [store, other] = make()
    const seen: string[] = []
    const gate = deferred()
    const first = store.lock('a', 20_000, async () => {
      seen.push('first begins')
      await gate.promise
      seen.push('first ends')
      throw new Error('first failed')
    })
    await eventually(() => expect(seen).toHaveLength(1))
    const second = other.lock('a', 20_000, async () => seen.push('second'))
    await other.lock('b', 20_000, async () => seen.push('another lock'))
    gate.resolve()
    await expect(first).rejects.toThrow('first failed')
    await second
    expect(seen).toEqual(['first begins', 'another lock', 'first ends', 'second'])
  })

  test('an expired lock can be taken, and its former holder does not release it', async () => {
    const [store, other] = make()
    const [slow, next] = [deferred(), deferred()]
    const seen: string[] = []
    const begun = deferred()
    const first = store.lock('a', 100, () => (begun.resolve(), slow.promise))
    await begun.promise
    const second = other.lock('a', 20_000, async () => {
      seen.push('second')
      await next.promise
    })
    await eventually(() => expect(seen).toEqual(['second']))
    slow.resolve()
    await first
    const third = store.lock('a', 20_000, async () => seen.push('third'))
    await sleep(150)
    expect(seen).toEqual(['second'])
    next.resolve()
    await Promise.all([second, third])
    expect(seen).toEqual(['second', 'third'])
  })
}

describe('in memory', () => {
  mcpStoreContract(() => {
    const store = createValues(memoryKv({ now: Date.now }), { room: 'mcp' })
    return [store, store]
  })

  test('a value expires a year after its last read', async () => {
    let time = 0
    const store = createValues(memoryKv({ now: () => time }), { room: 'mcp' })
    await store.put('a', 1)
    time = YEAR_MS - 1
    expect(await store.get('a')).toBe(1)
    time = 2 * YEAR_MS - 2
    expect(await store.get('a')).toBe(1)
    time = 3 * YEAR_MS
    expect(await store.get('a')).toBeUndefined()
  })
})

describeWithRedis('in Redis', () => {
  const server = suiteRedis()
  let count = 0

  mcpStoreContract(() => {
    const prefix = `t${count++}`
    return [
      createValues(redisKv({ redis: server.connect(), prefix }), { room: 'mcp' }),
      createValues(redisKv({ redis: server.connect(), prefix }), { room: 'mcp' }),
    ]
  })

  test('every key expires a year after its last read or at its own time, and an unreadable value counts as missing', async () => {
    const store = createValues(redisKv({ redis: server.connect(), prefix: 'kept' }), { room: 'mcp' })
    const redis = server.rawClient()
    await store.put('a', 1)
    await store.put('b', 1, { ttlMs: 60_000 })
    const locked = await store.lock('c', 60_000, () => redis.pttl('kept:{mcp}:lock:c'))
    expect(locked).toBeGreaterThan(0)
    expect((await redis.keys('kept:*')).sort()).toEqual(['kept:{mcp}:a', 'kept:{mcp}:b'])
    await redis.pexpire('kept:{mcp}:a', 90_000)
    expect([await store.get('a'), await store.get('b')]).toEqual([1, 1])
    expect(await redis.pttl('kept:{mcp}:a')).toBeGreaterThan(YEAR_MS - 60_000)
    expect(await redis.pttl('kept:{mcp}:b')).toBeLessThanOrEqual(60_000)
    for (const text of ['{"val', '7', 'null']) {
      await redis.set('kept:{mcp}:a', text)
      expect(await store.get('a')).toBeUndefined()
    }
  })
})
