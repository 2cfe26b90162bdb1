/** Errors in the words that further providers and gateways really use. */
import { describe, expect, test } from 'vitest'
import { callModel, modelsOf } from '../harness/model-call.ts'
import { playModel, type Turn } from '../harness/played-model.ts'
import type { Ends } from '../harness/ends.ts'

async function failed(t: Ends, turn: Turn, env: Record<string, string> = {}) {
  const endpoint = await playModel(t, [turn])
  const { error } = await callModel(modelsOf({ OPENAI_BASE_URL: endpoint.url, ...env }).model)
  return { hint: String((error as { hint?: string } | undefined)?.hint), requests: endpoint.requests.length }
}

const raw = (message: string) => ({ message: 'Provider returned error', code: 400, metadata: { raw: message } })

describe.concurrent('a conversation that is too long', () => {
  test.for<[number, string | object]>([
    [400, 'Unable to submit request because the input token count is 1200000 but model only supports up to 1048576.'],
    [400, 'Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input.'],
    [400, 'Malformed input request: expected maxLength: 40000, actual: 52834, please reformat your input.'],
    [422, 'Prompt contains 40034 tokens, too large for model with 32768 maximum'],
    [400, 'max_tokens must be at least 1, got -928.'],
    [400, 'default_max_tokens (-500) should be greater than 0, default_max_tokens (-500) = max_seq_len (4096) - 4596'],
    [400, 'The sum of prompt length (9000.0) and query length (0) should not exceed max_num_tokens (8192)'],
    [400, '输入的 tokens 数量超过模型限制，请减少输入内容'],
    [400, 'prompt tokens too long, please shorten it'],
    [400, 'the max input characters is 20000'],
    [400, { message: 'Total tokens of image and text exceed max message tokens.', code: 'OutofContextError' }],
    [400, 'prompt token count of 130000 exceeds the limit of 128000'],
    [400, 'Please reduce the length of the messages or completion. Current length is 9120 while limit is 8192'],
    [400, 'Input length 40000 exceeds the maximum allowed length 32768'],
    [400, 'the number of input tokens 9000 cannot exceed the total tokens limit 8192 for this model'],
    [400, 'Total request length exceeds the limit of 127072 tokens'],
    [400, 'exceeds max input tokens limit 64000'],
    [400, "Invalid 'messages[1].content': string too long. Expected a string with maximum length 1048576."],
    [400, raw('{"type":"error","error":{"message":"prompt is too long: 215341 tokens > 200000 maximum"}}')],
  ])('%i %j', async ([status, given], t) => {
    const error = typeof given === 'string' ? { message: given } : given
    expect(await failed(t, { status, body: { error } })).toEqual({
      hint: expect.stringMatching(/too long for the/),
      requests: 1,
    })
  })
})

describe.concurrent('no money left', () => {
  test.for<[number, string | object]>([
    [403, "Your newly created team doesn't have any credits yet. You can purchase credits on the console."],
    [403, 'Key limit exceeded (total limit). Manage it using https://openrouter.ai/settings/keys'],
    [403, { message: 'The request failed because your account has an overdue balance.', code: 'AccountOverdueError' }],
    [403, 'This API method requires billing to be enabled. Please enable billing on project #x'],
    [403, '该令牌额度已用尽'],
    [400, 'Budget has been exceeded! Current cost: 10.2, Max budget: 10.0'],
    [429, 'Organization has been restricted due to unpaid invoices'],
    [429, 'Your prepayment credits are depleted. Please go to AI Studio to manage your project and billing.'],
    [429, { message: 'Tokens per day limit exceeded', code: 'token_quota_exceeded' }],
    [429, 'Your subscription has run out of credits.'],
    [403, 'Out of call volume quota. Quota will be replenished in 5.12:00:00.'],
    [400, 'Your request exceeds the service quota for your account.'],
    [429, { message: 'Your account org-1 is suspended, please check your plan', type: 'exceeded_current_quota_error' }],
    [403, { message: 'The free tier of the model has been exhausted.', code: 'AllocationQuota.FreeTierOnly' }],
    [429, 'You have used up your daily free allocation of 10,000 neurons.'],
    [429, 'Your account has exhausted its free trial quota for the x model.'],
    [429, { message: 'Your account 1 has reached the set inference limit.', code: 'SetLimitExceeded' }],
    [429, 'you (x) have reached your weekly usage limit, upgrade for higher limits'],
  ])('%i %j', async ([status, given], t) => {
    const error = typeof given === 'string' ? { message: given } : given
    expect(await failed(t, { status, body: { error } })).toEqual({ hint: expect.stringMatching(/quota/), requests: 1 })
  })
})

