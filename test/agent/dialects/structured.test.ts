import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { AnswerDeltas } from '../../../src/agent/parser/answer-deltas.ts'
import type { Tool } from '../../../src/agent/contracts/tool.ts'
import { zodInput } from '../../../src/agent/tool-input.ts'
import { echo, runOn } from '../../harness/agent-run.ts'
import { dialect, read, step, tool, view, WIKI } from '../../harness/dialect.ts'
import { structured } from '../../harness/played-model.ts'

interface Sent {
  response_format?: { type: string; json_schema: { name: string; strict: boolean; schema: TurnSchema } }
  text?: { format: { type: string; name: string; strict: boolean; schema: TurnSchema } }
}

interface TurnSchema {
  properties: { thought: object; step: { anyOf: { properties: { action: { enum?: string[] }; input: object } }[] } }
}

function actionsIn(schema: TurnSchema | undefined): unknown[] {
  return schema?.properties.step.anyOf.flatMap(({ properties }) => properties.action.enum ?? ['any']) ?? []
}

function schemaOf(request: { raw: string } | undefined): TurnSchema | undefined {
  const { response_format, text } = JSON.parse(request?.raw ?? '{}') as Sent
  return response_format?.json_schema.schema ?? text?.format.schema
}

const two = [echo(), echo(undefined, { name: 'other' })]

describe('a turn', () => {
  test('is an object by a strict schema, with the thought first, a branch for each tool, and one for the answer', async (t) => {
    const { model, final, observations } = await runOn(t, {
      dialect: 'structured',
      tools: two,
      model: [structured('echo', { query: 'x' }, 'I look.'), structured('answer', 'It is **x**.')],
    })
    expect(final).toEqual({ type: 'answer', text: 'It is **x**.', sources: [] })
    expect(observations).toEqual(['echo of x'])
    const format = (JSON.parse(model.requests[0]!.raw) as Sent).response_format
    expect(format).toMatchObject({ type: 'json_schema', json_schema: { strict: true } })
    const schema = format!.json_schema.schema
    expect(Object.keys(schema.properties)).toEqual(['thought', 'step'])
    expect(actionsIn(schema)).toEqual(['echo', 'other', 'answer'])
    expect(schemaOf(model.requests[1])).toEqual(schema)
  })

  test('stays a turn: the model’s as assistant, a result as user, after the worked turns and the question', async (t) => {
    const first = structured('echo', { query: 'x' }, 'I look.')
    const { model } = await runOn(t, { dialect: 'structured', model: [first, structured('answer', 'y')] })
    const [one, two] = model.requests.map(({ body }) => body.messages)
    expect(one!.at(-1)).toMatchObject({ role: 'user', content: 'Question: What is it?' })
    expect(two!.slice(0, one!.length)).toEqual(one)
    expect(two!.slice(one!.length)).toEqual([
      // With the spaces of the worked turns, whose form a model goes on in.
      { role: 'assistant', content: '{"thought": "I look.", "step": {"action": "echo", "input": {"query": "x"}}}' },
      { role: 'user', content: expect.stringMatching(/^Observation: <([^>]+)>echo of x<\/\1>$/) },
    ])
    const worked = one!.slice(1, -1)
    expect(worked.map(({ role }) => role)).toEqual(worked.map((_, i) => (i % 2 ? 'assistant' : 'user')))
    const tools = worked.flatMap(({ role, content }) =>
      role === 'assistant' ? [JSON.parse(content!).step.action] : [],
    )
    expect(tools.filter((name) => name === 'answer').length).toBeGreaterThanOrEqual(4)
    expect(tools).not.toContain('echo')
  })

  test('goes over the Responses API as text.format', async () => {
    const request = dialect('structured').render(view())
    const { responsesWire } = await import('../../../src/model/responses-api.ts')
    const learnt = { refused: new Set<string>(), needsReasoning: false }
    const signal = new AbortController().signal
    const body = responsesWire.body({ ...request, signal }, { model: 'm', stream: true, learnt }) as Sent
    expect(body.text?.format).toMatchObject({ type: 'json_schema', strict: true, schema: request.schema })
    const without = responsesWire.body(
      { ...request, signal },
      { model: 'm', stream: true, learnt: { ...learnt, refused: new Set(['text.format']) } },
    )
    expect(without).not.toHaveProperty('text')
  })

  test('can only be an answer on the final turn, or without tools', () => {
    const schemaAt = (more: object) => dialect('structured').render(view(more)).schema as unknown as TurnSchema
    expect(actionsIn(schemaAt({ finalTurn: 'steps', steps: [step(1)] }))).toEqual(['answer'])
    expect(actionsIn(schemaAt({ tools: [] }))).toEqual(['answer'])
  })

  test('that repeats an action takes its tool out of the next turn, so that no loop forms', async (t) => {
    const again = structured('echo', { query: 'x' })
    const { model, final } = await runOn(t, {
      dialect: 'structured',
      tools: two,
      model: [again, again, structured('other', { query: 'y' }), structured('answer', 'z')],
    })
    expect(model.requests.map((request) => actionsIn(schemaOf(request)))).toEqual([
      ['echo', 'other', 'answer'],
      ['echo', 'other', 'answer'],
      ['other', 'answer'],
      ['echo', 'other', 'answer'],
    ])
    expect(final).toEqual({ type: 'answer', text: 'z', sources: [] })
  })
})

