import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hideSecrets } from '../../src/mcp/tools/hide-config-secrets.ts'

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

test('a secret is hidden inside any base64 text', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (before, after) => {
      const encoded = Buffer.from(`${before}${SECRET}${after}`).toString('base64')
      expect(hide.text(encoded)).toContain('[secret]')
      expect(Buffer.from(hide.text(encoded).replaceAll('[secret]', ''), 'base64').toString()).not.toContain('p@ss/wörd')
    }),
  )
})

test('a cut leaves no prefix of a secret', () => {
  const text = `${'x'.repeat(90)}${SECRET}${'y'.repeat(90)}`
  for (let max = 80; max < 130; max += 1) expect(hide.head(text, max)).not.toMatch(/p@/)
  expect(hide.head('short', 80)).toBe('short')
})

test('secrets are hidden in JSON values and keys at any depth', () => {
  expect(hide.json({ a: [SECRET, 1, null], [SECRET]: { b: `x${SECRET}` } })).toEqual({
    a: ['[secret]', 1, null],
    '[secret]': { b: 'x[secret]' },
  })
  let deep: unknown = SECRET
  for (let depth = 0; depth < 10_000; depth += 1) deep = [deep]
  expect(JSON.stringify(hide.json(deep))).not.toContain('p@ss')
})

test('nothing is hidden without a secret', () => {
  expect(hideSecrets([]).text('all of it')).toBe('all of it')
})

test('a secret is hidden in every common encoding', () => {
  const secret = 'sk-live-4Zq/9+xY=Wm7Tn2'
  const hide = hideSecrets([secret, 'naïve pass'])
  const bytes = [...Buffer.from(secret)].map((byte) => byte.toString(16).padStart(2, '0'))
  const base64 = Buffer.from(secret).toString('base64')
  const utf16 = Buffer.from(secret, 'utf16le')
  const forms = {
    upper: secret.toUpperCase(),
    percent: `%${bytes.join('%')}`,
    twice: `%25${bytes.join('%25')}`,
    some: secret.replaceAll('e', '%65'),
    unicode: [...secret].map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join(''),
    escaped: `\\x${bytes.join('\\x')}`,
    accents: 'na%C3%AFve+pass',
    colons: bytes.join(':').toUpperCase(),
    blanks: bytes.join(' '),
    numbers: `0x${bytes.join(', 0x')}`,
    wrapped: base64.replace(/.{7}/g, '$&\n'),
    wrappedInJson: JSON.stringify(base64.replace(/.{7}/g, '$&\r\n')),
    wrappedUrl: Buffer.from(`a${secret}`).toString('base64url').replace(/.{5}/g, '$&\n'),
    utf16: utf16.toString('base64'),
    utf16be: utf16.swap16().toString('base64'),
    reversed: [...secret].reverse().join(''),
    invisible: [...secret].join('\u200b'),
    selectors: [...secret].join('\ufe0f\u00ad'),
    blocks: `${secret.slice(0, 9)}\n\n${secret.slice(9)}`,
    host: new URL(`https://${hideSecretsHost}.example.com/`).href,
  }
  const hosts = hideSecrets([hideSecretsHost, secret, 'naïve pass'])
  for (const [name, form] of Object.entries(forms))
    expect([name, hosts.text(`a ${form} z`)]).toEqual([
      name,
      expect.stringMatching(
        /^(?:a )?(?:%|0x|\\x|"|https:\/\/|[A-Za-z]{1,2})?\[secret\][A-Za-z]?={0,2}(?:"|\.example\.com\/)? z$/,
      ),
    ])
  const mixed = hideSecrets(['tok-4f9a77c1'])
  expect(mixed.text('a tok-\\u0034f9a77c1 z')).toBe('a [secret] z')
  expect(mixed.text('a \\u{74}ok-\\u{000034}f9a77c1 z')).toBe('a [secret] z')
  expect(hide.text('Nothing here is 73 6b, or %41 secret.')).toBe('Nothing here is 73 6b, or %41 secret.')
})

const hideSecretsHost = 'ToKen-4Zq9xYWm7Tn2'

test('hiding takes linear time', () => {
  const hide = hideSecrets(['aaaaaaaaaaaaaaaaaaaaaaab', '%%%%%%%%%%%%%%%%'])
  for (const piece of ['a', '%', '\\', ' ', '%25', '\\u0061', '0x', '\u200b'])
    expect(hide.head(piece.repeat(400_000), 200_000).length).toBeGreaterThan(0)
})
