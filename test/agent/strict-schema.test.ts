import { expect, test } from 'vitest'
import { z } from 'zod'
import { strictSchema, withoutNulls } from '../../src/agent/strict-schema.ts'
import { zodInput } from '../../src/agent/tool-input.ts'

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
  if (Array.isArray(values)) return values.length > 0 ? faults : [...faults, `${at}: empty enum`]
  if (typeof type !== 'string') return [...faults, `${at}: no type`]
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
