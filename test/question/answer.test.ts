import { describe, expect, test } from 'vitest'
import { answer, type AnswerEvent } from '../../src/question/answer.ts'
import { LeaseLost } from '../../src/base/errors.ts'
import type { History } from '../../src/stores/history/types.ts'
import { loadPrompts } from '../../src/base/prompts.ts'
import type { Picture } from '../../src/agent/contracts/model.ts'
import { embeddedRun } from '../../src/stores/runs/memory-run.ts'
import { freshRun, conversationOf, type Run, type SavedRun } from '../../src/stores/runs/types.ts'
import { agentDeps, echo, type AgentOptions } from '../harness/agent-run.ts'
import type { Ends } from '../harness/ends.ts'
import { act, finish, playModel, type PlayedModel } from '../harness/played-model.ts'
import { historyInMemory, eventually, question } from '../harness/stores.ts'

interface World {
  model: PlayedModel
  history: History
  saved: SavedRun
  run: Run
  events: AnswerEvent[]
  /** Answers the question, whole or until `stopAfter` events. */
  go(name?: string, stopAfter?: number): Promise<AnswerEvent[]>
}

async function world(
  t: Ends,
  { images, ...options }: Partial<AgentOptions> & { images?: () => Promise<Picture[]> } = {},
): Promise<World> {
  const model = await playModel(t, options.model)
  const history = historyInMemory()
  const saved = freshRun(1)
  if (images) saved.said = { text: '', by: [], hasFiles: true }
  const run = embeddedRun(saved, () => true)
  const agent = agentDeps(model.url, options)
  const deps = {
    agent,
    history,
    prompts: loadPrompts(),
    condenseModel: agent.model,
    loadFiles: images && (async () => ({ text: '', images: await images(), tools: [] })),
    signal: options.task?.signal ?? new AbortController().signal,
  }
  const events: AnswerEvent[] = []
  return {
    ...{ model, history, saved, run, events },
    async go(name = 'Dune', stopAfter = Infinity) {
      const from = events.length
      for await (const event of answer(question(name), run, deps)) if (events.push(event) - from >= stopAfter) break
      return events.slice(from)
    },
  }
}

const types = (events: AnswerEvent[]) => events.map(({ type }) => type).filter((type) => type !== 'usage')
const THREAD = conversationOf(question('Dune'))

describe('a first question', () => {
  test('is answered without condensing, and saved to the history once the answer is posted', async (t) => {
    const { go, history, model } = await world(t, { model: [act('a', 'echo', 'x'), finish('It is x.')] })
    const events = await go()
    expect(types(events)).toEqual(['thought', 'action', 'observation', 'answer'])
    expect(model.requests.map(({ kind }) => kind)).toEqual(['turn', 'turn'])
    expect(await history.load(THREAD)).toEqual([
      {
        id: 'T1:C1:Dune',
        ts: 'Dune',
        question: 'What about Dune?',
        standalone: 'What about Dune?',
        answer: 'It is x.',
        user: 'U1',
        at: 1000,
      },
    ])
  })

  test('is not in the history before its reader has taken the answer', async (t) => {
    const { go, history } = await world(t, { model: [finish('x')] })
    await go('Dune', 2)
    expect(await history.load(THREAD)).toEqual([])
  })

  test('that gave up is saved with its text', async (t) => {
    const { go, history } = await world(t, { model: ['mumble'] })
    const events = await go()
    expect(events.at(-1)).toMatchObject({ type: 'answer', text: 'mumble' })
    expect(await history.load(THREAD)).toMatchObject([{ answer: 'mumble' }])
  })
})

const BEFORE = { id: 'b', question: 'Who?', standalone: 'Who wrote it?', answer: 'Herbert.', user: 'U1', at: 1 }

