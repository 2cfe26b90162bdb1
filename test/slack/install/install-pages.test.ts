/** The distributed app is installed over HTTP, like by a browser. Every outcome is a page. */
import { describe, expect, onTestFinished, test } from 'vitest'
import type { IncomingMessage } from 'node:http'
import { createLog } from '../../../src/base/log.ts'
import { installPages } from '../../../src/slack/install/install-pages.ts'
import { createValues } from '../../../src/stores/values/value-store.ts'
import { fileEnds } from '../../harness/ends.ts'
import { startManyBot } from '../../harness/many-bot.ts'
import { CLIENT } from '../../harness/many-slacks.ts'
import { memoryKv } from '../../../src/stores/kv/memory-kv.ts'

const bot = await startManyBot(fileEnds(), {
  env: () => ({ ALLOW_TEAMS: 'T0ACME00001,T0OTHER0001,E0ORG000001' }),
})
const { slack } = bot
const T = { id: 'T0ACME00001' }
const exchanges = () => slack.calls.filter(({ method }) => method === 'oauth.v2.access').length

test('GET /slack/install redirects to Slack, with a state and a cookie bound to it', async () => {
  const person = bot.browser()
  const response = await person.get('/slack/install')
  const to = new URL(response.headers.get('location') ?? '')
  expect([response.status, to.pathname, to.searchParams.get('client_id')]).toEqual([
    302,
    '/oauth/v2/authorize',
    CLIENT.id,
  ])
  expect(to.searchParams.get('scope')?.split(',')).toContain('app_mentions:read')
  expect(to.searchParams.get('redirect_uri')).toBe('https://bot.example.com/slack/oauth_redirect')
  expect(to.searchParams.get('state')).toMatch(/^[\w-]{43}$/)
  expect(person.setCookies).toEqual([expect.stringMatching(/^__Host-.*; HttpOnly; SameSite=Lax; Secure$/)])
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
})

test('agreeing installs the app, says what to do next, and questions are answered', async () => {
  const response = await bot.install(T)
  const page = await response.text()
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
  expect(page).toContain('Thinkaloud is installed in Team T0ACME00001.')
  expect(page).toContain(`${new URL(slack.apiUrl).origin}/app_redirect?app=A0MANY00001&#38;team=T0ACME00001`)
  await slack.mention(T, 'Hello?', { channel: 'C0FIRST0001' })
  expect(await bot.answered('C0FIRST0001')).toMatchObject({ home: T.id, text: expect.stringContaining('Answered.') })
})

test('the page tells an organisation to add the app to workspaces', async () => {
  const page = await (await bot.install({ id: 'E0ORG000001' })).text()
  expect(page).toContain('https://app.slack.com/manage/E0ORG000001/integrations/profile/A0MANY00001/workspaces/add')
})

test('cancelling in Slack says that nothing has changed, with a link to start again', async () => {
  const person = bot.browser()
  const state = await person.begin()
  const page = await (await person.comeBack({ error: 'access_denied', state })).text()
  expect(page).toContain('The installation was cancelled in Slack')
  expect(page).toContain('href="/slack/install"')
})

test.each<Record<string, string>>([{}, { state: '' }])(
  'Slack’s own install button sends %j: the browser begins at /slack/install',
  async (own) => {
    const response = await bot.browser().comeBack({ code: slack.agree(T), ...own })
    expect([response.status, response.headers.get('location')]).toEqual([302, '/slack/install'])
  },
)

test('a workspace that is not allowed gets a refusal, its token is revoked at once, and nothing is stored', async () => {
  const response = await bot.install({ id: 'T0STRANGER1' })
  expect([response.status, await response.text()]).toEqual([
    403,
    expect.stringContaining('not allowed to install Thinkaloud'),
  ])
  expect(slack.calls.at(-1)).toMatchObject({ method: 'auth.revoke', home: 'T0STRANGER1' })
  expect([...slack.tokens.values()].filter(({ home }) => home.id === 'T0STRANGER1')).toEqual([])
})

test('the same happens if Slack does not revoke its token, which is logged', async () => {
  slack.state.refuses = (method) => (method === 'auth.revoke' ? 'some_refusal' : undefined)
  const response = await bot.install({ id: 'T0STRANGER1' })
  slack.state.refuses = () => undefined
  expect([response.status, await response.text()]).toEqual([403, expect.stringContaining('Nothing was stored')])
  expect(bot.logs.join('')).toContain('the token of a workspace that is not allowed could not be revoked')
})

