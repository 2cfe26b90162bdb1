/** Requests to a model without vision, and the errors that reveal it. */
import { describe, expect, test } from 'vitest'
import type { Message, Picture } from '../../src/agent/contracts/model.ts'
import type { Ends } from '../harness/ends.ts'
import { callModel, modelsOf } from '../harness/model-call.ts'
import { playModel, type PlayedRequest, type TurnParts } from '../harness/played-model.ts'

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const picture = (name = 'chart.png'): Picture => ({ name, mime: 'image/png', base64: PIXEL })

/** Returns a message with new pictures, because a refused picture is remembered. */
function asked(images = [picture()]): { messages: Message[] } {
  return { messages: [{ role: 'user', content: 'What is it?', images, unseen: 'You cannot see. ' }] }
}

const refusal = (status: number, message: string, more: object = {}): TurnParts => ({
  status,
  body: { error: { message, type: 'invalid_request_error', ...more } },
})

const fastApi = (loc: string[], msg: string): TurnParts => ({
  status: 422,
  body: { detail: [{ type: 'literal_error', loc, msg }] },
})

const DOWN: TurnParts = { status: 503, headers: { 'retry-after-ms': '1' } }

/** Errors from the issue trackers of other projects. */
const TAKES_NONE: [who: string, refusal: TurnParts][] = [
  ['OpenAI and Azure', refusal(400, 'Invalid content type. image_url is only supported by certain models.')],
  [
    'an older OpenAI, which repeats the picture',
    refusal(
      400,
      `[{'type': 'text', 'text': 'What?'}, {'type': 'image_url', 'image_url': {'url': 'data:image/png;base64,${PIXEL}'}}] is not of type 'string' - 'messages.1.content'`,
    ),
  ],
  [
    'vLLM',
    {
      status: 400,
      body: { object: 'error', message: 'facebook/opt-125m is not a multimodal model None', type: 'BadRequestError' },
    },
  ],
  ['vLLM, whose limit is none', refusal(400, 'At most 0 image(s) may be provided in one prompt.')],
  [
    'llama.cpp',
    refusal(500, 'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj'),
  ],
  ['llama.cpp, older', refusal(500, 'image input is not supported by this server', { type: 'server_error' })],
  ['OpenRouter', refusal(404, 'No endpoints found that support image input')],
  [
    'OpenRouter, in the words of what is behind it',
    refusal(400, 'Provider returned error', {
      metadata: {
        raw: '{"error": {"message": "Invalid content type. image_url is only supported by certain models."}}',
      },
    }),
  ],
  ['Ollama', refusal(400, 'this model does not support image input (ref: b8bd630e-4a39)')],
  [
    'Ollama, older',
    refusal(
      500,
      'Failed to create new sequence: failed to process inputs: this model is missing data required for image input',
    ),
  ],
  [
    'DeepSeek',
    refusal(
      400,
      'Failed to deserialize the JSON body into the target type: messages[1]: unknown variant `image_url`, expected `text` at line 1 column 53929',
    ),
  ],
  [
    'DeepSeek, older',
    refusal(
      422,
      'Failed to deserialize the JSON body into the target type: messages[2]: invalid type: sequence, expected a string at line 1 column 2901',
    ),
  ],
  [
    'DeepSeek, of its enum',
    refusal(
      400,
      'Failed to deserialize the JSON body into the target type: messages[1]: data did not match any variant of untagged enum ChatCompletionRequestContent',
    ),
  ],
  ['Groq', refusal(400, 'messages[1].content must be a string')],
  [
    'Groq, newer',
    refusal(
      400,
      "'messages.1' : for 'role:user' the following must be satisfied[('messages.1.content' : value must be a string)]",
    ),
  ],
  ['Mistral', refusal(400, 'Image input is not enabled for this model', { code: '3051' })],
  ['xAI', { status: 400, body: { code: 'invalid-argument', error: 'Image inputs are not supported by this model.' } }],
  [
    'Bedrock through LiteLLM',
    refusal(
      400,
      'litellm.BadRequestError: BedrockException - {"message":"This model doesn\'t support the image content block that you provided. Update the content block and try again."}',
    ),
  ],
  ['LM Studio', { status: 400, body: { error: 'Model does not support images. Please use a model that does.' } }],
  ['pydantic', fastApi(['body', 'messages', '0', 'content', '0', 'type'], "Input should be 'text'")],
  ['pydantic, of a string', fastApi(['body', 'messages', '0', 'content', 'str'], 'Input should be a valid string')],
  ['a gateway', refusal(400, 'vision is not supported by this model')],
  ['a gateway in Chinese', refusal(400, '当前模型不支持图片输入')],
]

