import { describe, expect, test } from 'vitest'
import { echo, runOn } from '../../harness/agent-run.ts'
import { dialect, read, step, view } from '../../harness/dialect.ts'
import { structured } from '../../harness/played-model.ts'

describe('native', () => {
  test('sends tool specifications in every turn, and allows no call on the final one', () => {
    const rendered = dialect('native').render(view())
    expect(rendered.tools).toMatchObject([
      { name: 'wikipedia', parameters: { type: 'object' } },
      { name: 'wikipedia_lookup' },
    ])
    expect(rendered.toolChoice).toBeUndefined()
    expect(dialect('native').render(view({ finalTurn: 'steps' }))).toMatchObject({
      tools: rendered.tools,
      toolChoice: 'none',
    })
  })

  test('puts the calls of one turn into one message, and their results after it, in order', () => {
    const steps = [step(1), step(2, { turn: 1, thought: '' }), step(3, { turn: 2 })]
    const messages = dialect('native').render(view({ steps })).messages.slice(2)
    expect(
      messages.map(({ role, content, toolCalls, toolCallId }) => [
        role,
        toolCalls?.map(({ id }) => id) ?? toolCallId,
        content,
      ]),
    ).toEqual([
      ['assistant', ['c1', 'c2'], 'I think 1.'],
      ['tool', 'c1', '<f00d42>page 1</f00d42>'],
      ['tool', 'c2', '<f00d42>page 2</f00d42>'],
      ['assistant', ['c3'], 'I think 3.'],
      ['tool', 'c3', '<f00d42>page 3</f00d42>'],
    ])
  })

  test('creates stable ids if the endpoint sent none', () => {
    const steps = [1, 2].map((n) => step(n, { turn: 1, action: { tool: 'wikipedia', input: { query: `${n}` } } }))
    const [once, again] = [1, 2].map(() => dialect('native').render(view({ steps })).messages)
    expect(once).toEqual(again)
    expect(once?.[2]?.toolCalls?.map(({ id }) => id)).toEqual(once?.slice(3).map(({ toolCallId }) => toolCallId))
  })

  test('reads calls, and takes the text beside them as the thought, never the reasoning', () => {
    const toolCalls = [
      { id: 'c1', name: 'wikipedia', arguments: '{"query":"x"}' },
      { id: 'c2', name: 'wikipedia', arguments: '' },
    ]
    const actions = [
      { tool: 'wikipedia', input: { query: 'x' }, callId: 'c1' },
      { tool: 'wikipedia', input: {}, callId: 'c2' },
    ]
    expect(read('native', { text: 'I look.', reasoning: 'hm', toolCalls })).toEqual({
      kind: 'actions',
      thought: 'I look.',
      actions,
    })
    expect(read('native', { text: '<think>hm hm</think>', reasoning: 'hm', toolCalls })).toEqual({
      kind: 'actions',
      thought: '',
      actions,
    })
  })

  test('takes text without a call as the answer', () => {
    expect(read('native', '<think>hm</think>\n**42**, as Observation: shows.')).toEqual({
      kind: 'finish',
      thought: '',
      answer: '**42**, as Observation: shows.',
    })
    expect(read('native', '')).toMatchObject({ kind: 'unreadable' })
  })

  test.each(['Thought: I know\nFinal Answer: 42', '最终答案：42', '**Final Answer:** 42'])(
    'reads %j by its labels, so that nobody sees them',
    (text) => {
      expect(read('native', text)).toMatchObject({ kind: 'finish', answer: '42' })
    },
  )

  test.each([
    ['Qwen’s', '<tool_call>\n<function=wikipedia>\n<parameter=query>\nx\n</parameter>\n</function>\n</tool_call>'],
    ['Hermes’', 'I look.\n<tool_call>\n{"name": "wikipedia", "arguments": {"query": "x"}}\n</tool_call>'],
    ['Kimi’s', '<|tool_call_begin|>functions.wikipedia:0<|tool_call_argument_begin|>{"query": "x"}<|tool_call_end|>'],
    ['harmony’s', '<|channel|>commentary to=functions.wikipedia <|constrain|>json<|message|>{"query": "x"}<|call|>'],
    ['bare JSON', '{"name": "wikipedia", "parameters": {"query": "x"}}'],
  ])('makes the call that leaks into the text, %s', (_whose, text) => {
    expect(read('native', text)).toMatchObject({
      kind: 'actions',
      actions: [{ tool: 'wikipedia', input: { query: 'x' } }],
    })
  })

  test('executes all calls that leaked into the text', () => {
    expect(read('native', '[wikipedia(query="x"), wikipedia_lookup(query="y")]')).toMatchObject({
      actions: [
        { tool: 'wikipedia', input: { query: 'x' } },
        { tool: 'wikipedia_lookup', input: { query: 'y' } },
      ],
    })
  })

  test('ignores a truncated leaked call, and one that an answer quotes', () => {
    expect(read('native', '<function=wikipedia>{"query": "x')).toMatchObject({ kind: 'unreadable' })
    const shown = 'Write `<function=deploy>{"now": true}</function>` to deploy.'
    expect(read('native', shown)).toMatchObject({ kind: 'finish', answer: shown })
  })

  test('recognizes a tool by its name without the namespace', () => {
    const toolCalls = [{ id: 'c1', name: 'functions.wikipedia', arguments: '{"query":"x"}' }]
    expect(read('native', { text: '', toolCalls })).toMatchObject({ actions: [{ tool: 'wikipedia', callId: 'c1' }] })
  })

  test.each([
    ['[THINK]no[/THINK]\n42'],
    ['<|channel|>analysis<|message|>no<|end|><|start|>assistant<|channel|>final<|message|>42<|return|>'],
    ['<|begin_of_thought|>no<|end_of_thought|>\n42<|im_end|>'],
  ])('shows nobody what is thought in %j', (text) => {
    expect(read('native', text)).toMatchObject({ kind: 'finish', answer: '42' })
  })

  test('keeps an answer that contains a line like a label', () => {
    const answer = 'Minutes of today:\nAction: Bob writes to Ann\nThat is all.'
    expect(read('native', answer)).toMatchObject({ kind: 'finish', answer })
  })

  test.for([
    ['cut off', '{"query": "x'],
    ['of another field’s kind', '{"query": {"a": 1}}'],
    ['a list', '["x"]'],
  ] as const)('arguments that are %s become an observation that names the field', async ([, args], t) => {
    const tools = [echo()]
    const model = [{ toolCalls: [{ id: 'c1', name: 'echo', arguments: args }] }, 'I give up.']
    const { observations, final } = await runOn(t, { dialect: 'native', model, tools })
    expect(observations).toEqual([
      expect.stringMatching(/^The input of echo is wrong \(.*\)\. It takes query as text\.$/),
    ])
    expect([tools[0]!.calls, final]).toEqual([[], expect.objectContaining({ text: 'I give up.' })])
  })
})

