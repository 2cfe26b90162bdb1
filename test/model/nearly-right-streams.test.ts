/** Streams and bodies that are nearly right, as endpoints and gateways send them. */
import { describe, expect, test } from 'vitest'
import type { Ends } from '../harness/ends.ts'
import { callModel, modelsOf, type ModelCall } from '../harness/model-call.ts'
import { playModel, type Turn } from '../harness/played-model.ts'

const EVENTS = { 'content-type': 'text/event-stream' }
const raw = (body: string, headers: Record<string, string> = EVENTS): Turn => ({ status: 200, headers, body })
const chunk = (delta: object | null, finish: string | null = null) =>
  JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })
const data = (...chunks: string[]) => chunks.map((one) => `data: ${one}\n\n`).join('')
const CALL = { tool_calls: [{ index: 0, id: 'a', function: { name: 'look', arguments: '{"q": 1}' } }] }

async function asked(t: Ends, turns: Turn[], env: object = {}): Promise<ModelCall & { requests: number }> {
  const endpoint = await playModel(t, turns)
  const call = await callModel(modelsOf({ OPENAI_BASE_URL: endpoint.url, ...env }).model)
  return { ...call, requests: endpoint.requests.length }
}
const calls = ({ events }: ModelCall) => events.flatMap((event) => (event.type === 'tool_calls' ? event.calls : []))

const message = (given: object) => JSON.stringify({ choices: [{ index: 0, message: { role: 'assistant', ...given } }] })
const messages = (texts: string[]) => data(...texts.map((content) => message({ content })), chunk({}, 'stop'), '[DONE]')
const BODY = { object: 'chat.completion', choices: [{ message: { content: 'It is 42.' }, finish_reason: 'stop' }] }
const PARTS = [chunk({ content: 'It is ' }), chunk({ content: '42.' }, 'stop')] as const

describe.concurrent('is read to its end', () => {
  test.for<[string, string]>([
    ['the last event without its blank line', `${data(PARTS[0])}data: ${PARTS[1]}`],
    ['the last event with one line end', `${data(PARTS[0])}data: ${PARTS[1]}\n`],
    ['the last event without its blank line, in CRLF', `${data(PARTS[0])}data: ${PARTS[1]}\r\n`],
    ['lines that end with CR', data(...PARTS, '[DONE]').replaceAll('\n', '\r')],
    ['a byte order mark', `\ufeff${data(...PARTS, '[DONE]')}`],
    ['pings and empty data', data('ping', '', 'null', PARTS[0], ' ', ': keep-alive', PARTS[1], '[DONE]')],
    ['comments and an event: ping', `: hello\n\nevent: ping\ndata: {}\n\n${data(...PARTS, '[DONE]')}`],
    ['empty first chunks', data('{"choices":[]}', '{"choices":null}', chunk(null), ...PARTS, '[DONE]')],
    ['[DONE] without a space', `${data(...PARTS)}data:[DONE]\n\n`],
    ['[DONE] with spaces', `${data(...PARTS)}data:   [DONE]  \n\n`],
    ['[DONE] in quotes', data(...PARTS, '"[DONE]"')],
    ['DONE without brackets, and something after it', data(...PARTS, 'DONE', '{"error": "late"}')],
    ['an event with a name and an id', `id: 1\nevent: message\nretry: 10\n${data(...PARTS, '[DONE]')}`],
    ['a chunk on two data lines', `data: ${PARTS[0].slice(0, 12)}\ndata: ${PARTS[0].slice(12)}\n\n${data(PARTS[1])}`],
    ['a JSON text on each line', PARTS.join('\n')],
    ['one line end between the events', [...PARTS, '[DONE]'].map((one) => `data: ${one}\n`).join('')],
    ['the name twice', data(...PARTS).replaceAll('data: ', 'data: data: ')],
    ['the name in capitals', data(...PARTS).replaceAll('data:', 'DATA:')],
    ['a space before the name', data(...PARTS).replaceAll('data:', ' data:')],
    ['a mark before each event', data(...PARTS).replaceAll('data:', '\ufeffdata:')],
    ['two events on one line', `data: ${PARTS[0]}data: ${PARTS[1]}\n\n${data('[DONE]')}`],
    ['two chunks in one event', `data: ${PARTS[0]}${PARTS[1]}\n\n${data('[DONE]')}`],
    ['[DONE] on the same line', `${data(PARTS[0])}data: ${PARTS[1]}data: [DONE]\n\n`],
    ['a JSON text on each line, and [DONE]', `${PARTS.join('\n')}\n[DONE]\n`],
    ['empty lists', data('[]', ...PARTS, '[]')],
    ['words of a status', `event: status\ndata: Model is loading, please wait...\n\n${data(...PARTS)}`],
    ['a number that is no JSON', data(...PARTS.map((one) => one.replace('{', '{"logprob":NaN,')))],
    ['one JSON body after comments', `: wait\n\n: wait\n\n${JSON.stringify(BODY)}`],
    ['the whole message again at its end', data(...PARTS, JSON.stringify(BODY), '[DONE]')],
    ['the older completions’ text', data('{"choices":[{"text":"It is 42.","finish_reason":"stop"}]}')],
    ['a JSON text on each line, in CRLF', `${PARTS.join('\r\n')}\r\n`],
    ['chunks of usage alone', data(...PARTS, '{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}')],
    ['one JSON body', JSON.stringify(BODY)],
    ['messages for deltas', messages(['It is ', '42.'])],
    ['messages that grow', messages(['It is ', 'It is 42.'])],
    ['messages and the whole one', messages(['It is ', '42.', 'It is 42.'])],
    ['messages without a finish_reason', data(message({ content: 'It is ' }), message({ content: '42.' }), '[DONE]')],
    ['messages that grow, the last twice', messages(['It is ', 'It is 42.', 'It is 42.'])],
    ['the whole message twice', messages(['It is 42.', 'It is 42.'])],
    ['a first message that is empty', messages(['', 'It is ', '42.'])],
    ['one JSON body with a mark and line ends', `\ufeff\r\n${JSON.stringify(BODY, null, 2)}\n`],
  ])('%s', async ([, body], t) => {
    const call = await asked(t, [raw(body)])
    expect([call.text, call.requests, call.error]).toEqual(['It is 42.', 1, undefined])
    expect(call.events.some(({ type }) => type === 'cut_off')).toBe(false)
  })

  test('one JSON body that says it is JSON', async (t) => {
    const call = await asked(t, [raw(JSON.stringify(BODY), { 'content-type': 'application/json' })])
    expect([call.text, call.requests]).toEqual(['It is 42.', 1])
  })

  test.for<[string, string]>([
    ['the last event without its blank line', `data: ${chunk(CALL, 'tool_calls')}`],
    [
      'one JSON body',
      JSON.stringify({ choices: [{ message: { content: null, ...CALL }, finish_reason: 'tool_calls' }] }),
    ],
  ])('a call in %s', async ([, body], t) => {
    const call = await asked(t, [raw(body)])
    expect(calls(call)).toMatchObject([{ name: 'look', arguments: '{"q": 1}' }])
  })

  test.for([
    [['1', '1', ' km'], '11 km'],
    [['1', '1', '1', '0'], '1110'],
    [['ha', 'ha', '!'], 'haha!'],
  ] as const)('messages of which the first two are equal: %j', async ([pieces, text], t) => {
    expect((await asked(t, [raw(messages([...pieces]))])).text).toBe(text)
  })

  test.for(['reasoning_content', 'reasoning'])('messages whose %s grows', async (name, t) => {
    const texts = ['think', 'think more', 'think more']
    const body = data(...texts.map((text) => message({ [name]: text })), message({ content: '42' }), '[DONE]')
    const { events } = await asked(t, [raw(body)])
    const said = events.flatMap((event) => (event.type === 'reasoning' ? [event.text] : []))
    expect(said.join('')).toBe('think more')
  })

  test('messages for deltas that break off are tried again', async (t) => {
    const [first, second] = messages(['It is ', '42. ', 'Or not.']).split('\n\n')
    const call = await asked(t, [raw(`${first}\n\n${second}\n\n`), 'Whole.'])
    expect([call.text, call.requests]).toEqual(['Whole.', 2])
  })

  test('a last event that is cut off is tried again', async (t) => {
    const call = await asked(t, [raw(`${data(PARTS[0])}data: ${PARTS[1].slice(0, 30)}`), 'Whole.'])
    expect([call.text, call.requests]).toEqual(['Whole.', 2])
  })

  test('arguments that came as an object keep the digits of their numbers', async (t) => {
    const args = '{"id": 1234567890123456789, "price": 12.10}'
    const body = `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"look","arguments":${args}}}]},"finish_reason":"tool_calls"}]}`
    expect(calls(await asked(t, [raw(data(body))]))[0]?.arguments).toBe('{"id":1234567890123456789,"price":12.10}')
  })
})

