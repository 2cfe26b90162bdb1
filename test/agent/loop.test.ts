import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { runAgent } from '../../src/agent/agent.ts'
import type { Step } from '../../src/agent/contracts/run-events.ts'
import type { Tool } from '../../src/agent/contracts/tool.ts'
import { ToolError } from '../../src/base/errors.ts'
import { agentDeps, echo, runOn } from '../harness/agent-run.ts'
import { act, finish, INVENTED, playModel } from '../harness/played-model.ts'
import { zodInput } from '../../src/agent/tool-input.ts'

describe.concurrent('a run', () => {
  test('thinks, acts, observes and answers, and says so in events', async (t) => {
    const { events } = await runOn(t, { model: [act('Look first.', 'echo', 'x'), finish('It is x.')] })
    const step = { kind: 'tool', turn: 1, thought: 'Look first.', action: { tool: 'echo', input: 'x' } }
    const observation = { ok: true, text: 'echo of x' }
    expect(events.filter(({ type }) => type !== 'usage')).toEqual([
      { type: 'thought', n: 1, step },
      { type: 'action', n: 1, step },
      { type: 'observation', n: 1, step: { ...step, observation }, ms: expect.any(Number) },
      { type: 'answer', text: 'It is x.', sources: [] },
    ])
    expect(events.filter(({ type }) => type === 'usage')).toHaveLength(2)
  })

  test('sends stop sequences, today’s date, the labels and the question’s place', async (t) => {
    const { model } = await runOn(t, {
      model: [act('a', 'echo', 'one'), act('b', 'echo', 'two'), finish('x')],
      question: 'Where?',
    })
    const [first, , third] = model.requests
    expect(first?.body.stop).toContain('\nObservation:')
    expect(first?.prompt).toContain(`Today is ${new Date().toISOString().slice(0, 10)}`)
    expect(third?.prompt.split('\nQuestion:').length).toBeGreaterThan(1)
    const below = third!.prompt.slice(third!.prompt.lastIndexOf('Question:'))
    expect(below).toMatch(
      /^Question: Where\?\nassistant: Thought: a\nAction: echo\nAction Input: one\nuser: Observation: .*echo of one.*\nassistant: Thought: b\n/,
    )
    expect(below.match(/^user: Observation:/gm)).toHaveLength(2)
    expect(below).toMatch(/<\/\d{6}>$/)
  })

  test('discards an observation that the model invents, and ends the request', async (t) => {
    const { model, final, observations } = await runOn(t, {
      model: [act('a', 'echo', 'x'), finish('real')],
      refuses: ['stop'],
    })
    expect(final).toMatchObject({ type: 'answer', text: 'real' })
    expect(observations).toEqual(['echo of x'])
    const invented = model.requests.find(({ sent }) => sent.includes('INVENTED'))
    expect(invented).toMatchObject({ aborted: true, done: false })
    expect(model.requests.at(-1)?.prompt).not.toContain('INVENTED')
  })

  test.for([
    ['in other case and numbered', '\nObservation 1: INVENTED'],
    ['in bold', '\n**Observation:** INVENTED'],
    ['in Chinese', '\n观察：INVENTED'],
    ['indented', '\n   Observation: INVENTED'],
  ] as const)('cuts an invention %s', async ([, invention], t) => {
    const { model, final } = await runOn(t, {
      model: [`${act('a', 'echo', 'x')}${invention}\nFinal Answer: INVENTED`, finish('real')],
      refuses: ['stop'],
    })
    expect(final).toMatchObject({ text: 'real' })
    expect(model.requests.at(-1)?.prompt).not.toContain('INVENTED')
  })

  test.for([
    ['over several lines', '<think>\nI wonder.\nObservation: I may see x.\n</think>\n'],
    ['on one long line', `<think>${'I wonder. '.repeat(20)}</think>\n`],
    ['after a label', 'Thought: <think>hm\nObservation: maybe</think>\n'],
  ] as const)('lets a model think of observations before its turn, %s', async ([, thinking], t) => {
    const turn = `${thinking}${act('a', 'echo', 'x')}\nObservation: INVENTED\nFinal Answer: INVENTED`
    const model = [{ text: turn, chunkChars: 3 }, finish('real')]
    const { observations, final } = await runOn(t, { model, refuses: ['stop'] })
    expect([observations, final]).toEqual([['echo of x'], expect.objectContaining({ text: 'real' })])
  })

  test('takes linear time in the length of the model’s text, even for a single line', async (t) => {
    const { final } = await runOn(t, { model: [{ text: finish('word '.repeat(60_000)), chunkChars: 20 }] })
    expect(final).toMatchObject({ type: 'answer', text: expect.stringMatching(/^word word/) })
  })

  test('discards an invented observation in an unstreamed answer too', async (t) => {
    const { final, model } = await runOn(t, {
      model: [act('a', 'echo', 'x'), finish('real')],
      refuses: ['stop'],
      stream: false,
    })
    expect(final).toMatchObject({ text: 'real' })
    expect(model.requests[1]?.sent).toContain(INVENTED)
    expect(model.requests.at(-1)?.prompt).not.toContain('INVENTED')
  })

  test('shares all but the end of its prompt between two steps', async (t) => {
    const { model } = await runOn(t, { model: [act('a', 'echo', 'one'), act('b', 'echo', 'two'), finish('x')] })
    const prompts = model.requests.map(({ prompt }) => prompt)
    for (const [i, prompt] of prompts.slice(1).entries()) {
      const before = prompts[i]!
      expect(prompt.startsWith(before.slice(0, -'Thought:'.length))).toBe(true)
    }
  })

  test('that is stopped throws the reason, and the model’s request is aborted', async (t) => {
    const model = await playModel(t, [{ hang: true }])
    const stop = new AbortController()
    const events = runAgent({ question: 'q', signal: stop.signal }, agentDeps(model.url))
    const first = events.next()
    while (model.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    stop.abort(new Error('Stopped by hand.'))
    await expect(first).rejects.toThrow('Stopped by hand.')
    while (!model.requests[0]?.aborted) await new Promise((resolve) => setTimeout(resolve, 5))
  })

  test('resumes from its saved steps without repeating them', async (t) => {
    const tool = echo()
    const steps: Step[] = [
      {
        kind: 'tool',
        turn: 1,
        thought: 'before',
        action: { tool: 'echo', input: 'done' },
        observation: { ok: true, text: 'was done' },
      },
      { kind: 'tool', turn: 2, thought: 'now', action: { tool: 'echo', input: 'open' } },
    ]
    const { model, events } = await runOn(t, { model: [finish('whole')], tools: [tool], task: { steps } })
    expect(tool.calls).toEqual(['open'])
    expect(events.map(({ type }) => type)).toEqual(['observation', 'usage', 'answer'])
    expect(model.requests[0]?.prompt).toMatch(/was done[^]*echo of open/)
  })

  test('reports the usage of every model call once, including those of tools', async (t) => {
    const asking = echo(async (text, { ask }) => `asked: ${await ask(`say ${text}`)}`)
    const { events, observations } = await runOn(t, {
      model: (request, n) =>
        request.prompt.endsWith('say it') ? 'said' : n === 0 ? act('a', 'echo', 'it') : finish('x'),
      tools: [asking],
    })
    expect(observations).toEqual(['asked: said'])
    expect(events.filter(({ type }) => type === 'usage')).toHaveLength(3)
  })

  test('lists each source once, in order', async (t) => {
    const source = (n: number) => ({ title: `Page ${n}`, url: `https://e.example/${n}` })
    const tool = echo((text) => ({ text, sources: text === '1' ? [source(1)] : [source(2), source(1)] }))
    const { final } = await runOn(t, {
      model: [act('a', 'echo', '1'), act('b', 'echo', '2'), finish('x')],
      tools: [tool],
    })
    expect(final).toMatchObject({ sources: [source(1), source(2)] })
  })
})

describe.concurrent('a model’s mistake', () => {
  test('an unknown tool: the model gets the list of tools', async (t) => {
    const { observations, final } = await runOn(t, {
      model: [act('a', 'teleport', 'Mars'), finish('no')],
      tools: [echo(), echo(undefined, { name: 'other' })],
    })
    expect(observations).toEqual([
      'There is no tool "teleport". The tools are: echo, other. If none of them helps, answer without one.',
    ])
    expect(final).toMatchObject({ text: 'no' })
  })

  test('an unreadable turn: the model gets the form and its own text', async (t) => {
    const { observations, model, events } = await runOn(t, { model: ['I would rather talk.', finish('yes')] })
    expect(observations[0]).toMatch(/could not be read.*Action Input: <input>.*Final Answer: <answer>/s)
    expect(model.requests[1]?.prompt).toMatch(
      /assistant: Thought: I would rather talk\.\nuser: Observation: .*could not be read/,
    )
    expect(events[1]).toMatchObject({ type: 'thought', step: { kind: 'unreadable', text: 'I would rather talk.' } })
  })

  test('an empty answer is requested again', async (t) => {
    const { final } = await runOn(t, { model: [' Thinking.\nFinal Answer:', finish('something')] })
    expect(final).toMatchObject({ type: 'answer', text: 'something' })
  })

  test('three unreadable turns in a row force an answer', async (t) => {
    const { final, model } = await runOn(t, { model: ['mumble one', 'mumble two', 'mumble three', finish('at last')] })
    expect(final).toEqual({ type: 'answer', text: 'at last', sources: [], stopped: 'unreadable' })
    expect(model.requests.at(-1)?.prompt).toMatch(/You have run out of attempts to follow the format/)
  })

  test('three unreadable turns with a good one between them do not force an answer', async (t) => {
    const { final } = await runOn(t, { model: ['hm', 'mumble', act('a', 'echo', 'x'), 'mumble', finish('fine')] })
    expect(final).toEqual({ type: 'answer', text: 'fine', sources: [] })
  })

  test('the same prose twice is the answer, other prose is not', async (t) => {
    const { final, model } = await runOn(t, { model: ['hello', 'hello', finish('never')] })
    expect(final).toEqual({ type: 'answer', text: 'hello', sources: [] })
    expect(model.requests).toHaveLength(2)
    const other = await runOn(t, { model: ['hello', 'hello there', finish('hi')] })
    expect(other.final).toMatchObject({ text: 'hi' })
    const broken = await runOn(t, { model: ['{"action": ', '{"action": ', finish('whole')] })
    expect(broken.final).toMatchObject({ text: 'whole' })
  })

  test('plain prose on the final turn is an answer; scaffolding is not', async (t) => {
    const prose = await runOn(t, { model: ['hm', 'mumble', 'uh', 'Forty-two, I think.'] })
    expect(prose.final).toEqual({ type: 'answer', text: 'Forty-two, I think.', sources: [], stopped: 'unreadable' })
    const scaffold = await runOn(t, {
      model: ['mumble', act('a', 'echo', 'found'), 'hm', 'mumble', 'uh', act('b', 'echo', 'more')],
    })
    expect(scaffold.final).toEqual({
      type: 'gave_up',
      reason: 'unreadable',
      text: 'I could not find an answer. This is what I found:\n- Echo: echo of found',
    })
    const nothing = await runOn(t, { model: ['hm', 'mumble', 'uh', 'Thought: hm\nAction:'] })
    expect(nothing.final).toMatchObject({ type: 'gave_up', text: expect.not.stringMatching(/Thought|Action/) })
  })

  const markup = '<invoke name="echo"><parameter name="query">x</parameter></invoke>'
  test.for([
    ['text', 'markup', `The page holds ${markup} at its end.`],
    ['text', 'a call in JSON', 'The step is {"action": "echo", "action_input": "x"}.'],
    ['native', 'markup', `The page holds ${markup} at its end.`],
    ['native', 'markup that breaks off', 'I will see.\n<tool_call>\n{"name": "echo", "arguments": {"que'],
    ['native', 'a call in JSON', 'The step is {"action": "echo", "action_input": "x"}.'],
    ['native', 'a call in Python', 'echo(query="x") is next, then I answer.'],
  ] as const)('on the final turn, in %s, %s is not shown', async ([dialect, , last], t) => {
    const { final } = await runOn(t, { dialect, model: [last, last, last, last] })
    expect(final).toMatchObject({ type: 'gave_up', text: expect.not.stringContaining('echo') })
  })

  test('a repeated action is not run again; the third time forces an answer', async (t) => {
    const tool = echo()
    const { observations, final, model } = await runOn(t, {
      model: [act('a', 'echo', 'Same'), act('b', 'echo', ' same '), act('c', 'echo', 'SAME'), finish('enough')],
      tools: [tool],
    })
    expect(tool.calls).toEqual(['Same'])
    expect(observations[1]).toMatch(/already done exactly this\. It returned: echo of Same.*something else/)
    expect(final).toEqual({ type: 'answer', text: 'enough', sources: [], stopped: 'loop' })
    expect(model.requests).toHaveLength(4)
  })

  test('a tool with changing results may be called again', async (t) => {
    const tool = echo(undefined, { repeatable: true })
    const { final } = await runOn(t, {
      model: [...['a', 'b', 'c', 'd'].map((thought) => act(thought, 'echo', 'next')), finish('read it all')],
      tools: [tool],
    })
    expect(tool.calls).toHaveLength(4)
    expect(final).toEqual({ type: 'answer', text: 'read it all', sources: [] })
  })
})

describe.concurrent('a tool', () => {
  const both: Tool = {
    name: 'both',
    description: 'Takes two.',
    ...zodInput(z.object({ city: z.string(), days: z.number().int() })),
    effects: 'read',
    run: async (input) => JSON.stringify(input),
  }

  test.for(['{"query": "x"}', '"x"', 'x', '`x`', "'x'", '{"input": "x"}', ' x '])(
    'of one field takes %j',
    async (input, t) => {
      const { observations } = await runOn(t, { model: [act('a', 'echo', input), finish('y')] })
      expect(observations).toEqual(['echo of x'])
    },
  )

  test.for([
    ['a word', 'Paris', /wrong \(the input: .*\)\. It takes a JSON object like \{"city"/],
    ['a field of another kind', '{"city": "Paris", "days": "two"}', /days: /],
    ['a missing field', '{"city": "Paris"}', /days: /],
    ['both wrong', '{"city": 1}', /city: .*days: /],
  ] as const)('of two fields is told of %s by the field’s name', async ([, input, problem], t) => {
    const { observations } = await runOn(t, { model: [act('a', 'both', input), finish('y')], tools: [both] })
    expect(observations[0]).toMatch(problem)
    expect(observations[0]).toMatch(/^The input of both is wrong/)
  })

  test('with two fields takes an object', async (t) => {
    const { observations } = await runOn(t, {
      model: [act('a', 'both', '{"city": "Paris", "days": 2}'), finish('y')],
      tools: [both],
    })
    expect(observations).toEqual(['{"city":"Paris","days":2}'])
  })

  test('that fails, or returns nothing or too much, becomes an observation', async (t) => {
    const kinds: Record<string, () => string> = {
      refuse: () => {
        throw new ToolError('There is no such page.')
      },
      break: () => {
        throw new TypeError('x is not a function')
      },
      nothing: () => '  ',
      much: () => `start ${'😀'.repeat(5000)} end`,
    }
    const tool = echo((text) => kinds[text]!())
    const { observations, final } = await runOn(t, {
      model: [...Object.keys(kinds).map((kind) => act('a', 'echo', kind)), finish('y')],
      tools: [tool],
    })
    expect(observations.slice(0, 3)).toEqual([
      'There is no such page.',
      'echo failed: TypeError: x is not a function',
      'The tool returned nothing.',
    ])
    expect(observations[3]).toMatch(/^start (😀)+\n… \(\d+ characters cut\) …\n(😀)+ end$/u)
    expect(observations[3]!.length).toBeLessThan(4100)
    expect(final).toMatchObject({ text: 'y' })
  })

  test('that does not return is aborted at its time limit', async (t) => {
    let signal: AbortSignal | undefined
    const tool = echo((_, context) => {
      signal = context.signal
      return new Promise<string>(() => {})
    })
    const { observations, final } = await runOn(t, {
      model: [act('a', 'echo', 'x'), finish('without it')],
      tools: [tool],
      limits: { toolTimeoutMs: 100 },
    })
    expect(observations).toEqual(['echo did not finish within 0.1 s.'])
    expect(signal?.aborted).toBe(true)
    expect(final).toMatchObject({ text: 'without it' })
  })

  test('that answers by itself ends the run with its output; its failure does not', async (t) => {
    const tool = echo(
      (text) => {
        if (text === 'bad') throw new ToolError('Not that one.')
        return { text: `the answer to ${text}`, sources: [{ title: 'S', url: 'https://e.example' }] }
      },
      { returnDirect: true },
    )
    const { final, model } = await runOn(t, {
      model: [act('a', 'echo', 'bad'), act('b', 'echo', 'good')],
      tools: [tool],
    })
    expect(final).toEqual({
      type: 'answer',
      text: 'the answer to good',
      sources: [{ title: 'S', url: 'https://e.example' }],
    })
    expect(model.requests).toHaveLength(2)
  })

  test('called in parallel keeps its order, and at most five run', async (t) => {
    const tool = echo(async (text) => {
      await new Promise((resolve) => setTimeout(resolve, text === '0' ? 60 : 5))
      return `did ${text}`
    })
    const toolCalls = Array.from({ length: 7 }, (_, i) => ({
      name: 'echo',
      id: `c${i}`,
      arguments: JSON.stringify({ query: String(i) }),
    }))
    const { observations, model, events } = await runOn(t, {
      dialect: 'native',
      model: [{ text: 'Seven at once.', toolCalls }, 'done'],
      tools: [tool],
    })
    expect(observations).toEqual(['did 0', 'did 1', 'did 2', 'did 3', 'did 4'])
    const thoughts = events.filter((event) => event.type === 'thought').map(({ step }) => step.thought)
    expect(thoughts).toEqual(['Seven at once.', '', '', '', ''])
    const results = model.requests[1]!.body.messages.filter(({ role }) => role === 'tool')
    expect(results.map(({ tool_call_id }) => tool_call_id)).toEqual(toolCalls.slice(0, 5).map(({ id }) => id))
  })

  test('stopped while several run stops all of them', async (t) => {
    const stop = new AbortController()
    let running = 0
    const tool = echo((_, { signal }) => {
      if (++running === 4) stop.abort(new Error('Stopped by hand.'))
      return new Promise<string>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
        if (signal.aborted) reject(signal.reason)
      })
    })
    const toolCalls = Array.from({ length: 4 }, (_, i) => ({
      name: 'echo',
      id: `c${i}`,
      arguments: JSON.stringify({ query: String(i) }),
    }))
    await expect(
      runOn(t, { dialect: 'native', model: [{ toolCalls }], tools: [tool], task: { signal: stop.signal } }),
    ).rejects.toThrow('Stopped by hand.')
    expect(running).toBe(4)
  })
})

