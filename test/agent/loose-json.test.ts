import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readLoose } from '../../src/agent/parser/loose-json.ts'
import { propertyRuns } from '../harness/property-runs.ts'

describe('loose JSON', () => {
  test.each<[string, string, unknown]>([
    ['an empty object', '{}', {}],
    ['an empty list', '[ ]', []],
    ['white space of all kinds', '\u00a0{\u3000"a"\u2003:\u200b1\ufeff}'.trimStart(), { a: 1 }],
    ['numbers', '[0, -1, 1.5, 1e3, .5, +2, 3.]', [0, -1, 1.5, 1000, 0.5, 2, 3]],
    ['words', '[true, false, null, True, False, None, undefined]', [true, false, null, true, false, null, null]],
    ['escapes', '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\x41"', '"\\/\b\f\n\r\tAA'],
    ['escapes that models invent', `"it\\'s a\\_b"`, "it's a_b"],
    ['escapes of a pattern', '"\\d\\.\\w"', '\\d\\.\\w'],
    ['a line that goes on', '"a\\\nb"', 'ab'],
    ['bare keys', '{a: 1, b-c: 2, 3: 4, 键: 5}', { a: 1, 'b-c': 2, 3: 4, 键: 5 }],
    ['an equals sign for a colon', '{a=1}', { a: 1 }],
    ['commas left out', '{"a": "x" "b": [1 2]}', { a: 'x', b: [1, 2] }],
    ['commas too many', '{"a": [1,],}', { a: [1] }],
    ['comments of all kinds', '{// a\n"a": 1, # b\n"b": /* c */ 2}', { a: 1, b: 2 }],
    ['what looks like a comment in a string', '["http://x", "a # b", "/* c */"]', ['http://x', 'a # b', '/* c */']],
    ['quotes that are not escaped', '{"a": "he said "no" to it", "b": 1}', { a: 'he said "no" to it', b: 1 }],
    ['a key in a string’s text', '{"a": "the "b": thing"}', { a: 'the "b": thing' }],
    ['an object in quotes', '{"a": "{"b": 1}"}', { a: '{"b": 1}' }],
    ['triple quotes', "{'a': '''b 'c' d'''}", { a: "b 'c' d" }],
  ])('reads %s', (_what, text, value) => {
    expect(readLoose(text)).toEqual({ ok: true, value, end: text.length })
  })

  test('`__proto__` stays a plain field', () => {
    const read = readLoose('{"__proto__": {"polluted": true}}')
    expect(read.ok && Object.keys(Object(read.value))).toEqual(['__proto__'])
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  test('reads from an offset and returns the end of the value', () => {
    expect(readLoose('see {"a": 1} there', 4)).toEqual({ ok: true, value: { a: 1 }, end: 12 })
  })

  test.each([
    '{',
    '{"',
    '{"a',
    '{"a"',
    '{"a":',
    '{"a": ',
    '{"a": "b',
    '{"a": "b"',
    '{"a": "b",',
    '{"a": {"b": 1}',
    '[',
    '[1',
    '[1,',
    '["a"',
    '"a',
    "'a",
    '"""a',
    '"""a"',
    '{"a": 1 /* b',
    '{"a": "b\\',
    '{"a": 1 // b',
    '{"a": 1.',
    '{"a": -',
    '{"a": 2e',
    '{"a": tru',
  ])('knows that %j is cut off', (text) => {
    expect(readLoose(text)).toMatchObject({ ok: false, cut: true })
  })

  test.each(['{a}', '{"a": b}', '{"a": 1 + 2}', '[a, b]', '{{}}', '}', "{'a', 'b'}", '{"a": 12ab}'])(
    'knows that %j is something else',
    (text) => {
      expect(readLoose(text)).toMatchObject({ ok: false, cut: false })
    },
  )

  test('limits the depth of nesting', () => {
    expect(readLoose('['.repeat(1000) + ']'.repeat(1000)).ok).toBe(false)
  })

  test('reads valid JSON as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(3), (value, indent) => {
        const text = JSON.stringify(value, null, indent)
        expect(readLoose(text)).toEqual({ ok: true, value: JSON.parse(text) as unknown, end: text.length })
      }),
      { numRuns: propertyRuns({ test: 75, chaos: 300 }) },
    )
  })

  test('does not complete a truncated object', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (value, share) => {
          const text = JSON.stringify(value)
          const cut = text.slice(0, Math.floor(share * text.length))
          fc.pre(cut !== '' && cut !== text)
          expect(readLoose(cut)).toMatchObject({ ok: false, cut: true })
        },
      ),
      { numRuns: propertyRuns({ test: 75, chaos: 300 }) },
    )
  })
})
