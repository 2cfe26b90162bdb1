/** Runs whose time ends while a model or a tool keeps them waiting. Time jumps, so nothing is waited for. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { echo, runOn } from '../harness/agent-run.ts'
import { fileEnds } from '../harness/ends.ts'
import { jumpingTime } from '../harness/jumping-time.ts'
import { act, finish } from '../harness/played-model.ts'

const ends = fileEnds()
// Loads what a run loads, for which no time may jump.
beforeAll(() => runOn(ends, { model: [{ text: finish('ready'), usage: false }] }))
beforeEach(jumpingTime)

describe('a run ends at its limit', () => {
  test('of time: after a hanging call the model is asked for its best answer while there is time', async (t) => {
    const { final, model } = await runOn(t, {
      model: ({ prompt }, n) => {
        if (/run out of time/.test(prompt)) return finish('in time')
        return n === 0 ? act('a', 'echo', 'x') : { hang: true }
      },
      limits: { timeoutMs: 20_000 },
    })
    expect(final).toEqual({ type: 'answer', text: 'in time', sources: [], stopped: 'time' })
    expect(model.requests.at(-2)?.aborted).toBe(true)
  })

  test('of time: a slow tool does not outlive the run', async (t) => {
    const tool = echo(() => new Promise<string>(() => {}))
    const from = Date.now()
    const { final } = await runOn(t, {
      model: [act('a', 'echo', 'x'), finish('without')],
      tools: [tool],
      limits: { timeoutMs: 20_000, toolTimeoutMs: 60_000 },
    })
    expect(final).toEqual({ type: 'answer', text: 'without', sources: [], stopped: 'time' })
    expect(Date.now() - from).toBeLessThan(50_000)
  })

  test('of time: a final turn that trickles is cut, and its text counts', async (t) => {
    const trickle = { text: `${finish('as far as it got')} ${'and on '.repeat(5000)}`, chunkMs: 50 }
    const { final } = await runOn(t, { model: trickle.text ? [trickle] : [], limits: { timeoutMs: 24_000 } })
    expect(final).toMatchObject({ type: 'answer', stopped: 'time', text: expect.stringMatching(/^as far as it got/) })
  })
})

describe('a run that gets no answer', () => {
  test('because the model fell silent tells what the tools had found', async (t) => {
    const { final } = await runOn(t, {
      model: (_, n) => (n === 0 ? act('a', 'echo', 'x') : { hang: true }),
      limits: { timeoutMs: 20_000 },
    })
    expect(final).toEqual({
      type: 'gave_up',
      reason: 'time',
      text: 'I could not find an answer. This is what I found:\n- Echo: echo of x',
    })
  })

  test('because the model stalled is not shown as one', async (t) => {
    const { final } = await runOn(t, {
      model: (_, n) =>
        n === 0 ? act('a', 'echo', 'x') : { text: finish('The colour is blue because'), stallAfter: 60 },
      limits: { maxSteps: 1, timeoutMs: 20_000 },
    })
    expect(final).toMatchObject({ type: 'gave_up', reason: 'steps' })
    expect(final).toMatchObject({
      text: expect.stringMatching(
        /^The model's answer was cut off: .*stopped responding.*\n\nThe colour.* …\n\nThis is what I found:\n- Echo: echo of x$/s,
      ),
    })
  })
})
