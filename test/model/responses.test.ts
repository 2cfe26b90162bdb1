/** The wire format of the Responses API: what is sent, and what is read from real events. */
import { describe, expect, test } from 'vitest'
import type { Message, ToolSpec } from '../../src/agent/contracts/model.ts'
import { withChosenApi } from '../../src/model/choose-api.ts'
import { loadConfig } from '../../src/config.ts'
import { createLog } from '../../src/base/log.ts'
import type { Ends } from '../harness/ends.ts'
import { callModel, modelsOf } from '../harness/model-call.ts'
import { playModel, type Script, type Turn } from '../harness/played-model.ts'

const TOOL: ToolSpec = { name: 'look', description: 'Looks.', parameters: { type: 'object' } }

async function played(t: Ends, script: Script, env: Record<string, string> = {}) {
  const endpoint = await playModel(t, script)
  const logs: string[] = []
  const settings = { OPENAI_BASE_URL: endpoint.url, OPENAI_API: 'responses', ...env }
  return { endpoint, logs, settings, ...modelsOf(settings, logs) }
}

const two = ['a', 'b'].map((id) => ({ id, name: 'look', arguments: `{"at":"${id}"}` }))

describe.concurrent.each(['true', 'false'])('OPENAI_STREAM=%s', (OPENAI_STREAM) => {
  const env = { OPENAI_STREAM }

  test('reasoning, text, parallel calls and usage are returned, and sent back unchanged in order', async (t) => {
    const usage = {
      ...{ input_tokens: 90, output_tokens: 40, input_tokens_details: { cached_tokens: 64 } },
      output_tokens_details: { reasoning_tokens: 25 },
    }
    const script = [{ text: 'I look.', reasoning: '**Plan** look twice', toolCalls: two, usage }, 'Done.']
    const { endpoint, model } = await played(t, script, { ...env, OPENAI_REASONING_EFFORT: 'high' })
    const asked = [
      { role: 'system' as const, content: 'Be brief.' },
      { role: 'user' as const, content: 'Hello?' },
    ]
    const first = await callModel(model, { messages: asked, tools: [TOOL], stop: ['\nObservation:'] })
    const kept = first.events.flatMap((event) => (event.type === 'kept' ? [event.kept] : []))[0]
    expect(
      first.events
        .filter(({ type }) => type === 'reasoning')
        .map((one) => 'text' in one && one.text)
        .join(''),
    ).toBe('**Plan** look twice')
    expect(first.text).toBe('I look.')
    expect(first.events.at(-1)).toEqual({ type: 'tool_calls', calls: two })
    expect(first.usage).toMatchObject([{ inputTokens: 90, outputTokens: 40, cachedTokens: 64, reasoningTokens: 25 }])
    expect(JSON.parse(endpoint.requests[0]!.raw)).toEqual({
      ...{ model: 'played-model', stream: OPENAI_STREAM === 'true', store: false, temperature: 0 },
      input: asked.map((message) => ({ type: 'message', ...message })),
      include: ['reasoning.encrypted_content'],
      reasoning: { effort: 'high', summary: 'auto' },
      tools: [{ type: 'function', ...TOOL, strict: false }],
    })

    const said: Message = { role: 'assistant', content: 'I look.', toolCalls: two, kept: kept! }
    const results = two.map(({ id }) => ({ role: 'tool' as const, content: `seen ${id}`, toolCallId: id }))
    expect((await callModel(model, { messages: [...asked, said, ...results], tools: [TOOL] })).text).toBe('Done.')
    const call = ({ id, arguments: written }: (typeof two)[number]) => ({
      ...{ type: 'function_call', call_id: id, name: 'look', arguments: written },
    })
    const input = endpoint.requests[1]!.body['input'] as object[]
    expect(input.slice(2)).toEqual([
      {
        ...{ type: 'reasoning', id: 'rs_2', encrypted_content: 'gAAAA-2-**Plan** look twice' },
        summary: [{ type: 'summary_text', text: '**Plan** look twice' }],
      },
      { type: 'message', role: 'assistant', content: 'I look.' },
      ...two.map(call),
      ...two.map(({ id }) => ({ type: 'function_call_output', call_id: id, output: `seen ${id}` })),
    ])

    // Only the calls that were made are sent. Another model does not get the reasoning.
    await callModel(model, { messages: [...asked, { ...said, toolCalls: [two[0]!] }, results[0]!], tools: [TOOL] })
    expect((endpoint.requests[2]!.body['input'] as { type: string }[]).map(({ type }) => type).slice(2)).toEqual([
      'reasoning',
      'message',
      'function_call',
      'function_call_output',
    ])
    await callModel(model, { messages: [...asked, { ...said, kept: { ...kept!, model: 'other' } }, ...results] })
    expect(endpoint.requests[3]!.raw).not.toContain('encrypted-')
  })

  test('a refusal is quoted, and an incomplete answer is marked', async (t) => {
    const { model } = await played(t, [{ refusal: 'I cannot help with that.' }], env)
    const { events, error } = await callModel(model)
    expect(error).toBeUndefined()
    expect(events.map((event) => ('text' in event ? event.text : '')).join('')).toBe('I cannot help with that.')
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(['refusal']))

    const cut = await played(t, [{ text: 'It is', finish: 'max_output_tokens' }], env)
    expect((await callModel(cut.model)).events.at(-1)).toEqual({ type: 'cut_off' })
    const filtered = await played(t, [{ text: 'It is', finish: 'content_filter' }], env)
    expect((await callModel(filtered.model)).error).toMatchObject({ hint: expect.stringContaining('content filter') })
  })

  test('a failed response is retried unless it would fail again', async (t) => {
    const failure = (code: string): Turn => ({ failure: { code, message: 'played' } })
    const { model, endpoint } = await played(t, [failure('server_error'), failure('rate_limit_exceeded'), 'Fine.'], env)
    expect((await callModel(model)).text).toBe('Fine.')
    expect(endpoint.requests).toHaveLength(3)
    const wrong = await played(t, [failure('invalid_prompt')], env)
    expect((await callModel(wrong.model)).error).toMatchObject({ name: 'ModelError', retryable: false })
    expect(wrong.endpoint.requests).toHaveLength(1)
  })

  test('a rejected field of `reasoning` is left out, the others stay', async (t) => {
    const { endpoint, model } = await played(t, ['fine'], { ...env, OPENAI_REASONING_EFFORT: 'low' })
    for (const name of ['temperature', 'include', 'reasoning.summary']) endpoint.refuses.add(name)
    expect((await callModel(model)).text).toBe('fine')
    expect(endpoint.requests).toHaveLength(4)
    expect(endpoint.requests[3]!.body).toMatchObject({ reasoning: { effort: 'low' }, store: false })
    expect(Object.keys(endpoint.requests[3]!.body)).not.toContain('include')
    expect(Object.keys(endpoint.requests[3]!.body)).not.toContain('temperature')
  })

  test('texts of two items stay separate, and a call that only the final event names is made once', async (t) => {
    const thought = (id: string, ...parts: string[]) => ({
      ...{ type: 'reasoning', id, encrypted_content: id },
      summary: parts.map((text) => ({ type: 'summary_text', text })),
    })
    const comment = (id: string, text: string) => ({
      ...{ type: 'message', id, role: 'assistant', phase: 'commentary' },
      content: [{ type: 'output_text', text, annotations: [] }],
    })
    const calls = two.map(({ id, ...call }) => ({ type: 'function_call', id: `fc_${id}`, call_id: id, ...call }))
    const output = [
      ...[thought('rs_1', 'First I look.', 'In both places.'), comment('msg_1', 'I look here.'), calls[0]!],
      ...[thought('rs_2', 'Then there.'), comment('msg_2', 'And I look there.'), calls[1]!],
    ]
    for (const streamed of [6, 5, 4, 3, 0]) {
      const { model } = await played(t, [{ output, streamed }], env)
      const { events, text } = await callModel(model, { tools: [TOOL] })
      const reasoning = events.map((event) => (event.type === 'reasoning' ? event.text : '')).join('')
      expect(reasoning).toBe('First I look.\n\nIn both places.\n\nThen there.')
      expect(text).toBe('I look here.\n\nAnd I look there.')
      expect(events.at(-1)).toEqual({ type: 'tool_calls', calls: two })
    }
  })

  test('pictures are sent in this API’s format', async (t) => {
    const { endpoint, model } = await played(t, ['red'], env)
    const images = [{ name: 'a.png', mime: 'image/png', base64: 'AAAA' }]
    await callModel(model, { messages: [{ role: 'user', content: 'What colour?', images, unseen: '' }] })
    expect(endpoint.requests[0]!.body['input']).toEqual([
      {
        ...{ type: 'message', role: 'user' },
        content: [
          { type: 'input_text', text: 'What colour?' },
          { type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,AAAA' },
        ],
      },
    ])
  })
})

