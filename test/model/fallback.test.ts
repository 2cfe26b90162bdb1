import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startBot } from '../harness/bot.ts'
import { callModel, modelsOf } from '../harness/model-call.ts'
import { act, finish, playModel, type PlayedRequest, type Turn } from '../harness/played-model.ts'
import { fileEnds, type Ends } from '../harness/ends.ts'
import { jumpingTime, timeoutSignal } from '../harness/jumping-time.ts'

const ends = fileEnds()

// Loads what a call loads, for which no time may jump.
beforeAll(async () => {
  const { model } = await twoModels(ends, { first: () => ({ text: 'Here.', usage: false }), second: () => 'No.' })
  await callModel(model, { timeMs: 60_000 })
})

/** Starts two models at one address, each with its answers by request number. */
async function twoModels(t: Ends, plays: { first: (n: number) => Turn; second: (n: number) => Turn }) {
  const asked: Record<string, number> = { first: 0, second: 0 }
  const endpoint = await playModel(t, ({ body }: PlayedRequest) => {
    const name = body.model === 'second' ? 'second' : 'first'
    return plays[name](asked[name]!++)
  })
  const logs: string[] = []
  const names = { OPENAI_MODEL: 'first', OPENAI_FALLBACK_MODEL: 'second' }
  const env = { OPENAI_BASE_URL: endpoint.url, AGENT_TIMEOUT_MS: '400', ...names }
  return { model: modelsOf(env, logs).model, asked, logs, env }
}

