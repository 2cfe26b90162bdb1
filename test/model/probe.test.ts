import { expect, test } from 'vitest'
import type { Env } from '../../src/config.ts'
import { startBot } from '../harness/bot.ts'
import type { Ends } from '../harness/ends.ts'
import { startWebServer } from '../harness/web-server.ts'

/** Returns a bot's warnings about the endpoint at `url`, when there is one or `isOver` is true. */
async function warnings(t: Ends, env: Env, isOver: () => boolean = () => false): Promise<string[]> {
  const { logs } = await startBot(t, { env })
  const told = () => logs.filter((line) => line.includes('the model is not usable'))
  await expect.poll(() => told().length > 0 || isOver()).toBe(true)
  return told()
}

test('an endpoint that does not answer at the start is a log warning without its key', async (t) => {
  const lines = await warnings(t, { OPENAI_BASE_URL: 'http://user:pass@127.0.0.1:9/v1?key=secret' })
  expect(lines).toHaveLength(1)
  expect(JSON.parse(lines[0]!)).toMatchObject({ level: 40, endpoint: 'http://127.0.0.1:9' })
  expect(lines[0]).toContain('does not answer. Check OPENAI_BASE_URL')
  expect(lines[0]).not.toMatch(/pass|secret/)
})

test.for([
  [401, 'application/json', 'rejected the key'],
  [503, 'application/json', 'answered with status 503'],
  [200, 'text/html', 'shows a web page, not a model'],
] as const)('one that answers %i as %s is told of too', async ([status, type, sentence], t) => {
  const server = await startWebServer((_, response) => {
    response.writeHead(status, { 'content-type': type }).end('<html>')
  })
  const lines = await warnings(t, { OPENAI_BASE_URL: server.url })
  expect(lines).toEqual([expect.stringContaining(sentence)])
  expect(server.paths).toEqual(['/models'])
})

test.for([
  [200, '{"data": []}'],
  [404, '{"error": {}}'],
] as const)('one that answers %i is not', async ([status, body], t) => {
  const { url, requests } = await startWebServer((_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(body)
  })
  const env = { OPENAI_BASE_URL: `${url}/v1`, OPENAI_HEADERS: '{"x-team": "search"}' }
  const isOver = () => requests.length > 0
  expect(await warnings(t, env, isOver)).toEqual([])
  expect(requests[0]).toMatchObject({ path: '/v1/models', headers: { 'x-team': 'search' } })
})
