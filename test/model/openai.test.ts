import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import type { Message, ModelEvent, ModelRequest, Usage } from '../../src/agent/contracts/model.ts'
import { ModelError } from '../../src/base/errors.ts'
import { createLog } from '../../src/base/log.ts'
import { createNetwork } from '../../src/base/http/proxy.ts'
import { openAiModel, type OpenAiOptions } from '../../src/model/openai.ts'
import type { Ends } from '../harness/ends.ts'
import { playModel, type PlayedModel, type Script, type Turn } from '../harness/played-model.ts'
import { eventually } from '../harness/stores.ts'

const MESSAGES: Message[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Hello?' },
]

interface CallOutcome {
  events: ModelEvent[]
  text: string
  usage: Usage[]
  error: unknown
}

/** Calls a model on an endpoint with a script. Returns the result. */
async function played(t: Ends, script: Script, options: Partial<OpenAiOptions> = {}) {
  const endpoint = await playModel(t, script)
  const logs: string[] = []
  const log = createLog('debug', { write: (line) => void logs.push(line) })
  const { fetch } = await createNetwork({})
  const own = { model: 'm', apiKey: 'sk-test', baseUrl: endpoint.url, stream: true, fetch, log, now: Date.now }
  const model = openAiModel({ ...own, ...options })
  return {
    endpoint,
    logs,
    ask: (request: Partial<ModelRequest> = {}) =>
      ask(model.stream({ messages: MESSAGES, signal: AbortSignal.timeout(60_000), ...request })),
  }

  async function ask(stream: AsyncIterable<ModelEvent>): Promise<CallOutcome> {
    const asked: CallOutcome = { events: [], text: '', usage: [], error: undefined }
    try {
      for await (const event of stream) {
        asked.events.push(event)
        if (event.type === 'restart') asked.text = ''
        if (event.type === 'text') asked.text += event.text
      }
    } catch (error) {
      asked.error = error
    }
    return asked
  }
}

const sse = (frames: string[]): Turn => ({
  status: 200,
  headers: { 'content-type': 'text/event-stream' },
  body: frames.map((frame) => `data: ${frame}\n\n`).join(''),
})
const chunk = (delta: object, finish: string | null = null) =>
  JSON.stringify({
    id: 'x',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: finish }],
  })

describe.concurrent.each([true, false])('stream is %s', (stream) => {
  test('text, tool calls, reasoning and usage are returned', async (t) => {
    const turn = {
      text: 'Hello 😀\nthere',
      reasoning: 'hm',
      toolCalls: [
        { name: 'a', arguments: '{"x":1}' },
        { name: 'b', arguments: '{}' },
      ],
      usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10, prompt_tokens_details: { cached_tokens: 5 } },
    }
    const { ask, endpoint } = await played(t, [turn], { stream })
    const usage: Usage[] = []
    const { text, events } = await ask({
      onUsage: (one) => usage.push(one),
      tools: [{ name: 'a', description: 'A', parameters: { type: 'object' } }],
    })
    expect(text).toBe('Hello 😀\nthere')
    expect(events.at(-1)).toEqual({
      type: 'tool_calls',
      calls: [
        { id: 'call_0', name: 'a', arguments: '{"x":1}' },
        { id: 'call_1', name: 'b', arguments: '{}' },
      ],
    })
    expect(usage).toEqual([{ model: 'm', inputTokens: 7, outputTokens: 3, cachedTokens: 5, estimated: false }])
    expect(endpoint.requests[0]).toMatchObject({
      body: {
        model: 'm',
        stream,
        messages: MESSAGES,
        temperature: 0,
        tools: [{ type: 'function', function: { name: 'a' } }],
      },
      headers: { authorization: 'Bearer sk-test' },
    })
  })

  test('a rejected parameter is remembered, and the call is repeated at once without it', async (t) => {
    const { ask, endpoint } = await played(t, ['fine'], { stream })
    for (const name of ['stop', 'temperature', 'stream_options']) endpoint.refuses.add(name)
    expect((await ask({ stop: ['\nObservation:'] })).text).toBe('fine')
    const first = endpoint.requests.length
    expect(first).toBe(stream ? 4 : 3)
    expect((await ask({ stop: ['\nObservation:'] })).text).toBe('fine')
    expect(endpoint.requests).toHaveLength(first + 1)
    expect(Object.keys(endpoint.requests.at(-1)!.body).sort()).toEqual(['messages', 'model', 'stream'])
  })

  test('without usage tokens are estimated and marked', async (t) => {
    const { ask } = await played(t, [{ text: 'one two three <|endoftext|>', usage: false }], { stream })
    const usage: Usage[] = []
    await ask({ onUsage: (one) => usage.push(one) })
    expect(usage).toEqual([
      { model: 'm', inputTokens: expect.any(Number), outputTokens: expect.any(Number), estimated: true },
    ])
    expect(usage[0]!.inputTokens).toBeGreaterThan(8)
    expect(usage[0]!.outputTokens).toBeGreaterThan(4)
  })

  test.for([500, 502, 503, 408, 409, 429])('a %i is retried', async (status, t) => {
    const script = [{ status, headers: { 'retry-after-ms': '1' } }, 'after all']
    const { ask, endpoint } = await played(t, script, { stream })
    expect((await ask()).text).toBe('after all')
    expect(endpoint.requests).toHaveLength(2)
  })

  test.for([400, 401, 403, 404, 422])('a %i is not retried', async (status, t) => {
    const script = [{ status, body: { error: { message: 'no', type: 'x' } } }]
    const { ask, endpoint } = await played(t, script, { stream })
    const { error } = await ask()
    expect(error).toBeInstanceOf(ModelError)
    expect(error).toMatchObject({ retryable: false, message: `model m: status ${status} x` })
    expect(endpoint.requests).toHaveLength(1)
  })

  test('a Retry-After of ten minutes is reported at once', async (t) => {
    const busy = { status: 429, headers: { 'retry-after': '600' } }
    const { ask, endpoint } = await played(t, [busy], { stream })
    expect((await ask()).error).toMatchObject({ hint: expect.stringContaining('overloaded') })
    expect(endpoint.requests).toHaveLength(1)
  })

  test('a 400 that merely contains the word stop rejects no parameter', async (t) => {
    const words = { status: 400, body: { error: { message: 'Please stop sending so many words, stop it' } } }
    const { ask, endpoint } = await played(t, [words], { stream })
    expect((await ask()).error).toBeInstanceOf(ModelError)
    expect(endpoint.requests).toHaveLength(1)
  })

  test('a 400 about a parameter that was not sent rejects nothing', async (t) => {
    const { ask, endpoint } = await played(
      t,
      [{ status: 400, body: { error: { message: "Unsupported parameter: 'stop'", param: 'stop' } } }],
      { stream },
    )
    expect((await ask()).error).toBeInstanceOf(ModelError)
    expect(endpoint.requests).toHaveLength(1)
  })
})