/** Errors about one picture, and unknown errors. They do not mean that the model has no vision. */
const OF_THIS_PICTURE: [who: string, refusal: TurnParts][] = [
  [
    'OpenAI, of a format',
    refusal(
      400,
      "You uploaded an unsupported image. Please make sure your image is below 20 MB in size and is of one the following formats: ['png', 'jpeg', 'gif', 'webp'].",
    ),
  ],
  ['Anthropic', refusal(400, 'Could not process image')],
  ['Gemini, of a type', refusal(400, "MIME type 'image/tiff' is not supported for generation")],
  ['vLLM, of their number', refusal(400, 'At most 1 image(s) may be provided in one request.')],
  ['a gateway, of the size', { status: 413, body: 'Request Entity Too Large' }],
  ['Zhipu', refusal(400, 'API 调用参数有误，请检查文档。', { code: '1210' })],
  ['new words', refusal(400, 'Request contains an invalid argument.')],
]

/** Starts an endpoint that refuses pictures with this error, and a model that calls it. */
async function blind(t: Ends, turn: TurnParts, env: Record<string, string> = {}) {
  const endpoint = await playModel(t, ['Fine.'])
  endpoint.takesNoPictures(turn)
  const logs: string[] = []
  return { endpoint, logs, ...modelsOf({ OPENAI_BASE_URL: endpoint.url, ...env }, logs) }
}

const contents = (requests: PlayedRequest[]) =>
  requests.map(({ body, images }) => [body.messages[0]?.content, images.length])
const SEEN = ['What is it?', 1]
const TOLD = ['You cannot see. What is it?', 0]

describe.concurrent('a refusal of pictures is recognized and remembered', () => {
  describe.each([['true'], ['false']])('OPENAI_STREAM=%s', (stream) => {
    test.for(TAKES_NONE)('%s', async ([, turn], t) => {
      const { endpoint, model, logs } = await blind(t, turn, { OPENAI_STREAM: stream })
      const first = await callModel(model, asked())
      expect(first).toMatchObject({ text: 'Fine.' })
      expect(first.events.map(({ type }) => type)).toEqual(['restart', 'unseen', 'text'])
      expect((await callModel(model, asked())).events.map(({ type }) => type)).toEqual(['unseen', 'text'])
      expect(contents(endpoint.requests)).toEqual([SEEN, TOLD, TOLD])
      expect(logs.filter((line) => line.includes('does not accept pictures'))).toHaveLength(1)
      expect(logs.join('')).not.toContain(PIXEL.slice(0, 20))
    })
  })
})

describe.concurrent('a faulty picture is left out, the others stay', () => {
  test.for(OF_THIS_PICTURE)('%s', async ([, turn], t) => {
    const { endpoint, model } = await blind(t, turn)
    const mine = [picture()]
    expect(await callModel(model, asked(mine))).toMatchObject({ text: 'Fine.' })
    await callModel(model, asked(mine))
    await callModel(model, asked())
    expect(contents(endpoint.requests)).toEqual([SEEN, TOLD, TOLD, SEEN, TOLD])
  })
})

describe.concurrent('another error stays unchanged, with pictures too', () => {
  test.for([
    [
      'a context that is too long',
      refusal(400, 'maximum context length is 8192 tokens', { code: 'context_length_exceeded' }),
    ],
    ['a content filter', refusal(400, 'The response was filtered', { code: 'content_filter' })],
    [
      'a model that is not there',
      refusal(400, 'Invalid model name passed in model=blind', { code: 'model_not_found' }),
    ],
    ['a wrong address', refusal(404, 'Not Found')],
    ['a key', refusal(401, 'Incorrect API key provided')],
  ] as const)('%s', async ([, turn], t) => {
    const { endpoint, model } = await blind(t, turn)
    expect((await callModel(model, asked())).error).toMatchObject({ name: 'ModelError', retryable: false })
    expect(contents(endpoint.requests)).toEqual([SEEN])
  })

  test('a temporary error is retried with the pictures', async (t) => {
    const endpoint = await playModel(t, [DOWN, 'Fine.'])
    const { model } = modelsOf({ OPENAI_BASE_URL: endpoint.url })
    expect(await callModel(model, asked())).toMatchObject({ text: 'Fine.' })
    expect(contents(endpoint.requests)).toEqual([SEEN, SEEN])
  })

  test('a rejected parameter is left out, and the pictures stay', async (t) => {
    const endpoint = await playModel(t, ['Fine.'])
    endpoint.refuses.add('temperature')
    const { model } = modelsOf({ OPENAI_BASE_URL: endpoint.url })
    expect(await callModel(model, asked())).toMatchObject({ text: 'Fine.' })
    expect(contents(endpoint.requests)).toEqual([SEEN, SEEN])
  })
})

