import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Model, ModelEvent, ModelRequest } from '../../src/agent/contracts/model.ts'
import { LeaseLost, ModelError } from '../../src/base/errors.ts'
import { withBreaker } from '../../src/model/circuit-breaker.ts'
import { startBot } from '../harness/bot.ts'
import { fileEnds, type Ends } from '../harness/ends.ts'
import { jumpingTime, timeoutSignal } from '../harness/jumping-time.ts'
import { callModel, modelsOf } from '../harness/model-call.ts'
import { finish, playModel, type Script } from '../harness/played-model.ts'
import { deferred } from '../harness/stores.ts'

const ends = fileEnds()

type Play = 'works' | 'fails' | 'is cut' | 'refuses' | 'hangs'

/** Returns a model with a circuit breaker that opens after three failures for ten seconds, and its clock. */
function guarded(play: { now: Play }) {
  const clock = { ms: 1_000 }
  const gate = deferred()
  let calls = 0
  const inner: Model = {
    name: 'm',
    async *stream({ signal }) {
      calls += 1
      const now = play.now
      if (now === 'hangs') await Promise.race([gate.promise, gone(signal)])
      if (now === 'works' || now === 'is cut' || now === 'hangs') yield { type: 'text', text: 'up' }
      if (now === 'fails' || now === 'is cut') throw new ModelError('503', { hint: 'down', retryable: true })
      if (now === 'refuses') throw new ModelError('401', { hint: 'key', retryable: false })
      yield { type: 'text', text: ' and running' }
    },
  }
  const model = withBreaker(inner, { hangMs: 0, failures: 3, openMs: 10_000, now: () => clock.ms })
  return { model, clock, gate, calls: () => calls }
}

/** Never resolves. Rejects with the reason of the abort. */
function gone(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
}

async function fails(model: Model, times: number): Promise<void> {
  for (let n = 0; n < times; n++) expect((await callModel(model)).error).toMatchObject({ hint: 'down' })
}

const SPARED = {
  name: 'ModelError',
  retryable: true,
  hint: expect.stringMatching(/has been failing for a while.*ask again in/),
}

describe('a circuit breaker', () => {
  test('opens after repeated failures and rejects at once', async () => {
    const { model, calls } = guarded({ now: 'fails' })
    await fails(model, 3)
    for (let n = 0; n < 5; n++) expect((await callModel(model)).error).toMatchObject(SPARED)
    expect(calls()).toBe(3)
  })

  test('lets one trial call through later, and closes if it succeeds', async () => {
    const play = { now: 'fails' as Play }
    const { model, clock, calls } = guarded(play)
    await fails(model, 3)
    clock.ms += 9_999
    expect((await callModel(model)).error).toMatchObject(SPARED)
    clock.ms += 1
    play.now = 'works'
    expect(await callModel(model)).toMatchObject({ text: 'up and running' })
    expect(await callModel(model)).toMatchObject({ text: 'up and running' })
    expect(calls()).toBe(5)
  })

  test('stays open for another period if the trial fails', async () => {
    const { model, clock, calls } = guarded({ now: 'fails' })
    await fails(model, 3)
    clock.ms += 10_000
    await fails(model, 1)
    expect((await callModel(model)).error).toMatchObject(SPARED)
    clock.ms += 10_000
    await fails(model, 1)
    expect(calls()).toBe(5)
  })

  test('admits one trial at a time', async () => {
    const play = { now: 'hangs' as Play }
    const { model, clock, calls, gate } = guarded(play)
    const early = callModel(model)
    play.now = 'fails'
    await fails(model, 3)
    clock.ms += 10_000
    play.now = 'hangs'
    const trial = callModel(model)
    expect((await callModel(model)).error).toMatchObject(SPARED)
    expect(calls()).toBe(5)
    gate.resolve()
    expect(await early).toMatchObject({ text: 'up and running' })
    expect(await trial).toMatchObject({ text: 'up and running' })
  })

  test('counts a call that its reader ended early as a success', async () => {
    const play = { now: 'fails' as Play }
    const { model, clock } = guarded(play)
    await fails(model, 3)
    clock.ms += 10_000
    play.now = 'works'
    for await (const event of model.stream({ messages: [], signal: new AbortController().signal }))
      if (event.type === 'text') break
    play.now = 'fails'
    await fails(model, 3)
  })

  test('counts consecutive failures: a success resets it', async () => {
    const play = { now: 'fails' as Play }
    const { model } = guarded(play)
    await fails(model, 2)
    play.now = 'works'
    await callModel(model)
    play.now = 'fails'
    await fails(model, 3)
    expect((await callModel(model)).error).toMatchObject(SPARED)
  })

  test('counts a stream that is cut in the middle as a failure', async () => {
    const { model, calls } = guarded({ now: 'is cut' })
    await fails(model, 3)
    expect((await callModel(model)).error).toMatchObject(SPARED)
    expect(calls()).toBe(3)
  })

  test('does not open for errors that waiting does not cure', async () => {
    const { model, calls } = guarded({ now: 'refuses' })
    for (let n = 0; n < 6; n++) expect((await callModel(model)).error).toMatchObject({ hint: 'key' })
    expect(calls()).toBe(6)
  })

  test('does not count a restart or omitted pictures as a sign of life', async () => {
    const events: ModelEvent[] = [{ type: 'restart' }, { type: 'unseen' }]
    const inner: Model = {
      name: 'm',
      async *stream() {
        yield* events
        throw new ModelError('503', { hint: 'down', retryable: true })
      },
    }
    const model = withBreaker(inner, { hangMs: 0, failures: 2, now: () => 0 })
    await fails(model, 2)
    expect((await callModel(model)).error).toMatchObject(SPARED)
  })
})

