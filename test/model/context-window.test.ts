/** Windows: where they are told, how a prompt is refused or cut, and what is sent then. */
import { describe, expect, test } from 'vitest'
import { APIError } from 'openai'
import { isContextLength } from '../../src/model/error-words.ts'
import { sizesIn } from '../../src/model/window-refusals.ts'
import { modelsIn } from '../../src/model/model-list.ts'
import { callModel, modelsOf } from '../harness/model-call.ts'
import { playWindowed } from '../harness/windowed-model.ts'
import { createLog } from '../../src/base/log.ts'
import { loadConfig } from '../../src/config.ts'
import { createModels } from '../../src/model/choose-model.ts'

const refused = (message: string, fields: object = {}) =>
  new APIError(400, { message, ...fields }, undefined, undefined)

describe('the sizes in a refusal', () => {
  test.for<[string, number, number | undefined, object?]>([
    [
      'request (9120 tokens) exceeds the available context size (8192 tokens), try increasing it',
      8192,
      9120,
      { type: 'exceed_context_size_error', n_prompt_tokens: 9120, n_ctx: 8192 },
    ],
    ['the request exceeds the available context size', 4096, 5000, { n_prompt_tokens: 5000, n_ctx: 4096 }],
    ["This model's maximum context length is 4096 tokens. However, your messages resulted in 5012 tokens.", 4096, 5012],
    [
      "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4500 in the messages, 500 in the completion).",
      4096,
      4500,
    ],
    ["This model's maximum context length is 8,192 tokens. However, your request has 9,001 input tokens.", 8192, 9001],
    ['The decoder prompt (length 5000) is longer than the maximum model length of 4096.', 4096, 5000],
    ["The input (5000 tokens) is longer than the model's context length (4096 tokens).", 4096, 5000],
    ['prompt is too long: 215341 tokens > 200000 maximum', 200_000, 215_341],
    ['input length and `max_tokens` exceed context limit: 199759 + 8192 > 200000', 200_000, undefined],
    ["This model's maximum prompt length is 131072 but the request contains 180345 tokens.", 131_072, 180_345],
    ['Range of input length should be [1, 129024]', 129_024, undefined],
    ['Your request exceeded model token limit: 131072', 131_072, undefined],
    ['`inputs` tokens + `max_new_tokens` must be <= 32769. Given: 33000 `inputs` tokens', 32_769, 33_000],
    ['Input validation error: `inputs` must have less than 4095 tokens. Given: 5000', 4095, 5000],
    ['Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 9000', 6000, 9000],
    ['Request body too large for gpt-4o model. Max size: 8000 tokens.', 8000, undefined],
    ['The input token count (40000) exceeds the maximum number of tokens allowed (32768).', 32_768, 40_000],
    [
      'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
      32_768,
      40_000,
    ],
    ['too many tokens: the total number of tokens in the prompt cannot exceed 4081 - received 5000.', 4081, 5000],
    [
      'Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.',
      4096,
      5000,
    ],
    ['Requested tokens (5000) exceed context window of 4096', 4096, 5000],
    [
      "This endpoint's maximum context length is 32768 tokens. However, you requested about 41234 tokens (41000 of text input, 234 in the output).",
      32_768,
      41_000,
    ],
    ['The prompt is too long: 140000, model maximum context length: 131071', 131_071, 140_000],
    ['此模型的最大上下文长度为 8192 个 token，您请求了 9000 个', 8192, 9000],
    [
      "You passed 5001 input tokens and requested 0 output tokens. However, the model's context length is only 4096 tokens, resulting in a maximum input length of 4096 tokens.",
      4096,
      5001,
    ],
    ['The number of tokens to keep is greater than the context length (n_keep: 5012>= n_ctx: 4096).', 4096, 5012],
    ['prompt token count of 130000 exceeds the limit of 128000', 128_000, 130_000],
    ['Current length is 9143 tokens while limit is 8192', 8192, 9143],
    ['too many tokens: size limit exceeded by 1010 tokens. The limit for this model is 4096 tokens.', 4096, undefined],
    ['max_tokens (500) + input (5000) exceeds context window 4096', 4096, 5000],
    ['prompt_tokens 5000 + max_tokens 1024 > max_seq_len 4096', 4096, 5000],
    ['Token limit exceeded: 5000/4096', 4096, 5000],
    ['Request exceeded the maximum of 4096 tokens for llama-3.1-8b-instruct-2024: 5000', 4096, 5000],
    ["Your prompt contains 5000 tokens, which exceeds the model's maximum of 4096 input tokens.", 4096, 5000],
    ['The prompt (5000 tokens) is larger than the context (4096).', 4096, 5000],
    ['The prompt has 9000 tokens, but the context window is 8k', 8000, 9000],
    ['モデルのコンテキストは4096トークンですが、5000トークンが要求されました。', 4096, 5000],
  ])('%s', ([message, window, prompt, fields]) => {
    const error = refused(message, fields)
    expect(sizesIn(error)).toEqual({ window, ...(prompt === undefined ? {} : { prompt }) })
    expect(isContextLength(error)).toBe(true)
  })

  test.for<[string, number]>([
    ['prompt too long; exceeded max context length by 1200 tokens', 1200],
    ['The input is too long: it has 1,904 tokens more than the context window', 1904],
  ])('only how much is too much: %s', ([message, over]) => expect(sizesIn(refused(message))).toEqual({ over }))

  test.for([
    "max_tokens is not supported with this model. Use 'max_completion_tokens' instead.",
    'The image has 6291456 bytes, more than 5242880',
    'You have used 5000 of 4000 tokens per day.',
    'temperature must be at most 1.00',
  ])('is none: %s', (message) => expect(isContextLength(refused(message))).toBe(false))

  test.for([
    'Input is too long for requested model.',
    'Prompt exceeds max length',
    'gpt-4 at 3 max 2',
    'invalid params, context window exceeds limit (2013)',
    'Your input exceeds the context window of gpt-4-0613.',
  ])('none: %s', (message) => expect(sizesIn(refused(message))).toEqual({}))
})

