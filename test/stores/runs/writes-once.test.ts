/** Calls that change something, in processes that end at any moment. */
import { describe, expect, test } from 'vitest'
import { answer, type AnswerEvent } from '../../../src/question/answer.ts'
import type { Step, ToolStep } from '../../../src/agent/contracts/run-events.ts'
import type { PersonsAnswer, Tool } from '../../../src/agent/contracts/tool.ts'
import { loadPrompts } from '../../../src/base/prompts.ts'
import { callKey } from '../../../src/stores/runs/call-key.ts'
import type { RunControl } from '../../../src/stores/runs/run-control.ts'
import { embeddedRun } from '../../../src/stores/runs/memory-run.ts'
import { fieldOf, parseRun } from '../../../src/stores/runs/stored-run.ts'
import { freshRun, type Run, type RunPart, type SavedRun } from '../../../src/stores/runs/types.ts'
import { undecidedSteps } from '../../../src/stores/runs/wait-keys.ts'
import { agentDeps, echo } from '../../harness/agent-run.ts'
import type { Ends } from '../../harness/ends.ts'
import { act, finish, playModel, type Script } from '../../harness/played-model.ts'
import { historyInMemory, question } from '../../harness/stores.ts'

const ASKED = question('Dune')

/** A control of runs, so that a step can wait. The tests write decisions into the run. */
const REACHABLE: RunControl = {
  send: async () => 'sent',
  resume: async () => 'woken',
  load: async () => undefined,
  listen: async () => () => {},
}

interface Process {
  dies?: (about: RunPart | AnswerEvent) => boolean
  tools?: Tool[]
}

interface World {
  model: Script
  tools: Tool[]
  dialect?: 'text' | 'native'
  grants?: string[]
  isReachable?: boolean
}

/** Runs one question in as many processes as the test starts. Each reads the run as the previous one stored it. */
async function world(t: Ends, { model: script, tools, dialect = 'text', grants, isReachable = true }: World) {
  const model = await playModel(t, script)
  let saved: SavedRun = freshRun(1)
  const events: AnswerEvent[] = []
  /** `dies`: the process ends when that is saved, before it is saved, or when that event is emitted. */
  const process = async ({ dies, tools: others }: Process = {}) => {
    const [run, signal] = [embeddedRun(saved, () => true), new AbortController().signal]
    const agent = agentDeps(model.url, { dialect, tools: others ?? tools })
    const mortal: Run = {
      ...run,
      save: async (...parts) => {
        if (parts.some((part) => dies?.(part))) throw new Error('The process died.')
        await run.save(...parts)
      },
    }
    const deps = {
      ...{ agent, history: historyInMemory(), prompts: loadPrompts(), signal },
      ...{ condenseModel: agent.model, control: isReachable ? REACHABLE : undefined },
      ...(grants
        ? { grants: { grantedBy: async ({ name }: Tool) => (grants.includes(name) ? 'U1' : undefined) } }
        : {}),
    }
    try {
      for await (const event of answer(ASKED, mortal, deps)) {
        if (dies?.(event)) break
        events.push(event)
      }
    } catch (error) {
      if (!dies) throw error
    }
    saved = reread(saved)
  }
  return {
    process,
    decide: (key: string, decision: SavedRun['decisions'][string]) => void (saved.decisions[key] = decision),
    run: () => saved,
    step: (n = 1) => toolStepAt(saved.steps, n),
    events,
    model,
  }
}

/** Returns the run as another process reads it from Redis. */
function reread(saved: SavedRun): SavedRun {
  const steps = saved.steps.map((value, i) => fieldOf({ part: 'step', n: i + 1, value }))
  const decisions = Object.entries(saved.decisions).map(([key, value]) => [`decision:${key}`, JSON.stringify(value)])
  const fields = Object.fromEntries([...steps, ...decisions, ['question', JSON.stringify(ASKED)]])
  const read = parseRun(fields)!.saved
  expect({ steps: read.steps, decisions: read.decisions }).toEqual({ steps: saved.steps, decisions: saved.decisions })
  return { ...saved, steps: read.steps, decisions: read.decisions }
}

