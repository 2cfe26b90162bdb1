/** Prompts that would not fit into the model's window, against servers that refuse or cut them. */
import { describe, expect, test } from 'vitest'
import { runAgent, type Task } from '../../src/agent/agent.ts'
import type { AgentEvent } from '../../src/agent/contracts/run-events.ts'
import type { Tool } from '../../src/agent/contracts/tool.ts'
import type { Usage } from '../../src/agent/contracts/model.ts'
import type { DialectName } from '../../src/config.ts'
import { agentDeps, echo } from '../harness/agent-run.ts'
import type { Ends } from '../harness/ends.ts'
import { modelsOf } from '../harness/model-call.ts'
import { act, finish, structured, type Turn } from '../harness/played-model.ts'
import { playWindowed, type ServerName, type WindowedModel } from '../harness/windowed-model.ts'

const WORDS = 'The harbour office opens at nine and closes at five. '
const long = (chars: number, at: string) => `${at} BEGIN ${WORDS.repeat(Math.ceil(chars / WORDS.length))} END ${at}`

interface Asked {
  dialect?: DialectName
  env?: object
  task?: Partial<Task>
  /** The results of the tool, in order. */
  results?: string[]
  /** Further tools. */
  tools?: Tool[]
}

async function asked(model: WindowedModel, { dialect = 'text', env, task, results = [], tools = [] }: Asked = {}) {
  const logs: string[] = []
  const models = modelsOf({ OPENAI_BASE_URL: model.url, ...env }, logs)
  let n = 0
  const tool = echo(() => results[n++] ?? 'nothing')
  const deps = { ...agentDeps(model.url, { dialect, tools: [tool, ...tools] }), model: models.model }
  const limits = { ...deps.limits, toolOutputChars: 100_000 }
  const events: AgentEvent[] = []
  const given: Task = { question: 'When does it open?', signal: new AbortController().signal, ...task }
  let error: unknown
  try {
    for await (const event of runAgent(given, { ...deps, limits })) events.push(event)
  } catch (thrown) {
    error = thrown
  }
  const usage: Usage[] = events.flatMap((event) => (event.type === 'usage' ? [event.usage] : []))
  return { events, final: events.at(-1), usage, logs, error, models, deps }
}

const ACTS: Partial<Record<DialectName, (input: string) => Turn>> = {
  text: (input) => act('I look.', 'echo', input),
  json: (input) => `Thought: I look.\nAction:\n\`\`\`\n{"action": "echo", "action_input": "${input}"}\n\`\`\``,
  native: (input) => ({ toolCalls: [{ name: 'echo', arguments: JSON.stringify({ query: input }) }] }),
  structured: (input) => structured('echo', { query: input }),
}
const ANSWERS: Partial<Record<DialectName, Turn>> = {
  native: 'At nine.',
  structured: structured('answer', 'At nine.'),
}
const steps = (dialect: DialectName, count: number): Turn[] => [
  ...Array.from({ length: count }, (_, i) => ACTS[dialect]!(`part ${i}`)),
  ANSWERS[dialect] ?? finish('At nine.'),
]

const shared = async (t: Ends, server: ServerName, more: object = {}) =>
  playWindowed(t, { server, window: 4096, turns: steps('text', 3), ...more })
const RESULTS = [long(9_000, 'one'), long(9_000, 'two'), long(3_000, 'three')]

describe.for<ServerName>(['llama.cpp', 'vLLM', 'LM Studio'])('%s lists its window', (server) => {
  test.for<DialectName>(['text', 'json', 'native'])('%s: older results lose their middle', async (dialect, t) => {
    const model = await playWindowed(t, { server, window: 4096, turns: steps(dialect, 3) })
    const { final, usage } = await asked(model, { dialect, results: RESULTS })
    expect(final).toMatchObject({ type: 'answer', text: 'At nine.' })
    expect(model.refused).toBe(0)
    for (const { tokens } of model.answered) expect(tokens).toBeLessThan(4096 * 0.85)
    const last = model.answered.at(-1)!.request.prompt
    expect(last).toContain('When does it open?')
    expect(last).toContain(RESULTS[2])
    expect(last).toMatch(/one BEGIN[^]*characters cut[^]*END one/)
    expect(usage.at(-1)?.leftOut).toEqual(['older results'])
    expect(usage[0]?.leftOut).toBeUndefined()
  })
})

