import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createCache } from '../../../src/base/http/lru-cache.ts'

const forever = { size: 1, until: Infinity }

test('the least recently used entry is evicted first', () => {
  const cache = createCache<number>({ entries: 2, maxBytes: 1000, now: () => 0 })
  cache.set('a', 1, forever)
  cache.set('b', 2, forever)
  cache.get('a')
  cache.set('c', 3, forever)
  expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual([1, undefined, 3])
})

test('a value set again replaces the old one and its size', () => {
  const cache = createCache<number>({ entries: 10, maxBytes: 800, now: () => 0 })
  for (let i = 0; i < 50; i += 1) cache.set('a', i, { size: 100, until: Infinity })
  cache.set('b', 1, { size: 100, until: Infinity })
  expect([cache.get('a'), cache.get('b')]).toEqual([49, 1])
})

test('a value that would evict too much is not stored, and its old value is removed', () => {
  const cache = createCache<number>({ entries: 10, maxBytes: 800, now: () => 0 })
  cache.set('a', 1, forever)
  cache.set('a', 2, { size: 101, until: Infinity })
  expect(cache.get('a')).toBeUndefined()
})

test('an expired entry is gone', () => {
  let now = 0
  const cache = createCache<number>({ entries: 10, maxBytes: 800, now: () => now })
  cache.set('a', 1, { size: 1, until: 10 })
  now = 9
  expect(cache.get('a')).toBe(1)
  now = 10
  expect(cache.get('a')).toBeUndefined()
})

test('entries and bytes never exceed their limits', () => {
  const step = fc.record({ key: fc.integer({ min: 0, max: 20 }), size: fc.integer({ min: 0, max: 60 }) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const cache = createCache<number>({ entries: 5, maxBytes: 160, now: () => 0 })
      for (const { key, size } of steps) cache.set(`${key}`, size, { size, until: Infinity })
      const kept = Array.from({ length: 21 }, (_, key) => cache.get(`${key}`)).filter((size) => size !== undefined)
      expect(kept.length).toBeLessThanOrEqual(5)
      expect(kept.reduce((a, b) => a + b, 0)).toBeLessThanOrEqual(160)
    }),
  )
})