describe.concurrent('a stream that breaks', () => {
  test.for<[string, Turn]>([
    ['is cut', { text: 'Half of a long sentence', cutAfter: 9 }],
    ['holds a chunk that is no JSON', { text: 'Half of a long sentence', brokenAfter: 9 }],
    ['ends without saying that it ended', { text: 'Half of a long sentence', finish: false }],
    [
      'says an error half way',
      sse([chunk({ content: 'Half' }), JSON.stringify({ error: { message: 'overloaded', type: 'server_error' } })]),
    ],
    ['is empty', sse([])],
  ])('and %s is begun anew, and what it said is forgotten', async ([, turn], t) => {
    const { ask, endpoint } = await played(t, [turn, 'A whole sentence.'])
    const { text, events } = await ask()
    expect(text).toBe('A whole sentence.')
    expect(events.filter(({ type }) => type === 'restart')).toHaveLength(1)
    expect(endpoint.requests).toHaveLength(2)
  })

  test('an endpoint that never sends an end is accepted after the retries', async (t) => {
    const { ask } = await played(t, [{ text: 'As long as it is.', finish: false }])
    expect(await ask()).toMatchObject({ text: 'As long as it is.', error: undefined })
  })

  test('a response without a message is retried', async (t) => {
    const { ask } = await played(
      t,
      [{ status: 200, body: { id: 'x', object: 'chat.completion', choices: [] } }, 'here'],
      { stream: false },
    )
    expect((await ask()).text).toBe('here')
  })

  test('tool calls in several chunks are joined', async (t) => {
    const call = (index: number, part: object) => chunk({ tool_calls: [{ index, ...part }] })
    const frames = [
      call(0, { id: 'c1', type: 'function', function: { name: 'se', arguments: '' } }),
      call(0, { function: { name: 'arch', arguments: '{"q":' } }),
      call(1, { id: 'c2', function: { name: 'calc', arguments: '{}' } }),
      call(0, { function: { arguments: '"x"}' } }),
      chunk({}, 'tool_calls'),
      '[DONE]',
    ]
    const { ask } = await played(t, [sse(frames)])
    expect((await ask()).events).toEqual([
      {
        type: 'tool_calls',
        calls: [
          { id: 'c1', name: 'search', arguments: '{"q":"x"}' },
          { id: 'c2', name: 'calc', arguments: '{}' },
        ],
      },
    ])
  })

  test('chunks without choices, nulls and unknown fields are ignored', async (t) => {
    const frames = [
      JSON.stringify({ id: 'x', choices: [] }),
      JSON.stringify({ id: 'x', model: 'm' }),
      chunk({ role: 'assistant', content: null }),
      chunk({ content: 'ok', strange: { deep: [1] } }),
      chunk({ content: '' }, 'stop'),
      '[DONE]',
    ]
    const { ask } = await played(t, [sse(frames)])
    expect(await ask()).toMatchObject({ text: 'ok', error: undefined })
  })
})