describe.for<ServerName>(['llama.cpp', 'vLLM', 'OpenAI', 'LM Studio'])('%s refuses', (server) => {
  test('what does not fit is shortened to what the refusal says, and sent again once', async (t) => {
    const model = await shared(t, server, { isListed: false })
    const { final, usage, logs } = await asked(model, { results: RESULTS })
    expect(final).toMatchObject({ type: 'answer', text: 'At nine.' })
    expect(model.refused).toBe(1)
    expect(model.answered).toHaveLength(4)
    expect(model.answered.at(-1)!.request.prompt).toContain(RESULTS[2])
    expect(usage.at(-1)?.leftOut).toEqual(['older results'])
    expect(logs.join()).toContain('"window":4096')
  })

  test('a tokenizer that makes more tokens of the same words is learnt from the refusal', async (t) => {
    const model = await shared(t, server, { isListed: false, perToken: 2 })
    const { final } = await asked(model, { results: RESULTS })
    expect(final).toMatchObject({ type: 'answer', text: 'At nine.' })
    expect(model.refused).toBe(1)
  })

  test('a question that alone is too long gets a sentence with both sizes', async (t) => {
    const model = await shared(t, server)
    const { error } = await asked(model, { task: { question: long(40_000, 'q') } })
    expect(error).toMatchObject({ retryable: false, hint: expect.stringMatching(/^Your question is too long/) })
    expect((error as { hint: string }).hint).toMatch(/about \d,\d{3} tokens.* 4,096 at once/)
    expect(model.answered).toHaveLength(0)
  })
})

