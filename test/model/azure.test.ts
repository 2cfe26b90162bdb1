/** Azure's two forms of addresses, and those of gateways, with a server that accepts no others. */
import { expect, test } from 'vitest'
import type { ServerResponse } from 'node:http'
import { callModel, modelsOf } from '../harness/model-call.ts'
import { sendJson, startWebServer } from '../harness/web-server.ts'

/** Writes a stream like Azure: its filters' results come first, in a chunk without choices. */
function azureStream(response: ServerResponse, text: string): void {
  const chunk = (choices: object[], more: object = {}) =>
    `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'gpt', choices, ...more })}\n\n`
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(
    chunk([], { id: '', created: 0, prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }] }),
  )
  response.write(
    chunk([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null, content_filter_results: {} }]),
  )
  response.write(chunk([{ index: 0, delta: { content: text }, finish_reason: null }]))
  response.write(chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]))
  response.end(chunk([], { usage: { prompt_tokens: 8, completion_tokens: 2, total_tokens: 10 } }) + 'data: [DONE]\n\n')
}

const DENIED = {
  error: { code: '401', message: 'Access denied due to invalid subscription key or wrong API endpoint.' },
}

async function azure(fits: (path: string, headers: Record<string, unknown>) => boolean) {
  return startWebServer((path, response, request) => {
    request.resume()
    if (fits(path, request.headers)) azureStream(response, 'Hello from Azure.')
    else sendJson(response, DENIED, 401)
  })
}

test.each(['/openai/v1/', '/openai/v1'])('the v1 URL, ending in %s, sends the key as for OpenAI', async (path) => {
  const server = await azure(
    (asked, headers) => asked === '/openai/v1/chat/completions' && headers['authorization'] === 'Bearer azure-key',
  )
  const env = { OPENAI_BASE_URL: `${server.url}${path}`, OPENAI_API_KEY: 'azure-key', OPENAI_MODEL: 'my-deployment' }
  const { text, usage, error } = await callModel(modelsOf(env).model)
  expect([text, error]).toEqual(['Hello from Azure.', undefined])
  expect(usage).toEqual([{ model: 'my-deployment', inputTokens: 8, outputTokens: 2, estimated: false }])
})

test('the dated URL keeps its api-version and sends the key only in its own header', async () => {
  const server = await azure(
    (asked, headers) =>
      asked === '/openai/deployments/my-deployment/chat/completions?api-version=2024-10-21' &&
      headers['api-key'] === 'azure-key' &&
      headers['authorization'] === undefined,
  )
  const env = {
    OPENAI_BASE_URL: `${server.url}/openai/deployments/my-deployment?api-version=2024-10-21`,
    OPENAI_HEADERS: '{"api-key": "azure-key"}',
  }
  expect(await callModel(modelsOf(env).model)).toMatchObject({ text: 'Hello from Azure.' })
  expect(server.paths).toHaveLength(1)
})

test('a gateway gets its headers beside the key', async () => {
  const server = await azure(
    (asked, headers) =>
      asked === '/team/v1/chat/completions' &&
      headers['x-team'] === 'search' &&
      headers['authorization'] === 'Bearer k',
  )
  const env = { OPENAI_BASE_URL: `${server.url}/team/v1`, OPENAI_API_KEY: 'k', OPENAI_HEADERS: '{"x-team": "search"}' }
  expect(await callModel(modelsOf(env).model)).toMatchObject({ text: 'Hello from Azure.' })
})

test('a gateway may use its own authorization scheme', async () => {
  const server = await azure((_, headers) => headers['authorization'] === 'Basic abc')
  const env = {
    OPENAI_BASE_URL: `${server.url}/v1`,
    OPENAI_API_KEY: 'k',
    OPENAI_HEADERS: '{"authorization": "Basic abc"}',
  }
  expect(await callModel(modelsOf(env).model)).toMatchObject({ text: 'Hello from Azure.' })
})

test('a local server without a key gets none', async () => {
  const server = await azure((_, headers) => headers['authorization'] === undefined)
  expect(await callModel(modelsOf({ OPENAI_BASE_URL: `${server.url}/v1` }).model)).toMatchObject({
    text: 'Hello from Azure.',
  })
})

test('a wrong key gives a sentence for the operator, without a retry', async () => {
  const server = await azure(() => false)
  const { error } = await callModel(
    modelsOf({ OPENAI_BASE_URL: `${server.url}/openai/v1/`, OPENAI_API_KEY: 'no' }).model,
  )
  expect(error).toMatchObject({
    name: 'ModelError',
    retryable: false,
    hint: expect.stringMatching(/check OPENAI_API_KEY/),
  })
  expect(server.paths).toHaveLength(1)
})
