import { describe, expect, test } from 'vitest'
import type { Ends } from '../harness/ends.ts'
import { callModel, modelsOf } from '../harness/model-call.ts'
import { playModel } from '../harness/played-model.ts'

const TOOL = { name: 'echo', description: 'Says it back.', parameters: { type: 'object', properties: {} } }
const REQUEST = { stop: ['\nObservation:'], tools: [TOOL], toolChoice: 'none' as const }

interface Refusal {
  status?: number
  body: unknown
}

const openAi = (message: string, more: object = {}): Refusal => ({
  body: { error: { message, type: 'invalid_request_error', ...more } },
})

/** Server's errors for an unsupported parameter `name`. */
const WORDINGS: [who: string, (name: string) => Refusal][] = [
  [
    'OpenAI',
    (name) =>
      openAi(`Unsupported parameter: '${name}' is not supported with this model.`, {
        param: name,
        code: 'unsupported_parameter',
      }),
  ],
  [
    'OpenAI, of a value',
    (name) => openAi(`Unsupported value: '${name}' does not support 0 with this model.`, { param: name }),
  ],
  ['an older OpenAI', (name) => openAi(`Unrecognized request argument supplied: ${name}`, { param: null })],
  ['a bare sentence', (name) => openAi(`${name} is not supported`)],
  ['a gateway, in quotes', (name) => openAi(`Argument not supported on this model: "${name}"`)],
  [
    'xAI, in another field',
    (name) => ({
      body: { code: 'Client specified an invalid argument', error: `Argument not supported on this model: ${name}` },
    }),
  ],
  [
    'vLLM',
    (name) => ({
      body: {
        object: 'error',
        message: `[{'type': 'extra_forbidden', 'loc': ('body', '${name}'), 'msg': 'Extra inputs are not permitted'}]`,
        type: 'BadRequestError',
        code: 400,
      },
    }),
  ],
  [
    'FastAPI',
    (name) => ({
      status: 422,
      body: { detail: [{ type: 'extra_forbidden', loc: ['body', name], msg: 'Extra inputs are not permitted' }] },
    }),
  ],
  [
    'Gemini',
    (name) => ({
      body: [
        {
          error: {
            code: 400,
            message: `Invalid JSON payload received. Unknown name "${name}": Cannot find field.`,
            status: 'INVALID_ARGUMENT',
          },
        },
      ],
    }),
  ],
  ['a part of it', (name) => openAi('Invalid value.', { param: `${name}.include_usage` })],
  ['plain text', (name) => ({ body: `unexpected field: ${name}` })],
]

/** Starts an endpoint that refuses parameters with this error. Returns its requests too. */
async function refusing(t: Ends, names: string[], word: (name: string) => Refusal) {
  const endpoint = await playModel(t, ({ body }) => {
    const name = names.find((one) => one in body)
    return name === undefined ? 'Fine.' : { status: 400, ...word(name) }
  })
  const { model } = modelsOf({ OPENAI_BASE_URL: endpoint.url })
  return { model, sent: () => endpoint.requests.map(({ body }) => Object.keys(body)) }
}

describe.concurrent('a rejected parameter is left out, and the call is repeated at once', () => {
  describe.each(WORDINGS)('in the wording of %s', (_, word) => {
    test.for(['stop', 'temperature', 'stream_options', 'tool_choice'])('%s', async (name, t) => {
      const { model, sent } = await refusing(t, [name], word)
      expect(await callModel(model, REQUEST)).toMatchObject({ text: 'Fine.' })
      expect(sent()).toHaveLength(2)
      expect(sent()[1]).toEqual(sent()[0]!.filter((sentName) => sentName !== name))
      await callModel(model, REQUEST)
      expect(sent()).toHaveLength(3)
    })
  })

  test('several are left out one by one', async (t) => {
    const { model, sent } = await refusing(t, ['temperature', 'stop', 'stream_options'], (name) =>
      openAi(`Unsupported parameter: '${name}'`, { param: name }),
    )
    expect(await callModel(model, REQUEST)).toMatchObject({ text: 'Fine.' })
    expect(sent()).toHaveLength(4)
    expect(sent().at(-1)).toEqual(['model', 'messages', 'stream', 'tools', 'tool_choice'])
  })

  test.for(['Extra inputs are not permitted', 'Unknown field in request', 'Unrecognized request arguments supplied'])(
    '“%s”, without a name: all goes that can be done without',
    async (message, t) => {
      const { model, sent } = await refusing(t, ['stream_options'], () => openAi(message))
      expect(await callModel(model, REQUEST)).toMatchObject({ text: 'Fine.' })
      expect(sent()).toHaveLength(2)
      expect(sent().at(-1)).toEqual(['model', 'messages', 'stream', 'tools'])
    },
  )
})

describe.concurrent('errors that reject no parameter', () => {
  test.for([
    [
      'a refusal of something that cannot be left out',
      openAi("Unsupported parameter: 'messages'", { param: 'messages' }),
    ],
    ['a word that only looks like a parameter', openAi('The model was stopped by a non-stop safety filter.')],
    [
      'a context that is too long',
      openAi('This model’s maximum context length is 8192 tokens.', { code: 'context_length_exceeded' }),
    ],
    ['no words at all', { body: '' }],
  ] as const)('%s', async ([, refusal], t) => {
    const { model, sent } = await refusing(t, ['messages'], () => refusal)
    expect((await callModel(model, REQUEST)).error).toMatchObject({ name: 'ModelError', retryable: false })
    expect(sent()).toHaveLength(1)
  })
})

test('each model’s rejections count for that model only', async (t) => {
  const endpoint = await playModel(t, ({ body }) =>
    body.model === 'strict' && 'temperature' in body
      ? { status: 400, ...openAi("'temperature' is not supported") }
      : 'Fine.',
  )
  const env = { OPENAI_BASE_URL: endpoint.url, OPENAI_MODEL: 'strict', OPENAI_CONDENSE_MODEL: 'lenient' }
  const { model, condenseModel } = modelsOf(env)
  await callModel(model)
  await callModel(condenseModel)
  expect(endpoint.requests.map(({ body }) => [body.model, body.temperature])).toEqual([
    ['strict', 0],
    ['strict', undefined],
    ['lenient', 0],
  ])
})