describe('the parts of a prompt', () => {
  const fit = async (t: Ends, given: Asked & { turns?: number }) => {
    const { turns = 1, dialect = 'text' } = given
    const model = await playWindowed(t, { server: 'vLLM', window: 4096, turns: steps(dialect, turns) })
    const run = await asked(model, given)
    expect(run.final).toMatchObject({ type: 'answer', text: 'At nine.' })
    return { last: model.answered.at(-1)!.request.prompt, leftOut: run.usage.at(-1)?.leftOut }
  }

  test('the thread comes after the older results, from its beginning', async (t) => {
    const said = Array.from({ length: 300 }, (_, i) => `@Ann: message ${i} ${WORDS}`).join('\n')
    const { last, leftOut } = await fit(t, { task: { said }, results: [RESULTS[2]!] })
    expect(leftOut).toEqual(['the thread'])
    expect(last).toMatch(/\(\d+ characters of earlier messages are left out\)\n@Ann: message \d+/)
    expect(last).not.toContain('message 1 ')
    expect(last).toContain('message 299 ')
    expect(last).toContain(RESULTS[2])
  })

  test('files come after the thread, by their middle', async (t) => {
    const { last, leftOut } = await fit(t, { task: { said: long(6_000, 'said'), filesText: long(30_000, 'file') } })
    expect(leftOut).toEqual(['the thread', 'files'])
    expect(last).toMatch(/file BEGIN[^]*characters cut[^]*END file/)
    expect(last).not.toContain('said BEGIN')
  })

  test('earlier questions in the prompt itself are left out from the oldest on', async (t) => {
    const history = Array.from({ length: 10 }, (_, i) => ({ question: `Question ${i}?`, answer: long(1_400, `${i}`) }))
    const model = await playWindowed(t, { server: 'vLLM', window: 2_500, turns: ['AI: At nine.'] })
    const { final, usage } = await asked(model, { dialect: 'conversational', task: { history } })
    expect(final).toMatchObject({ text: 'At nine.' })
    expect(usage[0]?.leftOut).toEqual(['the thread'])
    const { prompt } = model.answered[0]!.request
    expect(prompt).toMatch(/\(\d earlier questions are left out\)/)
    expect(prompt).not.toContain('Question 0?')
    expect(prompt).toContain('Question 9?')
  })

  test('the newest result is the last to be cut', async (t) => {
    const { last, leftOut } = await fit(t, { turns: 2, results: [long(5_000, 'one'), long(40_000, 'two')] })
    expect(leftOut).toEqual(['older results', 'the newest result'])
    expect(last).toMatch(/two BEGIN[^]*characters cut[^]*END two/)
    expect(last).toContain('When does it open?')
  })

  test('what is not in the prompt is not left out of it', async (t) => {
    const history = [{ question: 'Who opens it?', answer: long(2_000, 'answer') }]
    const { leftOut } = await fit(t, { task: { history, filesText: long(30_000, 'file') } })
    expect(leftOut).toEqual(['files'])
  })

  test('what is remembered comes after the files', async (t) => {
    const task = { filesText: long(2_000, 'file'), remembered: long(30_000, 'remembered') }
    const { last, leftOut } = await fit(t, { task })
    expect(leftOut).toEqual(['files', 'what is remembered'])
    expect(last).toMatch(/remembered BEGIN[^]*characters cut[^]*END remembered/)
  })

  test.for<DialectName>(['text', 'json', 'structured', 'native'])(
    'in a window of 1,200 tokens, %s leaves out examples and older steps; the newest result stays whole',
    async (dialect, t) => {
      const model = await playWindowed(t, { server: 'vLLM', window: 1_200, turns: steps(dialect, 7) })
      const results = Array.from({ length: 7 }, (_, i) => long(500, `part ${i}`))
      const { final, usage } = await asked(model, { dialect, results })
      expect(final).toMatchObject({ type: 'answer' })
      expect(model.refused).toBe(0)
      const last = model.answered.at(-1)!.request.prompt
      expect(last).toContain('When does it open?')
      expect(last).toMatch(/\(\d earlier steps are left out\)/)
      expect(last).toContain(results[6])
      expect(usage.at(-1)?.leftOut).toContain('older steps')
      expect(usage.at(-1)?.leftOut).not.toContain('the newest result')
      if (dialect !== 'native') expect(usage.at(-1)?.leftOut).toContain('examples')
      expect(last.includes('abacus: ') || last.includes('Action: abacus')).toBe(false)
    },
  )

  test.for<DialectName>(['text', 'structured', 'native'])(
    '%s: of many tools, those in use keep their inputs',
    async (dialect, t) => {
      const model = await playWindowed(t, { server: 'vLLM', window: 3_000, turns: steps(dialect, 2) })
      const properties = Object.fromEntries(
        Array.from({ length: 8 }, (_, i) => [
          `field_${i}`,
          { type: 'string', description: 'the part of it that counts' },
        ]),
      )
      const others = Array.from({ length: 20 }, (_, i) =>
        echo(undefined, { name: `other_${i}`, parameters: { type: 'object', properties } }),
      )
      const { final, usage } = await asked(model, { dialect, tools: others })
      expect(final).toMatchObject({ type: 'answer', text: 'At nine.' })
      expect(usage.at(-1)?.leftOut).toContain('inputs of tools')
      const { prompt, body } = model.answered.at(-1)!.request
      const told = prompt + JSON.stringify(body.tools ?? '')
      expect(told).toContain('other_19')
      expect(told).not.toContain('the part of it that counts')
      // Only toolboxes of MCP servers have that tool.
      expect(told).not.toContain('tool_details')
      if (dialect === 'native') expect(told).toContain('"name":"echo"')
    },
  )

  test('text in a script with more tokens a letter fits as well', async (t) => {
    const han = '港口办公室九点开门五点关门。'.repeat(1_500)
    const model = await playWindowed(t, { server: 'vLLM', window: 4096, turns: steps('text', 2), perToken: 1.5 })
    const { final } = await asked(model, { results: [han, 'At nine.'] })
    expect(final).toMatchObject({ type: 'answer' })
    expect(model.refused).toBeLessThanOrEqual(1)
  })
})

test('OPENAI_CONTEXT_TOKENS is the window, whatever the endpoint lists', async (t) => {
  const model = await shared(t, 'vLLM', { window: 100_000 })
  const { usage } = await asked(model, { results: RESULTS, env: { OPENAI_CONTEXT_TOKENS: '4096' } })
  expect(usage.at(-1)?.leftOut).toEqual(['older results'])
  expect(model.answered.at(-1)!.tokens).toBeLessThan(4096)
})

test('without a window nothing is shortened, and nothing is asked', async (t) => {
  const model = await shared(t, 'OpenAI', { window: 100_000 })
  const { usage } = await asked(model, { results: RESULTS })
  expect(model.answered.at(-1)!.request.prompt).toContain(RESULTS[0])
  expect(usage.some(({ leftOut, sentTokens }) => leftOut ?? sentTokens)).toBe(false)
})