describe('a follow-up', () => {
  test('is condensed, and its standalone form is the first event', async (t) => {
    const { go, history, model, saved } = await world(t)
    await history.append(THREAD, BEFORE)
    model.condenses('What about Dune?', 'When was Dune written?')
    model.on('When was Dune written?', finish('1965'))
    expect(types(await go())).toEqual(['understood', 'answer'])
    expect(saved.standalone).toBe('When was Dune written?')
    expect(saved.usage).toHaveLength(2)
    expect(await history.load(THREAD)).toMatchObject([
      BEFORE,
      { question: 'What about Dune?', standalone: 'When was Dune written?', answer: '1965' },
    ])
  })

  test('that is already standalone has no such event', async (t) => {
    const { go, history, model } = await world(t, { model: [finish('1965')] })
    await history.append(THREAD, BEFORE)
    model.condenses('What about Dune?', 'What about Dune?')
    expect(types(await go())).toEqual(['answer'])
  })

  test('is not condensed if the dialect contains the history', async (t) => {
    const { go, history, model } = await world(t, { dialect: 'conversational', model: ['Thought: No\nAI: 1965'] })
    await history.append(THREAD, BEFORE)
    expect(await go()).toContainEqual({ type: 'answer', text: '1965', sources: [] })
    expect(model.requests).toHaveLength(1)
    expect(model.requests[0]?.prompt).toContain('Human: Who wrote it?\nAI: Herbert.')
  })

  test('whose condensing hangs fails with a sentence', async (t) => {
    const { go, history, model } = await world(t, { limits: { timeoutMs: 400 } })
    await history.append(THREAD, BEFORE)
    model.condenses('Dune', { hang: true })
    await expect(go()).rejects.toMatchObject({ name: 'ModelError', hint: expect.stringMatching(/too long/) })
  })
})

