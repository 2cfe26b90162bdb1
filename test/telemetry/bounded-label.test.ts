import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BoundedLabel } from '../../src/telemetry/metrics.ts'

test('a label keeps its first values and replaces the rest by other', () => {
  const label = new BoundedLabel(2)
  expect(['ok', 'ratelimited', 'ok', 'is_archived', 'ratelimited'].map((value) => label.of(value))).toEqual([
    'ok',
    'ratelimited',
    'ok',
    'other',
    'ratelimited',
  ])
})

test('a value that is not a name is other', () => {
  const label = new BoundedLabel()
  for (const value of ['', 'a\nb', 'x"} 1', 'ø', 'a'.repeat(101)]) expect(label.of(value)).toBe('other')
  expect(label.of('http_503')).toBe('http_503')
})

test('the number of series stays bounded for any values', () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { maxLength: 200 }), (values) => {
      const label = new BoundedLabel(10)
      expect(new Set(values.map((value) => label.of(value))).size).toBeLessThanOrEqual(11)
    }),
  )
})
