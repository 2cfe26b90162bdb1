/** Refusals in the words of providers that are learnt: `stop`, and the role for instructions. */
import { expect, test } from 'vitest'
import { callModel, modelsOf } from '../harness/model-call.ts'
import { playModel } from '../harness/played-model.ts'

const MESSAGES = [
  { role: 'system' as const, content: 'Be brief.' },
  { role: 'user' as const, content: 'Hello?' },
  { role: 'assistant' as const, content: 'Hi.' },
  { role: 'user' as const, content: 'And now?' },
]

test.for<[number, string, object?]>([
  [400, "This model doesn't support the stopSequences field. Remove stopSequences and try again."],
  [400, 'The stop sequence you provided at index 0 is longer than the model limit of 10 characters'],
  [400, 'stop: array too long. Expected an array with maximum length 1, but got an array with length 2 instead.'],
  [422, 'stop_sequences: at most 1 item is allowed'],
  [400, "Invalid 'stop': array too long.", { param: 'stop' }],
  [400, 'stop_sequences.0: each stop sequence must contain non-whitespace'],
  [400, 'The number of stop sequences should be no more than 5'],
  [400, 'stop: Input should be a valid string'],
  [422, '{"detail":[{"loc":["body","stop"],"msg":"str type expected","type":"type_error.str"}]}'],
  [400, "'stop' : one of the input is too long : property 'stop' maximum 16 characters"],
  [400, 'The stop parameter cannot be used with this model'],
  [500, 'stop is not supported by this backend'],
  [501, '`stop` is not implemented'],
  [400, 'Provider returned error', { metadata: { raw: '{"error":{"message":"Unsupported parameter: \'stop\'"}}' } }],
])('%i "%s": no stop is sent any more', async ([status, message, more = {}], t) => {
  const refusal = { status, body: { error: { message, ...more } } }
  const endpoint = await playModel(t, ({ body }) => (body.stop ? refusal : 'Fine.'))
  const { model } = modelsOf({ OPENAI_BASE_URL: endpoint.url })
  for (let i = 0; i < 2; i++) expect((await callModel(model, { stop: ['\nObservation:'] })).text).toBe('Fine.')
  expect(endpoint.requests.map(({ body }) => 'stop' in body)).toEqual([true, false, false])
  expect(endpoint.requests.at(-1)?.body.temperature).toBe(0)
})

test.for<[number, string]>([
  [400, 'System role not supported'],
  [500, 'Value is not callable: null at row 1: System role not supported'],
  [400, "Unsupported value: 'messages[0].role' does not support 'system' with this model."],
  [400, 'Developer instruction is not enabled for models/gemma-3-27b-it'],
  [400, 'Only user and assistant roles are supported!'],
  [400, 'Conversation roles must alternate user/assistant/user/assistant/...'],
  [400, "This model doesn't support system messages. Try again without a system message."],
  [400, 'Unknown role: system'],
  [400, 'Invalid role: system. Must be one of user, assistant'],
  [
    422,
    '{"detail":[{"loc":["body","messages",0,"role"],"msg":"unexpected value; permitted: \'user\', \'assistant\'"}]}',
  ],
  [400, 'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter.'],
  [400, 'Only user, assistant and tool roles are supported, got system.'],
  [400, 'Please ensure that the role is one of user or model. Valid roles: user, model.'],
  [400, "This model doesn't support the system field. Remove system and try again."],
  [400, 'first message must use the "user" role'],
  [400, '该模型不支持 system 角色'],
])('%i "%s": the instructions move to the first user message and stay', async ([status, message], t) => {
  const refusal = { status, body: { error: { message } } }
  const endpoint = await playModel(t, ({ body }) =>
    body.messages.some(({ role }) => role === 'system') ? refusal : 'Fine.',
  )
  const { model } = modelsOf({ OPENAI_BASE_URL: endpoint.url })
  for (let i = 0; i < 2; i++) expect((await callModel(model, { messages: MESSAGES })).text).toBe('Fine.')
  expect(endpoint.requests).toHaveLength(3)
  for (const { body } of endpoint.requests.slice(1))
    expect(body.messages.map(({ role, content }) => `${role}: ${content}`)).toEqual([
      'user: Be brief.\n\nHello?',
      'assistant: Hi.',
      'user: And now?',
    ])
})

test.for([
  'The system is in maintenance.',
  'Image input is not supported by this system',
  'Invalid role: tool. Must be one of system, user, assistant',
  'The system prompt is too long: 90000 tokens > 8192 maximum',
])('an error that only mentions a system does not move anything: %s', async (message, t) => {
  const endpoint = await playModel(t, [{ status: 400, body: { error: { message } } }])
  const { error } = await callModel(modelsOf({ OPENAI_BASE_URL: endpoint.url }).model, { messages: MESSAGES })
  expect(error).toMatchObject({ retryable: false })
  expect(endpoint.requests).toHaveLength(1)
})

test('calls at the same time learn the same refusal, and both are repeated', async (t) => {
  const refusal = { status: 400, body: { error: { message: 'stop: not supported. System role not supported.' } } }
  const endpoint = await playModel(t, ({ body }) =>
    body.stop || body.messages.some(({ role }) => role === 'system') ? refusal : 'Fine.',
  )
  const { model } = modelsOf({ OPENAI_BASE_URL: endpoint.url })
  const both = [{ messages: MESSAGES }, { messages: MESSAGES }, { stop: ['x'] }, { stop: ['x'] }]
  const answers = await Promise.all(both.map((request) => callModel(model, request)))
  expect(answers.map(({ text }) => text)).toEqual(Array.from(both, () => 'Fine.'))
})

const SCHEMA = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false }

test.for<[string, object?]>([
  ["'response_format' of type json_schema is not supported by this model"],
  ['This model does not support response format `json_schema`.'],
  ['Invalid JSON payload received. Unknown name "additionalProperties" at \'generation_config.response_schema\'.'],
  ['Failed to initialize samplers: failed to parse grammar'],
  ['guided_json is not supported with this backend'],
  ['Structured outputs are not available for this deployment.'],
  ['This response_format type is unavailable now', { param: 'response_format.type' }],
])('"%s": no schema is sent any more', async ([message, more = {}], t) => {
  const refusal = { status: 400, body: { error: { message, ...more } } }
  const endpoint = await playModel(t, ({ body }) => (body['response_format'] ? refusal : 'Fine.'))
  const { model } = modelsOf({ OPENAI_BASE_URL: endpoint.url })
  for (let i = 0; i < 2; i++) expect((await callModel(model, { schema: SCHEMA })).text).toBe('Fine.')
  expect(endpoint.requests.map(({ body }) => 'response_format' in body)).toEqual([true, false, false])
})

test.for<[string, string | undefined]>([
  ["Unknown parameter: 'text'.", 'text'],
  ["Unsupported parameter: 'text.format' is not supported with this model.", 'text.format'],
  ["Invalid schema for response_format 'turn'", 'text.format.schema'],
  ['text.format is not supported', undefined],
])('the Responses API: "%s"', async ([message, param], t) => {
  const refusal = { status: 400, body: { error: { message, param } } }
  const endpoint = await playModel(t, ({ raw }) => ('text' in JSON.parse(raw) ? refusal : 'Fine.'))
  const { model } = modelsOf({ OPENAI_BASE_URL: endpoint.url, OPENAI_API: 'responses' })
  for (let i = 0; i < 2; i++) expect((await callModel(model, { schema: SCHEMA })).text).toBe('Fine.')
  expect(endpoint.requests).toHaveLength(3)
})
