/**
 * Tools with several, nested, optional or no fields, in each dialect that lists its tools: the prompt and the parser.
 */
import { describe, expect, test } from 'vitest'
import { coerceInput } from '../../../src/agent/tool-input.ts'
import type { DialectName } from '../../../src/config.ts'
import { checkOf } from '../../../src/mcp/tools/check-schema.ts'
import type { Completion } from '../../../src/agent/contracts/dialect.ts'
import type { Tool } from '../../../src/agent/contracts/tool.ts'
import { dialect, prompt, read, step, view } from '../../harness/dialect.ts'

/** Returns a tool as MCP servers define them. */
function tool(name: string, properties: Record<string, object>, more: object = {}): Tool {
  const parameters = { type: 'object', properties, ...more }
  return {
    name: `fs__${name}`,
    description: `What ${name} does.`,
    effects: 'read',
    parameters,
    parse: checkOf(parameters),
    run: async () => '',
  }
}

const text = { type: 'string' }
const edit = tool(
  'edit_file',
  {
    path: text,
    edits: { type: 'array', items: { $ref: '#/$defs/edit' } },
    dryRun: { type: 'boolean' },
    most: { type: 'integer' },
  },
  {
    required: ['path', 'edits'],
    additionalProperties: false,
    $defs: { edit: { type: 'object', properties: { oldText: text, newText: text }, required: ['oldText', 'newText'] } },
  },
)
const create = tool(
  'create',
  { entities: { type: 'array', items: { type: 'object', properties: { name: text }, required: ['name'] } } },
  { required: ['entities'] },
)
const filter = tool('filter', { by: { type: 'object', properties: { age: { type: 'number' } } } }, { required: ['by'] })
const peek = tool('peek', { path: text, head: { type: 'number' } }, { required: ['path'] })
const graph = tool('graph', {})
const ALL = [edit, create, filter, peek, graph]

const INPUT = { path: 'a.txt', edits: [{ oldText: 'x[0]', newText: 'say "hi", it’s ok ]' }], dryRun: true }
const PLAIN = JSON.stringify(INPUT)
/** An input over several lines whose texts contain labels, quotes and brackets. */
const ODD = { path: 'b', edits: [{ oldText: "it's ] Action: x[", newText: 'one\nObservation: no\nFinal Answer: [no' }] }
const LINES = JSON.stringify(ODD, null, 2)

const native = (name: string, args: string): Completion => ({
  text: '',
  toolCalls: [{ id: 'c1', name, arguments: args }],
})
const labelled = (tool: string, input: string) => `Thought: t\nAction: ${tool}\nAction Input: ${input}`
const bracket = (tool: string, input: string) => `Thought: t\nAction: ${tool}[${input}]`
const blob = (tool: string, input: string) =>
  `Thought: t\nAction:\n\`\`\`\n{"action": "${tool}", "action_input": ${input}}\n\`\`\``
const fenced = (input: string) => `\n\`\`\`json\n${input}\n\`\`\``

type Row = [dialect: DialectName, form: string, completion: string | Completion, tool: Tool, input: unknown]

