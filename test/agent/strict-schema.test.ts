import { expect, test } from 'vitest'
import { z } from 'zod'
import { turnSchema } from '../../src/agent/dialects/held-turn.ts'
import { strictSchema, withoutNulls } from '../../src/agent/strict-schema.ts'
import { zodInput } from '../../src/agent/tool-input.ts'
import { echo } from '../harness/agent-run.ts'

/** Returns the rules of the strict subset that a schema breaks, with their places. */
function faultsIn(schema: unknown, at = '$', depth = 0): string[] {
  if (typeof schema !== 'object' || schema === null) return [`${at}: no schema`]
  const {
    type,
    properties,
    required,
    additionalProperties,
    items,
    anyOf,
    enum: values,
    ...more
  } = schema as Record<string, unknown>
  const faults = Object.keys(more)
    .filter((keyword) => keyword !== 'description')
    .map((keyword) => `${at}: ${keyword}`)
  if (depth > 10) faults.push(`${at}: too deep`)
  if (Array.isArray(anyOf)) return [...faults, ...anyOf.flatMap((one, i) => faultsIn(one, `${at}|${i}`, depth + 1))]
  if (typeof type !== 'string') return [...faults, `${at}: no type`]
  if (Array.isArray(values)) return values.length > 0 && values.length <= 100 ? faults : [...faults, `${at}: enum`]
  if (type === 'array') return [...faults, ...faultsIn(items, `${at}[]`, depth + 1)]
  if (type !== 'object') return faults
  const fields = Object.entries(properties as object)
  if (additionalProperties !== false) faults.push(`${at}: open`)
  if (JSON.stringify(required) !== JSON.stringify(fields.map(([name]) => name))) faults.push(`${at}: required`)
  return [...faults, ...fields.flatMap(([name, field]) => faultsIn(field, `${at}.${name}`, depth + 1))]
}

const EXPRESSIBLE: [string, Record<string, unknown>][] = [
  ['a text', zodInput(z.object({ query: z.string().min(1).max(9).describe('what') })).parameters],
  [
    'optional fields, defaults and bounds',
    zodInput(z.object({ n: z.int().min(0).optional(), b: z.boolean().default(true), s: z.enum(['a', 'b']).nullish() }))
      .parameters,
  ],
  [
    'lists of objects',
    zodInput(z.object({ edits: z.array(z.object({ from: z.string(), to: z.string().optional() })).min(1) })).parameters,
  ],
  ['no fields', { type: 'object', properties: {} }],
  ['no properties at all', { type: 'object' }],
  [
    'references',
    {
      type: 'object',
      properties: { filter: { $ref: '#/$defs/filter' } },
      $defs: {
        filter: { type: 'object', properties: { name: { type: 'string', pattern: '^a' } }, required: ['name'] },
      },
    },
  ],
  [
    'several types and odd keywords',
    {
      type: 'object',
      properties: { id: { type: ['string', 'integer', 'null'], format: 'uuid', examples: ['x'] }, at: { const: 3 } },
      $schema: 'x',
      title: 'T',
      minProperties: 1,
    },
  ],
  [
    'lists of values without a type, of several types, and very long ones',
    {
      type: 'object',
      properties: {
        unit: { enum: ['m', 'ft'] },
        level: { enum: ['low', 3, null, true] },
        zone: { type: 'string', enum: Array.from({ length: 600 }, (_, i) => `Zone/${i}`) },
      },
    },
  ],
  [
    'oneOf inside',
    {
      type: 'object',
      properties: { to: { oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] } },
      required: ['to'],
      additionalProperties: true,
    },
  ],
]

test.each(EXPRESSIBLE)('%s: the strict form keeps to the subset', (_name, schema) => {
  const strict = strictSchema(schema)
  expect(strict).toMatchObject({ type: 'object' })
  expect(faultsIn(strict)).toEqual([])
})

/** A schema that refers to itself. */
const NODE = { type: 'object', properties: { children: { type: 'array', items: { $ref: '#' } } } }

const WILD: [string, Record<string, unknown>][] = [
  ['any value', { type: 'object', properties: { value: {} } }],
  ['a map', { type: 'object', additionalProperties: { type: 'string' } }],
  ['a map inside', { type: 'object', properties: { labels: { type: 'object' } } }],
  ['itself', NODE],
  ['a missing reference', { type: 'object', properties: { x: { $ref: 'https://example.com/x.json' } } }],
  ['a list of anything', { type: 'object', properties: { rows: { type: 'array' } } }],
  [
    'a choice beside its fields',
    { type: 'object', properties: { a: { type: 'string' } }, anyOf: [{ required: ['a'] }, {}] },
  ],
  [
    'hundreds of fields',
    {
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`f${i}`, { type: 'string' }])),
    },
  ],
  ['nonsense', { type: 7, properties: 'x', $ref: { a: 1 }, enum: [] }],
]

test.each(WILD)('%s: has none', (_name, schema) => {
  expect(strictSchema(schema)).toBeUndefined()
})

test('fields that were left out by null are removed, others stay', () => {
  const { parameters } = zodInput(
    z.object({ a: z.string().optional(), b: z.string().nullable(), c: z.array(z.object({ d: z.int().optional() })) }),
  )
  expect(withoutNulls({ a: null, b: null, c: [{ d: null }, { d: 1 }] }, parameters)).toEqual({
    b: null,
    c: [{}, { d: 1 }],
  })
  expect(withoutNulls('text', parameters)).toBe('text')
})

test('null fields within references, choices and lists are removed by their own schema; those of maps stay', () => {
  const person = {
    type: 'object',
    properties: { name: { type: 'string' }, team: { type: ['string', 'null'] }, note: { type: 'string' } },
    required: ['name', 'team'],
  }
  const schema = {
    type: 'object',
    properties: {
      lead: { $ref: '#/$defs/person' },
      all: { anyOf: [{ type: 'array', items: { $ref: '#/$defs/person' } }, { type: 'null' }] },
      to: { oneOf: [{ type: 'object', properties: { id: { type: 'string' } } }, person] },
      set: { type: 'object', additionalProperties: true },
    },
    $defs: { person },
  }
  const given = { name: 'Ann', team: null, note: null }
  const wanted = { name: 'Ann', team: null }
  expect(withoutNulls({ lead: given, all: [given], to: given, set: { owner: null } }, schema)).toEqual({
    ...{ lead: wanted, all: [wanted], to: wanted },
    set: { owner: null },
  })
})

test('a turn of many large tools stays within the limits of endpoints: the last ones take JSON text', () => {
  const fields = Array.from({ length: 30 }, (_, i) => [
    `field_${i}`,
    { type: 'string', enum: ['a', 'b', 'c'], description: 'what it is '.repeat(5) },
  ])
  const tools = Array.from({ length: 40 }, (_, i) =>
    echo(undefined, { name: `tool_${i}`, parameters: { type: 'object', properties: Object.fromEntries(fields) } }),
  )
  const text = JSON.stringify(turnSchema({ tools, steps: [] }))
  expect(text.length).toBeLessThan(120_000)
  expect(text.match(/"enum":\["a","b","c"\]/g)!.length * 3).toBeLessThan(1_000)
  for (const { name } of tools) expect(text).toContain(`"enum":["${name}"]`)
  expect(text).toContain('the input as JSON text')
  expect(faultsIn(JSON.parse(text))).toEqual([])
})
