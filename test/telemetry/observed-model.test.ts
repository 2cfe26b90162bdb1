import { expect, test } from 'vitest'
import type { Model, ModelEvent, ModelRequest } from '../../src/agent/contracts/model.ts'
import { ModelError } from '../../src/base/errors.ts'
import { withBreaker } from '../../src/model/circuit-breaker.ts'
import type { ModelCallEvent } from '../../src/telemetry/telemetry-event.ts'
import { observedModel, modelCallEvent, type ModelObserver } from '../../src/telemetry/observed-model.ts'

const usage = { model: 'm', inputTokens: 10, outputTokens: 2, estimated: false }

/** Returns a model that yields these events, one per second, and then throws an error. */
function playing(events: ModelEvent[], clock: { now: number }, error?: unknown): Model {
  return {
    name: 'm',
    async *stream(request) {
      try {
        for (const event of events) {
          clock.now += 1_000
          yield event
        }
        if (error !== undefined) throw error
      } finally {
        request.onUsage?.(usage)
      }
    },
  }
}

async function metered(
  events: ModelEvent[],
  { error, signal, take }: { error?: unknown; signal?: AbortSignal; take?: number } = {},
) {
  const clock = { now: 5_000 }
  const facts: ModelCallEvent[] = []
  const observer: ModelObserver = (call) => (end) => facts.push(modelCallEvent(call, end))
  const model = observedModel(playing(events, clock, error), [observer], () => clock.now)
  const request: ModelRequest = {
    messages: [{ role: 'user', content: 'q' }],
    signal: signal ?? new AbortController().signal,
  }
  const seen: ModelEvent[] = []
  let thrown: unknown
  try {
    for await (const event of model.stream(request)) if (seen.push(event) === take) break
  } catch (caught) {
    thrown = caught
  }
  return { facts, fact: facts[0]!, seen, thrown }
}

const text = (words: string): ModelEvent => ({ type: 'text', text: words })

test('a call is reported once, with times, tokens and texts', async () => {
  const { facts, fact, seen } = await metered([text('a'), text('b')])
  expect(facts).toHaveLength(1)
  expect(seen).toEqual([text('a'), text('b')])
  expect(fact).toMatchObject({
    model: 'm',
    outcome: 'ok',
    from: 5_000,
    firstMs: 1_000,
    ms: 2_000,
    retries: 0,
    text: 'ab',
    usages: [usage],
  })
})

test('a call that its caller ends early is complete: the cut at an observation is not a failure', async () => {
  const { fact } = await metered([text('a'), text('b'), text('c')], { take: 2 })
  expect(fact).toMatchObject({ outcome: 'ok', ms: 2_000, text: 'ab', usages: [usage] })
})

test('a restart is a retry, and earlier text does not count', async () => {
  const { fact } = await metered([text('lost'), { type: 'restart' }, text('kept')])
  expect(fact).toMatchObject({ retries: 1, text: 'kept', outcome: 'ok' })
})

test('reasoning counts as the first token, and tool calls are kept', async () => {
  const calls = [{ id: '1', name: 'calculator', arguments: '{}' }]
  const { fact } = await metered([
    { type: 'reasoning', text: 'hm' },
    { type: 'tool_calls', calls },
  ])
  expect(fact).toMatchObject({ firstMs: 1_000, text: '', toolCalls: calls })
})

test('the notice about pictures is not a first token', async () => {
  const { fact } = await metered([{ type: 'unseen' }, text('a')])
  expect(fact).toMatchObject({ firstMs: 2_000, text: 'a' })
})

test('a failure keeps its class but not its message, and reaches the caller', async () => {
  const cause = Object.assign(new Error('secret prompt'), { status: 429 })
  const error = new ModelError('model m: secret prompt', { hint: '', cause })
  const { fact, thrown } = await metered([], { error })
  expect(thrown).toBe(error)
  expect(fact).toMatchObject({ outcome: 'failed', error: '429' })
  expect('firstMs' in fact).toBe(false)
  expect((await metered([], { error: new TypeError('secret') })).fact.error).toBe('TypeError')
  expect((await metered([], { error: 'secret' })).fact.error).toBe('_OTHER')
})

test('a timed-out run and a released one have different outcomes', async () => {
  const timeUp = AbortSignal.abort(new DOMException('Time is up.', 'TimeoutError'))
  expect((await metered([], { error: timeUp.reason, signal: timeUp })).fact).toMatchObject({
    outcome: 'timeout',
    error: 'timeout',
  })
  const stopped = AbortSignal.abort(new Error('The bot is stopping.'))
  expect((await metered([], { error: stopped.reason, signal: stopped })).fact).toMatchObject({
    outcome: 'aborted',
    error: 'aborted',
  })
})

test('a breaker reports opening and closing once each', async () => {
  const told: boolean[] = []
  const clock = { now: 0 }
  let isDown = true
  const failing: Model = {
    name: 'm',
    async *stream() {
      if (isDown) throw new ModelError('down', { hint: '', retryable: true })
      yield text('up')
    },
  }
  const model = withBreaker(failing, {
    failures: 2,
    openMs: 1_000,
    hangMs: 0,
    now: () => clock.now,
    onChange: (isOpen) => told.push(isOpen),
  })
  const call = async () => {
    for await (const event of model.stream({ messages: [], signal: new AbortController().signal })) void event
  }
  for (let i = 0; i < 4; i++) await call().catch(() => undefined)
  expect(told).toEqual([false, true])
  isDown = false
  clock.now = 2_000
  await call()
  await call()
  expect(told).toEqual([false, true, false])
})