describe('no code is exchanged, with a link to start again,', () => {
  test.each<[string, (code: string) => Promise<Response>]>([
    ['with a state of one’s own', (code) => bot.browser().comeBack({ code, state: 'x'.repeat(43) })],
    [
      'without a code',
      async () => {
        const person = bot.browser()
        return person.comeBack({ state: await person.begin() })
      },
    ],
    [
      'in another browser than it was begun in',
      async (code) => {
        const state = await bot.browser().begin()
        return bot.browser().comeBack({ code, state })
      },
    ],
    [
      'with the cookie of another state',
      async (code) => {
        const [person, other] = [bot.browser(), bot.browser()]
        await person.begin()
        return person.comeBack({ code, state: await other.begin() })
      },
    ],
  ])('%s', async (_, comeBack) => {
    const before = exchanges()
    const response = await comeBack(slack.agree(T))
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('Please start again')])
    expect(exchanges()).toBe(before)
  })

  test('if a state is used twice, also by two callbacks at once', async () => {
    const person = bot.browser()
    const state = await person.begin()
    const cookies = new Map(person.cookies)
    const before = exchanges()
    const both = await Promise.all([1, 2].map(() => person.comeBack({ code: slack.agree(T), state })))
    for (const [name, value] of cookies) person.cookies.set(name, value)
    const late = await person.comeBack({ code: slack.agree(T), state })
    expect([...both, late].map(({ status }) => status).sort()).toEqual([200, 400, 400])
    expect(exchanges()).toBe(before + 1)
  })

  test('after ten minutes', async () => {
    const person = bot.browser()
    const state = await person.begin()
    slack.clock.now += 10 * 60_000 + 1
    expect((await person.comeBack({ code: slack.agree(T), state })).status).toBe(400)
  })
})

test('a second tab does not spoil the first', async () => {
  const person = bot.browser()
  const [first, second] = [await person.begin(), await person.begin()]
  const pages = [
    await person.comeBack({ code: slack.agree(T), state: first }),
    await person.comeBack({ code: slack.agree({ id: 'T0OTHER0001' }), state: second }),
  ]
  expect(pages.map(({ status }) => status)).toEqual([200, 200])
})

test('a code that Slack refuses is a page', async () => {
  const code = slack.agree(T)
  await bot.browser().comeBack({ code, state: 'none' })
  const person = bot.browser()
  await person.comeBack({ code, state: await person.begin() })
  const again = await person.comeBack({ code, state: await person.begin() })
  expect([again.status, await again.text()]).toEqual([
    400,
    expect.stringContaining('Slack refused the installation (invalid_code)'),
  ])
})

test('a HEAD, as a link preview sends it, uses nothing up', async () => {
  const answer = await fetch(`${bot.url}/slack/oauth_redirect?code=x`, { method: 'HEAD' })
  expect(answer.status).toBe(405)
})

test('no token and no client secret is in the log', () => {
  expect(bot.logs.join('\n')).not.toMatch(new RegExp(`xoxb-T0|${CLIENT.secret}`))
})

test('a failure after the exchange does not lose the token: the workspace’s address is requested again', async () => {
  const bot = await startManyBot({ onTestFinished }, { rotates: true })
  bot.slack.state.refuses = (method) => (method === 'auth.test' ? 'fatal_error' : undefined)
  expect((await bot.install(T)).status).toBe(200)
  bot.slack.state.refuses = () => undefined
  await bot.slack.mention(T, 'Who?', { channel: 'C0LATER0001' })
  await bot.answered('C0LATER0001')
  const asked = () => bot.slack.calls.filter(({ method }) => method === 'auth.test').length
  const before = asked()
  await bot.slack.mention(T, 'Who?', { channel: 'C0LATER0002' })
  await bot.answered('C0LATER0002')
  expect(asked()).toBe(before)
})

