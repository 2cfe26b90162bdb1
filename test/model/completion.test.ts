/** Endpoints that call themselves compatible, and their differences. */
import { Agent } from 'undici'
import { describe, expect, test } from 'vitest'
import { createTransportFetch } from '../../src/base/http/transport-fetch.ts'
import { createLog } from '../../src/base/log.ts'
import { loadConfig } from '../../src/config.ts'
import { createModels } from '../../src/model/choose-model.ts'
import type { ToolCall } from '../../src/agent/contracts/model.ts'
import { modelAt } from '../harness/agent-run.ts'
import type { Ends } from '../harness/ends.ts'
import { callModel, modelsOf, type ModelCall } from '../harness/model-call.ts'
import { playModel, type PlayedModel, type Turn } from '../harness/played-model.ts'

interface Answer {
  delta: object
  finish?: string | null
}

/** Returns a stream of these frames. Objects are encoded as JSON. */
function stream(...frames: (string | object)[]): Turn {
  const body = frames.map((frame) => `data: ${typeof frame === 'string' ? frame : JSON.stringify(frame)}\n\n`).join('')
  return { status: 200, headers: { 'content-type': 'text/event-stream' }, body }
}

const chunk = ({ delta, finish = null }: Answer) => ({ id: 'x', choices: [{ index: 0, delta, finish_reason: finish }] })
const said = (delta: object) => chunk({ delta })
const END = chunk({ delta: {}, finish: 'stop' })

function whole(message: object, more: object = {}): Turn {
  return { status: 200, body: { id: 'x', object: 'chat.completion', choices: [{ index: 0, message }], ...more } }
}

async function asked(t: Ends, turns: Turn[], isStreamed = true): Promise<ModelCall & { endpoint: PlayedModel }> {
  const endpoint = await playModel(t, turns)
  const { model } = modelsOf({ OPENAI_BASE_URL: endpoint.url, OPENAI_STREAM: String(isStreamed) })
  return { ...(await callModel(model)), endpoint }
}

function callsOf({ events }: ModelCall): ToolCall[] {
  return events.flatMap((event) => (event.type === 'tool_calls' ? event.calls : []))
}

describe.concurrent('a server that never sends a finish_reason', () => {
  test('costs the retries once and is accepted afterwards', async (t) => {
    const endpoint = await playModel(t, [{ text: 'As long as it is.', finish: false }])
    const { model } = modelsOf({ OPENAI_BASE_URL: endpoint.url })
    for (const requests of [4, 5, 6]) {
      expect((await callModel(model)).text).toBe('As long as it is.')
      expect(endpoint.requests).toHaveLength(requests)
    }
  })

  test('is accepted for tool calls too', async (t) => {
    const call = { index: 0, id: 'c1', type: 'function', function: { name: 'echo', arguments: '{}' } }
    const { events, error } = await asked(t, [stream(said({ tool_calls: [call] }), '[DONE]')])
    expect([events.at(-1), error]).toEqual([
      { type: 'tool_calls', calls: [{ id: 'c1', name: 'echo', arguments: '{}' }] },
      undefined,
    ])
  })

  test('is not accepted with an empty response', async (t) => {
    const { error, endpoint } = await asked(t, [stream(said({ content: '' }), '[DONE]')])
    expect(error).toMatchObject({ name: 'ModelError', retryable: true })
    expect(endpoint.requests).toHaveLength(4)
  })

  test('a stream that is cut within a call returns no call', async (t) => {
    const half = { index: 0, id: 'c1', function: { name: 'echo', arguments: '{"que' } }
    const { events, text } = await asked(t, [stream(said({ tool_calls: [half] })), 'Never mind.'])
    expect([text, events.filter(({ type }) => type === 'tool_calls')]).toEqual(['Never mind.', []])
  })
})