describe.concurrent('an error within status 200', () => {
  const KEY = /OPENAI_API_KEY/
  const LONG = /too long for the model/
  test.for<[string, string, RegExp]>([
    ['an object', '{"error": {"message": "Invalid API key", "code": 401}}', KEY],
    ['its status', '{"error": {"message": "Invalid API key", "status": 401}}', KEY],
    ['text', '{"error": "Invalid API key", "code": "401"}', KEY],
    ['a list', '[{"error": {"message": "Invalid API key", "code": 401}}]', KEY],
    [
      'vLLM’s',
      '{"object": "error", "message": "This model\'s maximum context length is 8192 tokens.", "code": 400}',
      LONG,
    ],
    ['a message alone', '{"message": "prompt is too long: 9 tokens > 8 maximum", "code": 400}', LONG],
    ['a type of error', '{"type": "error", "error": {"message": "Invalid API key", "code": 401}}', KEY],
    ['a type without a code', '{"type": "error", "error": {"type": "authentication_error", "message": "no"}}', KEY],
    ['a code in words', '{"error": {"message": "no", "code": "invalid_api_key"}}', KEY],
    ['FastAPI’s', '{"detail": "Insufficient Balance", "code": 402}', /quota/],
  ])('%s is its sentence, at once, in a stream and as a body', async ([, body, hint], t) => {
    const forms = [
      asked(t, [raw(data(body))]),
      asked(t, [raw(body)]),
      asked(t, [raw(body)], { OPENAI_STREAM: 'false' }),
    ]
    for (const form of forms) {
      const { error, requests } = await form
      expect(error).toMatchObject({ retryable: false, hint: expect.stringMatching(hint) })
      expect(requests).toBe(1)
    }
  })

  test('that may pass is tried again', async (t) => {
    const call = await asked(t, [raw(data('{"object":"error","message":"overloaded","code":503}')), 'Whole.'])
    expect([call.text, call.requests]).toEqual(['Whole.', 2])
  })
})

test('an unknown finish_reason without any text is tried again', async (t) => {
  const call = await asked(t, [raw(data(chunk({}, 'something_new'), '[DONE]')), 'Whole.'])
  expect([call.text, call.requests]).toEqual(['Whole.', 2])
})
