/** The structured dialect on endpoints that hold, check, refuse or drop the schema, with the wildest tools of MCP servers. */
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Tool } from '../../../src/agent/contracts/tool.ts'
import { echo, runOn } from '../../harness/agent-run.ts'
import { heldTurns, strictFault, type HoldingServer } from '../../harness/holding-server.ts'
import { structured } from '../../harness/played-model.ts'

const SERVERS: HoldingServer[] = ['llama.cpp', 'vLLM', 'Ollama', 'OpenAI']

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })
const TEXT = { type: 'string' }

/** Input schemas as servers of MCP declare them. */
const WILD: Record<string, object> = {
  plain: object(
    { query: { ...TEXT, minLength: 1, maxLength: 50, pattern: '^\\w', format: 'uri', default: 'x' } },
    { required: ['query'] },
  ),
  optional: object({ a: { type: 'integer', minimum: 0 }, b: { type: ['string', 'null'] } }),
  choice: object({ of: { oneOf: [TEXT, object({ id: { type: 'number' } }, { required: ['id'] })] } }),
  constant: object({ kind: { const: 'page' }, size: { enum: ['s', 'm', null, 3] } }, { required: ['kind'] }),
  referenced: object({ filter: { $ref: '#/$defs/filter' } }, { $defs: { filter: object({ field: TEXT }) } }),
  recursive: object(
    { node: { $ref: '#/$defs/node' } },
    { $defs: { node: object({ next: { $ref: '#/$defs/node' } }) } },
  ),
  map: object({ labels: { type: 'object', additionalProperties: TEXT } }),
  patterns: object({}, { patternProperties: { '^x-': TEXT } }),
  combined: object({ a: TEXT }, { allOf: [{ required: ['a'] }], not: { required: ['b'] } }),
  tuple: object({ range: { type: 'array', prefixItems: [{ type: 'number' }, { type: 'number' }] } }),
  list: object({ ids: { type: 'array', items: { type: 'integer' }, uniqueItems: true, maxItems: 9 } }),
  deep: object({
    a: object({ b: object({ c: object({ d: object({ e: object({ f: object({ g: object({ h: TEXT }) }) }) }) }) }) }),
  }),
  nothing: { type: 'object' },
  bare: {},
}

const wildTools = Object.entries(WILD).map(([name, parameters]): Tool => ({
  name: `wild_${name}`,
  description: 'Takes what its server says.',
  parameters: parameters as Tool['parameters'],
  parse: (value) => ({ ok: true, value }),
  effects: 'read',
  run: async (input) => `ran ${name} with ${JSON.stringify(input)}`,
}))

describe.each(SERVERS)('%s', (server) => {
  test('holds every turn: prose becomes an answer, and no turn is broken', async (t) => {
    const { script, schemas, faults } = heldTurns(server, [
      structured('echo', { query: 'x' }, 'I look.'),
      'The result says echo of x.',
    ])
    const { final, events, model } = await runOn(t, { dialect: 'structured', model: script })
    expect(faults).toEqual([])
    expect(final).toEqual({ type: 'answer', text: 'The result says echo of x.', sources: [] })
    expect(events.some((event) => event.type === 'thought' && event.step.kind === 'unreadable')).toBe(false)
    expect(model.requests.map(({ body }) => 'response_format' in body)).toEqual([true, true])
    expect(schemas[1]).toEqual(schemas[0])
  })

  test('takes the schema of wild tools, each of which can be called', async (t) => {
    const calls = wildTools.map(({ name }) => {
      const asText = structured(name, '{"any": "input"}')
      const asObject: Record<string, unknown> = {
        wild_plain: { query: 'q' },
        wild_optional: { a: null, b: null },
        wild_choice: { of: null },
        wild_constant: { kind: 'page', size: null },
        wild_referenced: { filter: null },
        wild_list: { ids: [1] },
        wild_nothing: {},
      }
      return name in asObject ? structured(name, asObject[name]) : asText
    })
    const { script, faults, schemas } = heldTurns(server, [...calls, structured('answer', 'Done.')])
    const { final, observations } = await runOn(t, {
      dialect: 'structured',
      tools: [echo(), ...wildTools],
      limits: { maxSteps: 30 },
      model: script,
    })
    expect(faults).toEqual([])
    expect(final).toMatchObject({ type: 'answer', text: 'Done.' })
    expect(observations.map((text) => /^ran (\w+)/.exec(text)?.[1])).toEqual(Object.keys(WILD))
    expect(schemas.length).toBe(wildTools.length + 1)
  })

  test('can write nothing but an answer on the final turn, and no tool that was repeated', async (t) => {
    const again = structured('echo', { query: 'x' })
    const { script } = heldTurns(server, [again, again, again, again])
    const { final, model } = await runOn(t, { dialect: 'structured', model: script })
    // The third turn has no tool left, so the model's call can only stand in an answer's text.
    expect(model.requests).toHaveLength(3)
    expect(final?.type).toMatch(/answer|gave_up/)
    expect(JSON.stringify(final)).not.toContain('"stopped":"loop"')
  })
})

test.each(['refuses the field', 'drops the field'] as const)(
  'an endpoint that %s: its model’s own form is read, without a broken turn',
  async (server) => {
    const { script, schemas } = heldTurns(server, [
      'I look.\n```json\n{"action": "echo", "action_input": {"query": "x"}}\n```',
      structured('answer', 'It is x.'),
    ])
    const { final, observations } = await runOn({ onTestFinished }, { dialect: 'structured', model: script })
    expect(observations).toEqual(['echo of x'])
    expect(final).toMatchObject({ type: 'answer', text: 'It is x.' })
    expect(schemas).toHaveLength(server === 'refuses the field' ? 1 : 2)
  },
)

test('the strict endpoint of these tests refuses what OpenAI refuses', () => {
  const fine = object({ a: TEXT }, { required: ['a'], additionalProperties: false })
  expect(strictFault(fine)).toBeUndefined()
  const wrong: [object, RegExp][] = [
    [{ anyOf: [fine] }, /of type "object"/],
    [object({ a: TEXT }, { required: ['a'] }), /'additionalProperties' is required/],
    [object({ a: TEXT }, { required: [], additionalProperties: false }), /Missing 'a'/],
    [
      object({ a: { ...TEXT, default: 'x' } }, { required: ['a'], additionalProperties: false }),
      /'default' is not permitted/,
    ],
    [object({ a: {} }, { required: ['a'], additionalProperties: false }), /must have a 'type' key/],
  ]
  for (const [schema, sentence] of wrong) expect(strictFault(schema)).toMatch(sentence)
})
