/** Starts a bot with an MCP server that people log in to, each with their own login. */
import { expect } from 'vitest'
import { until } from '../../playground/base/until.ts'
import { ALICE, GENERAL } from '../../playground/slack/slack.ts'
import type { Env } from '../../src/config.ts'
import { FOR_ASKER } from '../../src/slack/format/audience-words.ts'
import type { TestBot, TestBotOptions, Thread } from './bot.ts'
import type { Ends } from './ends.ts'
import { Browser, type ManyBot } from './many-bot.ts'
import { APP, type Home } from './many-slacks.ts'
import { startOAuthServer, type OAuthMcpServer } from './mcp/oauth-server.ts'
import { mcpFile } from './mcp/mcp-servers.ts'
import { act, finish } from './played-model.ts'
import { steeredBot, type Way } from './steered-bot.ts'

export const PUBLIC = 'https://bot.example.com'
export const SECRETS_KEY = 'a key that is long enough for a key'

interface ConnectingOptions extends TestBotOptions {
  rules?: object
  env?: Env
  /** Whether the server lists its tools without a login. */
  listsToAll?: boolean
}

export async function connectingBot(
  t: Ends,
  way: Way,
  { rules = { trust: true }, env = {}, listsToAll = true, ...options }: ConnectingOptions = {},
) {
  const server = await startOAuthServer(t)
  server.listing.isOpen = listsToAll
  const file = mcpFile(t, { mcpServers: { tickets: { url: server.url, login: 'person', ...rules } } })
  const bot = await steeredBot(t, way, {
    ...options,
    env: { MCP_CONFIG: file, PUBLIC_URL: PUBLIC, SECRETS_KEY, ...env },
  })
  const browser = () => new Browser(`http://127.0.0.1:${bot.bot.port}`)
  const ask = (user: string = ALICE) => {
    bot.model.on('ticket', act('I look.', 'tickets__read_ticket', '{"id": "7"}'), finish('It is open.'))
    return bot.mention('What of the ticket?', { user })
  }
  return { ...bot, bot, server, browser, ask }
}

/** Waits until a person has the `count`th ephemeral answer. The thread must not show it. */
export async function answeredAlone(
  { slack }: TestBot,
  thread: Thread,
  { user = ALICE, count = 1 }: { user?: string; count?: number } = {},
): Promise<string> {
  const own = () => slack.ephemerals(GENERAL, user).filter((word) => word.includes('Only you see this answer.'))
  await slack.until(() => own().length >= count, 'an answer for one person')
  await slack.until(() => thread.shown().some((text) => text.includes(FOR_ASKER)), 'a line for all')
  await slack.until(() => thread.isAtRest(), 'the end of the sign of life')
  expect(JSON.stringify(thread.messages())).not.toContain('is open')
  return own().at(-1) ?? ''
}

/** Returns the newest link in a person's ephemeral messages. */
export function linkTo(bot: TestBot, user: string): string | undefined {
  const messages = bot.slack.store.channels.get(GENERAL)?.ephemerals.filter((one) => one.user === user) ?? []
  return linksIn(messages).at(-1)
}

export function linksIn(shown: unknown): string[] {
  return [...JSON.stringify(shown ?? null).matchAll(/https:\/\/bot\.example\.com(\/connect\?link=[\w-]+)/g)].map(
    ([, path]) => path ?? '',
  )
}

/** Sends `/ask connections`. Returns the text that the person reads. */
export async function listConnections(bot: TestBot, user: string): Promise<string> {
  const before = bot.slack.ephemerals(GENERAL, user).length
  await bot.slack.slash('connections', { channel: GENERAL, user })
  await bot.slack.until(() => bot.slack.ephemerals(GENERAL, user).length > before, 'the list')
  return bot.slack.ephemerals(GENERAL, user).at(-1) ?? ''
}

/** Opens a link, and makes a choice. Default: to connect one's own account. @returns the path of the next page */
export async function continued(person: Browser, link: string, choice = 'I am'): Promise<string> {
  const page = await (await person.get(link)).text()
  const [, path = ''] = new RegExp(`href="([^"]+)">${choice}`).exec(page) ?? []
  const { pathname, search } = new URL(path.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))))
  return pathname + search
}

/**
 * Opens a link and logs in. `signIn`: signs in with Slack first, as a distributed app wants it; returns Slack's code.
 * @returns the path that the browser is sent back to
 */
export async function logIn(
  person: Browser,
  link: string,
  server: OAuthMcpServer,
  signIn?: (asked: URL) => string,
): Promise<string> {
  const first = await person.get(await continued(person, link))
  expect(first.status).toBe(302)
  const asked = new URL(first.headers.get('location') ?? '')
  const query = signIn && new URLSearchParams({ code: signIn(asked), state: asked.searchParams.get('state') ?? '' })
  const sent = query ? await person.get(`/connect/callback?${query.toString()}`) : first
  const back = new URL(await server.browse(sent.headers.get('location') ?? ''))
  expect(back.origin + back.pathname).toBe(`${PUBLIC}/connect/callback`)
  return back.pathname + back.search
}

export async function connect(
  bot: TestBot,
  user: string,
  { server, browser }: { server: OAuthMcpServer; browser(): Browser },
): Promise<void> {
  await listConnections(bot, user)
  const person = browser()
  const page = await person.get(await logIn(person, linkTo(bot, user) ?? '', server))
  expect(await page.text()).toContain('tickets is connected')
}

/**
 * Returns the link for connecting an account in `/ask connections` of a distributed app. `team`: a workspace of an
 * organisation.
 */
export async function linkIn(
  { slack }: ManyBot,
  { id, team = id }: Home & { team?: string },
  { account, user = ALICE_THERE }: { account: string; user?: string },
): Promise<string> {
  const command = new URLSearchParams({
    ...{ command: '/ask', text: 'connections', user_id: user, channel_id: 'D0ALICE0001', team_id: team },
    ...(id.startsWith('E') ? { enterprise_id: id, is_enterprise_install: 'true' } : {}),
    ...{ trigger_id: '1.2', response_url: `${slack.apiUrl}respond`, api_app_id: APP },
  })
  const lists = () => slack.calls.filter(({ method }) => method === 'respond')
  const before = lists().length
  await slack.post(command.toString(), 'application/x-www-form-urlencoded')
  const list = await until(() => lists()[before], 'the list')
  const link = new RegExp(`Connect ${account}".*?example\\.com(/connect\\?link=[\\w-]+)`)
  return link.exec(JSON.stringify(list.args))?.[1] ?? ''
}

/** Connects Slack in the browser of a person (default: Alice), who is signed in as `as`. */
export async function grantSlack(
  bot: ManyBot,
  home: Home & { team?: string },
  { person = bot.browser(), user = ALICE_THERE, as = user }: { person?: Browser; user?: string; as?: string } = {},
): Promise<{ asked: URL; page: Response }> {
  const link = await linkIn(bot, home, { account: 'Slack', user })
  const asked = new URL((await person.get(await continued(person, link))).headers.get('location') ?? '')
  const state = asked.searchParams.get('state') ?? ''
  const query = new URLSearchParams({ code: bot.slack.agree({ id: home.id, user: as }), state })
  return { asked, page: await person.get(`/connect/callback?${query.toString()}`) }
}

const ALICE_THERE = 'U0ALICE0001'
