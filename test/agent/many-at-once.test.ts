import { describe, expect, test } from 'vitest'
import { echo, runOn } from '../harness/agent-run.ts'

const calls = (count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => ({ name: 'echo', arguments: `{"query": "${from + i}"}` }))

describe.concurrent('a turn that asks for many tools at once', () => {
  test('becomes five steps, and one note reports the rest to the model and to people', async (t) => {
    const tool = echo()
    const { events, model, observations } = await runOn(t, {
      dialect: 'native',
      model: [{ toolCalls: calls(500) }, 'done'],
      tools: [tool],
    })
    const note = 'Only the first 5 of 500 calls were run. Ask again for the others if they are still needed.'
    expect(tool.calls).toHaveLength(5)
    expect(events.map(({ type }) => type).filter((type) => type === 'action')).toHaveLength(5)
    expect(observations).toHaveLength(5)
    const notes = events.flatMap((event) => (event.type === 'observation' ? [event.step.observation.note] : []))
    expect(notes).toEqual([undefined, undefined, undefined, undefined, note])
    const messages = model.requests[1]!.body.messages
    expect(messages.find(({ role }) => role === 'assistant')?.tool_calls).toHaveLength(5)
    expect(JSON.stringify(messages).split('Only the first 5 of 500')).toHaveLength(2)
  })

  test('with five calls or fewer gets no note', async (t) => {
    const { model } = await runOn(t, { dialect: 'native', model: [{ toolCalls: calls(5) }, 'done'] })
    expect(model.requests[1]?.prompt).not.toContain('Only the first')
  })

  test('counts each call as a step, and every shown call is executed', async (t) => {
    const tool = echo()
    const { events, final, model } = await runOn(t, {
      dialect: 'native',
      model: (_, n) => (n < 2 ? { toolCalls: calls(5, n * 5) } : 'from what is known'),
      tools: [tool],
      limits: { maxSteps: 7 },
    })
    expect(tool.calls).toEqual(['0', '1', '2', '3', '4', '5', '6'])
    expect(events.filter((event) => event.type === 'observation' && event.step.observation.ok)).toHaveLength(7)
    expect(model.requests[2]?.prompt).toContain('Only the first 2 of 5 calls were run.')
    expect(final).toEqual({ type: 'answer', text: 'from what is known', sources: [], stopped: 'steps' })
  })

  test('reports the dropped calls after another process has resumed the run', async (t) => {
    const action = { tool: 'echo', input: { query: 'x' }, callId: 'c1' }
    const { model } = await runOn(t, {
      dialect: 'native',
      model: ['done'],
      task: { steps: [{ kind: 'tool', turn: 1, thought: '', action, dropped: 4 }] },
    })
    expect(model.requests[0]?.prompt).toContain('Only the first 1 of 5 calls were run.')
  })
})