describe.concurrent('an error inside a response', () => {
  test.for([
    [
      'a code that time does not mend',
      { message: 'invalid key', code: 401 },
      { retryable: false, hint: /OPENAI_API_KEY/ },
    ],
    [
      'a conversation that is too long',
      { message: 'too long', code: 'context_length_exceeded' },
      { retryable: false, hint: /new thread/ },
    ],
  ] as const)('in the stream, %s: it is not tried again', async ([, error, expected], t) => {
    const call = await asked(t, [stream(said({ content: 'Half' }), { error })])
    expect(call.error).toMatchObject({ retryable: expected.retryable, hint: expect.stringMatching(expected.hint) })
    expect(call.endpoint.requests).toHaveLength(1)
  })

  test.for([
    ['an overload', { error: { message: 'overloaded', code: 502 } }],
    ['an event named error', 'overloaded', 'error'],
  ] as const)('in the stream, %s: it is tried again', async ([, frame], t) => {
    const { text } = await asked(t, [stream(said({ content: 'Half' }), frame), 'Whole.'])
    expect(text).toBe('Whole.')
  })

  test('with status 200 counts by its own code', async (t) => {
    const body = { error: { message: 'upstream key is wrong', code: 403 } }
    const { error } = await asked(t, [{ status: 200, body }], false)
    expect(error).toMatchObject({ retryable: false, hint: expect.stringMatching(/OPENAI_API_KEY/) })
  })
})

describe.concurrent('content', () => {
  test('null beside tool calls is no text', async (t) => {
    const message = {
      content: null,
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'a', arguments: '{}' } }],
    }
    expect((await asked(t, [whole(message)], false)).events).toEqual([
      { type: 'tool_calls', calls: [{ id: 'c1', name: 'a', arguments: '{}' }] },
    ])
  })

  test('null alone is an empty answer', async (t) => {
    expect(await asked(t, [whole({ content: null })], false)).not.toHaveProperty('error')
    expect(await asked(t, [stream(said({ content: null }), END)])).not.toHaveProperty('error')
  })

  test('in parts is their joined text', async (t) => {
    const content = [
      { type: 'thinking', thinking: [] },
      { type: 'text', text: 'It is ' },
      null,
      { type: 'text', text: '4.' },
    ]
    expect((await asked(t, [whole({ content })], false)).text).toBe('It is 4.')
    expect((await asked(t, [stream(said({ content }), END)])).text).toBe('It is 4.')
  })

  test('without choices is ignored', async (t) => {
    const { text } = await asked(t, [
      stream({ id: 'x' }, { choices: null }, { choices: [] }, { choices: [{}] }, said({ content: 'ok' }), END),
    ])
    expect(text).toBe('ok')
  })

  test('may arrive with its finish_reason and between comments', async (t) => {
    const body = `: keep-alive\n\ndata: ${JSON.stringify(chunk({ delta: { content: 'ok' }, finish: 'stop' }))}\n\n: bye\n\n`
    const { text } = await asked(t, [{ status: 200, headers: { 'content-type': 'text/event-stream' }, body }])
    expect(text).toBe('ok')
  })
})

describe.concurrent('thinking', () => {
  test.for(['reasoning_content', 'reasoning'])('arrives as %s, streamed and whole', async (name, t) => {
    const expected = [
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'ok' },
    ]
    const streamed = stream(said({ [name]: 'hm', content: null }), said({ [name]: null, content: 'ok' }), END)
    expect((await asked(t, [streamed])).events).toEqual(expected)
    expect((await asked(t, [whole({ [name]: 'hm', content: 'ok' })], false)).events).toEqual(expected)
  })
})