const ROWS: Row[] = [
  ...([PLAIN, LINES] as const).flatMap((json): Row[] => {
    const input: unknown = JSON.parse(json)
    const over = json === LINES ? ' over lines' : ''
    return [
      ['text', `an object${over}`, labelled('fs__edit_file', json), edit, input],
      ['text', `a fenced object${over}`, labelled('fs__edit_file', fenced(json)), edit, input],
      ['text', `a call in brackets${over}`, `Thought: t\nAction: fs__edit_file[${json}]`, edit, input],
      ['text', `a call as programs make it${over}`, `Thought: t\nAction: fs__edit_file(${json})`, edit, input],
      ['conversational', `an object${over}`, labelled('fs__edit_file', json), edit, input],
      ['conversational', `a fenced object${over}`, labelled('fs__edit_file', fenced(json)), edit, input],
      ['json', `an object${over}`, blob('fs__edit_file', json), edit, input],
      ['json', `an object as text${over}`, blob('fs__edit_file', JSON.stringify(json)), edit, input],
      ['bracket', `an object${over}`, bracket('fs__edit_file', json), edit, input],
      ['bracket', `an object on lines of its own${over}`, bracket('fs__edit_file', `\n${json}\n`), edit, input],
      ['bracket', `a fenced object${over}`, bracket('fs__edit_file', fenced(json)), edit, input],
      [
        'bracket',
        `an object behind the placeholder’s word${over}`,
        bracket('fs__edit_file', `input: ${json}`),
        edit,
        input,
      ],
      [
        'bracket',
        `an object before an invented observation${over}`,
        `${bracket('fs__edit_file', json)}\nObservation: x`,
        edit,
        input,
      ],
      ['bracket', `round brackets${over}`, `Thought: t\nAction: fs__edit_file(${json})`, edit, input],
      ['native', `an object${over}`, native('fs__edit_file', json), edit, input],
    ]
  }),
  ['bracket', 'named arguments', bracket('fs__peek', 'path="a b", head=3'), peek, { path: 'a b', head: 3 }],
  ['bracket', 'the one needed field', bracket('fs__peek', '/tmp/a'), peek, { path: '/tmp/a' }],
  [
    'bracket',
    'a list for the one field',
    bracket('fs__create', '[{"name": "x]"}]'),
    create,
    { entities: [{ name: 'x]' }] },
  ],
  ['bracket', 'nothing', bracket('fs__graph', ''), graph, {}],
  ['json', 'the one needed field', blob('fs__peek', '"/tmp/a"'), peek, { path: '/tmp/a' }],
  ['json', 'a list for the one field', blob('fs__create', '[{"name": "x"}]'), create, { entities: [{ name: 'x' }] }],
  ['json', 'nothing', '{"action": "fs__graph"}', graph, {}],
  [
    'native',
    'a list as text',
    native('fs__create', '{"entities": "[{\\"name\\": \\"x\\"}]"}'),
    create,
    { entities: [{ name: 'x' }] },
  ],
  ['native', 'nothing', native('fs__graph', ''), graph, {}],
  ...(['text', 'conversational'] as const).flatMap((name): Row[] => [
    [name, 'Python’s dict', labelled('fs__peek', "{'path': 'a', 'head': 2}"), peek, { path: 'a', head: 2 }],
    [name, 'named arguments', labelled('fs__peek', 'path="a", head=2'), peek, { path: 'a', head: 2 }],
    [name, 'the one needed field', labelled('fs__peek', '/tmp/a.txt'), peek, { path: '/tmp/a.txt' }],
    [name, 'the one needed field in quotes', labelled('fs__peek', '"/tmp/a.txt"'), peek, { path: '/tmp/a.txt' }],
    [name, 'null for what may be left out', labelled('fs__peek', '{"path": "a", "head": null}'), peek, { path: 'a' }],
    [
      name,
      'a list for the one field',
      labelled('fs__create', '[{"name": "x"}]'),
      create,
      { entities: [{ name: 'x' }] },
    ],
    [name, 'what the one field holds', labelled('fs__filter', '{"age": 3}'), filter, { by: { age: 3 } }],
    [name, 'no input line', 'Thought: t\nAction: fs__graph', graph, {}],
    [name, 'None', labelled('fs__graph', 'None'), graph, {}],
    [name, 'the tool’s name without its server’s', labelled('edit_file', PLAIN), edit, INPUT],
  ]),
]

test.for(ROWS)('%s reads %s', ([name, , completion, wanted, input]) => {
  const turn = read(name, completion, ALL)
  const [action] = turn.kind === 'actions' ? turn.actions : []
  expect(action?.tool, JSON.stringify(turn)).toBe(wanted.name)
  expect(coerceInput(wanted, action?.input)).toEqual({ ok: true, value: input })
})

