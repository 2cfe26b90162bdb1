import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { coerceInput, inputForPeople, inputText, specOf } from '../../src/agent/tool-input.ts'
import type { Tool } from '../../src/agent/contracts/tool.ts'
import { zodInput } from '../../src/agent/tool-input.ts'

function tool(schema: z.ZodType): Tool {
  return { name: 'lookup', description: 'Looks up.', ...zodInput(schema), effects: 'read', run: async () => '' }
}

const one = tool(z.object({ query: z.string().min(1) }))
const number = tool(z.object({ count: z.number() }))
const two = tool(z.object({ city: z.string(), days: z.number().int() }))
const none = tool(z.object({}))
const plain = tool(z.string())

function valueOf(given: Tool, input: unknown): unknown {
  const coerced = coerceInput(given, input)
  return coerced.ok ? coerced.value : coerced.problem
}

describe('a tool with one field', () => {
  test.each<[unknown, string]>([
    ['x', 'x'],
    ['  x\n', 'x'],
    ['"x"', 'x'],
    ["'x y'", 'x y'],
    ['“x”', 'x'],
    ['`x`', 'x'],
    ['"a" or "b"', '"a" or "b"'],
    ['"', '"'],
    ['{"query": "x"}', 'x'],
    ["{'query': 'x'}", 'x'],
    ['"{\\"query\\": \\"x\\"}"', 'x'],
    ['"{x + 1}"', '{x + 1}'],
    ['&quot;x&quot; {a}', '&quot;x&quot; {a}'],
    ['{"query": "x",}', 'x'],
    ['{"q": "x"}', 'x'],
    ['{"input": 42}', '42'],
    [{ query: 'x' }, 'x'],
    [{ search_term: 'x' }, 'x'],
    [{ input: true }, 'true'],
    ['42', '42'],
    [42, '42'],
    ['-1.5e3', '-1.5e3'],
    ['{x + 1}', '{x + 1}'],
    ['[1, 2]', '[1, 2]'],
    ['a {"query": "b"}', 'a {"query": "b"}'],
  ])('takes %j', (input, query) => {
    expect(valueOf(one, input)).toEqual({ query })
  })

  test.each(['{&quot;query&quot;: &quot;x&quot;}', '{ &#34;query&#34;: &#34;x&#34; }', '{&quot;q&quot;:1}'])(
    'is asked again about %s, whose quotes are HTML’s',
    (input) => expect(valueOf(one, input)).toMatch(/cannot be parsed/),
  )

  test('accepts a number written in words', () => {
    for (const input of ['7', 7, '{"count": 7}', { count: 7 }, { n: 7 }])
      expect(valueOf(number, input)).toEqual({ count: 7 })
    expect(valueOf(number, 'seven')).toMatch(
      /^The input of lookup is wrong \(count: .*number.*\)\. It takes count as text\.$/,
    )
  })

  test.each([
    ['nothing', ''],
    ['null', null],
    ['a list', ['x']],
    ['another thing inside', { query: { deep: 1 } }],
    ['two fields of other names', { a: 'x', b: 'y' }],
  ])('is told of %s by its name', (_, input) => {
    expect(valueOf(one, input)).toMatch(/^The input of lookup is wrong \(query: .*\)\. It takes query as text\.$/)
  })
})

describe('an incomplete or invalid object', () => {
  test.each([
    '{"query": "x',
    '{"query": "x"',
    '{"query": ',
    '{"query": "x"} and more',
    "{'query': 'x",
    '{"query": {"a": 1}',
  ])('%s is not taken for a text', (input) => {
    expect(valueOf(one, input)).toMatch(
      /^The input of lookup is wrong \(it looks like a JSON object.*\)\. It takes query as text\.$/,
    )
    expect(valueOf(two, input)).toMatch(/perhaps it was cut off\)\. It takes a JSON object like \{"city":/)
  })
})