test.for([
  'Rate limit reached for model `x` on tokens per minute (TPM): Limit 6000. Please try again in 1ms. Need more tokens? Upgrade at https://console.groq.com/settings/billing',
  'You exceeded your current quota, please check your plan and billing details. Limit: 10 per minute. Please retry in 1s.',
  "This request would exceed your organization's rate limit of 50,000 input tokens per minute. Please reduce the prompt length or try again later.",
  'Your account is request reached max organization concurrency: 1, please try again after 1 seconds',
])('a limit that passes is tried again: %s', async (message, t) => {
  const endpoint = await playModel(t, [{ status: 429, body: { error: { message } } }, 'Fine.'])
  expect((await callModel(modelsOf({ OPENAI_BASE_URL: endpoint.url }).model)).text).toBe('Fine.')
})

test.for<[number, object | object[]]>([
  [
    400,
    [{ error: { code: 400, message: 'API key not valid. Please pass a valid API key.', status: 'INVALID_ARGUMENT' } }],
  ],
  [400, { error: { code: 400, message: 'API key expired. Please renew the API key.' } }],
  [400, { error: { message: 'Incorrect API key provided' } }],
])('a key that is refused with %i: %j', async ([status, body], t) => {
  expect((await failed(t, { status, body })).hint).toMatch(/OPENAI_API_KEY/)
})

test.for([
  [424, 'Request failed during generation: Server error: CUDA out of memory.'],
  [504, 'context deadline exceeded'],
  [500, 'rpc error: dial tcp 10.0.0.5:50051: context canceled after 30000 ms'],
  [503, 'Request exceeded the maximum wait time in the queue'],
  [429, 'Tokens per minute limit exceeded'],
])('%i %s is tried again, and is neither too long nor a matter of money', async ([status, message], t) => {
  const code = status === 429 ? { code: 'token_quota_exceeded' } : {}
  const endpoint = await playModel(t, [{ status: Number(status), body: { error: { message, ...code } } }, 'Fine.'])
  expect((await callModel(modelsOf({ OPENAI_BASE_URL: endpoint.url }).model)).text).toBe('Fine.')
})

test.for([
  "Invalid 'tools[3].function.description': string too long. Expected a string with maximum length 1024.",
  'max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.',
  'messages.2.content.1.tool_use.id: String should have at most 64 characters',
])('a field that is too long is not the conversation: %s', async (message, t) => {
  expect((await failed(t, { status: 400, body: { error: { message } } })).hint).toMatch(/refused the request/)
})

describe.concurrent('an error with status 200, whatever its form', () => {
  const KEY = /OPENAI_API_KEY/
  const QUOTA = /quota/
  test.for<[string, object, RegExp]>([
    ['words alone', { error: { message: 'Invalid API key' } }, KEY],
    ['a text', { error: 'Unauthorized' }, KEY],
    ['status_code', { status_code: 401, message: 'invalid token' }, KEY],
    ['statusCode', { statusCode: 401, message: 'Unauthorized', error: 'Unauthorized' }, KEY],
    ['msg', { code: 401, msg: '无效的令牌', data: null }, KEY],
    ['a list of errors', { success: false, errors: [{ code: 10000, message: 'Authentication error' }] }, KEY],
    ['Google’s status', { error: { message: 'no', status: 'UNAUTHENTICATED' } }, KEY],
    ['MiniMax, money', { base_resp: { status_code: 1008, status_msg: 'insufficient balance' }, choices: null }, QUOTA],
    ['MiniMax, key', { base_resp: { status_code: 1004, status_msg: 'login fail: carry the API secret key' } }, KEY],
    ['error_msg', { error_code: 110, error_msg: 'Access token invalid or no longer valid' }, KEY],
    ['FastAPI, an object', { detail: { message: 'Insufficient Balance', code: 402 } }, QUOTA],
    ['FastAPI, a list', { detail: [{ loc: ['body'], msg: 'prompt is too long: 9 tokens > 8 maximum' }] }, /too long/],
    ['no model', { object: 'error', message: 'The model `x` does not exist.', code: 404 }, /no model/],
  ])('%s', async ([, body, hint], t) => {
    const half = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'Half' } }] })}\n\n`
    const headers = { 'content-type': 'text/event-stream' }
    const data = `data: ${JSON.stringify(body)}\n\n`
    const forms = [
      failed(t, { status: 200, headers, body: data }),
      failed(t, { status: 200, headers, body: half + data }),
      failed(t, { status: 200, body }),
      failed(t, { status: 200, body }, { OPENAI_STREAM: 'false' }),
    ]
    for (const form of forms) expect(await form).toEqual({ hint: expect.stringMatching(hint), requests: 1 })
  })

  test.for([{ error: {} }, { error: '' }, { error: null }, { code: 0, message: 'success' }, { code: 200, msg: 'ok' }])(
    'a chunk with %j has none',
    async (more, t) => {
      const chunks = [{ delta: { content: 'Fine.' } }, { delta: {}, finish_reason: 'stop' }]
      const body = chunks.map((one) => `data: ${JSON.stringify({ choices: [{ index: 0, ...one }], ...more })}\n\n`)
      const headers = { 'content-type': 'text/event-stream' }
      const endpoint = await playModel(t, [{ status: 200, headers, body: body.join('') }])
      expect((await callModel(modelsOf({ OPENAI_BASE_URL: endpoint.url }).model)).text).toBe('Fine.')
    },
  )
})
