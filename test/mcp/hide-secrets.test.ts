import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hideSecrets } from '../../src/mcp/hide-secrets.ts'

const SECRET = 'p@ss/wörd "q" 1+2=3'
const hide = hideSecrets([SECRET])

test('a secret is hidden in each of its forms', () => {
  const forms = {
    plain: SECRET,
    json: JSON.stringify({ SECRET }),
    url: encodeURIComponent(SECRET),
    query: new URLSearchParams({ a: SECRET }).toString(),
    hex: Buffer.from(SECRET).toString('hex'),
    base64: Buffer.from(SECRET).toString('base64'),
    base64url: Buffer.from(SECRET).toString('base64url'),
    ascii: '"p@ss\\/w\\u00f6rd \\"q\\" 1+2=3"',
  }
  for (const [name, form] of Object.entries(forms))
    expect([name, hide.text(`a ${form} b`)]).toEqual([name, expect.stringContaining('[secret]')])
})

test('a secret is hidden in the base64 of whatever it stands in', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (before, after) => {
      const encoded = Buffer.from(`${before}${SECRET}${after}`).toString('base64')
      expect(hide.text(encoded)).toContain('[secret]')
      expect(Buffer.from(hide.text(encoded).replaceAll('[secret]', ''), 'base64').toString()).not.toContain('p@ss/wörd')
    }),
  )
})

test('a cut leaves no beginning of a secret', () => {
  const text = `${'x'.repeat(90)}${SECRET}${'y'.repeat(90)}`
  for (let max = 80; max < 130; max += 1) expect(hide.head(text, max)).not.toMatch(/p@/)
  expect(hide.head('short', 80)).toBe('short')
})

test('JSON values are hidden in, keys too, however deep', () => {
  expect(hide.json({ a: [SECRET, 1, null], [SECRET]: { b: `x${SECRET}` } })).toEqual({
    a: ['[secret]', 1, null],
    '[secret]': { b: 'x[secret]' },
  })
  let deep: unknown = SECRET
  for (let depth = 0; depth < 10_000; depth += 1) deep = [deep]
  expect(JSON.stringify(hide.json(deep))).not.toContain('p@ss')
})

test('nothing is hidden where nothing is secret', () => {
  expect(hideSecrets([]).text('all of it')).toBe('all of it')
})