describe('a tool with several fields', () => {
  test.each([
    ['{"city": "Paris", "days": 2}'],
    ["{'city': 'Paris', 'days': 2}"],
    [{ city: 'Paris', days: 2 }],
    ['\n{"city": "Paris",\n"days": 2}\n'],
  ])('takes %j', (input) => {
    expect(valueOf(two, input)).toEqual({ city: 'Paris', days: 2 })
  })

  test.each([
    [
      { city: 75001, days: '2' },
      { city: '75001', days: 2 },
    ],
    [
      { city: true, days: ' 2 ' },
      { city: 'true', days: 2 },
    ],
  ])('takes %j: a number for a text, a text that is plainly a number', (input, value) => {
    expect(valueOf(two, input)).toEqual(value)
  })

  test('accepts the texts "true" and "false" for a boolean', () => {
    const flagged = tool(z.object({ city: z.string(), exact: z.boolean() }))
    expect(valueOf(flagged, { city: 'Paris', exact: 'False' })).toEqual({ city: 'Paris', exact: false })
  })

  test.each(['two', '', '2 days', '0x10', '1e3', '12345678901234567890'])('does not take %j for a number', (days) => {
    expect(valueOf(two, { city: 'Paris', days })).toMatch(/days: /)
  })

  test('the error names the wrong fields and what they accept', () => {
    const problem = valueOf(two, { city: 1, days: 'two' })
    expect(problem).toMatch(
      /^The input of lookup is wrong \(city: .*; days: .*\)\. It takes a JSON object like \{"city":\{"type":"string"\},"days":/,
    )
    expect(valueOf(two, 'Paris')).toMatch(/\(the input: .*\)\. It takes a JSON object like/)
  })

  test('at most three faults are reported', () => {
    const many = tool(z.object(Object.fromEntries(Array.from('abcdefgh', (name) => [name, z.string()]))))
    expect(String(valueOf(many, {})).match(/; /g)).toHaveLength(2)
  })
})

test.each(['', '{}', 'None', 'null', '()', '""', null, undefined, {}])('a tool without fields takes %j', (input) => {
  expect(valueOf(none, input)).toEqual({})
})

test('a tool without fields gets no input', () => {
  expect(valueOf(none, 'Paris')).toMatch(/It takes no fields\.$/)
})

test('a tool that takes text gets it unchanged', () => {
  for (const input of ['x', '', '{"a": ', ' None ']) expect(valueOf(plain, input)).toBe(input)
})

test('a schema may transform input and add its own rules', () => {
  const upper = tool(
    z.object({
      code: z
        .string()
        .trim()
        .toUpperCase()
        .refine((code) => /^[A-Z]{2}$/.test(code), 'two letters'),
    }),
  )
  expect(valueOf(upper, 'fr')).toEqual({ code: 'FR' })
  expect(valueOf(upper, 'France')).toContain('(code: two letters)')
})

test('every invalid input gets an error message, however long or strange', () => {
  for (const input of [
    '{'.repeat(100_000),
    '{"a":'.repeat(50_000),
    '"'.repeat(100_000),
    '\u0000',
    Symbol.iterator.toString(),
  ])
    expect(() => coerceInput(two, input)).not.toThrow()
})

test('a tool’s specification is its JSON schema without `$schema`', () => {
  expect(specOf(two)).toEqual({
    name: 'lookup',
    description: 'Looks up.',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, days: expect.objectContaining({ type: 'integer' }) },
      required: ['city', 'days'],
    },
  })
})

test('an input as text is the text, or JSON', () => {
  expect([inputText('x'), inputText({ a: 1 }), inputText(undefined)]).toEqual(['x', '{"a":1}', '""'])
})

test.each<[unknown, string]>([
  [{ query: 'holidays' }, 'holidays'],
  ['{"query": "holidays"}', 'holidays'],
  ['holidays', 'holidays'],
  [{ query: ' ' }, '{"query":" "}'],
  [{ count: 7 }, '{"count":7}'],
  [{ query: 'holidays', limit: '3' }, '{"query":"holidays","limit":"3"}'],
  [['holidays'], '["holidays"]'],
])('people read the input %j as %s', (input, shown) => {
  expect(inputForPeople(input)).toBe(shown)
})