describe('a run that is resumed in another process', () => {
  test('saves an action before its tool runs, and an observation before the next call', async (t) => {
    const seen: number[] = []
    const tool = echo(() => {
      seen.push(here.saved.steps.filter((step) => step.kind === 'tool' && !step.observation).length)
      return 'found'
    })
    const here = await world(t, {
      tools: [tool],
      model: (_, n) => {
        seen.push(here.saved.steps.filter((step) => step.kind === 'tool' && step.observation).length)
        return n === 0 ? act('a', 'echo', 'x') : finish('y')
      },
    })
    await here.go()
    expect(seen).toEqual([0, 1, 1])
  })

  test('after the action runs the tool without calling the model again', async (t) => {
    const tool = echo()
    const { go, model, saved } = await world(t, { tools: [tool], model: [act('a', 'echo', 'x'), finish('y')] })
    await go('Dune', 3)
    expect(saved.steps).toMatchObject([{ thought: 'a', action: { input: 'x' } }])
    expect(tool.calls).toEqual([])
    expect(types(await go())).toEqual(['observation', 'answer'])
    expect(tool.calls).toEqual(['x'])
    expect(model.requests).toHaveLength(2)
  })

  test('after the observation does not run the tool again', async (t) => {
    const tool = echo()
    const { go, model } = await world(t, { tools: [tool], model: [act('a', 'echo', 'x'), finish('y')] })
    await go('Dune', 4)
    expect(types(await go())).toEqual(['answer'])
    expect(tool.calls).toEqual(['x'])
    expect(model.requests[1]?.prompt).toContain('echo of x')
  })

  test('after the answer yields it again, and the history has it once', async (t) => {
    const { go, model, history } = await world(t, { model: [finish('y')] })
    await go()
    expect(types(await go())).toEqual(['answer'])
    expect(model.requests).toHaveLength(1)
    expect(await history.load(THREAD)).toHaveLength(1)
  })

  test('runs a tool again that was cut off with its process', async (t) => {
    const process = new AbortController()
    const tool = echo((_, { signal }) => {
      process.abort(new LeaseLost('The bot is stopping.'))
      throw signal.reason
    })
    const { go, saved, events } = await world(t, {
      tools: [tool],
      task: { signal: process.signal },
      model: [act('a', 'echo', 'x'), finish('y')],
    })
    await expect(go()).rejects.toThrow('The bot is stopping.')
    expect(types(events)).toEqual(['thought', 'action'])
    expect(saved.steps).toEqual([{ kind: 'tool', turn: 1, thought: 'a', action: { tool: 'echo', input: 'x' } }])
  })

  test('after condensing does not condense again, and yields the standalone form again', async (t) => {
    const { go, history, model } = await world(t)
    await history.append(THREAD, BEFORE)
    model.condenses('What about Dune?', 'When was Dune written?')
    model.on('When was Dune written?', finish('1965'))
    expect(types(await go('Dune', 2))).toEqual(['understood'])
    expect(types(await go())).toEqual(['understood', 'answer'])
    expect(model.requests.map(({ kind }) => kind)).toEqual(['condense', 'turn'])
  })

  test('after giving up yields it again with the reason, and the history has its text', async (t) => {
    const { go, history, model } = await world(t, {
      model: (_, n) => act('a', 'echo', `x${n}`),
      limits: { maxSteps: 1 },
    })
    const end = (await go()).at(-1)
    expect(end).toMatchObject({ type: 'gave_up', reason: 'steps', text: expect.stringContaining('echo of x0') })
    expect(await go()).toEqual([end])
    expect(model.requests).toHaveLength(2)
    expect(await history.load(THREAD)).toMatchObject([{ answer: (end as { text: string }).text }])
  })

  test('after a forced answer yields the reason again', async (t) => {
    const { go } = await world(t, {
      model: (_, n) => (n === 0 ? act('a', 'echo', 'x') : finish('as far as I know')),
      limits: { maxSteps: 1 },
    })
    const end = { type: 'answer', text: 'as far as I know', sources: [], stopped: 'steps' }
    expect((await go()).at(-1)).toEqual(end)
    expect(await go()).toEqual([end])
  })

  test('includes the cost of a call that was broken off', async (t) => {
    const cut = { text: 'Well, let me think about it', cutAfter: 9, chunkMs: 5 }
    const { go, saved, run } = await world(t, { model: (_, n) => (n < 4 ? cut : finish('y')) })
    const parts: unknown[] = []
    const save = run.save.bind(run)
    run.save = async (...saving) => (parts.push(...saving.map(({ part }) => part)), save(...saving))
    await expect(go()).rejects.toMatchObject({ name: 'ModelError' })
    expect(parts).toEqual(['usage', 'usage', 'usage', 'usage'])
    expect(types(await go())).toEqual(['answer'])
    expect(saved.usage).toHaveLength(5)
    expect(saved.usage.slice(0, 4).every(({ estimated, inputTokens }) => estimated && inputTokens > 100)).toBe(true)
  })

  test('includes the cost of model calls by tools when it was cut off', async (t) => {
    const process = new AbortController()
    const asking = echo(async (text, { ask }) => (await Promise.all([ask(`one, ${text}`), ask(`two, ${text}`)])).join())
    const { go, saved, model } = await world(t, {
      tools: [asking],
      task: { signal: process.signal },
      model: ({ prompt }, n) =>
        n === 0 ? act('a', 'echo', 'please') : { text: `${prompt} and so ${'on and on '.repeat(1_000)}`, chunkMs: 20 },
    })
    const going = go()
    await eventually(() => expect(model.requests.filter(({ sent }) => sent.includes('so'))).toHaveLength(2))
    process.abort(new LeaseLost('The bot is stopping.'))
    await expect(going).rejects.toThrow('The bot is stopping.')
    expect(saved.usage.map(({ estimated, outputTokens }) => [estimated, outputTokens > 0])).toEqual([
      [false, true],
      [true, true],
      [true, true],
    ])
  })

  test('includes the cost of a tool’s model call that timed out, once', async (t) => {
    const asking = echo((text, { ask }) => ask(text))
    const { go, saved } = await world(t, {
      tools: [asking],
      limits: { toolTimeoutMs: 6_000 },
      model: ({ prompt }, n) =>
        n === 0
          ? act('a', 'echo', 'tell me')
          : prompt.endsWith('tell me')
            ? { text: 'on and on '.repeat(1_000), chunkMs: 20 }
            : finish('y'),
    })
    const events = await go()
    expect(events.find(({ type }) => type === 'observation')).toMatchObject({ step: { observation: { ok: false } } })
    expect(saved.usage.map(({ estimated }) => estimated)).toEqual([false, true, false])
    expect(events.flatMap((event) => (event.type === 'usage' ? [event.usage] : []))).toEqual(saved.usage)
  })

  test('includes the cost of a tool’s model call if the reader stopped at its observation', async (t) => {
    const asking = echo((text, { ask }) => ask(text))
    const { go, saved, model } = await world(t, {
      tools: [asking],
      model: ({ prompt }, n) =>
        n === 0 ? act('a', 'echo', 'tell me') : prompt.endsWith('tell me') ? 'told' : finish('y'),
    })
    expect(types(await go('Dune', 4)).at(-1)).toBe('observation')
    expect(saved.usage).toHaveLength(2)
    expect(model.requests).toHaveLength(2)
    await go()
    expect(saved.usage).toHaveLength(3)
  })

  test('includes the tools’ memory and the cost', async (t) => {
    const tool = echo((_, { memory }) => `seen ${(memory['n'] = Number(memory['n'] ?? 0) + 1)}`)
    const { go, saved } = await world(t, {
      tools: [tool],
      model: [act('a', 'echo', 'x'), act('b', 'echo', 'y'), finish('z')],
    })
    await go('Dune', 4)
    expect(saved.memory).toEqual({ n: 1 })
    const rest = await go()
    expect(rest.find((event) => event.type === 'observation')).toMatchObject({
      step: { observation: { text: 'seen 2' } },
    })
    expect(saved.usage).toHaveLength(3)
  })
})