function toolStepAt(steps: readonly Step[], n: number): ToolStep {
  const step = steps[n - 1]
  if (step?.kind !== 'tool') throw new Error(`Step ${n} uses no tool.`)
  return step
}

const isBegun = (about: RunPart | AnswerEvent) =>
  'part' in about &&
  about.part === 'step' &&
  about.value.kind === 'tool' &&
  !!about.value.begun &&
  !about.value.observation
const isObserved = (about: RunPart | AnswerEvent) =>
  'part' in about && about.part === 'step' && about.value.kind !== 'message' && about.value.observation !== undefined
const isBegunEvent = (about: RunPart | AnswerEvent) => 'type' in about && about.type === 'begun'

const write = (more: Partial<Tool> = {}) => echo(undefined, { effects: 'write', ...more })
const ONCE = [act('a', 'echo', 'x'), finish('Done.')]
const allowed = (input: unknown) => ({ outcome: 'allowed' as const, by: 'U2', at: 1, key: callKey('echo', input) })

describe('a write', () => {
  test('is saved as begun before it is made, and reported once', async (t) => {
    const savedAtCall: unknown[] = []
    const tool: Tool = echo(() => (savedAtCall.push(run().steps[0]), 'done'), { effects: 'write' })
    const { process, run, events } = await world(t, { model: ONCE, tools: [tool] })
    await process()
    expect(savedAtCall).toMatchObject([{ begun: expect.any(Number), action: { tool: 'echo' } }])
    expect(events.map(({ type }) => type).filter((type) => type !== 'usage')).toEqual([
      'thought',
      'action',
      'begun',
      'observation',
      'done',
      'answer',
    ])
  })

  test('that only reads is not saved as begun', async (t) => {
    const { process, events, step } = await world(t, { model: ONCE, tools: [echo()] })
    await process()
    expect(events.map(({ type }) => type)).not.toContain('begun')
    expect(step().begun).toBeUndefined()
  })

  // The number of calls across a crash and the process after it, and what the model then reads.
  test.for([
    ['before it is saved as begun', isBegun, 1, 'echo of x'],
    ['when it is told as begun', isBegunEvent, 0, /not known whether echo took effect: the process/],
    [
      'after the call and before its observation is saved',
      isObserved,
      1,
      /not known whether echo took effect: the process/,
    ],
  ] as const)('is made at most once where the process dies %s', async ([, dies, calls, told], t) => {
    const tool = write()
    const { process, step } = await world(t, { model: ONCE, tools: [tool] })
    await process({ dies })
    await process()
    expect(tool.calls).toHaveLength(calls)
    expect(step().observation?.text).toMatch(told)
    expect(step().observation?.unknown ?? false).toBe(typeof told !== 'string')
  })

  test('is repeated if its tool is idempotent', async (t) => {
    const tool = write({ idempotent: true })
    const { process, step } = await world(t, { model: ONCE, tools: [tool] })
    await process({ dies: isObserved })
    await process()
    expect([tool.calls, step().observation]).toEqual([['x', 'x'], { ok: true, text: 'echo of x' }])
  })

  test('is not repeated by a process without the tool', async (t) => {
    const tool = write()
    const { process, step } = await world(t, { model: ONCE, tools: [tool] })
    await process({ dies: isObserved })
    await process({ tools: [echo(undefined, { name: 'other' })] })
    expect(step().observation).toMatchObject({ unknown: true })
  })

  test('that timed out may have taken effect', async (t) => {
    const tool = echo(() => new Promise<string>(() => {}), { effects: 'write', timeoutMs: 30 })
    const { process, step } = await world(t, { model: ONCE, tools: [tool] })
    await process()
    expect(step().observation).toMatchObject({ ok: false, unknown: true, down: true })
    expect(step().observation?.text).toContain('it did not finish within 0.0 s')
  })

  test('that may have taken effect is repeated only with a new approval, whatever grants exist', async (t) => {
    const tool = write()
    const native = (input: string) => ({ toolCalls: [{ name: 'echo', arguments: input }] })
    const { process, decide, step } = await world(t, {
      dialect: 'native',
      model: [native('{"query":"x"}'), native('{ "query": "x" }'), 'Done.'],
      tools: [tool],
      grants: ['echo'],
    })
    await process({ dies: isObserved })
    await process()
    expect(tool.calls).toEqual(['x'])
    expect(step(2).waiting?.for).toMatchObject({ kind: 'approval', input: { query: 'x' }, isRepeat: true })
    decide('2', allowed({ query: 'x' }))
    await process()
    expect(tool.calls).toEqual(['x', 'x'])
    expect(step(2).observation).toMatchObject({ ok: true })
  })

  test('that may have taken effect is not repeated if nobody can be asked', async (t) => {
    const tool = write()
    const model = [act('a', 'echo', 'x'), act('b', 'echo', 'x'), finish('Done.')]
    const { process, step } = await world(t, { model, tools: [tool], isReachable: false })
    await process({ dies: isObserved })
    await process()
    expect(tool.calls).toEqual(['x'])
    expect(step(2).observation?.text).toMatch(/nobody can approve it here/)
  })
})