describe('a model that never answers', () => {
  // Loads what a call loads, for which no time may jump.
  beforeAll(async () => {
    const { call } = await endpoint(ends, [{ text: 'Here.', usage: false }])
    await call(60_000)
  })
  beforeEach(jumpingTime)

  /**
   * Starts an endpoint with a script. Each call may take `runMs`. A silence of 400 ms, or of 0.4 of `runMs`, counts as
   * a hang.
   */
  async function endpoint(t: Ends, script: Script, runMs = 1_000) {
    const played = await playModel(t, script)
    const { model } = modelsOf({ OPENAI_BASE_URL: played.url, AGENT_TIMEOUT_MS: String(runMs) })
    const call = (ms: number, more: Partial<ModelRequest> = {}) =>
      callModel(model, { signal: timeoutSignal(ms), timeMs: ms, ...more })
    return { played, call }
  }

  test('has failed when its caller’s time is up, and after a few times nobody waits', async (t) => {
    const { played, call } = await endpoint(t, [{ hang: true }])
    for (let n = 0; n < 4; n++) expect((await call(500)).error).toMatchObject({ name: 'TimeoutError' })
    expect((await call(60_000)).error).toMatchObject(SPARED)
    expect(played.requests).toHaveLength(4)
  })

  test('has failed too if it fell silent in mid-answer', async (t) => {
    const { call } = await endpoint(t, [{ text: 'Well, let me see', chunkMs: 60_000 }])
    for (let n = 0; n < 4; n++) expect((await call(500)).error).toMatchObject({ name: 'TimeoutError' })
    expect((await call(60_000)).error).toMatchObject(SPARED)
  })

  test('has not failed if the call had only the rest of its run’s time', async (t) => {
    let isThinking = true
    const { call } = await endpoint(t, () => (isThinking ? { hang: true } : 'I was only thinking.'), 60_000)
    for (let n = 0; n < 6; n++) expect((await call(100)).error).toMatchObject({ name: 'TimeoutError' })
    isThinking = false
    expect((await call(60_000)).text).toBe('I was only thinking.')
  })

  test('has not failed while it was still sending', async (t) => {
    const { call } = await endpoint(t, [{ text: 'word '.repeat(5000), chunkMs: 100 }], 5_000)
    for (const { error } of await Promise.all(Array.from({ length: 6 }, () => call(3_000))))
      expect(error).toMatchObject({ name: 'TimeoutError' })
  })

  test('has not failed if the caller aborted or used another time limit', async (t) => {
    let isSlow = true
    const { call } = await endpoint(t, () => (isSlow ? { hang: true } : 'I was only slow.'))
    for (let n = 0; n < 6; n++) {
      const stop = new AbortController()
      setTimeout(() => stop.abort(new LeaseLost('The bot is stopping.')), 50)
      expect((await call(60_000, { signal: stop.signal })).error).toMatchObject({ name: 'LeaseLost' })
      const toolTime = { signal: timeoutSignal(50), timeMs: undefined } as Partial<ModelRequest>
      expect((await call(60_000, toolTime)).error).toMatchObject({ name: 'TimeoutError' })
    }
    isSlow = false
    expect((await call(60_000)).text).toBe('I was only slow.')
  })

  test('stays avoided for another period if the trial call hangs too', async () => {
    const play = { now: 'fails' as Play }
    const { model, clock, calls } = guarded(play)
    await fails(model, 3)
    clock.ms += 10_000
    play.now = 'hangs'
    const timeUp = timeoutSignal(20)
    expect((await callModel(model, { signal: timeUp, timeMs: 20 })).error).toMatchObject({ name: 'TimeoutError' })
    expect((await callModel(model)).error).toMatchObject(SPARED)
    clock.ms += 9_999
    expect((await callModel(model)).error).toMatchObject(SPARED)
    clock.ms += 1
    play.now = 'works'
    expect((await callModel(model)).text).toBe('up and running')
    expect(calls()).toBe(5)
  })
})

test('while the breaker is open, a person gets the message at once', async (t) => {
  const bot = await startBot(t)
  bot.model.on('down', { status: 503 })
  bot.model.on('later', finish('never asked'))
  const threads = await Promise.all([1, 2, 3, 4].map((n) => bot.mention(`Is it down ${n}?`)))
  for (const thread of threads) expect(await thread.ended()).toMatch(/cannot be reached right now.*\n.*Reference: /)
  const asked = bot.model.requests.length
  expect(asked).toBe(16)

  const thread = await bot.mention('And a little later?')
  expect(await thread.ended()).toMatch(/The model has been failing for a while.*\n.*Reference: /)
  expect(bot.model.requests).toHaveLength(asked)
})

test('a silent model costs the first few callers their whole time, and later ones none', async (t) => {
  const bot = await startBot(t, { env: { AGENT_TIMEOUT_MS: '600' } })
  bot.model.on('', { hang: true })
  for (let n = 0; n < 2; n++)
    expect(await (await bot.mention(`Is it down ${n}?`)).ended()).toMatch(/The model takes too long to answer/)
  const asked = bot.model.requests.length
  expect(asked).toBe(4)
  for (let n = 0; n < 6; n++)
    expect(await (await bot.mention(`And now ${n}?`)).ended()).toMatch(/The model has been failing for a while/)
  expect(bot.model.requests).toHaveLength(asked)
})