describe('OPENAI_FALLBACK_MODEL', () => {
  beforeEach(jumpingTime)

  test('answers after the first model’s retries; the first model’s text is discarded', async (t) => {
    const { model, asked, logs } = await twoModels(t, {
      first: () => ({ text: 'Half of a sentence that breaks off', cutAfter: 9 }),
      second: () => 'A whole one.',
    })
    const { text, events, usage } = await callModel(model)
    expect(text).toBe('A whole one.')
    expect(asked).toEqual({ first: 4, second: 1 })
    expect(events.filter(({ type }) => type === 'restart')).toHaveLength(4)
    expect(usage.at(-1)).toMatchObject({ model: 'second', estimated: false })
    expect(logs.filter((line) => line.includes('falling back to OPENAI_FALLBACK_MODEL'))).toHaveLength(1)
  })

  test('serves one call: the next starts with the first model again', async (t) => {
    const { model, asked } = await twoModels(t, {
      first: (n) => (n < 4 ? { status: 503 } : 'I am back.'),
      second: () => 'I am the second.',
    })
    expect((await callModel(model)).text).toBe('I am the second.')
    expect((await callModel(model)).text).toBe('I am back.')
    expect(asked).toEqual({ first: 5, second: 1 })
  })

  test.for([
    [401, /OPENAI_API_KEY/],
    [400, /refused the request/],
    [404, /no chat completions/],
  ] as const)('does not stand in for a %i, which the first must be mended for', async ([status, hint], t) => {
    const { model, asked } = await twoModels(t, { first: () => ({ status }), second: () => 'No.' })
    expect((await callModel(model)).error).toMatchObject({ name: 'ModelError', hint: expect.stringMatching(hint) })
    expect(asked).toEqual({ first: 1, second: 0 })
  })

  test('does not take over while a slow endpoint may still be reading a long prompt', async (t) => {
    const delays = [400, 2_000, 60_000]
    const { model, asked } = await twoModels(t, {
      first: (n) => ({ text: 'I have read it.', delayMs: delays[n] ?? 0 }),
      second: () => 'I am the second.',
    })
    const ask = (words: number, timeMs: number) =>
      callModel(model, { messages: [{ role: 'user', content: 'some words '.repeat(words) }], timeMs })
    await ask(120, 60_000)
    // It would have taken over after 1.5 s.
    expect((await ask(2_000, 3_000)).text).toBe('I have read it.')
    expect(asked).toEqual({ first: 2, second: 0 })
    expect((await ask(2_000, 1_000)).text).toBe('I am the second.')
  })

  test('does not forget how slowly it reads while its cache has most of the prompts', async (t) => {
    let delayMs = 400
    const { model, asked } = await twoModels(t, {
      first: () => ({ text: 'I have read it.', delayMs }),
      second: () => 'I am the second.',
    })
    const ask = (content: string, timeMs: number) => callModel(model, { messages: [{ role: 'user', content }], timeMs })
    const thread = 'some words '.repeat(120)
    await ask(thread, 60_000)
    delayMs = 0
    for (let i = 0; i < 7; i += 1) await ask(`${thread.repeat(8)} ${'and more '.repeat(40 * i)}`, 60_000)
    delayMs = 2_000
    expect((await ask('other words '.repeat(2_000), 3_000)).text).toBe('I have read it.')
    expect(asked).toEqual({ first: 9, second: 0 })
  })

  test('counts the tools in what a slow endpoint reads', async (t) => {
    const delays = [400, 5_000]
    const { model, asked } = await twoModels(t, {
      first: (n) => ({ text: 'I have read it.', delayMs: delays[n] ?? 0 }),
      second: () => 'I am the second.',
    })
    const ask = (content: string, more: object) => callModel(model, { messages: [{ role: 'user', content }], ...more })
    await ask('some words '.repeat(120), { timeMs: 60_000 })
    const tools = [{ name: 'look', description: 'words of it '.repeat(2_000), parameters: { type: 'object' } }]
    expect((await ask('Hello?', { tools, timeMs: 8_000 })).text).toBe('I have read it.')
    expect(asked.second).toBe(0)
  })

  test('waits for a slow endpoint that reads another prompt first', async (t) => {
    const delays = [400, 1_000, 6_500]
    const { model, asked } = await twoModels(t, {
      first: (n) => ({ text: 'I have read it.', delayMs: delays[n] ?? 0 }),
      second: () => 'I am the second.',
    })
    const ask = (words: string, count: number, timeMs: number) =>
      callModel(model, { messages: [{ role: 'user', content: words.repeat(count) }], timeMs })
    await ask('some words ', 120, 60_000)
    const [one, other] = await Promise.all([ask('other words ', 500, 60_000), ask('new words ', 200, 10_000)])
    expect([one.text, other.text]).toEqual(['I have read it.', 'I have read it.'])
    expect(asked.second).toBe(0)
  })

  test('that fails too gives an error in plain words', async (t) => {
    const { model, asked } = await twoModels(t, { first: () => ({ status: 500 }), second: () => ({ status: 401 }) })
    expect((await callModel(model)).error).toMatchObject({ hint: expect.stringMatching(/OPENAI_API_KEY/) })
    expect(asked).toEqual({ first: 4, second: 1 })
  })

  test('is not called for an aborted caller', async (t) => {
    const { model, asked } = await twoModels(t, { first: () => ({ status: 503 }), second: () => 'No.' })
    const reason = new Error('Stopped by a person.')
    const stop = new AbortController()
    setTimeout(() => stop.abort(reason), 200)
    expect((await callModel(model, { signal: stop.signal })).error).toBe(reason)
    expect(asked.second).toBe(0)
  })
})