describe('an approval', () => {
  const needs = (more: Partial<Tool> = {}) => write({ needsApproval: true, ...more })

  test('shows what will be sent and the tool’s description, also in a process without the tool', async (t) => {
    const { process, step, run } = await world(t, { model: ONCE, tools: [needs({ server: 'files' })] })
    await process()
    expect(step().waiting).toEqual({
      since: expect.any(Number),
      for: { kind: 'approval', input: { query: 'x' }, server: 'files', says: 'Says it back.' },
    })
    expect(undecidedSteps(run())).toEqual(['1'])
    const before = structuredClone(step())
    await process()
    expect(step()).toEqual(before)
  })

  test('for other arguments runs nothing', async (t) => {
    const tool = needs()
    const { process, decide, step } = await world(t, { model: ONCE, tools: [tool] })
    await process()
    decide('1', allowed({ query: 'another' }))
    await process()
    expect(tool.calls).toEqual([])
    expect(step().observation?.text).toMatch(/the tool or its input has changed/)
  })

  test('counts for the same arguments in any key order', () => {
    expect(callKey('t', { a: 1, b: { c: [1, { d: 2, e: 3 }] } })).toBe(
      callKey('t', { b: { c: [1, { e: 3, d: 2 }] }, a: 1 }),
    )
    expect(callKey('t', { a: 1 })).not.toBe(callKey('u', { a: 1 }))
    expect(callKey('t', [1, 2])).not.toBe(callKey('t', [2, 1]))
    const live = { at: new Date(0), none: undefined, big: 1n, '__proto__ ': 1 }
    expect(callKey('t', live)).toBe(callKey('t', { at: '1970-01-01T00:00:00.000Z', big: '1', '__proto__ ': 1 }))
    expect(callKey('t', undefined)).toMatch(/^[0-9a-f]{64}$/)
  })

  test('without the key of a call allows nothing', async (t) => {
    const tool = needs()
    const { process, decide } = await world(t, { model: ONCE, tools: [tool] })
    await process()
    decide('1', { outcome: 'allowed', by: 'U2', at: 1, key: 'k' })
    await process()
    expect(tool.calls).toEqual([])
  })

  test('is requested for two of three parallel calls, each decided separately; the third runs', async (t) => {
    const tools = [needs(), write({ name: 'other', needsApproval: true }), echo(undefined, { name: 'free' })]
    const toolCalls = ['echo', 'free', 'other'].map((name) => ({ name, arguments: '{"query":"x"}' }))
    const { process, decide, run, step } = await world(t, { dialect: 'native', model: [{ toolCalls }, 'Done.'], tools })
    await process()
    expect([undecidedSteps(run()), tools.map(({ calls }) => calls.length)]).toEqual([
      ['1', '3'],
      [0, 0, 1],
    ])
    decide('3', { outcome: 'denied', by: 'U2', at: 1, key: 'k', reason: 'No.' })
    await process()
    expect([undecidedSteps(run()), run().answer]).toEqual([['1'], undefined])
    expect(step(3).observation?.text).toMatch(/denied it\. The reason given: No\./)
    decide('1', allowed({ query: 'x' }))
    await process()
    expect(run().answer?.text).toBe('Done.')
    expect(tools.map(({ calls }) => calls.length)).toEqual([1, 0, 1])
  })

  test('is not requested if the thread has a grant', async (t) => {
    const tools = [needs(), needs({ name: 'other' })]
    const model = [act('a', 'echo', 'x'), act('b', 'other', 'x')]
    const { process, run } = await world(t, { model, tools, grants: ['echo'] })
    await process()
    expect([tools[0]?.calls, undecidedSteps(run())]).toEqual([['x'], ['2']])
  })
})

