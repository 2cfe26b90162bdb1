import { describe, expect, test } from 'vitest'
import { SealBroken, sealerFrom, sealerOf } from '../../src/base/encryption.ts'

const KEY = '0123456789abcdef0123456789abcdef'
const sealer = sealerOf(KEY)

test('a sealed value opens again, in another process too', () => {
  expect(sealerOf(KEY).open(sealer.seal('a token ☕', 'grant:github'), 'grant:github')).toBe('a token ☕')
  expect(sealerOf(KEY).open(sealer.seal('', 'grant:github'), 'grant:github')).toBe('')
})

test('the same text is sealed differently each time and is not recognizable', () => {
  const [one, two] = [sealer.seal('secret-token', 'a'), sealer.seal('secret-token', 'a')]
  expect(one).not.toBe(two)
  expect(one).toMatch(/^v1\.[\da-f]{12}\.[\w-]+$/)
  expect(Buffer.from(one.split('.')[2] ?? '', 'base64url').toString('latin1')).not.toContain('secret-token')
})

test('a value sealed for one server does not open for another', () => {
  expect(() => sealer.open(sealer.seal('token', 'grant:github'), 'grant:jira')).toThrow(SealBroken)
})

test('another SECRETS_KEY is reported in one sentence', () => {
  const sealed = sealerOf('another key that is long enough too').seal('token', 'a')
  expect(() => sealer.open(sealed, 'a')).toThrow('It was stored with another SECRETS_KEY.')
})

describe('a damaged stored value:', () => {
  const sealed = sealer.seal('token', 'a')
  const flipped = (at: number) => sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1)

  test.each([
    ['nothing', ''],
    ['no sealed text', 'hello'],
    ['a later form', sealed.replace('v1', 'v2')],
    ['no payload', sealed.slice(0, sealed.lastIndexOf('.'))],
    ['half of the payload', sealed.slice(0, -10)],
    ['a payload shorter than its tag', sealed.slice(0, 24)],
    ['another nonce', flipped(16)],
    ['another tag', flipped(40)],
    ['another text', flipped(sealed.length - 3)],
  ])('%s is a SealBroken with a sentence', (_what, text) => {
    expect(() => sealer.open(text, 'a')).toThrow(SealBroken)
    expect(() => sealer.open(text, 'a')).toThrow(/^It was [\w ]+\.$/)
  })
})

describe('SECRETS_KEY_OLD', () => {
  const OLD = 'an old key that is long enough for it'
  const keys = { SECRETS_KEY: KEY, SECRETS_KEY_OLD: OLD }

  test('opens values sealed with an older key; new values use the newest key', () => {
    const both = sealerFrom(keys)
    expect(both?.open(sealerOf(OLD).seal('token', 'a'), 'a')).toBe('token')
    expect(sealer.open(both?.seal('token', 'a') ?? '', 'a')).toBe('token')
  })

  test('does not open values of a third key, and seals nothing without SECRETS_KEY', () => {
    const third = sealerOf('a third key that is long enough too..').seal('token', 'a')
    expect(() => sealerFrom(keys)?.open(third, 'a')).toThrow(SealBroken)
    expect(sealerFrom({ SECRETS_KEY_OLD: OLD })).toBeUndefined()
  })
})