describe('a list of models tells', () => {
  test.for<[string, object, number | undefined]>([
    ['llama.cpp’s n_ctx, not what the model could take', { meta: { n_ctx: 8192, n_ctx_train: 32_768 } }, 8192],
    ['nothing without n_ctx', { meta: { n_ctx_train: 32_768 } }, undefined],
    ['vLLM’s max_model_len', { max_model_len: 16_384 }, 16_384],
    ['LiteLLM’s max_input_tokens', { model_info: { max_input_tokens: 128_000 } }, 128_000],
    ['the same beside the id', { max_input_tokens: 64_000, max_output_tokens: 8_000 }, 64_000],
    ['OpenRouter’s smaller one', { context_length: 131_072, top_provider: { context_length: 32_768 } }, 32_768],
    ['LM Studio’s loaded one', { state: 'loaded', max_context_length: 131_072, loaded_context_length: 4096 }, 4096],
    ['nothing of one that LM Studio has not loaded', { state: 'not-loaded', max_context_length: 131_072 }, undefined],
    ['Groq’s context_window', { context_window: 8192 }, 8192],
    ['max_context', { max_context: 200_000 }, 200_000],
    ['no number that is none', { max_model_len: '16384', context_length: -1, meta: null }, undefined],
  ])('%s', ([, facts, window]) => {
    expect(modelsIn(JSON.stringify({ data: [{ id: 'x', ...facts }] }))[0]?.window).toBe(window)
  })
})

const words = (count: number) => Array.from({ length: count }, (_, i) => `word${i % 10}`).join(' ')