/** Comes back with a code to pages that wait 5 ms for Slack, which answers as `fetch` does. */
async function comeBackTo(fetch: (calls: number) => Promise<Response>) {
  const now = () => Date.UTC(2026, 10, 26)
  const shared = createValues(memoryKv({ now }), { room: 'mcp' })
  const asked: string[] = []
  const pages = installPages({
    ...{ stores: { shared, records: {} as never }, clientId: '1.2', clientSecret: 's', allowed: ['*'], scopes: [] },
    ...{ publicUrl: 'https://bot.example.com', apiUrl: 'https://slack.com/api/', log: createLog('silent'), now },
    pageMs: 5,
    fetch: (url) => fetch(asked.push(String(url))),
  })
  const get = async (url: string, cookie = '') =>
    (await pages[url.split('?')[0]!]?.({ method: 'GET', url, headers: { cookie } } as IncomingMessage))!
  const { headers = {} } = await get('/slack/install')
  const state = new URL(String(headers['location'])).searchParams.get('state')
  const cookie = String(headers['set-cookie']).split(';')[0]
  return { page: await get(`/slack/oauth_redirect?code=c&state=${state}`, cookie), asked }
}

const REFUSAL = JSON.stringify({ ok: false, error: 'invalid_code' })

test('a Slack that does not answer is a page that says so, and the exchange goes on', async () => {
  let fail: (error: Error) => void = () => {}
  const { page, asked } = await comeBackTo(() => new Promise((_, reject) => void (fail = reject)))
  expect([page.status, page.body]).toEqual([503, expect.stringContaining('Slack has not answered yet')])
  expect(asked).toEqual(['https://slack.com/api/oauth.v2.access'])
  fail(new Error('over'))
})

test.each([
  ['a page of a proxy', '<html>Please log in</html>'],
  ['nothing', ''],
  ['null', 'null'],
  ['a list', '[]'],
  ['a word', '"ok"'],
  ['half an object', '{"ok":tr'],
  ['no error', '{"ok":false}'],
  ['no token', '{"ok":true}'],
  ['neither a workspace nor an organisation', '{"ok":true,"access_token":"x","bot_user_id":"U","app_id":"A"}'],
])('a Slack that answers with %s has not refused anything', async (_, body) => {
  const { page } = await comeBackTo(async (calls) => new Response(calls === 1 ? body : REFUSAL))
  expect([page.status, page.body]).toEqual([503, expect.stringMatching(/not answered yet|could not be reached/)])
})

/** An answer of which only the beginning arrives while the test runs. */
function hanging(): Response {
  const start = (body: ReadableStreamDefaultController) => {
    body.enqueue(Buffer.from('{'))
    onTestFinished(() => body.error(new Error('over')))
  }
  return new Response(new ReadableStream({ start }))
}

test.each<[string, () => Response]>([
  ['hangs in its answer', () => hanging()],
  ['asks to wait for ten minutes', () => new Response('', { status: 429, headers: { 'retry-after': '600' } })],
  ['fails', () => new Response('<h1>Sorry</h1>', { status: 502 })],
])('the page does not wait for a Slack that %s', async (_, answer) => {
  const { page } = await comeBackTo(async (calls) => (calls === 1 ? answer() : new Response(REFUSAL)))
  expect([page.status, page.body]).toEqual([503, expect.stringContaining('Slack has not answered yet')])
})

test('strangers are served a bounded number of pages a minute, with one line in the log, and fill no store', async (t) => {
  const other = await startManyBot(t)
  const statuses: number[] = []
  for (let i = 0; i < 700; i++) statuses.push((await other.browser().get('/slack/install')).status)
  expect(new Set(statuses)).toEqual(new Set([302, 429]))
  for (let i = 0; i < 150; i++) await other.browser().comeBack({ code: `made-up-${i}`, state: 'x'.repeat(43) })
  expect(other.slack.calls.filter(({ method }) => method === 'oauth.v2.access')).toEqual([])
  expect(other.logs.filter((line) => line.includes('too many requests for the install pages'))).toHaveLength(2)
  other.slack.clock.now += 60_000
  // A stranger may also begin as a browser does, and come back with a code of their own.
  const finish = async (n: number) => {
    const person = other.browser()
    return person.comeBack({ code: `made-up-${n}`, state: await person.begin() })
  }
  for (let n = 0; n < 90; n++) await finish(n)
  expect(other.slack.calls.filter(({ method }) => method === 'oauth.v2.access')).toHaveLength(60)
  expect(other.logs.filter((line) => line.includes('could not be finished'))).toHaveLength(1)
  other.slack.clock.now += 60_000
  const home = { id: 'T0LATER0001' }
  expect((await other.install(home)).status).toBe(200)
})