describe('a question with pictures', () => {
  const image: Picture = { name: 'chart.png', mime: 'image/png', base64: 'Y2hhcnQ=' }
  /** Each load is recorded in `loads`. */
  const loader = () => {
    const loads: string[] = []
    return {
      loads,
      async images() {
        loads.push('loaded')
        return [image]
      },
    }
  }

  test('loads them once per process before the first thought, and saves none with the run', async (t) => {
    const { loads, images } = loader()
    const { go, model, saved } = await world(t, { images, model: [act('a', 'echo', 'x'), finish('y')] })
    await go('Dune', 3)
    expect(loads).toHaveLength(1)
    await go()
    expect(loads).toHaveLength(2)
    expect(model.requests.map((request) => request.images)).toEqual([
      ['data:image/png;base64,Y2hhcnQ='],
      ['data:image/png;base64,Y2hhcnQ='],
    ])
    expect(JSON.stringify(saved)).not.toContain('Y2hhcnQ')
  })

  test('is condensed without them', async (t) => {
    const { images } = loader()
    const { go, model, history } = await world(t, { images })
    await history.append(THREAD, BEFORE)
    model.condenses('What about Dune?', 'When was Dune written?')
    model.on('When was Dune written?', finish('1965'))
    await go()
    expect(model.requests.map((request) => [request.kind, request.images.length])).toEqual([
      ['condense', 0],
      ['turn', 1],
    ])
  })

  test('whose model cannot see saves that with the answer, and a resuming process reports it again', async (t) => {
    const { loads, images } = loader()
    const { go, model, saved } = await world(t, { images, model: [finish('y')] })
    model.takesNoPictures()
    const unseen = { type: 'answer', text: 'y', sources: [], unseen: true }
    expect((await go()).at(-1)).toEqual(unseen)
    expect(saved.answer).toEqual({ text: 'y', sources: [], unseen: true })
    expect((await go()).at(-1)).toEqual(unseen)
    expect([loads.length, model.requests.length]).toEqual([1, 2])
  })

  test('that gives up says so too', async (t) => {
    const { images } = loader()
    const { go, model, saved } = await world(t, { images, model: ['{"no": "answer"}'], limits: { maxSteps: 1 } })
    model.takesNoPictures()
    const end = (await go()).at(-1)
    expect(end).toMatchObject({ type: 'gave_up', unseen: true })
    expect(saved.answer).toMatchObject({ gaveUp: true, unseen: true })
    expect((await go()).at(-1)).toEqual(end)
  })
})