test('a tool that was called in vain twice stays out, and the run does not end as a loop', async (t) => {
  const again = structured('echo', { query: 'x' })
  const other = structured('other', { query: 'y' })
  const { model, final } = await runOn(t, {
    dialect: 'structured',
    tools: two,
    model: [again, again, other, again, other, structured('answer', 'z')],
  })
  expect(model.requests.slice(4).map((request) => actionsIn(schemaOf(request)))).toEqual([
    ['other', 'answer'],
    ['answer'],
  ])
  expect(final).toEqual({ type: 'answer', text: 'z', sources: [] })
})

test('a tool that says the same about three inputs is left out once, until another tool was called', async (t) => {
  const look = (query: string) => structured('echo', { query }, 'I try another word.')
  const { model, final } = await runOn(t, {
    dialect: 'structured',
    tools: [echo((query) => `Nothing found for "${query}".`), echo(undefined, { name: 'other' })],
    model: [look('a'), look('b'), look('c'), structured('other', { query: 'a' }), look('d'), structured('answer', 'x')],
  })
  expect(model.requests.map((request) => actionsIn(schemaOf(request)).includes('echo'))).toEqual([
    true,
    true,
    true,
    false,
    true,
    true,
  ])
  expect(final).toMatchObject({ type: 'answer', text: 'x' })
})

test('a tool that writes, or whose answer does not name its input, stays after equal results', async (t) => {
  const add = (query: string) => structured('echo', { query })
  const { model } = await runOn(t, {
    dialect: 'structured',
    tools: [echo(() => 'Added.')],
    model: [add('a'), add('b'), add('c'), structured('answer', 'x')],
  })
  expect(actionsIn(schemaOf(model.requests[3]))).toContain('echo')
})

test('a tool that finds something about each of three inputs stays', async (t) => {
  const look = (query: string) => structured('echo', { query })
  const { model } = await runOn(t, {
    dialect: 'structured',
    tools: two,
    model: [look('a'), look('b'), look('c'), structured('answer', 'x')],
  })
  expect(actionsIn(schemaOf(model.requests[3]))).toContain('echo')
})

test('an endpoint that holds no form may still write it again: the third time in a row ends the run', async (t) => {
  const again = structured('echo', { query: 'x' })
  const { final } = await runOn(t, {
    dialect: 'structured',
    tools: two,
    model: [again, again, again, structured('answer', 'z')],
  })
  expect(final).toEqual({ type: 'answer', text: 'z', sources: [], stopped: 'loop' })
})

