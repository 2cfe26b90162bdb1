/** Cookies that only this host can set, and responses that no browser reads as something else. */
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { fileEnds } from '../../harness/ends.ts'
import { startManyBot } from '../../harness/many-bot.ts'

const bot = await startManyBot(fileEnds())
const { slack } = bot
const T = { id: 'T0ACME00001' }

test.each(['\u00a0', '\u0085', '\u00e2\u0080\u0080', '=', 'x '])(
  'a cookie whose name has %j before its prefix, as a sibling domain can set it, is none of ours',
  async (blank) => {
    const person = bot.browser()
    const state = await person.begin()
    const [[name = '', value = ''] = []] = [...person.cookies].slice(-1)
    const begun = new Map(person.cookies)
    const { port } = new URL(bot.url)
    const path = `/slack/oauth_redirect?${new URLSearchParams({ code: slack.agree(T), state }).toString()}`
    const withCookie = (cookie: string) =>
      new Promise<string>((resolve) => {
        const socket = connect(Number(port), '127.0.0.1', () =>
          socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nCookie: ${cookie}\r\n\r\n`, 'latin1'),
        )
        let text = ''
        socket.on('data', (data) => (text += String(data)))
        socket.on('close', () => resolve(text))
      })
    expect(begun.size).toBe(1)
    expect(await withCookie(`a=b; ${blank}${name}=${value}`)).toMatch(/^HTTP\/1.1 400 /)
    expect(await withCookie(`a=b; \t${name}=${value}`)).toMatch(/^HTTP\/1.1 200 /)
  },
)

test('cookies are safe whatever the case of PUBLIC_URL, and no response is sniffed', async (t) => {
  const other = await startManyBot(t, { env: () => ({ PUBLIC_URL: 'HTTPS://Bot.Example.com/bot' }) })
  const person = other.browser()
  await person.begin()
  expect(person.setCookies).toEqual([expect.stringMatching(/^__Host-.*; Secure$/)])
  for (const path of [
    '/healthz',
    '/readyz',
    '/',
    '/slack/install',
    '/slack/oauth_redirect',
    '/connect',
    '/connect/callback',
  ])
    for (const method of ['GET', 'HEAD', 'DELETE']) {
      const { headers } = await fetch(`${other.url}${path}`, { method, redirect: 'manual' })
      expect([method, path, headers.get('x-content-type-options')]).toEqual([method, path, 'nosniff'])
    }
})
