/** In a distributed app, a person who connects an account first shows in the browser who they are in Slack. */
import { expect, test } from 'vitest'
import { continued, linkIn } from '../harness/connecting-bot.ts'
import type { Ends } from '../harness/ends.ts'
import { startManyBot } from '../harness/many-bot.ts'
import type { Home } from '../harness/many-slacks.ts'
import { mcpFile } from '../harness/mcp/mcp-servers.ts'
import { startOAuthServer } from '../harness/mcp/oauth-server.ts'

const ACME: Home = { id: 'T0ACME0001' }
const ALICE = 'U0ALICE0001'

/** Opens Alice's link and says that one is Alice. `asked`: the address of Slack that the browser is sent to. */
async function atSlack(t: Ends, home: Home & { team?: string } = ACME) {
  const server = await startOAuthServer(t)
  const mcp = mcpFile(t, { mcpServers: { tickets: { url: server.url, login: 'person', trust: true } } })
  const bot = await startManyBot(t, { env: () => ({ MCP_CONFIG: mcp }) })
  await bot.install({ id: home.id })
  const person = bot.browser()
  const link = await linkIn(bot, home, { account: 'tickets' })
  const sent = await person.get(await continued(person, link))
  const asked = new URL(sent.headers.get('location') ?? '')
  const back = (code: string) => {
    const query = new URLSearchParams({ code, state: asked.searchParams.get('state') ?? '' })
    return person.get(`/connect/callback?${query.toString()}`)
  }
  return { ...bot, server, person, link, asked, back }
}

test('whoever is signed in as the owner of the link goes on to the server, and is connected', async (t) => {
  const { slack, server, person, asked, back } = await atSlack(t)
  expect(asked.pathname).toBe('/openid/connect/authorize')
  const { scope, response_type, team, redirect_uri, nonce } = Object.fromEntries(asked.searchParams)
  expect({ scope, response_type, team }).toEqual({ scope: 'openid', response_type: 'code', team: ACME.id })
  expect([redirect_uri, nonce]).toEqual(['https://bot.example.com/connect/callback', expect.stringMatching(/^.{20}/)])
  const sent = await back(slack.signIn({ user: ALICE, team: ACME.id }, asked))
  expect(sent.status).toBe(302)
  const { pathname, search } = new URL(await server.browse(sent.headers.get('location') ?? ''))
  expect(await (await person.get(pathname + search)).text()).toContain('tickets is connected')
})

test('in an organisation its members are known in each of its workspaces', async (t) => {
  const { slack, asked, back } = await atSlack(t, { id: 'E0ORG00001', team: 'T0ONE00001' })
  const sent = await back(slack.signIn({ user: ALICE, team: 'T0TWO00001', enterprise: 'E0ORG00001' }, asked))
  expect(sent.status).toBe(302)
  expect(new URL(sent.headers.get('location') ?? '').pathname).toContain('authorize')
})

test.for([
  ['somebody else', { user: 'U0MALLORY1', team: ACME.id }, ''],
  ['somebody elsewhere with the same id', { user: ALICE, team: 'T0OTHER001' }, ''],
  ['the same person, in an answer to another page', { user: ALICE, team: ACME.id }, 'another nonce'],
] as const)('a browser that is signed in as %s goes no further', async ([_, who, nonce], t) => {
  const { slack, server, asked, back } = await atSlack(t)
  const page = new URL(asked)
  if (nonce) page.searchParams.set('nonce', nonce)
  const answered = await back(slack.signIn(who, page))
  expect([answered.status, answered.headers.get('location')]).toEqual([400, null])
  expect(await answered.text()).toContain('signed in to Slack as somebody else')
  expect(server.calls).toHaveLength(0)
})

test('a code that Slack refuses, and a person who declines, connect nothing', async (t) => {
  const { slack, asked, back, person } = await atSlack(t)
  slack.state.refuses = (method) => (method === 'openid.connect.token' ? 'invalid_code' : undefined)
  expect(await (await back('made-up')).text()).toContain('Slack refused it (invalid_code)')
  const state = asked.searchParams.get('state') ?? ''
  const again = await person.get(`/connect/callback?error=access_denied&state=${state}`)
  expect(again.headers.get('location')).toBeNull()
})

test('Slack itself is connected without it: its own login compares the person', async (t) => {
  const bot = await startManyBot(t)
  await bot.install(ACME)
  const person = bot.browser()
  const sent = await person.get(await continued(person, await linkIn(bot, ACME, { account: 'Slack' })))
  expect(new URL(sent.headers.get('location') ?? '').pathname).toBe('/oauth/v2/authorize')
})
