/** Numbers that a double cannot hold, from the model to the tool: they arrive as they were written. */
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { DialectName } from '../../src/config.ts'
import type { Tool } from '../../src/agent/contracts/tool.ts'
import { parseExact, stringifyExact } from '../../src/base/parse-json.ts'
import { inputForPeople, zodInput } from '../../src/agent/tool-input.ts'
import type { Ends } from '../harness/ends.ts'
import { runOn } from '../harness/agent-run.ts'
import type { Turn } from '../harness/played-model.ts'

const FORMS: Partial<Record<DialectName, { call(input: string): Turn; answer: Turn }>> = {
  native: { call: (input) => ({ toolCalls: [{ name: 'look', arguments: input }] }), answer: 'Done.' },
  json: {
    call: (input) => `Action:\n\`\`\`\n{"action": "look", "action_input": ${input}}\n\`\`\``,
    answer: 'Final Answer: Done.',
  },
  text: { call: (input) => `Action: look\nAction Input: ${input}`, answer: 'Final Answer: Done.' },
}
const NAMES = Object.keys(FORMS) as DialectName[]

function looking(schema: z.ZodType) {
  const got: unknown[] = []
  const tool: Tool = {
    name: 'look',
    description: 'Looks.',
    ...zodInput(schema),
    effects: 'read',
    run: async (input) => (got.push(input), 'found'),
  }
  return { tool, got }
}

async function looked(t: Ends, [dialect, input]: [DialectName, string], schema: z.ZodType) {
  const form = FORMS[dialect]!
  const { tool, got } = looking(schema)
  const run = await runOn(t, { dialect, tools: [tool], model: [form.call(input), form.answer] })
  const action = run.events.find((event) => event.type === 'action')
  return { got, run, shown: action ? inputForPeople(action.step.action.input) : undefined, action }
}

describe.for(NAMES)('%s', (dialect) => {
  test.for([
    ['{"q": 1234567890123456789}', '1234567890123456789'],
    ['{"q": -9007199254740993}', '-9007199254740993'],
    ['{"q": 12.10}', '12.10'],
    ['{"q": 0.12345678901234567890}', '0.12345678901234567890'],
    ['{"q": 123456789012345678901234567890}', '123456789012345678901234567890'],
    ['{"q": "1234567890123456789"}', '1234567890123456789'],
    ['{"q": 42}', '42'],
  ])('a text field gets the digits of %s', async ([input = '', digits = ''], t) => {
    const { got, shown, run } = await looked(t, [dialect, input], z.object({ q: z.string() }))
    expect(got).toEqual([{ q: digits }])
    expect(shown).toContain(digits)
    expect(JSON.stringify(run.model.requests.at(-1)?.body)).toContain(digits)
    expect(JSON.stringify(run.events)).not.toContain('\ufdd0')
  })

  test.for([
    ['{"id": 1234567890123456789, "n": 1.0}', { id: '1234567890123456789', n: 1 }],
    ["{'id': 9007199254740993, 'n': 12.10}", { id: '9007199254740993', n: 12.1 }],
    ['{"id": "7", "n": 1e3}', { id: '7', n: 1000 }],
  ])('several fields: %s', async ([input, value], t) => {
    if (dialect === 'native' && String(input).includes("'")) return
    const { got } = await looked(t, [dialect, String(input)], z.object({ id: z.string(), n: z.number() }))
    expect(got).toEqual([value])
  })

  test('a number field that cannot hold the number is refused, not rounded', async (t) => {
    const { got, run } = await looked(t, [dialect, '{"id": 9007199254740993}'], z.object({ id: z.number() }))
    expect(got).toEqual([])
    expect(run.observations[0]).toContain('id: ')
  })
})

test.each([
  '{"a":[12.10,{"b":9007199254740993}],"c":"say \\"12.10\\" at 1234567890123456789 \\\\","d":1}',
  '[1.0,-0,1e400,0.10]',
  '"x 12.10"',
  '12345678901234567890',
])('a JSON text is the same after it was read and written: %s', (text) => {
  expect(stringifyExact(parseExact(text))).toBe(text)
})

test.each(['\\"\ufdd012', ':\\"\ufdd012', '\ufdd012"', ',[\ufdd0'])(
  'a text with a mark inside stays JSON: %s',
  (text) => {
    expect(() => void JSON.parse(stringifyExact({ [text]: [text, { '\ufdd01': text }] }))).not.toThrow()
  },
)

test('deep, long and broken texts are read in linear time, and never throw', () => {
  for (const text of [
    '['.repeat(200_000),
    `${'['.repeat(5_000)}12.10${']'.repeat(5_000)}`,
    `["${'\\"'.repeat(500_000)}", 12.10]`,
  ])
    expect(() => void parseExact(text)).not.toThrow()
  const ids = JSON.stringify(Array.from({ length: 100_000 }, (_, i) => i))
  expect(stringifyExact(parseExact(ids.replaceAll('9,', '9.10,')))).toBe(ids.replaceAll('9,', '9.10,'))
})