describe.concurrent('patience', () => {
  test('after three retries the error says what to do', async (t) => {
    const { ask, endpoint, logs } = await played(t, [{ status: 503, headers: { 'retry-after-ms': '1' } }])
    const { error } = await ask()
    expect(endpoint.requests).toHaveLength(4)
    expect(error).toMatchObject({
      name: 'ModelError',
      retryable: true,
      hint: expect.stringMatching(/cannot be reached.*again/),
    })
    expect(logs.filter((line) => line.includes('retrying'))).toHaveLength(3)
  })

  test('waits for Retry-After, in seconds or as a date', async (t) => {
    const soon = new Date(Date.now() + 1500).toUTCString()
    const { ask, endpoint } = await played(t, [
      { status: 429, headers: { 'retry-after': '1' } },
      { status: 429, headers: { 'retry-after': soon } },
      { status: 429, headers: { 'retry-after': 'nonsense' } },
      'there',
    ])
    const from = Date.now()
    expect((await ask()).text).toBe('there')
    expect(endpoint.requests).toHaveLength(4)
    expect(Date.now() - from).toBeGreaterThanOrEqual(1000)
  })

  test('does not wait for a spent quota', async (t) => {
    const { ask, endpoint } = await played(t, [
      { status: 429, body: { error: { message: 'quota', code: 'insufficient_quota' } } },
    ])
    expect((await ask()).error).toMatchObject({ retryable: false, hint: expect.stringMatching(/quota/) })
    expect(endpoint.requests).toHaveLength(1)
  })

  test('an unreachable endpoint is an ordinary error', async () => {
    const model = openAiModel({
      model: 'm',
      baseUrl: 'http://127.0.0.1:9/v1',
      stream: true,
      log: createLog('silent'),
      now: Date.now,
    })
    const ask = async () => {
      for await (const event of model.stream({ messages: MESSAGES, signal: AbortSignal.timeout(60_000) }))
        expect(event.type).toBe('restart')
    }
    await expect(ask()).rejects.toMatchObject({ name: 'ModelError', retryable: true })
  })

  test('the caller’s timeout ends a hanging call and a wait before the next', async (t) => {
    const { ask, endpoint } = await played(t, (_, n) =>
      n === 0 ? { hang: true } : { status: 503, headers: { 'retry-after': '20' } },
    )
    const reason = new Error('Time is up.')
    for (const requests of [1, 2]) {
      const stop = new AbortController()
      const asked = ask({ signal: stop.signal })
      await eventually(() => expect(endpoint.requests).toHaveLength(requests))
      // The answer arrives first, so the pause after it is what ends.
      setTimeout(() => stop.abort(reason), 100)
      expect((await asked).error).toBe(reason)
      expect(endpoint.requests).toHaveLength(requests)
    }
    while (!endpoint.requests[0]?.aborted) await new Promise((resolve) => setTimeout(resolve, 5))
  })

  test('calls leave no listener on the signal of a long run', async (t) => {
    const { ask } = await played(t, () => ({ text: 'Hello.' }))
    const run = new AbortController()
    for (let call = 0; call < 12; call++) expect(await ask({ signal: run.signal })).toMatchObject({ text: 'Hello.' })
    expect(getEventListeners(run.signal, 'abort')).toHaveLength(0)
  })

  test('leaving the stream early ends the request and counts the tokens so far', async (t) => {
    const endpoint: PlayedModel = await playModel(t, [{ text: 'word '.repeat(2000), chunkMs: 2 }])
    const model = openAiModel({
      model: 'm',
      baseUrl: endpoint.url,
      stream: true,
      log: createLog('silent'),
      now: Date.now,
    })
    const usage: Usage[] = []
    for await (const event of model.stream({
      messages: MESSAGES,
      signal: new AbortController().signal,
      onUsage: (one) => usage.push(one),
    }))
      if (event.type === 'text') break
    while (!endpoint.requests[0]?.aborted) await new Promise((resolve) => setTimeout(resolve, 5))
    expect(usage).toEqual([
      { model: 'm', inputTokens: expect.any(Number), outputTokens: expect.any(Number), estimated: true },
    ])
    // One word, or more on a busy machine.
    expect(usage[0]?.outputTokens).toBeGreaterThanOrEqual(1)
    expect(usage[0]?.outputTokens).toBeLessThan(1000)
  })
})

test('a message with tool calls and results is sent in OpenAI’s format', async (t) => {
  const { ask, endpoint } = await played(t, ['ok'])
  const messages: Message[] = [
    { role: 'user', content: 'q' },
    { role: 'assistant', content: '', toolCalls: [{ id: 'c1', name: 'a', arguments: '{}' }] },
    { role: 'tool', content: 'r', toolCallId: 'c1' },
  ]
  await ask({ messages, toolChoice: 'none', tools: [{ name: 'a', description: '', parameters: {} }] })
  expect(endpoint.requests[0]?.body).toMatchObject({
    tool_choice: 'none',
    messages: [
      { role: 'user' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'a', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'r' },
    ],
  })
})
