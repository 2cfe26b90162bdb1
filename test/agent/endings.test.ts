import { describe, expect, test } from 'vitest'
import { runAgent } from '../../src/agent/agent.ts'
import type { DialectName } from '../../src/agent/dialects/index.ts'
import type { AgentEvent } from '../../src/agent/types.ts'
import { withPrices } from '../../src/model/prices.ts'
import { agentDeps, echo, modelAt, runOn } from '../harness/agent-run.ts'
import { act, finish, playModel } from '../harness/played-model.ts'

describe.concurrent('a run that gets no answer', () => {
  test('because the model never said a word fails with a sentence', async (t) => {
    await expect(runOn(t, { model: [{ hang: true }], limits: { timeoutMs: 400 } })).rejects.toMatchObject({
      name: 'ModelError',
      hint: 'The model takes too long to answer right now. Please ask again in a few minutes.',
      retryable: true,
    })
  })

  test('because the model fell silent tells what the tools had found', async (t) => {
    const { final } = await runOn(t, {
      model: (_, n) => (n === 0 ? act('a', 'echo', 'x') : { hang: true }),
      limits: { timeoutMs: 3_000 },
    })
    expect(final).toEqual({
      type: 'gave_up',
      reason: 'time',
      text: 'I could not get to an answer. This is what I found:\n- echo: echo of x',
    })
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
    expect(lines.map((line) => line.slice(0, 32))).toEqual([1, 2, 3].map((n) => `- echo: ${n} begins and goes on and`))
    for (const line of lines) expect(line).toMatch(/^- echo: .{300}…$/)
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

  for (const [dialect, nothing] of NOTHING)
    test(`is asked for again in the ${dialect} dialect: ${JSON.stringify(nothing)}`, async (t) => {
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
}