describe('inputs', () => {
  const options = zodInput(z.object({ city: z.string(), days: z.int().optional() }))
  const weather: Tool = {
    ...echo(async () => ''),
    ...options,
    name: 'weather',
    run: async (input) => JSON.stringify(input),
  }
  const wild: Tool = {
    ...weather,
    name: 'wild',
    parameters: {
      type: 'object',
      properties: { labels: { type: 'object', additionalProperties: { type: 'string' } } },
    },
    parse: (value) => ({ ok: true, value }),
  }

  test('leave out optional fields by null, and wild schemas take JSON text', async (t) => {
    const { observations, model } = await runOn(t, {
      dialect: 'structured',
      tools: [weather, wild],
      model: [
        structured('weather', { city: 'Rome', days: null }),
        structured('wild', '{"labels": {"a": "b"}}'),
        structured('answer', 'done'),
      ],
    })
    expect(observations).toEqual(['{"city":"Rome"}', '{"labels":{"a":"b"}}'])
    const branches = schemaOf(model.requests[0])!.properties.step.anyOf
    expect(branches[1]!.properties.input).toMatchObject({ type: 'string' })
    expect(model.requests[0]?.prompt).toContain('"labels"')
  })

  const filter = z.object({ city: z.string(), from: z.object({ day: z.int(), hour: z.int().optional() }).optional() })
  const nested: Tool = { ...weather, ...zodInput(filter), name: 'nested', run: async (input) => JSON.stringify(input) }

  test.for(['structured', 'native'] as const)('leave out nested fields by null, in the held form of %s', (name) => {
    const text = structured('nested', { city: 'Rome', from: { day: 3, hour: null } })
    expect(read(name, text, [nested])).toMatchObject({ actions: [{ input: { city: 'Rome', from: { day: 3 } } }] })
    const turn = read(name, text, [nested])
    expect(JSON.stringify(turn)).not.toContain('null')
    expect(JSON.stringify(read(name, structured('nested', { city: 'Rome', from: null }), [nested]))).not.toContain(
      'null',
    )
  })

  test('of tools with one line are JSON text, in one branch', () => {
    const brief = Array.from({ length: 60 }, (_, i) => ({ ...tool(`files__t${i}`), brief: `Does ${i}.` }))
    const schema = dialect('structured').render(view({ tools: [...WIKI, ...brief] })).schema as unknown as TurnSchema
    expect(schema.properties.step.anyOf).toHaveLength(WIKI.length + 2)
    expect(actionsIn(schema)).toContain('files__t59')
    const text = structured('files__t3', '{"query": "x"}')
    expect(read('structured', text, brief)).toMatchObject({ kind: 'actions', actions: [{ tool: 'files__t3' }] })
  })
})

describe('an endpoint that does not hold the form', () => {
  const REFUSALS: [status: number, message: string][] = [
    [400, 'response_format is not supported by this model'],
    [400, "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model."],
    [400, 'JSON schema conversion failed: Unrecognized schema'],
    [400, 'Structured outputs are unavailable on this deployment.'],
    [400, 'Failed to generate JSON. Please adjust your prompt. See failed_generation for more details.'],
    [500, 'failed to load model vocabulary required for format'],
  ]

  test.for(REFUSALS)(
    'is asked again without the field, once, and that is learnt: %s %s',
    async ([status, message], t) => {
      let sent = 0
      const { model, final } = await runOn(t, {
        dialect: 'structured',
        model: ({ body }) => {
          if ('response_format' in body) return { status, body: { error: { message, type: 'invalid_request_error' } } }
          return sent++ === 0 ? structured('echo', { query: 'x' }) : structured('answer', 'y')
        },
      })
      expect(final).toMatchObject({ type: 'answer', text: 'y' })
      expect(model.requests.map(({ body }) => 'response_format' in body)).toEqual([true, false, false])
    },
  )

  test.for([
    [
      'a fence and words around it',
      'Sure!\n```json\n{"thought": "t", "step": {"action": "echo", "input": {"query": "x"}}}\n```',
    ],
    ['the json dialect’s own form', 'Thought: I look.\n{"action": "echo", "action_input": {"query": "x"}}'],
    ['a flat object', '{"thought": "t", "action": "echo", "input": "x"}'],
    ['plain labels', 'Thought: t\nAction: echo\nAction Input: x\n'],
    ['Python', "{'thought': 't', 'step': {'action': 'Echo', 'input': {'query': 'x'}}}"],
  ] as const)('%s is read', async ([, text], t) => {
    const { observations } = await runOn(t, { dialect: 'structured', model: [text, structured('answer', 'y')] })
    expect(observations).toEqual(['echo of x'])
  })

  test('prose is asked again once, and then it is the answer', async (t) => {
    const { final, model } = await runOn(t, { dialect: 'structured', model: ['I think it is blue.', 'It is blue.'] })
    expect(final).toEqual({ type: 'answer', text: 'It is blue.', sources: [] })
    expect(model.requests).toHaveLength(2)
    expect(model.requests[1]?.body.messages.at(-1)?.content).toMatch(/could not be read.*"step"/s)
  })

  test('broken JSON is never the answer', async (t) => {
    const { final } = await runOn(t, {
      dialect: 'structured',
      model: ['{"thought": "x", "st', '{"thought": "x', structured('answer', 'ok')],
    })
    expect(final).toMatchObject({ text: 'ok' })
  })
})

