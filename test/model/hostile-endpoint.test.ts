/** Hostile answers of an endpoint: endless, absurd, refused, or redirected. */
import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { callModel, modelsOf } from '../harness/model-call.ts'
import { playModel, type Turn } from '../harness/played-model.ts'
import { startWebServer } from '../harness/web-server.ts'

/** Sends `piece` forever, as fast as it is read. `sent` counts the bytes. */
function flood(response: ServerResponse, piece: string): { sent: number; isOver: boolean } {
  const state = { sent: 0, isOver: false }
  response.on('close', () => (state.isOver = true))
  const send = () => {
    while (!state.isOver) {
      state.sent += piece.length
      if (!response.write(piece)) return void response.once('drain', send)
    }
  }
  send()
  return state
}

const event = (delta: object) => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`
const LONG = 'x'.repeat(10_000)

describe('an endless answer uses bounded memory', () => {
  test.for([
    ['of text', 'text/event-stream', '', event({ content: LONG })],
    ['of thinking', 'text/event-stream', '', event({ reasoning_content: LONG })],
    [
      'of one tool call',
      'text/event-stream',
      '',
      event({ tool_calls: [{ index: 0, id: 'c', function: { name: 'echo', arguments: LONG } }] }),
    ],
    ['of tool calls', 'text/event-stream', '', event({ tool_calls: [{ function: { name: LONG, arguments: '{}' } }] })],
    ['of one event', 'text/event-stream', 'data: {"choices": [{"delta": {"content": "', LONG],
    ['of comments', 'text/event-stream', '', `: ${LONG}\n\n`],
    ['in one piece', 'application/json', '{"choices": [{"message": {"content": "', LONG],
    ['of nothing known', 'text/plain', '', `${LONG}\n\n`],
  ] as const)('%s', async ([, type, head, piece]) => {
    const floods: { sent: number; isOver: boolean }[] = []
    const { url } = await startWebServer((_, response) => {
      response.writeHead(200, { 'content-type': type })
      response.write(head)
      floods.push(flood(response, piece))
    })
    const before = process.memoryUsage().rss
    const { model } = modelsOf({ OPENAI_BASE_URL: url, OPENAI_STREAM: String(type === 'text/event-stream') })
    const { text, events } = await callModel(model)
    expect(text.length).toBeLessThanOrEqual(100_000)
    expect(JSON.stringify(events).length).toBeLessThan(1_500_000)
    expect(floods).toHaveLength(1)
    expect(floods[0]!.sent).toBeLessThan(100_000_000)
    expect(process.memoryUsage().rss - before).toBeLessThan(500_000_000)
    await expect.poll(() => floods[0]!.isOver).toBe(true)
  })

  test('of small tool calls is cut at an implausible number', async () => {
    const call = event({ tool_calls: [{ function: { name: 'echo', arguments: '{}' } }] })
    const floods: { sent: number }[] = []
    const { url } = await startWebServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      floods.push(flood(response, call.repeat(100)))
    })
    const { events } = await callModel(modelsOf({ OPENAI_BASE_URL: url }).model)
    expect(events.at(-1)).toMatchObject({ type: 'tool_calls', calls: { length: 1000 } })
    expect(floods.map(({ sent }) => sent < 20_000_000)).toEqual([true])
  })

  test.for([
    ['application/json', 400],
    ['text/html', 400],
  ] as const)('of an error, as %s', async ([type, status]) => {
    const floods: { sent: number; isOver: boolean }[] = []
    const { url } = await startWebServer((_, response) => {
      response.writeHead(status, { 'content-type': type })
      floods.push(flood(response, LONG))
    })
    const { error } = await callModel(modelsOf({ OPENAI_BASE_URL: url }).model)
    expect(error).toMatchObject({ name: 'ModelError', retryable: false })
    expect(floods[0]!.sent).toBeLessThan(20_000_000)
  })

  test('an event in tiny chunks is read in linear time', async () => {
    const { url } = await startWebServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const said = `${event({ content: 'y'.repeat(90_000) })}data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n`
      const send = (from: number) => {
        if (from >= said.length) return void response.end('data: [DONE]\n\n')
        response.write(said.slice(from, from + 30))
        setImmediate(() => send(from + 30))
      }
      send(0)
    })
    expect((await callModel(modelsOf({ OPENAI_BASE_URL: url }).model)).text).toBe('y'.repeat(90_000))
  })

  test('an unstreamed answer of a megabyte is read as far as a stream would be, and marked as cut off', async (t) => {
    const endpoint = await playModel(t, [{ text: 'z'.repeat(1_000_000) }])
    const { text, events } = await callModel(modelsOf({ OPENAI_BASE_URL: endpoint.url, OPENAI_STREAM: 'false' }).model)
    expect(text.length).toBeGreaterThan(90_000)
    expect(text.length).toBeLessThanOrEqual(100_000)
    expect(events.at(-1)).toEqual({ type: 'cut_off', isEndless: true })
  })
})

describe('token estimates for an endpoint without usage', () => {
  test.for(['字', '\u{1F600}', 'a', '!', ' \t', '\ud800'])(
    'are estimated at once, for a megabyte of %j',
    async (piece, t) => {
      const long = piece.repeat(1_000_000 / piece.length)
      const endpoint = await playModel(t, [
        { text: piece.repeat(90_000 / piece.length), usage: false, chunkChars: 30_000 },
      ])
      const { model } = modelsOf({ OPENAI_BASE_URL: endpoint.url })
      const before = process.cpuUsage()
      const { usage } = await callModel(model, { messages: [{ role: 'user', content: long }] })
      expect(usage).toMatchObject([{ estimated: true }])
      expect(process.cpuUsage(before).user / 1e6).toBeLessThan(10)
    },
  )

  test('are close to the exact count, for long texts too', async (t) => {
    const endpoint = await playModel(t, [{ text: 'ok', usage: false }])
    const { model } = modelsOf({ OPENAI_BASE_URL: endpoint.url })
    const words = Array.from({ length: 40_000 }, (_, i) => ['the', 'quick', 'fox', 'sees', 'it'][i % 5]).join(' ')
    const { usage } = await callModel(model, { messages: [{ role: 'user', content: words }] })
    expect(usage[0]!.inputTokens / 40_000).toBeGreaterThan(0.9)
    expect(usage[0]!.inputTokens / 40_000).toBeLessThan(1.15)
  })
})

describe('implausible usage', () => {
  test.for([
    { prompt_tokens: -5, completion_tokens: 1 },
    { prompt_tokens: 1.5, completion_tokens: 1 },
    { prompt_tokens: 1e15, completion_tokens: 1 },
    { prompt_tokens: '7', completion_tokens: 1 },
    { prompt_tokens: 7, completion_tokens: -1e9 },
    { prompt_tokens: 7 },
    {},
  ])('is replaced by our estimate: %j', async (usage, t) => {
    for (const stream of ['true', 'false']) {
      const endpoint = await playModel(t, [{ text: 'one two three', usage }])
      const call = await callModel(modelsOf({ OPENAI_BASE_URL: endpoint.url, OPENAI_STREAM: stream }).model)
      expect(call.usage).toMatchObject([{ estimated: true, outputTokens: 3 }])
      expect(call.usage[0]!.inputTokens).toBeGreaterThan(3)
      expect(call.usage[0]!.inputTokens).toBeLessThan(30)
    }
  })
})

describe('a withheld answer is reported', () => {
  const refusal = {
    index: 0,
    message: { role: 'assistant', content: null, refusal: 'PRIVATE no' },
    finish_reason: 'stop',
  }
  const whole = (choice: object): Turn => ({ status: 200, body: { choices: [choice] } })
  test.for<[string, Turn, boolean, RegExp]>([
    ['a filter in a stream', { text: 'Half', finish: 'content_filter' }, true, /content filter/],
    ['a filter in a whole answer', { text: '', finish: 'content_filter' }, false, /content filter/],
    ['a refusal in a whole answer', whole(refusal), false, /declined to answer/],
    [
      'a refusal in a stream',
      {
        status: 200,
        headers: { 'content-type': 'text/event-stream' },
        body: `${event({ refusal: 'PRIVATE no' })}data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n`,
      },
      true,
      /declined to answer/,
    ],
    [
      'Azure’s 400',
      {
        status: 400,
        body: { error: { message: 'PRIVATE', type: null, param: 'prompt', code: 'content_filter', status: 400 } },
      },
      true,
      /content filter/,
    ],
  ])('%s', async ([, turn, isStreamed, hint], t) => {
    const endpoint = await playModel(t, [turn])
    const { model } = modelsOf({ OPENAI_BASE_URL: endpoint.url, OPENAI_STREAM: String(isStreamed) })
    const { error } = await callModel(model)
    expect(error).toMatchObject({ name: 'ModelError', retryable: false, hint: expect.stringMatching(hint) })
    expect(String(error)).not.toContain('PRIVATE')
    expect(endpoint.requests).toHaveLength(1)
  })
})

describe('an address that is not a model endpoint', () => {
  test.for(['true', 'false'])(
    'answers with a web page: that is said once the retries are spent, since a gateway may be restarting (stream %s)',
    async (stream) => {
      const page = '\ufeff\n<!doctype html>\n\n<title>Welcome</title>'
      const { url, requests } = await startWebServer((_, response) => {
        response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
        response.end(page)
      })
      const { error } = await callModel(modelsOf({ OPENAI_BASE_URL: url, OPENAI_STREAM: stream }).model)
      expect(error).toMatchObject({
        retryable: true,
        hint: expect.stringMatching(/shows a web page, not a model.*OPENAI_BASE_URL/),
      })
      expect(requests).toHaveLength(4)
    },
  )

  test('redirecting elsewhere: nothing is sent there, and the target is named', async () => {
    const other = await startWebServer((_, response) => response.end())
    const { url } = await startWebServer(
      (_, response) => void response.writeHead(307, { location: `${other.url}/chat` }).end(),
    )
    const env = { OPENAI_BASE_URL: url, OPENAI_API_KEY: 'sk-x', OPENAI_HEADERS: '{"api-key": "k"}' }
    const { error } = await callModel(modelsOf(env).model)
    expect(error).toMatchObject({ retryable: false, hint: expect.stringContaining(new URL(other.url).origin) })
    expect(other.requests).toEqual([])
  })

  test('redirecting within itself: followed as POST, up to a limit', async (t) => {
    const endpoint = await playModel(t, ['there'])
    const moved = await startWebServer((path, response, request) => {
      if (path.includes('/circle')) return void response.writeHead(302, { location: path }).end()
      if (!path.includes('/moved')) return void response.writeHead(301, { location: '/moved' }).end()
      const body = { choices: [{ message: { content: request.method }, finish_reason: 'stop' }] }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })
    expect(endpoint.requests).toEqual([])
    const at = (path: string) => modelsOf({ OPENAI_BASE_URL: `${moved.url}${path}`, OPENAI_STREAM: 'false' }).model
    expect((await callModel(at(''))).text).toBe('POST')
    const { error } = await callModel(at('/circle'))
    expect(error).toMatchObject({ retryable: false, hint: expect.stringContaining('OPENAI_BASE_URL') })
  })
})