test('a tool that needs an input is not called without one or with a truncated one', () => {
  for (const name of ['text', 'conversational'] as const)
    expect(read(name, 'Thought: t\nAction: fs__peek', ALL).kind).toBe('unreadable')
  for (const cut of ['{"path": "a", "edits": [{"oldText": "x"', '{"path": "a", "edits": ['])
    expect(coerceInput(edit, cut)).toMatchObject({
      ok: false,
      problem: expect.stringContaining('perhaps it was cut off'),
    })
})

test('an error names the field and what it accepts, in bounded length', () => {
  const long = tool(
    'long',
    { a: { type: 'string', description: 'x'.repeat(50_000) }, b: text },
    { required: ['a', 'b'] },
  )
  const problem = (of: Tool, input: unknown) => {
    const coerced = coerceInput(of, input)
    return coerced.ok ? '' : coerced.problem
  }
  expect(problem(edit, { path: 1, edits: 'x', extra: 1 })).toMatch(
    /^The input of fs__edit_file is wrong \(extra: there is no such field; path: should be string; edits: should be array\)\. It takes a JSON object like \{"path"/,
  )
  expect(problem(edit, { edits: [{ oldText: 'a' }] })).toMatch(/path: is missing.*edits\.0\.newText: is missing/)
  expect(problem(long, {}).length).toBeLessThan(2_300)
})

describe('a prompt', () => {
  const LISTING = ['text', 'json', 'bracket', 'conversational'] as const

  test.each(LISTING)('of %s tells the fields, which of them may be left out, and what references stand for', (name) => {
    const said = prompt(name, { tools: ALL })
    const label = name === 'bracket' ? '[input]' : ''
    expect(said).toContain(
      `fs__edit_file${label}: What edit_file does. The input is a JSON object: {"path":{"type":"string"},`,
    )
    expect(said).toContain('"$ref" stands for what is in {"$defs":{"edit":{"type":"object"')
    expect(said).toContain('. Only path, edits must be there\n')
    expect(said).toContain(
      `fs__create${label}: What create does. The input is a JSON object: {"entities":{"type":"array"`,
    )
    expect(said).toContain(`fs__graph${label}: What graph does. The input is {}.`)
  })

  const many = [...ALL.map((one) => ({ ...one, brief: `In short ${one.name}.` })), tool('details', { tool: text })]

  test.each(LISTING)('of %s has a line for a tool of many', (name) => {
    const said = prompt(name, { tools: many })
    const label = name === 'bracket' ? '[input]' : ''
    expect(said).toContain(`\nfs__edit_file${label}: In short fs__edit_file.\n`)
    expect(said).not.toContain('oldText')
    if (name !== 'bracket') expect(said).toContain('fs__details, or another of those above')
  })

  test('of the native dialect describes tools with several fields in words, and its tool list never changes', () => {
    const asked = step(1, { action: { tool: 'fs__details', input: { tool: 'fs__peek' } } })
    const called = step(2, { action: { tool: 'fs__graph', input: {} } })
    const names = (steps: (typeof asked)[]) =>
      dialect('native')
        .render(view({ tools: many, steps }))
        .tools?.map(({ name }) => name)
    expect(names([])).toEqual(['fs__details', 'call_tool'])
    expect(names([asked, called])).toEqual(names([]))
    const [system] = dialect('native').render(view({ tools: many })).messages
    expect(system?.content).toContain('\nfs__edit_file: In short fs__edit_file.\n')
    expect(prompt('native', { tools: ALL })).not.toContain('There are more tools')
  })

  test.each([...LISTING, 'native'] as const)(
    'of %s with one line a tool is answered with a call that is read whole',
    (name) => {
      const said = {
        native: native('fs__edit_file', PLAIN),
        json: blob('fs__edit_file', PLAIN),
        bracket: bracket('fs__edit_file', PLAIN),
      }
      const turn = read(name, name in said ? said[name as keyof typeof said] : labelled('fs__edit_file', PLAIN), many)
      const [action] = turn.kind === 'actions' ? turn.actions : []
      expect(coerceInput(many[0] as Tool, action?.input)).toEqual({ ok: true, value: INPUT })
    },
  )
})
