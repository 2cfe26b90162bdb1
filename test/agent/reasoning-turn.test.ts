/** A turn that arrives as reasoning: read for a call or a label first, and the answer only in the final turn. */
import { describe, expect, test } from 'vitest'
import type { DialectName } from '../../src/config.ts'
import { echo, runOn } from '../harness/agent-run.ts'
import type { Turn } from '../harness/played-model.ts'

const thinking = (reasoning: string): Turn => ({ text: '', reasoning })
const DIALECTS: DialectName[] = ['native', 'text', 'json', 'conversational']

describe.for(DIALECTS)('%s', (dialect) => {
  test.for([
    ['beside an empty text', thinking('6 times 7 is 42.')],
    ['under another name', { text: '', reasoning: '6 times 7 is 42.', reasoningField: 'reasoning' }],
    ['in a mark that is never closed', '<think>6 times 7 is 42.'],
    ['in another mark that is never closed', '<thinking>\n6 times 7 is 42.'],
    ['in a mark, with nothing behind it', '<think>\n6 times 7 is 42.\n</think>\n\n'],
    ['before a mark that only closes', '6 times 7 is 42.\n</think>'],
    ['in a channel of its own', '<|channel|>analysis<|message|>6 times 7 is 42.<|end|>'],
    ['in marks beside an empty text', thinking('<think>6 times 7 is 42.</think>')],
  ] as [string, Turn][])('reasoning alone is the answer at the last try: %s', async ([, turn], t) => {
    const { final, model } = await runOn(t, { dialect, model: [turn] })
    expect(final).toMatchObject({ type: 'answer', text: '6 times 7 is 42.' })
    expect(model.requests.length).toBeGreaterThan(1)
  })

  test('the model is asked again first, and its answer wins', async (t) => {
    const answer =
      dialect === 'native' ? 'It is 42.' : dialect === 'conversational' ? 'AI: It is 42.' : 'Final Answer: It is 42.'
    const { final } = await runOn(t, { dialect, model: [thinking('6 times 7 is 41?'), answer] })
    expect(final).toMatchObject({ type: 'answer', text: 'It is 42.' })
  })

  test('reasoning that was cut off at its length is no answer', async (t) => {
    const { final } = await runOn(t, {
      dialect,
      model: [{ ...(thinking('6 times 7 is') as object), finish: 'length' }],
    })
    expect(final?.type).toBe('gave_up')
  })
})

test.for<[DialectName, string]>([
  ['native', 'I look it up.\n<tool_call>\n{"name": "echo", "arguments": {"query": "six"}}\n</tool_call>'],
  ['native', 'I need it.\nAction: echo\nAction Input: {"query": "six"}'],
  ['text', 'I need it.\nAction: echo\nAction Input: six'],
  ['text', '<tool_call>\n{"name": "echo", "arguments": {"query": "six"}}\n</tool_call>'],
  ['json', 'Action:\n```\n{"action": "echo", "action_input": "six"}\n```'],
])('%s: a call in the reasoning is made: %s', async ([dialect, reasoning], t) => {
  const tool = echo()
  const answer = dialect === 'native' ? 'Six.' : 'Final Answer: Six.'
  const { final, events } = await runOn(t, { dialect, tools: [tool], model: [thinking(reasoning), answer] })
  expect(tool.calls).toEqual(['six'])
  expect(final).toMatchObject({ type: 'answer', text: 'Six.' })
  const shown = events.flatMap((event) =>
    event.type === 'action' ? [event.step.thought, event.step.reasoning ?? ''] : [],
  )
  expect(shown.join()).not.toMatch(/tool_call|Action:/)
})

test.for<DialectName>(['native', 'text', 'json'])(
  '%s: a labelled answer in the reasoning is taken at once',
  async (dialect, t) => {
    const { final, model } = await runOn(t, { dialect, model: [thinking('I know.\nFinal Answer: It is 42.')] })
    expect(final).toMatchObject({ type: 'answer', text: 'It is 42.' })
    expect(model.requests).toHaveLength(1)
  },
)

test.for<DialectName>(['native', 'text'])(
  '%s: with a text, the reasoning is never in the answer',
  async (dialect, t) => {
    const text = dialect === 'native' ? 'It is 42.' : 'Final Answer: It is 42.'
    const { final } = await runOn(t, { dialect, model: [{ text, reasoning: 'Action: echo\nAction Input: six' }] })
    expect(final).toMatchObject({ type: 'answer', text: 'It is 42.' })
  },
)

test('a call that the reasoning only quotes is not made', async (t) => {
  const tool = echo()
  const quoted =
    'The page says "Action: echo" and `<tool_call>{"name": "echo", "arguments": {"query": "x"}}</tool_call>`; I ignore it.'
  await runOn(t, { dialect: 'native', tools: [tool], model: [thinking(quoted), 'Fine.'] })
  expect(tool.calls).toEqual([])
})

test.for([
  '<|start|>assistant<|channel|>commentary to=functions.echo <|constrain|>json<|message|>{"query": "six"}<|call|>',
  '<|python_tag|>{"name": "echo", "parameters": {"query": "six"}}<|eom_id|>',
  '<|tool_calls_section_begin|><|tool_call_begin|>functions.echo:0<|tool_call_argument_begin|>{"query": "six"}<|tool_call_end|>',
])('the marks before a call are no thought: %s', async (call, t) => {
  const tool = echo()
  const { events } = await runOn(t, { tools: [tool], model: [`I look up six.\n${call}`, 'Final Answer: Six.'] })
  expect(tool.calls).toEqual(['six'])
  expect(events.flatMap((event) => (event.type === 'action' ? [event.step.thought] : []))).toEqual(['I look up six.'])
})

test('marks at the end of the reasoning beside a call are not shown', async (t) => {
  const toolCalls = [{ name: 'echo', arguments: '{"query": "six"}' }]
  const turn = { text: '<tool_call>', reasoning: 'I look it up.\n<|tool_calls_section_begin|>', toolCalls }
  const { events } = await runOn(t, { dialect: 'native', model: [turn, 'Six.'] })
  const shown = events.flatMap((event) =>
    event.type === 'action' ? [event.step.thought, event.step.reasoning ?? ''] : [],
  )
  expect(shown).toEqual(['', 'I look it up.'])
})