describe.concurrent('a budget', () => {
  const busy = (_: unknown, n: number) => act(`turn ${n}`, 'echo', `input ${n}`)

  test('of steps: at the limit the model is asked once more without tools, and the answer gives the reason', async (t) => {
    const tool = echo()
    const { final, model } = await runOn(t, {
      model: (request, n) => (n < 3 ? busy(request, n) : finish('from what is known')),
      tools: [tool],
      limits: { maxSteps: 3 },
    })
    expect(final).toEqual({ type: 'answer', text: 'from what is known', sources: [], stopped: 'steps' })
    expect(tool.calls).toHaveLength(3)
    expect(model.requests.at(-1)?.prompt).toMatch(/run out of steps.*no more tools.*best answer/s)
  })

  test('of steps: a model that never answers is asked a bounded number of times', async (t) => {
    const { final, model } = await runOn(t, { model: busy, limits: { maxSteps: 3 } })
    expect(model.requests).toHaveLength(4)
    expect(final).toMatchObject({
      type: 'gave_up',
      reason: 'steps',
      text: expect.stringMatching(/^I could not find an answer\. This is what I found:\n- Echo: echo of input 0\n/),
    })
  })

  test('of tokens and of money', async (t) => {
    const usage = { prompt_tokens: 400, completion_tokens: 100, total_tokens: 500 }
    const script = (_: unknown, n: number) => ({
      text: n < 3 ? act(`turn ${n}`, 'echo', `input ${n}`) : finish('spent'),
      usage,
    })
    const { final } = await runOn(t, { model: script, limits: { maxTokens: 1200 } })
    expect(final).toEqual({ type: 'answer', text: 'spent', sources: [], stopped: 'tokens' })
    const spent = [{ model: 'm', inputTokens: 1_000, outputTokens: 300, estimated: false }]
    const resumed = await runOn(t, { model: [finish('at once')], limits: { maxTokens: 1200 }, task: { usage: spent } })
    expect(resumed.final).toMatchObject({ text: 'at once', stopped: 'tokens' })
  })
})