describe.concurrent('tool calls', () => {
  const piece = (part: object) => said({ tool_calls: [part] })

  test('that all have index 0 are distinguished by id', async (t) => {
    const call = (id: string, name: string) => piece({ index: 0, id, function: { name, arguments: `{"q":"${id}"}` } })
    expect(callsOf(await asked(t, [stream(call('c1', 'a'), call('c2', 'b'), END)]))).toEqual([
      { id: 'c1', name: 'a', arguments: '{"q":"c1"}' },
      { id: 'c2', name: 'b', arguments: '{"q":"c2"}' },
    ])
  })

  test('without index or id are separate calls', async (t) => {
    const call = (name: string) => piece({ function: { name, arguments: '{}' } })
    expect(callsOf(await asked(t, [stream(call('a'), call('a'), END)]))).toEqual([
      { id: 'call_0', name: 'a', arguments: '{}' },
      { id: 'call_1', name: 'a', arguments: '{}' },
    ])
  })

  test('whose id and name repeat in every chunk are one call', async (t) => {
    const part = (args: string) => piece({ index: 0, id: 'c1', function: { name: 'search', arguments: args } })
    expect(callsOf(await asked(t, [stream(part('{"q":'), part('"x"}'), END)]))).toEqual([
      { id: 'c1', name: 'search', arguments: '{"q":"x"}' },
    ])
  })

  test('with an absurd index or non-text arguments are harmless', async (t) => {
    const odd = [piece({ index: 1e9, function: { name: 'a', arguments: { q: 'x' } } }), piece({ index: -1 })]
    expect(callsOf(await asked(t, [stream(...odd, END)]))).toEqual([
      { id: 'call_0', name: 'a', arguments: '{"q":"x"}' },
      { id: 'call_1', name: '', arguments: '' },
    ])
  })

  test('count as tokens without usage, as reasoning does', async (t) => {
    const long = JSON.stringify({ query: 'word '.repeat(200) })
    const call = piece({ index: 0, id: 'c1', function: { name: 'a', arguments: long } })
    const { usage } = await asked(t, [stream(said({ reasoning_content: 'hm '.repeat(100) }), call, END)])
    expect(usage).toMatchObject([{ estimated: true }])
    expect(usage[0]!.outputTokens).toBeGreaterThan(280)
  })
})

describe.concurrent('an error whose body is JSON but not an object', () => {
  test.for([
    [429, '"slow down"', /overloaded right now/],
    [503, 'null', /cannot be reached right now/],
    [503, '[]', /cannot be reached right now/],
    [401, '["no"]', /OPENAI_API_KEY/],
    [404, '{"detail": "Not Found"}', /has no chat completions.*OPENAI_BASE_URL/],
    [503, '{"error": ', /cannot be reached right now/],
  ] as const)('counts by its status: %i %s', async ([status, body, hint], t) => {
    const headers = { 'retry-after': '600' }
    const { error, endpoint } = await asked(t, [{ status, body, headers }])
    expect(error).toMatchObject({ name: 'ModelError', hint: expect.stringMatching(hint) })
    expect(endpoint.requests).toHaveLength(1)
  })
})

test.for([
  ['that ends too soon', { text: 'private words', finish: false }, 'the stream ended before the model was done'],
  ['of broken chunks', { text: 'private words', brokenAfter: 7 }, 'SyntaxError'],
  ['of an overload', { status: 503, body: { error: { message: 'private words', code: 'busy' } } }, 'status 503 busy'],
  ['that is cut', { text: 'private words', cutAfter: 7 }, 'UND_ERR_SOCKET'],
] as const)('the log of a call made again, for an answer %s, says what broke and no word of it', async (one, t) => {
  const [, turn, fact] = one
  const endpoint = await playModel(t, [turn, 'Whole.'])
  const logs: string[] = []
  const { text } = await callModel(modelsOf({ OPENAI_BASE_URL: endpoint.url }, logs).model)
  expect(text).toBe('Whole.')
  expect(logs.filter((line) => line.includes('model call failed, retrying'))).toEqual([expect.stringContaining(fact)])
  expect(logs.join('')).not.toContain('private')
})

test('an aborted caller makes no request and gets its own reason', async (t) => {
  const endpoint = await playModel(t, ['Hello.'])
  const gone = AbortSignal.abort(new Error('Stopped by a person.'))
  const model = modelAt(endpoint.url)
  const first = model
    .stream({ messages: [{ role: 'user', content: 'Hi' }], signal: gone })
    [Symbol.asyncIterator]()
    .next()
  await expect(first).rejects.toThrow('Stopped by a person.')
  expect(endpoint.requests).toEqual([])
})

test.for<[string, object]>([
  ['its first word', {}],
  ['a whole answer', { OPENAI_STREAM: 'false' }],
])('a silent connection is kept for a model that takes long until %s', async ([, env], t) => {
  const endpoint = await playModel(t, [{ text: 'I have read it.', delayMs: 2_500 }])
  const fetch = createTransportFetch(new Agent({ headersTimeout: 200, bodyTimeout: 200 }))
  const config = loadConfig({ OPENAI_MODEL: 'played-model', OPENAI_BASE_URL: endpoint.url, ...env })
  const { model } = createModels({ config, log: createLog('silent'), net: { fetch }, now: Date.now })
  expect((await callModel(model)).text).toBe('I have read it.')
  expect(endpoint.requests).toHaveLength(1)
})