describe('a tool that asks the asker', () => {
  /** Asks twice, and then returns the answers. */
  const asking = (more: Partial<Tool> = {}) => {
    const seen: (readonly PersonsAnswer[])[] = []
    const tool: Tool = {
      ...echo(),
      ...more,
      run: async (_, { answers = [] }) => {
        seen.push(structuredClone(answers))
        const asks = {
          server: 's',
          message: `Number ${answers.length + 1}?`,
          schema: {},
          state: { at: answers.length },
        }
        return answers.length < 2 ? { asks } : JSON.stringify(answers.map(({ action, content }) => content ?? action))
      },
    }
    return { tool, seen }
  }
  const answered = (n: number) => ({
    outcome: 'answered' as const,
    by: 'U1',
    action: 'accept' as const,
    content: { n },
  })

  test('twice gets both answers, each round in another process, also after an approval', async (t) => {
    const { tool, seen } = asking({ effects: 'write', needsApproval: true })
    const { process, decide, run, step } = await world(t, { model: ONCE, tools: [tool] })
    await process()
    decide('1', allowed({ query: 'x' }))
    await process()
    expect(step().waiting).toMatchObject({
      round: 2,
      for: { kind: 'question', message: 'Number 1?', state: { at: 0 } },
    })
    // The call ended by asking, so nothing about it is unknown.
    expect([step().begun, undecidedSteps(run())]).toEqual([undefined, ['1.2']])
    await process()
    expect(seen).toHaveLength(1)
    decide('1.2', answered(1))
    await process()
    expect(undecidedSteps(run())).toEqual(['1.3'])
    decide('1.3', { outcome: 'expired' })
    await process()
    const both = [
      { state: { at: 0 }, action: 'accept', content: { n: 1 } },
      { state: { at: 1 }, action: 'cancel' },
    ]
    expect(seen).toEqual([[], both.slice(0, 1), both])
    expect(step()).toMatchObject({ answers: both, observation: { ok: true, text: '[{"n":1},"cancel"]' } })
    expect(run().answer?.text).toBe('Done.')
  })

  test('and is cut off during its call gets the same answers again', async (t) => {
    const { tool, seen } = asking()
    const { process, decide } = await world(t, { model: ONCE, tools: [tool] })
    await process()
    decide('1', answered(1))
    await process({ dies: (about) => 'part' in about && about.part === 'step' })
    await process()
    expect(seen).toMatchObject([[], [{ content: { n: 1 } }], [{ content: { n: 1 } }]])
  })

  test('without anybody to ask reports its question', async (t) => {
    const { tool } = asking()
    const { process, step } = await world(t, { model: ONCE, tools: [tool], isReachable: false })
    await process()
    expect(step().observation).toEqual({ ok: false, text: 'echo asks: Number 1? Nobody can be asked here.' })
  })

  test('endlessly is not called again', async (t) => {
    const tool: Tool = { ...echo(), run: async () => ({ asks: { server: 's', message: 'More?', state: null } }) }
    const { process, decide, run, step } = await world(t, { model: ONCE, tools: [tool] })
    await process()
    for (let rounds = 0; rounds < 20 && undecidedSteps(run()).length > 0; rounds++) {
      decide(undecidedSteps(run())[0]!, answered(rounds))
      await process()
    }
    expect(step().answers).toHaveLength(10)
    expect(step().observation?.text).toMatch(/asked the person too often/)
  })
})
