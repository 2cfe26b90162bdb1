import { describe, expect, test } from 'vitest'
import { runAgent } from '../../src/agent/agent.ts'
import type { DialectName } from '../../src/config.ts'
import type { AgentEvent } from '../../src/agent/contracts/run-events.ts'
import { withPrices } from '../../src/model/prices.ts'
import { agentDeps, echo, modelAt, runOn } from '../harness/agent-run.ts'
import { act, finish, playModel, structured } from '../harness/played-model.ts'

describe.concurrent('a run that gets no answer', () => {
  test('because the model never said a word fails with a sentence', async (t) => {
    await expect(runOn(t, { model: [{ hang: true }], limits: { timeoutMs: 400 } })).rejects.toMatchObject({
      name: 'ModelError',
      hint: 'The model takes too long to answer right now. Please ask again in a few minutes.',
      retryable: true,
    })
  })

  test('because the model writes without end says so after one such turn, whatever the dialect', async (t) => {
    const endless = { text: 'Thought: hm'.padEnd(200_000, ' hm'), chunkChars: 1_000 }
    for (const dialect of ['text', 'json', 'conversational', 'native'] as const) {
      const { final, model } = await runOn(t, { model: [endless], dialect })
      const text = 'I could not find an answer, and nothing I found would help.'
      expect([dialect, final]).toEqual([dialect, { type: 'gave_up', reason: 'tokens', text }])
      expect(model.requests).toHaveLength(1)
    }
  })

  test('tells the last three things that were found, each in one line of 300 characters, and no failure', async (t) => {
    const tool = echo((text) => {
      if (text === '4') throw new Error('broken')
      return `${text} begins\n\n${'and goes on '.repeat(100)}`
    })
    const { final } = await runOn(t, {
      model: (_, n) => act(`turn ${n}`, 'echo', String(n)),
      tools: [tool],
      limits: { maxSteps: 5 },
    })
    const lines = (final as { text: string }).text.split('\n').slice(1)
    expect(lines.map((line) => line.slice(0, 32))).toEqual([1, 2, 3].map((n) => `- Echo: ${n} begins and goes on and`))
    for (const line of lines) expect(line).toMatch(/^- Echo: .{300}…$/)
  })
})

describe.concurrent('an answer that is not whole', () => {
  test('because it reached its length says so, streamed and whole', async (t) => {
    for (const stream of [true, false]) {
      const model = [{ ...said(finish('Blue, and')), finish: 'length' }]
      const { final } = await runOn(t, { model, stream })
      expect(final).toEqual({ type: 'answer', text: "Blue, and\n\n_The model's answer was cut off._", sources: [] })
    }
  })

  test('because it is longer than any says so too', async (t) => {
    const { final } = await runOn(t, { model: [{ ...said(finish('blue '.repeat(40_000))), chunkChars: 50_000 }] })
    expect(final).toMatchObject({ type: 'answer', text: expect.stringMatching(/^blue blue[^]*answer was cut off\._$/) })
  })

  test('with half of an action runs nothing, and the model is told to be shorter', async (t) => {
    const tool = echo(undefined, { effects: 'write' })
    const { model, final } = await runOn(t, {
      model: (_, n) => (n === 0 ? { ...said(act('a', 'echo', 'delete /tmp and')), finish: 'length' } : finish('ok')),
      tools: [tool],
    })
    expect(tool.calls).toEqual([])
    expect(model.requests[1]?.prompt).toContain('Your output was cut off because it was too long')
    expect(final).toMatchObject({ text: 'ok' })
  })

  test.for([
    '<invoke name="echo">\n<parameter name="query">delete</parameter>',
    '<tool_call>\n<function=echo>\n<parameter=query>\ndelete\n</parameter>\n',
    '<tool_call>echo\n<arg_key>query</arg_key>\n<arg_value>delete</arg_value>',
  ])('between the arguments of a call runs nothing: %s', async (text, t) => {
    for (const dialect of ['text', 'native'] as const) {
      const tool = echo(undefined, { effects: 'write' })
      const last = dialect === 'native' ? 'ok' : finish('ok')
      await runOn(t, { dialect, tools: [tool], model: (_, n) => (n === 0 ? { text, finish: 'length' } : last) })
      expect(tool.calls).toEqual([])
    }
  })

  test('because the stream broke, when there was no time for another, is not shown at all', async (t) => {
    const { final } = await runOn(t, {
      model: (_, n) =>
        n === 0
          ? act('a', 'echo', 'x')
          : // Slower than the tries that there are, so that the time ends first.
            { text: finish('The colour is blue because of it'), cutAfter: 50, delayMs: 700 },
      limits: { maxSteps: 1, timeoutMs: 3_000 },
    })
    expect(final).toMatchObject({
      type: 'gave_up',
      text: expect.stringMatching(/^I could not find an answer\. This/),
    })
  })

  const said = (text: string) => ({ text })
})