describe('the answer', () => {
  const ANSWER = 'It is "blue", as the sky.\n\n- one \\ two\n- drei ä 😀\n'

  test.for([1, 3, 7, 1000])('grows while it is written, in pieces of %i characters', async (chunkChars, t) => {
    const text = structured('answer', ANSWER, 'a "quoted" {thought}: "input": "no"')
    const { events } = await runOn(t, {
      dialect: 'structured',
      model: [{ text, chunkChars }],
      readAlong: (spoken, tools) => new AnswerDeltas(spoken, tools),
    })
    const streamed = events.flatMap((event) => (event.type === 'answer_delta' ? [event.text] : [])).join('')
    expect(streamed).toBe(ANSWER.trim())
    expect(events.filter(({ type }) => type === 'answer_withdrawn')).toEqual([])
    expect(events.at(-1)).toMatchObject({ type: 'answer', text: ANSWER.trim() })
  })

  test('may be JSON itself', () => {
    expect(read('structured', structured('answer', '{"a": 1}'))).toMatchObject({ kind: 'finish', answer: '{"a": 1}' })
  })

  test('that breaks off at the length limit is given as far as it came', async (t) => {
    const text = structured('answer', 'A very long story that goes on').slice(0, -12)
    const { final } = await runOn(t, { dialect: 'structured', model: [{ text, finish: 'length' }] })
    expect(final).toMatchObject({ type: 'answer', text: expect.stringMatching(/^A very long story tha\n\n.*cut off/) })
  })

  test.for(['I found nothing for ', 'The words are called ', 'Room 7, or '])(
    'that ends before a quotation without a backslash is asked again: %s',
    async (text, t) => {
      const { model, final, observations } = await runOn(t, {
        dialect: 'structured',
        model: [structured('answer', text), structured('answer', 'I found no "Karl Nemo".')],
      })
      expect(observations).toEqual([expect.stringContaining('quotation marks inside it as \\"')])
      expect(final).toMatchObject({ type: 'answer', text: 'I found no "Karl Nemo".' })
      expect(model.requests).toHaveLength(2)
    },
  )

  test.for(['Done. ', 'It is **x** ', 'Paris ', '42 '])('may end with a space: %j', async (text, t) => {
    const { final } = await runOn(t, { dialect: 'structured', model: [structured('answer', text)] })
    expect(final).toMatchObject({ type: 'answer', text: text.trim() })
  })

  test('is asked for again if it is empty', async (t) => {
    const { final } = await runOn(t, {
      dialect: 'structured',
      model: [structured('answer', ' '), structured('answer', 'x')],
    })
    expect(final).toMatchObject({ text: 'x' })
  })
})

test('a string that the model never ends is cut, and the model is told to be shorter', async (t) => {
  const endless = `{"thought": "${'I need to look it up. '.repeat(4_000)}`
  const { model, final, observations } = await runOn(t, {
    dialect: 'structured',
    model: [{ text: endless, chunkChars: 50, chunkMs: 1 }, structured('answer', 'x')],
  })
  expect(final).toMatchObject({ type: 'answer', text: 'x' })
  expect(observations[0]).toMatch(/too long: be shorter/)
  expect(model.requests[0]!.sent.length).toBeLessThan(20_000)
})