test('a message with pictures is sent in parts, one without as a string', async (t) => {
  const endpoint = await playModel(t, ['Fine.'])
  const { model } = modelsOf({ OPENAI_BASE_URL: endpoint.url, OPENAI_STREAM: 'false' })
  const system: Message = { role: 'system', content: 'Be brief.' }
  await callModel(model, {
    messages: [system, ...asked([picture(), { ...picture('b'), mime: 'image/webp' }]).messages],
  })
  await callModel(model, { messages: [system, { role: 'user', content: 'What?', images: [] }] })
  const url = (mime: string) => ({ url: `data:${mime};base64,${PIXEL}`, detail: 'auto' })
  expect(JSON.parse(endpoint.requests[0]!.raw)).toMatchObject({
    messages: [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is it?' },
          { type: 'image_url', image_url: url('image/png') },
          { type: 'image_url', image_url: url('image/webp') },
        ],
      },
    ],
  })
  expect(endpoint.requests[1]!.raw).toBe(
    '{"model":"played-model","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"What?"}],"stream":false,"temperature":0}',
  )
})

test.concurrent(
  'a fallback model gets the pictures too, and what the first could not see counts no more',
  async (t) => {
    const endpoint = await playModel(t, ({ body, images }) => {
      if (body.model === 'sighted') return `I see ${images.length}.`
      return images.length > 0 ? refusal(400, 'It is not a multimodal model') : DOWN
    })
    const env = { OPENAI_BASE_URL: endpoint.url, OPENAI_MODEL: 'blind', OPENAI_FALLBACK_MODEL: 'sighted' }
    const call = await callModel(modelsOf(env).model, asked())
    expect(call.text).toBe('I see 1.')
    const types = call.events.map(({ type }) => type)
    expect(types.slice(0, 2)).toEqual(['restart', 'unseen'])
    expect(types.slice(types.lastIndexOf('restart'))).not.toContain('unseen')
  },
)

test.concurrent('a model’s refusal is remembered for that model only', async (t) => {
  const endpoint = await playModel(t, ({ body, images }) => {
    if (body.model === 'first') return DOWN
    return images.length > 0 && body.model === 'blind' ? refusal(400, 'Model does not support images.') : 'Fine.'
  })
  const env = {
    OPENAI_BASE_URL: endpoint.url,
    OPENAI_MODEL: 'first',
    OPENAI_FALLBACK_MODEL: 'blind',
    OPENAI_CONDENSE_MODEL: 'blind',
  }
  const { model, condenseModel } = modelsOf(env)
  await callModel(condenseModel, asked())
  await callModel(model, asked())
  const of = (name: string) => contents(endpoint.requests.filter(({ body }) => body.model === name))
  expect(of('blind')).toEqual([SEEN, TOLD, TOLD])
  expect(new Set(of('first').map(String))).toEqual(new Set([String(SEEN)]))
})

test('a refusal of pictures does not count as a failure of the endpoint', async (t) => {
  const { endpoint, model } = await blind(t, refusal(500, 'image input is not supported by this server'))
  for (let i = 0; i < 6; i++) expect(await callModel(model, asked())).toMatchObject({ text: 'Fine.' })
  expect(endpoint.requests).toHaveLength(7)
  // The same for an endpoint that refuses each picture on its own.
  const broken = await blind(t, refusal(400, 'Could not process image'))
  for (let i = 0; i < 6; i++) expect(await callModel(broken.model, asked())).toMatchObject({ text: 'Fine.' })
  expect(broken.endpoint.requests).toHaveLength(12)
})

test('two parallel refusals are reported once', async (t) => {
  const { endpoint, model, logs } = await blind(t, { ...refusal(400, 'Model does not support images.'), delayMs: 20 })
  await Promise.all([callModel(model, asked()), callModel(model, asked())])
  expect(contents(endpoint.requests)).toEqual([SEEN, SEEN, TOLD, TOLD])
  expect(logs.filter((line) => line.includes('does not accept pictures'))).toHaveLength(1)
})

test('estimates count only the pictures that were sent', async (t) => {
  const endpoint = await playModel(t, [{ text: 'Fine.', usage: false }])
  const { model } = modelsOf({ OPENAI_BASE_URL: endpoint.url })
  const tokens = async (images: Picture[]) => (await callModel(model, asked(images))).usage[0]!.inputTokens
  const [none, one, three] = [
    await tokens([]),
    await tokens([picture()]),
    await tokens([picture(), picture(), picture()]),
  ]
  expect([one - none, three - none]).toEqual([765, 3 * 765])
  endpoint.takesNoPictures()
  expect(await tokens([picture(), picture()])).toBeLessThan(none + 20)
})

test('a large error page does not block the process', async (t) => {
  const page = 'image not picture does messages.content expected a '.repeat(1_200)
  const { model } = await blind(t, refusal(400, page))
  const before = process.cpuUsage()
  expect(await callModel(model, asked())).toMatchObject({ text: 'Fine.' })
  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(5)
})