test.concurrent(
  'a reasoning item without its content is not sent back: nothing is stored that it could refer to',
  async (t) => {
    const output = [
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: null },
      { type: 'function_call', id: 'fc_1', call_id: 'a', name: 'look', arguments: '{}' },
    ]
    const { model } = await played(t, [{ output }])
    expect((await callModel(model, { tools: [TOOL] })).events).toEqual([
      { type: 'tool_calls', calls: [{ id: 'a', name: 'look', arguments: '{}' }] },
    ])
  },
)

test.concurrent('a stream that breaks off or lacks its last event is retried', async (t) => {
  const script = [{ text: 'Half of it', cutAfter: 4 }, { text: 'Again', finish: false as const }, 'Whole.']
  const { model, endpoint } = await played(t, script)
  expect((await callModel(model)).text).toBe('Whole.')
  expect(endpoint.requests).toHaveLength(3)
})

test.concurrent(
  'without the endpoint the log names OPENAI_API, and nothing is asked over chat or of a fallback',
  async (t) => {
    const { endpoint, model } = await played(t, ['No.'], { OPENAI_FALLBACK_MODEL: 'second' })
    endpoint.lacks.add('responses')
    const { error } = await callModel(model)
    expect(error).toMatchObject({
      message: expect.stringContaining('OPENAI_API=responses cannot work'),
      hint: expect.stringContaining('OPENAI_API'),
    })
    expect(endpoint.requests.map(({ api }) => api)).toEqual(['responses'])
  },
)

test.concurrent.for(['responses', 'chat'] as const)('OPENAI_API=auto probes once and chooses %s', async (api, t) => {
  const { endpoint, settings, logs } = await played(t, ['ready'], { OPENAI_API: 'auto' })
  if (api === 'chat') endpoint.lacks.add('responses')
  const log = createLog('info', { write: (line) => void logs.push(line) })
  const config = await withChosenApi(loadConfig(settings), { log, net: {}, now: Date.now })
  expect(config.OPENAI_API).toBe(api)
  expect(endpoint.requests).toHaveLength(1)
  expect(logs.join('')).toMatch(new RegExp(`"api":"${api}".*OPENAI_API=auto has chosen the API`))
})
