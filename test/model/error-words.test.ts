/** Errors in the words of other providers. */
import { expect, test } from 'vitest'
import { callModel, modelsOf } from '../harness/model-call.ts'
import { playModel } from '../harness/played-model.ts'

test.for<[number, string, RegExp]>([
  [400, 'prompt is too long: 215341 tokens > 200000 maximum', /too long for the model/],
  [
    400,
    'request (9120 tokens) exceeds the available context size (8192 tokens), try increasing it',
    /too long for the/,
  ],
  [400, "This model's maximum prompt length is 131072 but the request contains 180345 tokens.", /too long for the/],
  [400, 'Input is too long for requested model.', /too long for the model/],
  [400, 'Range of input length should be [1, 129024]', /too long for the model/],
  [400, 'Your request exceeded model token limit: 131072', /too long for the model/],
  [400, 'Prompt exceeds max length', /too long for the model/],
  [422, '`inputs` tokens + `max_new_tokens` must be <= 32769', /too long for the model/],
  [413, 'Request too large for model x, please reduce your message size', /too long for the model/],
  [413, 'Payload Too Large', /too long for the model/],
  [400, 'messages too long', /too long for the model/],
  [400, 'Prompt tokens limit exceeded: 41234 > 32768.', /too long for the model/],
  [400, '此模型的最大上下文长度为 8192 个 token', /too long for the model/],
  [402, 'Insufficient Balance', /quota/],
  [403, 'Your account balance is insufficient', /quota/],
  [400, 'API key USD spend limit exceeded.', /quota/],
  [429, 'You have reached your specified API usage limits.', /quota/],
  [403, 'Arrearage: Access denied, please make sure your account is in good standing.', /quota/],
  [429, 'suspended due to insufficient balance, please recharge', /quota/],
  [400, 'Your credit balance is too low to access the API.', /quota/],
  [400, "Invalid 'user': string too long.", /refused the request/],
  [400, 'Invalid value: key "x" is required', /refused the request/],
  [400, "schema key 'type' is required but missing", /refused the request/],
  [400, 'Missing required key: messages', /refused the request/],
])('%i "%s" is not tried again', async ([status, message, hint], t) => {
  const endpoint = await playModel(t, [{ status, body: { error: { message } } }])
  const { error } = await callModel(modelsOf({ OPENAI_BASE_URL: endpoint.url }).model)
  expect(error).toMatchObject({ retryable: false, hint: expect.stringMatching(hint) })
  expect(endpoint.requests).toHaveLength(1)
})

test.for([
  'Rate limit reached for requests',
  'Rate limit exceeded: limit_rpm/some-model. High demand.',
  'Quota exceeded for quota metric "Generate requests per minute" and limit "1000 tokens per minute".',
  'Resource has been exhausted (e.g. check quota).',
  'You have exceeded the rate limit of maximum 60000 tokens per minute, please slow down.',
  'Too many tokens, please wait before trying again.',
  'You have reached the limit of the free tier (3 RPM)',
  'Free tier request limit exceeded: 15 RPM',
  'The free tier requires 1 second between calls',
  'Out of 60 requests quota',
  'Your request exceeds the service quota for concurrent requests.',
])('a rate limit is tried again: "%s"', async (message, t) => {
  const refusal = { status: 429, body: { error: { message, code: 429 } } }
  const endpoint = await playModel(t, [refusal, 'Fine.'])
  expect((await callModel(modelsOf({ OPENAI_BASE_URL: endpoint.url }).model)).text).toBe('Fine.')
  expect(endpoint.requests).toHaveLength(2)
})
