import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Tool } from '../../src/agent/contracts/tool.ts'
import { ToolError } from '../../src/base/errors.ts'
import { echo, runOn } from '../harness/agent-run.ts'
import { act, finish } from '../harness/played-model.ts'
import { zodInput } from '../../src/agent/tool-input.ts'

describe.concurrent('a mistake adds a bounded text to the next prompt', () => {
  test('a very long tool name is clipped', async (t) => {
    const toolCalls = [{ name: 'x'.repeat(1_000), arguments: '{}' }]
    const { observations } = await runOn(t, { dialect: 'native', model: [{ toolCalls }, 'z'] })
    expect(observations).toEqual([
      `There is no tool "${'x'.repeat(200)}…". The tools are: echo. If none of them helps, answer without one.`,
    ])
  })

  test('a very long error is clipped', async (t) => {
    const tool = echo(() => {
      throw new TypeError('y'.repeat(1_000))
    })
    const { observations } = await runOn(t, { model: [act('a', 'echo', 'x'), finish('z')], tools: [tool] })
    expect(observations).toEqual([`echo failed: TypeError: ${'y'.repeat(189)}…`])
  })

  test('of an unreadable completion 1,000 characters are repeated', async (t) => {
    const { model } = await runOn(t, { model: ['mumble '.repeat(1_000), finish('z')] })
    const shown = /Thought: ((?:mumble ?)+)/.exec(model.requests[1]!.prompt)?.[1]
    expect(shown).toHaveLength(1_000)
  })
})

describe.concurrent('a tool of a turn that asks for several', () => {
  const spent = (name: string) => ({ name, arguments: '{"query": "same"}' })

  test('is not run twice with the same input, and the others run', async (t) => {
    const tool = echo()
    const other = echo(undefined, { name: 'other' })
    const { observations, final } = await runOn(t, {
      dialect: 'native',
      model: (_, n) => (n < 2 ? { toolCalls: [spent('echo'), ...(n === 1 ? [spent('other')] : [])] } : 'done'),
      tools: [tool, other],
    })
    expect([tool.calls, other.calls]).toEqual([['same'], ['same']])
    expect(observations).toEqual([
      'echo of same',
      expect.stringMatching(/^You have already done exactly this\. It returned: echo of same/),
      'echo of same',
    ])
    expect(final).toMatchObject({ type: 'answer', text: 'done' })
  })
})

describe.concurrent('an action that is repeated', () => {
  test('gets its earlier result and one hint to do something else; then the model must answer', async (t) => {
    const { observations, model } = await runOn(t, {
      model: (_, n) => (n < 3 ? act(`turn ${n}`, 'echo', 'x') : finish('y')),
    })
    const told = 'You have already done exactly this. It returned: echo of x'
    expect(observations).toEqual(['echo of x', `${told} Do something else, or give the final answer.`, told])
    expect(model.requests.at(-1)?.prompt).toContain('the same action was repeated')
  })

  test('runs again after any other call, even a failed one', async (t) => {
    const tool = echo()
    const broken = echo(() => Promise.reject(new ToolError('It is closed.')), { name: 'other' })
    const turns = [act('a', 'echo', 'x'), act('b', 'other', 'y'), act('c', 'echo', 'x'), finish('z')]
    await runOn(t, { model: turns, tools: [tool, broken] })
    expect(tool.calls).toEqual(['x', 'x'])
  })

  test('with a respelled input is the same call; with another input it is not', async (t) => {
    const tool = echo()
    for (const again of [' {"QUERY": "X"}', 'x', 'X ']) {
      const inputs = ['{"query": "x"}', again, 'x y']
      await runOn(t, { model: [...inputs.map((input) => act('a', 'echo', input)), finish('z')], tools: [tool] })
    }
    expect(tool.calls).toEqual(['x', 'x y', 'x', 'x y', 'x', 'x y'])
  })
})

describe.concurrent('a reasoning model’s thinking', () => {
  test('becomes the thought of calls without text', async (t) => {
    const toolCalls = [{ name: 'echo', arguments: '{"query": "x"}' }]
    const { events } = await runOn(t, {
      dialect: 'native',
      model: (_, n) => (n === 0 ? { reasoning: ' I should look it up. ', toolCalls } : 'done'),
    })
    expect(events.find(({ type }) => type === 'thought')).toMatchObject({
      step: { thought: '', reasoning: 'I should look it up.' },
    })
  })

  test('is reported once if the call broke off and was repeated', async (t) => {
    const toolCalls = [{ name: 'echo', arguments: '{"query": "x"}' }]
    const first = { reasoning: 'Let me see. ', text: 'Let me begin', cutAfter: 4 }
    const { events, final } = await runOn(t, {
      dialect: 'native',
      model: (_, n) => [first, { reasoning: 'I should look it up.', toolCalls }, 'done'][n] ?? 'done',
    })
    expect(events.find(({ type }) => type === 'thought')).toMatchObject({
      step: { thought: '', reasoning: 'I should look it up.' },
    })
    expect(final).toMatchObject({ text: 'done' })
  })

  test('is not an answer: the model is asked for one', async (t) => {
    const { model, final } = await runOn(t, {
      dialect: 'native',
      model: (_, n) => (n === 0 ? { reasoning: 'It is blue.', text: '' } : 'blue'),
    })
    expect(model.requests[1]?.body.messages.slice(-2)).toEqual([
      { role: 'assistant', content: '(nothing)' },
      { role: 'user', content: 'You wrote nothing. Call a tool, or write the answer.' },
    ])
    expect(final).toMatchObject({ text: 'blue' })
  })
})

test('a tool without fields runs whatever the model writes as its input', async (t) => {
  const now: Tool = {
    name: 'now',
    description: 'Tells the time.',
    ...zodInput(z.object({})),
    effects: 'read',
    run: async () => 'noon',
  }
  const turns = ['None', '{}', '()', 'null', '""'].map((input) => act(`try ${input}`, 'now', input))
  for (const turn of turns) {
    const { observations } = await runOn(t, { model: [turn, finish('x')], tools: [now] })
    expect(observations).toEqual(['noon'])
  }
})
