import { expect, test } from 'vitest'
import { serve } from '../../../src/base/http/server.ts'
import type { Ends } from '../../harness/ends.ts'

/** Starts a server with two pages and one that fails, after the handler of Slack's deliveries. */
async function startServer(t: Ends) {
  const server = await serve({
    port: 0,
    host: '127.0.0.1',
    pages: {
      '/page': () => ({ status: 200, body: 'a page\n' }),
      '/broken': async () => Promise.reject(new Error('nothing to show')),
    },
    front: (rest) => (request, response) =>
      request.method === 'POST'
        ? response.writeHead(202).end(`${request.method} ${request.url}`)
        : rest(request, response),
  })
  t.onTestFinished(() => server.close())
  return (path: string, method = 'GET') => fetch(`http://127.0.0.1:${server.port}${path}`, { method })
}

test('a page is found with any query, and is not cached', async (t) => {
  const ask = await startServer(t)
  const answers = [await ask('/page'), await ask('/page?probe=1&x')]
  for (const answer of answers) {
    expect([answer.status, await answer.text()]).toEqual([200, 'a page\n'])
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(answer.headers.get('cache-control')).toBe('no-store')
  }
})

test('an earlier handler gets its own requests, even at a page’s path', async (t) => {
  const ask = await startServer(t)
  const heard = [await ask('/page', 'POST'), await ask('/slack/events?x', 'POST'), await ask('/page')]
  expect(await Promise.all(heard.map((answer) => answer.text()))).toEqual([
    'POST /page',
    'POST /slack/events?x',
    'a page\n',
  ])
})

test('HEAD returns a page’s headers without the body', async (t) => {
  const ask = await startServer(t)
  const answer = await ask('/page', 'HEAD')
  expect([answer.status, await answer.text()]).toEqual([200, ''])
  expect((await ask('/broken', 'HEAD')).status).toBe(503)
})

test('a failing page is 503, an unknown path 404, and the server continues', async (t) => {
  const ask = await startServer(t)
  expect((await ask('/broken')).status).toBe(503)
  expect((await ask('/pages')).status).toBe(404)
  expect((await ask('/page')).status).toBe(200)
})