describe('a call without parts', () => {
  test.for<[string, object]>([
    ['chat completions', {}],
    ['the Responses API', { OPENAI_API: 'responses' }],
    ['an answer in one piece', { OPENAI_STREAM: 'false' }],
  ])('loses the middle of its longest message, over %s', async ([, env], t) => {
    const endpoint = await playWindowed(t, { server: 'vLLM', window: 2_048, turns: ['Fine.'] })
    const { model } = modelsOf({ OPENAI_BASE_URL: endpoint.url, ...env })
    const messages = [
      { role: 'system' as const, content: 'Be brief.' },
      { role: 'user' as const, content: `BEGIN ${words(5_000)} END` },
    ]
    expect((await callModel(model, { messages })).text).toBe('Fine.')
    expect(endpoint.refused).toBe(0)
    expect(endpoint.answered[0]!.request.prompt).toMatch(/Be brief\.[^]*BEGIN[^]*characters cut[^]*END/)
  })

  test('that is short asks for no list', async (t) => {
    const paths: string[] = []
    const net = {
      fetch: (async (url, init) => {
        paths.push(new URL(String(url)).pathname)
        return fetch(url, init)
      }) as typeof fetch,
    }
    const endpoint = await playWindowed(t, { server: 'LM Studio', window: 2_048, turns: ['Fine.'] })
    const config = loadConfig({ OPENAI_MODEL: 'played-model', OPENAI_BASE_URL: endpoint.url })
    const { model } = createModels({ config, log: createLog('silent'), net, now: Date.now })
    await callModel(model)
    expect(paths).toEqual(['/v1/chat/completions'])
    const messages = [{ role: 'user' as const, content: words(5_000) }]
    await callModel(model, { messages })
    await callModel(model, { messages })
    expect(paths.slice(1)).toEqual([
      ...['/v1/models', '/api/v0/models'],
      ...['/v1/chat/completions', '/v1/chat/completions'],
    ])
  })
})

test('a fallback model has a window of its own', async (t) => {
  const endpoint = await playWindowed(t, { server: 'vLLM', window: 2_048, turns: ['Fine.'], isListed: false })
  endpoint.lists.set('/v1/models', {
    data: [
      { id: 'played-model', max_model_len: 100_000 },
      { id: 'second', max_model_len: 2_048 },
    ],
  })
  const { model } = modelsOf({
    OPENAI_BASE_URL: endpoint.url,
    OPENAI_FALLBACK_MODEL: 'second',
    OPENAI_CONTEXT_TOKENS: '90000',
  })
  const sizes: number[] = []
  endpoint.decide('word', ({ body, prompt }) => {
    sizes.push(prompt.length)
    return body.model === 'second' ? 'Fine.' : { status: 500 }
  })
  expect((await callModel(model, { messages: [{ role: 'user', content: words(5_000) }] })).text).toBe('Fine.')
  expect(sizes.at(-1)).toBeLessThan(2_048 * 6)
  expect(sizes[0]).toBeGreaterThan(25_000)
})

test('an endpoint that lists only properties, or nothing, or is down, does no harm', async (t) => {
  const endpoint = await playWindowed(t, { server: 'llama.cpp', window: 2_048, turns: ['Fine.'], isListed: false })
  endpoint.lists.set('/props', { default_generation_settings: { n_ctx: 2_048 } })
  const messages = [{ role: 'user' as const, content: words(5_000) }]
  const { model } = modelsOf({ OPENAI_BASE_URL: endpoint.url })
  expect((await callModel(model, { messages })).text).toBe('Fine.')
  expect(endpoint.refused).toBe(0)
  const down = modelsOf({ OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' })
  const { error } = await callModel(down.model, { messages })
  expect(error).toMatchObject({ hint: expect.stringContaining('cannot be reached') })
})

test.for<[string, string, object, object]>([
  [
    'Ollama has loaded',
    '/api/ps',
    { models: [] },
    { models: [{ name: 'played-model:latest', context_length: 2_048 }] },
  ],
  [
    'another model of Ollama has',
    '/api/ps',
    { models: [{ name: 'other', context_length: 512 }] },
    { models: [{ name: 'played-model', context_length: 2_048 }] },
  ],
])('a model that %s later is known soon', async ([, path, before, after], t) => {
  const endpoint = await playWindowed(t, { server: 'OpenAI', window: 100_000, turns: ['Fine.'] })
  const config = loadConfig({ OPENAI_MODEL: 'played-model', OPENAI_BASE_URL: endpoint.url })
  let now = 1_000
  const { model } = createModels({ config, log: createLog('silent'), net: {}, now: () => now })
  const ask = () => callModel(model, { messages: [{ role: 'user', content: words(5_000) }] })
  endpoint.lists.set(path, before)
  await ask()
  endpoint.lists.set(path, after)
  now += 30_000
  await ask()
  expect(endpoint.answered.map(({ tokens }) => tokens > 2_048)).toEqual([true, false])
})