test('a run that repeats itself and gives up tells what it found, and not what it was told', async (t) => {
  const { final } = await runOn(t, { model: (_, n) => act(`turn ${n}`, 'echo', 'x') })
  expect(final).toEqual({
    type: 'gave_up',
    reason: 'loop',
    text: 'I could not find an answer. This is what I found:\n- Echo: echo of x',
  })
})

test('a last turn that is cut off and cannot be read says that it was cut off', async (t) => {
  const { final } = await runOn(t, {
    limits: { maxSteps: 1 },
    model: (_, n) => (n === 0 ? act('a', 'echo', 'x') : { text: 'Action: {"tool": "ec', finish: 'length' }),
  })
  expect(final).toMatchObject({
    type: 'gave_up',
    text: expect.stringMatching(/echo of x[^]*_The model's answer was cut off\._$/),
  })
})

describe.concurrent('a budget of money', () => {
  async function spending(t: Parameters<typeof playModel>[0], maxCostUsd: number) {
    const usage = { prompt_tokens: 400, completion_tokens: 100, total_tokens: 500 }
    const model = await playModel(t, (_, n) => ({
      text: n < 4 ? act(`turn ${n}`, 'echo', `${n}`) : finish('y'),
      usage,
    }))
    const deps = agentDeps(model.url, { limits: { maxCostUsd } })
    const priced = withPrices(modelAt(model.url), { 'played-model': { in: 1000, out: 1000 } })
    const events: AgentEvent[] = []
    const task = { question: 'What is it?', signal: new AbortController().signal }
    for await (const event of runAgent(task, { ...deps, model: priced })) events.push(event)
    return { model, final: events.at(-1) }
  }

  test('that is spent makes the model answer, and the answer says why', async (t) => {
    const { model, final } = await spending(t, 1)
    expect(model.requests).toHaveLength(3)
    expect(model.requests[1]?.prompt).not.toContain('run out of')
    expect(model.requests[2]?.prompt).toContain('You have run out of budget')
    expect(final).toMatchObject({ type: 'gave_up', reason: 'cost' })
  })

  test('that is not spent changes nothing', async (t) => {
    expect((await spending(t, 100)).final).toEqual({ type: 'answer', text: 'y', sources: [] })
  })
})

describe.concurrent('an answer of nothing', () => {
  const NOTHING: [DialectName, string][] = [
    ['text', 'Final Answer:  \n\u200b'],
    ['text', 'Action: Finish\nAction Input: \n'],
    ['json', '```json\n{"action": "Final Answer", "action_input": " \\n"}\n```'],
    ['json', '{"action": "Final Answer", "action_input": null}'],
    ['json', '{"final_answer": ""}'],
    ['bracket', 'Action 1: Finish[ ]'],
    ['docstore', 'Action 1: Finish[]'],
    ['self-ask', 'So the final answer is: \u00a0'],
    ['conversational', 'Thought: Do I need to use a tool? No\nAI: \n'],
    ['native', '<think>Nothing to say.</think>\n '],
  ]

  test.for(NOTHING)('is asked for again in the %s dialect: %j', async ([dialect, nothing], t) => {
    const { model, observations, final } = await runOn(t, {
      dialect,
      model: (_, n) => (n === 0 ? nothing : SOMETHING[dialect]),
    })
    expect(observations).toHaveLength(1)
    expect(model.requests).toHaveLength(2)
    expect(final).toMatchObject({ type: 'answer', text: 'blue' })
  })
})

const SOMETHING: Record<DialectName, string> = {
  text: 'Final Answer: blue',
  json: 'Final Answer: blue',
  bracket: 'Action 1: Finish[blue]',
  docstore: 'Action 1: Finish[blue]',
  'self-ask': 'So the final answer is: blue',
  conversational: 'AI: blue',
  native: 'blue',
  structured: structured('answer', 'blue'),
}