describe('OPENAI_FALLBACK_MODEL, if the first is silent,', () => {
  beforeEach(jumpingTime)

  test('takes over from a model that is silent for half of the remaining time', async (t) => {
    const { model, asked, logs } = await twoModels(t, { first: () => ({ hang: true }), second: () => 'I am here.' })
    const call = await callModel(model, { timeMs: 20_000 })
    expect(call).toMatchObject({ text: 'I am here.', usage: [{ model: 'second' }] })
    expect(call).not.toHaveProperty('error')
    expect(asked).toEqual({ first: 1, second: 1 })
    expect(logs.find((line) => line.includes('falling back'))).toContain('model first: silent for 10.0 s')
  })

  test('takes over from one that falls silent in mid-answer', async (t) => {
    const { model, asked } = await twoModels(t, {
      first: () => ({ text: 'Well, let me see', chunkMs: 60_000 }),
      second: () => 'I am here.',
    })
    expect((await callModel(model, { timeMs: 20_000 })).text).toBe('I am here.')
    expect(asked).toEqual({ first: 1, second: 1 })
  })

  test.for([
    ['thinks silently for less than that', { text: 'It is 4.', delayMs: 1500 }],
    ['talks for longer than that', { text: 'word '.repeat(16), chunkMs: 1000 }],
    [
      'writes a long tool call',
      { toolCalls: [{ name: 'a', arguments: `{"q":"${'so on '.repeat(9)}"}` }], chunkMs: 1000 },
    ],
  ] as const)('leaves a model alone that %s', async ([, turn], t) => {
    const { model, asked } = await twoModels(t, { first: () => turn as Turn, second: () => 'No.' })
    expect(await callModel(model, { timeMs: 30_000 })).not.toHaveProperty('error')
    expect(asked).toEqual({ first: 1, second: 0 })
  })

  test('is called at once after the first was silent repeatedly', async (t) => {
    const { model, asked } = await twoModels(t, { first: () => ({ hang: true }), second: () => 'I am here.' })
    await Promise.all(Array.from({ length: 4 }, () => callModel(model, { timeMs: 8000 })))
    expect((await callModel(model, { timeMs: 60_000 })).text).toBe('I am here.')
    expect(asked).toEqual({ first: 4, second: 5 })
  })

  test('that is silent too fails with the caller’s timeout', async (t) => {
    const { model, asked } = await twoModels(t, { first: () => ({ hang: true }), second: () => ({ hang: true }) })
    const call = () => callModel(model, { signal: timeoutSignal(8000), timeMs: 8000 })
    for (const { error } of await Promise.all([call(), call(), call(), call()]))
      expect(error).toMatchObject({ name: 'TimeoutError' })
    expect((await callModel(model)).error).toMatchObject({ name: 'ModelError', hint: expect.stringMatching(/failing/) })
    expect(asked).toEqual({ first: 4, second: 4 })
  })

  test('is not called for a caller who aborts meanwhile', async (t) => {
    const reason = new Error('Stopped by a person.')
    const stop = new AbortController()
    const first = (): Turn => {
      setTimeout(() => stop.abort(reason), 1_000)
      return { hang: true }
    }
    const { model, asked } = await twoModels(t, { first, second: () => 'No.' })
    expect((await callModel(model, { signal: stop.signal, timeMs: 60_000 })).error).toBe(reason)
    expect(asked).toEqual({ first: 1, second: 0 })
  })
})

describe('OPENAI_FALLBACK_MODEL of a bot', () => {
  test('takes over within a run, and the footer names both models', async (t) => {
    const bot = await startBot(t, { env: { OPENAI_MODEL: 'first', OPENAI_FALLBACK_MODEL: 'second' } })
    bot.model.decide('', ({ body, prompt }) => {
      const isBegun = /\bObservation: <\w+>4</.test(prompt)
      if (body.model === 'second') return finish('It is 4.')
      return isBegun ? { status: 503 } : act('A sum.', 'calculator', '2+2')
    })
    const thread = await bot.mention('What is 2+2?')
    expect(await thread.ended()).toMatch(/^It is 4\.\n1 step · \d+\.\d s · first, second · /)
    expect(thread.steps()).toEqual(['💭 A sum.\n🔧 *Calculator* `2+2`\n👁 4'])
  })

  test('answers people whose first model hangs, follow-ups included, within the time of a run', async (t) => {
    const env = { OPENAI_MODEL: 'first', OPENAI_FALLBACK_MODEL: 'second', AGENT_TIMEOUT_MS: '20000' }
    let hangs = false
    const model = ({ body, kind }: PlayedRequest): Turn => {
      if (body.model === 'first' && hangs) return { hang: true }
      return kind === 'condense' ? 'Is it really 4?' : finish('It is 4.')
    }
    const bot = await startBot(t, { env, model })
    await (await bot.mention('What is 1+3?')).ended()
    jumpingTime(t)
    hangs = true
    const thread = await bot.mention('What is 2+2?')
    expect(await thread.lastAnswer()).toBe('It is 4.')
    await thread.reply('Really?')
    expect(await thread.lastAnswer()).toBe('_Understood as:_ Is it really 4?\nIt is 4.')
  })
})
