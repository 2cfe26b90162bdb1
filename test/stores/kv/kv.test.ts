/** One contract for both implementations: memory and Redis. */
import { describe, expect, test } from 'vitest'
import { kvKey, type Kv } from '../../../src/stores/kv/kv.ts'
import { memoryKv } from '../../../src/stores/kv/memory-kv.ts'
import { redisKv } from '../../../src/stores/kv/redis-kv.ts'
import { describeWithRedis, suiteRedis } from '../../harness/redis.ts'
import { eventually } from '../../harness/stores.ts'

const KEY = kvKey('T1:C1:1.0', 'a')
const OTHER = kvKey('T1:C1:1.0', 'b')
const HOUR = { ttlMs: 3_600_000 }

/** The contract of every Kv. `make` returns two that share their data. */
function kvContract(make: () => [Kv, Kv]): void {
  test('texts: put, get, swap', async () => {
    const [{ swap: swapIn, texts, keys }, other] = make()
    expect([await texts.get(KEY), await keys.leftMs(KEY)]).toEqual([undefined, 0])
    await texts.put(KEY, 'Über "x" 🦉', HOUR)
    expect(await other.texts.getAll([OTHER, KEY])).toEqual([undefined, 'Über "x" 🦉'])
    expect(await other.keys.leftMs(KEY)).toBeGreaterThan(3_500_000)
    const swap = (before: string | undefined, after: string | undefined) => swapIn(KEY, { before, after, ...HOUR })
    expect([await swap(undefined, 'y'), await swap('x', 'y'), await swap('x', undefined)]).toEqual([
      false,
      false,
      false,
    ])
    expect([await swap('Über "x" 🦉', 'y'), await other.texts.get(KEY)]).toEqual([true, 'y'])
    expect([await swap('y', undefined), await other.texts.get(KEY)]).toEqual([true, undefined])
    const first = await Promise.all(['1', '2', '3'].map((after) => swap(undefined, after)))
    expect(first.filter(Boolean)).toHaveLength(1)
    expect(await keys.remove(KEY, OTHER)).toBe(1)
  })

  test('hashes: fields come and go by themselves, and expire together', async () => {
    const [{ swap: swapIn, hashes, keys }, other] = make()
    await hashes.put(KEY, { a: '1', b: '2' }, HOUR)
    await other.hashes.put(KEY, { b: '3', c: '4' }, { ttlMs: 60_000 })
    expect(await hashes.getAll(KEY, ['b', 'd'])).toEqual(['3', undefined])
    expect(await hashes.lengths(KEY, ['d', 'b'])).toEqual([0, 1])
    expect(await hashes.all(KEY)).toEqual({ a: '1', b: '3', c: '4' })
    expect(await keys.leftMs(KEY)).toBeLessThanOrEqual(60_000)
    const swap = (field: string, before?: string, after?: string) =>
      swapIn(KEY, { field, before, after, ttlMs: 60_000 })
    expect([await swap('a', '2', '5'), await swap('a', '1', '5'), await swap('d', undefined, '6')]).toEqual([
      ...[false, true, true],
    ])
    expect([await swap('b', '3'), await hashes.remove(KEY, 'c', 'e')]).toEqual([true, 1])
    expect(await other.hashes.all(KEY)).toEqual({ a: '5', d: '6' })
    expect([await hashes.remove(KEY, 'a', 'd'), await keys.leftMs(KEY), await hashes.all(KEY)]).toEqual([2, 0, {}])
  })

  test('hashes: numbers are added in the step of a swap', async () => {
    const [{ swap, texts, hashes, keys }, other] = make()
    const book = (kv: Kv, before: string | undefined, numbers: Record<string, number>) =>
      kv.swap(KEY, { before, after: 'x', ttlMs: 60_000, add: { key: OTHER, numbers } })
    expect(await Promise.all([book(other, undefined, { a: 2, b: -1 }), book(other, 'y', { a: 9 })])).toEqual([
      ...[true, false],
    ])
    expect([await book(other, 'x', { a: 3 }), await book(other, 'x', {}), await texts.get(KEY)]).toEqual([
      true,
      true,
      'x',
    ])
    expect(await hashes.all(OTHER)).toEqual({ a: '5', b: '-1' })
    expect(await keys.leftMs(OTHER)).toBeGreaterThan(0)
    expect(await swap(kvKey('T2', 'a'), { before: undefined, after: undefined, ...HOUR })).toBe(true)
  })

  test('indexes: names in the order of their scores, with bounds', async () => {
    const [{ indexes, keys }, other] = make()
    const add = (name: string, score: number, more = {}) => indexes.add(KEY, name, { score, ...HOUR, ...more })
    for (const [name, score] of Object.entries({ c: 3, a: 1, d: 4, b: 2 })) expect(await add(name, score)).toEqual([])
    const { range } = other.indexes
    expect(await range(KEY)).toEqual(['a', 'b', 'c', 'd'])
    expect(await range(KEY, { above: 1, upTo: 3 })).toEqual(['b', 'c'])
    expect(await range(KEY, { newest: true, limit: 2 })).toEqual(['d', 'c'])
    expect(await range(KEY, { upTo: 3, limit: 1 })).toEqual(['a'])
    await add('a', 9)
    await add('b', 9, { onlyNew: true })
    expect(await range(KEY)).toEqual(['b', 'c', 'd', 'a'])
    expect(await add('e', 5, { bounds: { above: 3, max: 9 } })).toEqual(['b', 'c'])
    expect(await add('f', 6, { bounds: { above: 0, max: 2 } })).toEqual(['d', 'e'])
    expect(await add('g', 1, { bounds: { above: 0, max: 2 } })).toEqual(['g'])
    await indexes.remove(KEY, 'f')
    expect([await range(KEY), await range(OTHER)]).toEqual([['a'], []])
    expect(await keys.leftMs(KEY)).toBeGreaterThan(3_500_000)
    await indexes.remove(KEY, 'a')
    expect(await keys.leftMs(KEY)).toBe(0)
  })

  test('indexes: names that match', async () => {
    const [{ indexes }] = make()
    for (const name of ['T1:C1:U1', 'T1:C2:U1', 'T2:C1:U1', 'T1:C*:U2'])
      await indexes.add(KEY, name, { score: 1, ...HOUR })
    const matching = async (glob: string) => (await indexes.matching(KEY, glob)).sort()
    expect(await matching('T1:*:U1')).toEqual(['T1:C1:U1', 'T1:C2:U1'])
    expect(await matching('T1:C\\*:*')).toEqual(['T1:C*:U2'])
    expect(await matching('T1')).toEqual([])
  })

  test('lists: appended once by their beginnings, replaced, bounded', async () => {
    const [{ lists, keys }, other] = make()
    const append = (text: string) => lists.append(KEY, [text], { beginning: text.slice(0, 1), max: 3, ...HOUR })
    for (const text of ['a1', 'b1', 'a2', 'c1']) await append(text)
    expect(await other.lists.all(KEY)).toEqual(['a1', 'b1', 'c1'])
    await lists.append(KEY, ['x'], { beginning: '', max: 3, ...HOUR })
    await append('d1')
    await lists.replace(KEY, 'c1', 'c2')
    await lists.replace(KEY, 'x', 'y')
    expect(await other.lists.all(KEY)).toEqual(['b1', 'c2', 'd1'])
    for (const text of ['b1', 'c2']) await lists.replace(KEY, text)
    expect(await other.lists.all(KEY)).toEqual(['d1'])
    expect(await keys.leftMs(KEY)).toBeGreaterThan(3_500_000)
    await lists.replace(KEY, 'd1')
    expect([await keys.leftMs(KEY), await lists.all(KEY)]).toEqual([0, []])
  })

  test('keys: found by a glob, whatever they hold', async () => {
    const [{ texts, hashes, indexes, lists, keys }] = make()
    await texts.put(KEY, 'x', HOUR)
    await hashes.put(OTHER, { x: 'x' }, HOUR)
    await indexes.add(kvKey('T1', 'a'), 'x', { score: 1, ...HOUR })
    await lists.append(kvKey('T12:C1', 'a'), ['x'], { beginning: 'x', max: 1, ...HOUR })
    const matching = async (glob: string) => {
      const found = new Set<string>()
      for await (const batch of keys.matching(glob)) for (const key of batch) found.add(key)
      return [...found].sort()
    }
    expect(await matching(kvKey('*', '*'))).toHaveLength(4)
    expect(await matching(kvKey('T1:*', '*'))).toEqual([KEY, OTHER])
    expect(await matching(kvKey('*', 'a'))).toEqual([kvKey('T12:C1', 'a'), KEY, kvKey('T1', 'a')])
    await keys.renew(KEY, { ttlMs: 60_000 })
    expect(await keys.leftMs(KEY)).toBeLessThanOrEqual(60_000)
    await keys.renew(kvKey('T9', 'a'), HOUR)
    expect(await keys.leftMs(kvKey('T9', 'a'))).toBe(0)
    expect([await keys.remove(KEY, OTHER), await keys.remove(KEY)]).toEqual([2, 0])
    expect(await matching(kvKey('T1:*', '*'))).toEqual([])
  })

  test('a value expires and may be put again', async () => {
    const [{ swap, texts, hashes, lists }] = make()
    await texts.put(KEY, 'x', { ttlMs: 50 })
    await hashes.put(OTHER, { x: 'x' }, { ttlMs: 50 })
    await lists.append(kvKey('T1', 'a'), ['x'], { beginning: 'x', max: 9, ttlMs: 50 })
    await eventually(async () => {
      expect(await texts.get(KEY)).toBeUndefined()
      expect([await hashes.all(OTHER), await lists.all(kvKey('T1', 'a'))]).toEqual([{}, []])
    })
    expect(await swap(KEY, { before: undefined, after: 'y', ...HOUR })).toBe(true)
  })
}

