import { describe, expect, onTestFinished, test } from 'vitest'
import { answer, type AnswerEvent } from '../../../src/question/answer.ts'
import { loadPrompts } from '../../../src/base/prompts.ts'
import { memoryQueue } from '../../../src/queue/memory-queue.ts'
import { callKey } from '../../../src/stores/runs/call-key.ts'
import { conversationOf, type SavedRun } from '../../../src/stores/runs/types.ts'
import { agentDeps, echo, type AgentOptions } from '../../harness/agent-run.ts'
import type { Ends } from '../../harness/ends.ts'
import { act, finish, playModel } from '../../harness/played-model.ts'
import { historyInMemory, eventually, keptLog, question } from '../../harness/stores.ts'

const ASKED = question('Dune')
const RUN = { thread: conversationOf(ASKED), id: ASKED.id }
const STOP = { type: 'stop', by: 'U2' } as const

/** Returns a queue whose handler answers like the bot's. `failsAt`: the process dies at the nth event, once. */
async function world(t: Ends, options: AgentOptions & { failsAt?: number; isReachable?: boolean }) {
  const model = await playModel(t, options.model)
  const history = historyInMemory()
  const queue = memoryQueue({ now: Date.now, log: keptLog(), backoffMs: 5, graceMs: 50 })
  onTestFinished(() => queue.stop(0))
  const agent = agentDeps(model.url, options)
  const control = options.isReachable === false ? undefined : queue.control
  const deps = { agent, history, prompts: loadPrompts(), condenseModel: agent.model, control }
  const events: AnswerEvent[] = []
  const results: ('waiting' | 'done')[] = []
  let saved: SavedRun | undefined
  let failsAt = options.failsAt
  await queue.start(async (asked, run, signal) => {
    saved = run.saved
    let isWaiting = false
    for await (const event of answer(asked, run, { ...deps, signal })) {
      events.push(event)
      isWaiting ||= event.type === 'waiting'
      if (events.length === failsAt) {
        failsAt = undefined
        throw new Error('The process died.')
      }
    }
    results.push(isWaiting ? 'waiting' : 'done')
    return isWaiting ? 'waiting' : undefined
  })
  const has = (...ends: ('waiting' | 'done')[]) => eventually(() => expect(results).toEqual(ends))
  const isAsked = (times: number) => eventually(() => expect(model.requests).toHaveLength(times))
  return { model, history, queue, control: queue.control, events, has, isAsked, run: () => saved }
}

describe('a stop', () => {
  test('while the model is silent ends the run, which is saved as stopped', async (t) => {
    const { queue, control, isAsked, has, run, history } = await world(t, {
      model: [act('a', 'echo', 'x'), { hang: true }],
    })
    await queue.accept(ASKED)
    await isAsked(2)
    expect(await control.send(RUN, STOP)).toBe('sent')
    await has('done')
    expect(run()?.answer).toMatchObject({
      stopped: 'stopped',
      gaveUp: true,
      text: expect.stringContaining('echo of x'),
    })
    expect(await history.load(RUN.thread)).toHaveLength(1)
    expect(await control.send(RUN, STOP)).toBe('not_running')
  })

  test('while a follow-up is condensed ends it too', async (t) => {
    const { queue, control, isAsked, has, run, history } = await world(t, { model: [{ hang: true }] })
    const turn = { id: 'x', question: 'Q', standalone: 'Q', answer: 'A', user: 'U1', at: 1 }
    await history.append(RUN.thread, turn)
    await queue.accept(ASKED)
    await isAsked(1)
    await control.send(RUN, STOP)
    await has('done')
    expect(run()?.answer?.stopped).toBe('stopped')
  })
})

describe('what a person adds', () => {
  test('becomes a saved step, which a resuming process does not add again', async (t) => {
    const added = { type: 'message', id: 'm1', user: 'U2', text: 'I meant the film.' } as const
    const { queue, control, events, has, run, model } = await world(t, {
      model: async ({ prompt }, n) => {
        if (n === 0) await control.send(RUN, added)
        return prompt.includes('I meant the film.') ? finish('The film.') : act('a', 'echo', 'x')
      },
      // After the message.
      failsAt: 5,
    })
    await queue.accept(ASKED)
    await has('done')
    expect(events[4]?.type === 'message' || events[3]?.type === 'message').toBe(true)
    expect(run()).toMatchObject({ attempts: 2, steps: [{ kind: 'tool' }, { kind: 'message', id: 'm1', user: 'U2' }] })
    expect(run()?.steps).toHaveLength(2)
    expect(model.requests.at(-1)?.prompt.split('I meant the film.')).toHaveLength(2)
  })
})

describe('a tool that needs approval', () => {
  const needs = () => echo(undefined, { needsApproval: true })
  const asking = [act('a', 'echo', 'x'), finish('Done.')]

  test('waits, runs once when allowed, and only then has an answer', async (t) => {
    const tool = needs()
    const { queue, control, has, run, history } = await world(t, { model: asking, tools: [tool] })
    await queue.accept(ASKED)
    await has('waiting')
    expect([tool.calls, await history.load(RUN.thread)]).toEqual([[], []])
    await control.resume(RUN, '1', { outcome: 'allowed', by: 'U2', at: 1, key: callKey('echo', { query: 'x' }) })
    await has('waiting', 'done')
    expect(tool.calls).toEqual(['x'])
    expect(run()).toMatchObject({ answer: { text: 'Done.' }, steps: [{ observation: { text: 'echo of x' } }] })
    expect(await history.load(RUN.thread)).toHaveLength(1)
  })

  test.for([
    [
      { outcome: 'denied', by: 'U2', at: 1, key: 'k', reason: 'Too dear.' },
      /person denied it\. The reason given: Too dear\./,
    ],
    [{ outcome: 'expired' }, /nobody approved it in time/],
  ] as const)('that is not allowed is not run: %o', async ([decision, told], t) => {
    const tool = needs()
    const { queue, control, has, run } = await world(t, { model: asking, tools: [tool] })
    await queue.accept(ASKED)
    await has('waiting')
    await control.resume(RUN, '1', decision)
    await has('waiting', 'done')
    expect(run()?.steps[0]).toMatchObject({ observation: { ok: false, text: expect.stringMatching(told) } })
    expect(tool.calls).toEqual([])
  })

  test('is not run if nobody can be asked', async (t) => {
    const tool = needs()
    const { queue, has, run } = await world(t, { model: asking, tools: [tool], isReachable: false })
    await queue.accept(ASKED)
    await has('done')
    expect(run()?.steps[0]).toMatchObject({
      observation: { ok: false, text: expect.stringMatching(/nobody can approve/) },
    })
    expect(tool.calls).toEqual([])
  })

  test('a stop ends a suspended run', async (t) => {
    const { queue, control, has, run } = await world(t, { model: asking, tools: [needs()] })
    await queue.accept(ASKED)
    await has('waiting')
    await control.send(RUN, STOP)
    await has('waiting', 'done')
    expect(run()?.answer?.stopped).toBe('stopped')
  })
})