test('a refusal without a number halves the prompt once; a second refusal ends it', async (t) => {
  const model = await shared(t, 'OpenAI', { window: 100_000 })
  let refusals = 0
  model.decide('opens', ({ prompt }) => {
    if (prompt.length > 14_000 || refusals > 1) {
      refusals += 1
      return { status: 400, body: { error: { message: 'Input is too long for requested model.' } } }
    }
    return finish('At nine.')
  })
  const { final } = await asked(model, { task: { question: 'Which office opens?', filesText: long(20_000, 'file') } })
  expect(final).toMatchObject({ text: 'At nine.' })
  expect(refusals).toBe(1)
  refusals = 2
  const { error } = await asked(model, { task: { question: 'Which office opens?', filesText: long(20_000, 'file') } })
  expect(error).toMatchObject({ hint: expect.stringContaining('too long for the model') })
  expect(refusals).toBe(4)
})

test.for<[string, object]>([
  [
    'how much is too much',
    { status: 400, body: { error: 'prompt too long; exceeded max context length by 4000 tokens' } },
  ],
  ['the status alone', { status: 413, body: 'Payload Too Large' }],
])('a refusal that tells %s is fitted to', async ([, refusal], t) => {
  const model = await shared(t, 'OpenAI', { window: 100_000 })
  let refusals = 0
  model.decide('', ({ prompt }) => {
    if (prompt.length < 24_000) return finish('At nine.')
    refusals += 1
    return refusal
  })
  const task = { question: 'Which office opens?', filesText: long(34_000, 'file') }
  expect((await asked(model, { task })).final).toMatchObject({ text: 'At nine.' })
  expect(refusals).toBe(1)
})

describe('a server that cuts in silence', () => {
  test('is found out by a usual window, although the prompt is little longer or much of it is new', async (t) => {
    for (const chars of [19_000, 22_000]) {
      const model = await shared(t, 'Ollama', { turns: steps('text', 1) })
      const { usage } = await asked(model, { results: [long(chars, 'one')] })
      expect(usage.map(({ sentTokens }) => sentTokens !== undefined)).toEqual([false, true])
    }
  })

  test('is found out by its usage; from then on prompts fit', async (t) => {
    const model = await shared(t, 'Ollama')
    const { usage, logs, final } = await asked(model, { results: [long(40_000, 'one'), 'two', 'three'] })
    expect(final).toMatchObject({ text: 'At nine.' })
    expect(usage.map(({ inputTokens }) => inputTokens)[1]).toBe(4096)
    expect(usage.map(({ sentTokens }) => sentTokens !== undefined)).toEqual([false, true, false, false])
    expect(usage[1]!.sentTokens).toBeGreaterThan(7_000)
    for (const { tokens } of model.answered.slice(2)) expect(tokens).toBeLessThan(4096)
    expect(logs.filter((line) => line.includes('has cut the prompt without an error'))).toEqual([
      expect.stringContaining('"read":4096'),
    ])
  })

  test('is found out although it reports a small cache', async (t) => {
    const model = await playWindowed(t, { server: 'Ollama', window: 4096, turns: [] })
    const usage = { prompt_tokens: 4096, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 3 } }
    model.decide('', () => ({ text: finish('At nine.'), usage }))
    const run = await asked(model, { task: { filesText: long(40_000, 'file') } })
    expect(run.usage[0]?.sentTokens).toBeGreaterThan(7_000)
  })

  test.for<[string, (tokens: number, before: number) => object]>([
    ['counts only what is new', (tokens, before) => ({ prompt_tokens: tokens - before })],
    [
      'says what came from its cache',
      () => ({ prompt_tokens: 2_000, prompt_tokens_details: { cached_tokens: 1_500 } }),
    ],
    ['counts a sixth less than we do', (tokens) => ({ prompt_tokens: Math.ceil(tokens * 0.85) })],
    ['counts nonsense', () => ({ prompt_tokens: 7 })],
  ])('is not one that %s', async ([, usageOf], t) => {
    const model = await playWindowed(t, { server: 'OpenAI', window: 100_000, turns: [] })
    let before = 0
    model.decide('', ({ prompt }, n) => {
      const tokens = Math.ceil(prompt.length / 4)
      const usage = { completion_tokens: 1, ...usageOf(tokens, before) }
      before = tokens
      return { text: n < 3 ? act('I look.', 'echo', `${n}`) : finish('At nine.'), usage }
    })
    const { usage, logs } = await asked(model, {
      results: [long(20_000, 'one'), long(8_000, 'two'), long(6_000, 'three')],
    })
    expect(usage).toHaveLength(4)
    expect(usage.map(({ sentTokens }) => sentTokens).filter(Boolean)).toEqual([])
    expect(logs.join()).not.toContain('has cut')
  })
})