describe('in memory', () => {
  kvContract(() => {
    const kv = memoryKv({ now: Date.now })
    return [kv, kv]
  })

  test('a value expires when its time is over, by any clock', async () => {
    let now = 0
    const { texts, keys } = memoryKv({ now: () => now })
    await texts.put(KEY, 'x', { ttlMs: 100 })
    now = 99
    expect(await texts.get(KEY)).toBe('x')
    now = 100
    expect([await texts.get(KEY), await keys.leftMs(KEY)]).toEqual([undefined, 0])
  })

  test('beyond the bound, the least recently used values are forgotten', async () => {
    const { texts } = memoryKv({ now: Date.now, maxBytes: 10_000 })
    const keyOf = (n: number) => kvKey(`T${n}`, 'a')
    for (let n = 0; n < 4; n++) await texts.put(keyOf(n), 'x'.repeat(1_000), HOUR)
    await texts.get(keyOf(0))
    await texts.put(keyOf(4), 'x'.repeat(1_000), HOUR)
    const kept = await texts.getAll([0, 1, 2, 3, 4].map(keyOf))
    expect(kept.map((text) => text !== undefined)).toEqual([true, false, true, true, true])
  })
})

describeWithRedis('in Redis', () => {
  const server = suiteRedis()
  let count = 0
  kvContract(() => {
    const prefix = `k${count++}`
    return [redisKv({ redis: server.connect(), prefix }), redisKv({ redis: server.connect(), prefix })]
  })
})