describe('a call that is announced, or stands after prose', () => {
  const ANNOUNCED = 'To find x, I will use the "echo" function. The arguments are {"query": "x"}.'
  const AFTER_PROSE = 'I need to look x up.\n```json\n{"name": "echo", "arguments": {"query": "x"}}\n```'

  test.for([ANNOUNCED, AFTER_PROSE])('is asked about once, in a form that the endpoint holds: %s', async (text, t) => {
    const tool = echo()
    const { model, final } = await runOn(t, {
      dialect: 'native',
      tools: [tool],
      model: [text, structured('echo', { query: 'x' }, 'I look.'), 'It is x.'],
    })
    expect(final).toMatchObject({ type: 'answer', text: 'It is x.' })
    expect(tool.calls).toEqual(['x'])
    const bodies = model.requests.map(({ raw }) => JSON.parse(raw) as Record<string, unknown>)
    expect(bodies.map((body) => 'response_format' in body)).toEqual([false, true, false])
    expect(bodies.map((body) => body['tool_choice'])).toEqual([undefined, 'none', undefined])
    expect(model.requests[2]?.body.messages.at(-2)).toMatchObject({
      role: 'assistant',
      tool_calls: [{ function: { name: 'echo' } }],
    })
  })

  test('is asked about with a forced choice, one of them the answer, if the endpoint holds no form', async (t) => {
    const { model, final } = await runOn(t, {
      dialect: 'native',
      refuses: ['response_format'],
      model: [ANNOUNCED, { toolCalls: [{ name: 'answer', arguments: '{"text": "It is **x**."}' }] }],
    })
    expect(final).toMatchObject({ type: 'answer', text: 'It is **x**.' })
    const last = model.requests.at(-1)!.body
    expect(last.tool_choice).toBe('required')
    expect(last.tools?.map(({ function: { name } }) => name)).toEqual(['echo', 'answer'])
  })

  test('is never posted', async (t) => {
    const { final } = await runOn(t, { dialect: 'native', model: [ANNOUNCED, AFTER_PROSE, ANNOUNCED, ANNOUNCED] })
    expect(final).toMatchObject({ type: 'gave_up', text: expect.not.stringMatching(/I will use/) })
  })

  test.each([
    'Let me call the wikipedia function with the title Dune.',
    'I will call `wikipedia` with {"title": "Dune"}.',
    "Let's use the wikipedia function to find this out.",
    'To find the author, we need to use the `wikipedia` function with the title "Dune".',
    'First, I need to look this up. I’ll be using the wikipedia tool for that.',
    'I am using the `wikipedia` tool to look up Dune. Please wait.',
    'Calling the `wikipedia` function with the argument `Dune`...',
    'Using the wikipedia function, I will find the author.',
    "I'll look that up with the wikipedia tool.",
    'To find out who wrote Dune, the "wikipedia" function will be used. The arguments are {"title": "Dune"}.',
    "I'm going to use wikipedia to find the author.",
    'To determine who wrote it, you can use the `wikipedia` function with the input "Dune". It will return the author.',
    'You should call the wikipedia tool with the title as the argument.',
  ])('in these words is no answer: %s', (text) => expect(read('native', text)).toMatchObject({ kind: 'unreadable' }))

  test.each([
    'Frank Herbert wrote it. I used the wikipedia tool for that.',
    'I can look up people with the wikipedia tool, and do sums.',
    'You can use the wikipedia tool in the sidebar for that.',
    'You can use the wikipedia function with your browser.',
    'To cite a page, call the wikipedia function of the library.',
    'I will use the phrase "best regards" in the letter.',
    'It explains how to use the wikipedia function.',
  ])('is another thing than an answer about tools: %s', (text) =>
    expect(read('native', text)).toMatchObject({ kind: 'finish', answer: text }),
  )

  test('is not announced by the prompt', () => {
    expect(dialect('native').render(view()).messages[0]?.content).not.toMatch(/before each|in a sentence/)
  })
})

test.each(['Answer: 42', '**Answer:** 42', '答案：42', '### Answer: 42'])(
  'an answer is shown without its label: %s',
  (text) => {
    expect(read('native', text)).toMatchObject({ kind: 'finish', answer: '42' })
  },
)
