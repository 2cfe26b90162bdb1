import { expect, test } from 'vitest'
import { createNetwork } from '../../../src/base/http/proxy.ts'
import { startWebServer } from '../../harness/web-server.ts'

/** Starts a server that redirects `/from` to an address with a status, and answers other paths. */
async function redirecting(status: number, to: string) {
  const bodies: string[] = []
  const server = await startWebServer((path, response, request) => {
    request.setEncoding('utf8').on('data', (text: string) => bodies.push(`${request.method} ${path} ${text}`))
    request.on('end', () =>
      path === '/from' ? response.writeHead(status, { location: to }).end('moved') : response.end(`at ${path}`),
    )
  })
  const { fetch } = await createNetwork({})
  const call = (init: RequestInit = {}) => fetch!(`${server.url}/from`, init)
  return { server, bodies, call }
}

const secret = { method: 'POST', headers: { authorization: 'Bearer secret' }, body: 'mine' }

test.each([307, 308])('a %i within the same origin takes the same request along', async (status) => {
  const { bodies, call } = await redirecting(status, '/to')
  const response = await call(secret)
  expect([await response.text(), response.redirected, response.url.endsWith('/to')]).toEqual(['at /to', true, true])
  expect(bodies).toEqual(['POST /from mine', 'POST /to mine'])
})

test.each([301, 302, 303])('a %i is followed by a GET, while a POST is answered by it', async (status) => {
  const { call, server } = await redirecting(status, '/to')
  expect(await (await call()).text()).toBe('at /to')
  expect((await call(secret)).status).toBe(status)
  expect(server.paths).toEqual(['/from', '/to', '/from'])
})

test('another origin receives nothing: the redirect itself is the response', async () => {
  const other = await startWebServer((_, response) => response.end('stolen'))
  for (const init of [secret, {}]) {
    const { call } = await redirecting(307, `${other.url}/to`)
    const response = await call(init)
    expect([response.status, response.ok, await response.text()]).toEqual([307, false, 'moved'])
  }
  expect(other.paths).toEqual([])
})

test('a caller that follows no redirects gets the redirect', async () => {
  const { call, server } = await redirecting(307, '/to')
  await expect(call({ ...secret, redirect: 'error' })).rejects.toMatchObject({
    cause: { message: 'unexpected redirect' },
  })
  expect((await call({ ...secret, redirect: 'manual' })).status).toBe(307)
  expect(server.paths).toEqual(['/from', '/from'])
})

test('a redirect loop ends', async () => {
  const { call, server } = await redirecting(307, '/from')
  await expect(call()).rejects.toMatchObject({ cause: { message: 'redirected too often' } })
  expect(server.paths).toHaveLength(6)
})

test.each(['http://[::', 'nowhere:'])('an address that is none (%s) is not followed', async (to) => {
  const { call } = await redirecting(307, to)
  expect((await call(secret)).status).toBe(307)
})
