/**
 * A Slack of many workspaces and organisations: OAuth, tokens that rotate and expire, and the calls of each token. Its
 * clock can be set.
 */
import { createHmac, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Json } from '../../playground/slack/slack.ts'
import { createOAuth, type Home } from '../../playground/workspaces/oauth.ts'
import { listen, sendJson } from '../../playground/base/loopback-server.ts'
import type { Ends } from './ends.ts'

export type { Home }

export interface ManyCall {
  method: string
  args: Json
  token: string
  /** The workspace or organisation of the token. */
  home: string | undefined
}

interface Press {
  action: string
  value: string
  channel: string
  user?: { id: string; team_id: string }
  /** Signs it instead of the default app's. */
  secret?: string
}

export const APP = 'A0MANY00001'
export const CLIENT = { id: '111.222', secret: 'a-client-secret' }
export const SIGNING_SECRET = 'many-signing-secret'

export const botUserOf = (home: string) => `U0BOT${home.slice(1)}`

export async function manySlacks(t: Ends, { rotates = false } = {}) {
  const calls: ManyCall[] = []
  const clock = { now: Date.now() }
  const state = {
    /** Slack's refusal of a call, if there is one. */
    refuses: (_method: string, _home: string | undefined, _args: Json): string | undefined => undefined,
    /** Answers a call in another way than Slack would. Returns whether it did. */
    answersItself: (_method: string, _response: ServerResponse): boolean => false,
    /** Delays `oauth.v2.access` before it answers. */
    hold: (_args: Json): Promise<void> | undefined => undefined,
    /** Delays the answer after it has taken effect. */
    holdAnswer: (_args: Json): Promise<void> | undefined => undefined,
    /** The results of `assistant.search.context` for a token of this home, or of `USER of HOME`. Default: no search. */
    finds: undefined as ((args: Json, home: string) => Json[]) | undefined,
    /** The fields of `conversations.info` besides the channel's id and workspace. */
    channelFacts: (_channel: string, _home: string): Json => ({ is_private: false }),
    /** The teams of an organisation, as `auth.teams.list` lists them. */
    teamsOf: (_home: string): string[] => [],
    /** The teams in which the bot of an organisation is, as `users.info` tells. */
    botTeams: [] as string[],
    /** The fields of `users.info` besides those of a person of the workspace. */
    person: (_user: string): Json => ({}),
    /** The answer of `conversations.replies`. */
    messages: (_channel: string): Json[] => [],
    /** The lifetime of a new token, in seconds. */
    expiresIn: 43_200,
    refreshes: 0,
    spendRefreshTokens: (user?: string) => oauth.spendRefreshTokens(user),
  }
  const oauth = createOAuth({
    ...{ client: CLIENT, app: APP, botUserOf, scopes: ['chat:write', 'app_mentions:read'], rotates },
    ...{ now: () => clock.now, expiresIn: () => state.expiresIn },
  })
  const { tokens } = oauth
  let target = ''
  let count = 0

  const methods: Record<string, (args: Json, home: Home) => Json> = {
    'auth.test': (_, { id, enterprise, app = APP }) => ({
      ...{
        team_id: id,
        user_id: botUserOf(id),
        bot_id: `B0BOT${id.slice(1)}`,
        url: `https://${id.toLowerCase()}.slack.com/`,
      },
      ...{
        app_id: app,
        is_enterprise_install: id.startsWith('E'),
        ...(enterprise ? { enterprise_id: enterprise } : {}),
      },
    }),
    'auth.teams.list': (_, { id }) => ({ teams: state.teamsOf(id).map((team) => ({ id: team, name: team })) }),
    'chat.postMessage': (args) => ({ channel: args['channel'], ts: `${1_700_000_000 + ++count}.000100` }),
    'conversations.replies': ({ channel }) => ({ messages: state.messages(String(channel)) }),
    'conversations.info': ({ channel, team_id: team }, { id }) => {
      const place = { id: channel, context_team_id: id.startsWith('E') ? team : id }
      return { channel: { ...place, ...state.channelFacts(String(channel), id) } }
    },
    'users.info': (args, { id }) => ({
      user: {
        id: args['user'],
        team_id: id.startsWith('E') ? args['team_id'] : id,
        name: 'someone',
        profile: {},
        is_admin: args['user'] === 'U0ADMIN0001',
        enterprise_user: { teams: state.botTeams },
        ...state.person(String(args['user'])),
      },
    }),
    'users.list': (args, { id }) =>
      id.startsWith('E') && !args['team_id']
        ? no('missing_argument')
        : { members: [{ id: 'U0ADMIN0001', is_admin: true }] },
    'assistant.search.info': () => (state.finds ? { is_ai_search_enabled: true } : no('feature_not_enabled')),
    'assistant.search.context': (args, home) => ({ results: { messages: state.finds?.(args, home.id) ?? [] } }),
  }

  const answer = (method: string, args: Json, token: string): Json => {
    const known = tokens.get(token)
    calls.push({ method, args, token, home: known?.home.id })
    const refusal = state.refuses(method, known?.home.id, args)
    if (refusal) return no(refusal)
    if (method === 'oauth.v2.access') {
      if (args['grant_type'] === 'refresh_token') state.refreshes += 1
      return oauth.access(args)
    }
    if (method === 'openid.connect.token')
      return args['client_secret'] === CLIENT.secret
        ? { ok: true, ...signedIn(String(args['code'])) }
        : no('bad_client_secret')
    const checked = oauth.check(token)
    if ('error' in checked) return no(checked.error)
    if (method === 'auth.revoke') return { ok: oauth.revoke(token), revoked: true }
    return { ok: true, ...methods[method]?.(args, checked.home) }
  }

  /** Who signed in with Slack, by the code that the browser brings back. */
  const signIns = new Map<string, Json>()
  function signedIn(code: string): Json {
    const claims = signIns.get(code)
    signIns.delete(code)
    return { id_token: ['e30', Buffer.from(JSON.stringify(claims ?? {})).toString('base64url'), 'x'].join('.') }
  }

  const server = await listen((request, response) => void handle(request, response))
  t.onTestFinished(() => server.close())
  async function handle(request: IncomingMessage, response: ServerResponse) {
    let body = ''
    for await (const part of request) body += String(part)
    const args = request.headers['content-type']?.startsWith('application/json')
      ? (JSON.parse(body) as Json)
      : (Object.fromEntries(new URLSearchParams(body)) as Json)
    const token = (request.headers.authorization ?? '').replace('Bearer ', '')
    await state.hold(args)
    const method = (request.url ?? '').replace(/^\/api\//, '')
    if (state.answersItself(method, response)) {
      calls.push({ method, args, token, home: tokens.get(token)?.home.id })
      return
    }
    const answered = answer(method, args, token)
    await state.holdAnswer(args)
    sendJson(response, answered, { headers: { date: new Date(clock.now).toUTCString() } })
  }

  /** Sends a signed request as Slack does. */
  const post = async (body: string, type: string, secret = SIGNING_SECRET) => {
    const at = Math.floor(Date.now() / 1000)
    const signature = `v0=${createHmac('sha256', secret).update(`v0:${at}:${body}`).digest('hex')}`
    const headers = { 'content-type': type, 'x-slack-request-timestamp': String(at), 'x-slack-signature': signature }
    return fetch(`${target}/slack/events`, { method: 'POST', headers, body })
  }
  const event = (home: Home & { team?: string | null }, event: Json, more: Json & { secret?: string } = {}) => {
    const { secret, ...envelope } = more
    const isOrg = home.id.startsWith('E')
    const team = home.team === undefined ? (isOrg ? null : home.id) : home.team
    const enterprise = isOrg ? home.id : (home.enterprise ?? null)
    const authorization = { team_id: team, enterprise_id: enterprise, user_id: botUserOf(home.id), is_bot: true }
    const body = {
      ...{ type: 'event_callback', team_id: team, enterprise_id: enterprise, api_app_id: home.app ?? APP, event },
      ...{ event_id: `Ev${++count}${randomBytes(4).toString('hex')}`, event_time: Math.floor(clock.now / 1000) },
      authorizations: [{ ...authorization, is_enterprise_install: isOrg }],
      ...envelope,
    }
    return post(JSON.stringify(body), 'application/json', secret)
  }
  /** Presses a button. Default for `user`: Alice of this home. */
  const press = (home: Home, { action, value, channel, user, secret }: Press) => {
    const isOrg = home.id.startsWith('E')
    const payload = {
      ...{ type: 'block_actions', api_app_id: home.app ?? APP, trigger_id: `1.${++count}` },
      ...{
        team: isOrg ? null : { id: home.id },
        enterprise: isOrg ? { id: home.id } : null,
        is_enterprise_install: isOrg,
      },
      ...{ container: { type: 'message', message_ts: String(clock.now / 1000) } },
      ...{ user: user ?? { id: 'U0ALICE0001', team_id: home.id }, channel: { id: channel } },
      ...{ response_url: `${server.base}/api/response` },
      actions: [{ type: 'button', action_id: action, block_id: 'b', value }],
    }
    const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString()
    return post(body, 'application/x-www-form-urlencoded', secret)
  }
  /** Uses a shortcut on a message, or submits the modal that it opened, as a person of an organisation's workspace. */
  const interact = (
    home: Home,
    user: { id: string; team_id: string },
    given: Json & { secret?: string | undefined },
  ) => {
    const { secret, ...more } = given
    const place = { team: null, enterprise: { id: home.id }, is_enterprise_install: true }
    const payload = { ...place, api_app_id: APP, user, trigger_id: `1.${++count}`, ...more }
    const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString()
    return post(body, 'application/x-www-form-urlencoded', secret)
  }
  return {
    apiUrl: `${server.base}/api/`,
    ...{ calls, tokens, clock, state, post, event, press, interact },
    setTarget: (url: string) => void (target = url),
    /** Approves an installation. Returns the code with which Slack sends the browser back. */
    agree: oauth.agree,
    /** Signs in with Slack. Returns the code with which Slack sends the browser back to the page that asked. */
    signIn({ user, team, enterprise }: { user: string; team: string; enterprise?: string }, asked: URL): string {
      const code = `sign-in-${++count}`
      const slack = 'https://slack.com/'
      const claims = { nonce: asked.searchParams.get('nonce'), [`${slack}user_id`]: user, [`${slack}team_id`]: team }
      signIns.set(code, { ...claims, ...(enterprise ? { [`${slack}enterprise_id`]: enterprise } : {}) })
      return code
    },
    /** Returns a token that was issued without OAuth. */
    tokenOf: (home: Home) => String(oauth.issue(home)['access_token']),
    mention: (
      home: Home & { team?: string | null },
      text: string,
      more: Json & { secret?: string; channel?: string; user?: string } = {},
    ) => {
      const { channel = 'C0GENERAL01', user = 'U0ALICE0001', ...rest } = more
      const ts = `${1_800_000_000 + ++count}.000100`
      const message = { type: 'app_mention', user, channel, ts, event_ts: ts, text: `<@${botUserOf(home.id)}> ${text}` }
      return event(home, message, rest)
    },
    /** Returns the posts, with the home of their token. */
    posts: () =>
      calls.flatMap(({ method, args, home }) =>
        method === 'chat.postMessage'
          ? [{ home, channel: String(args['channel']), text: String(args['text'] ?? '') }]
          : [],
      ),
  }
}

export type ManySlacks = Awaited<ReturnType<typeof manySlacks>>

const no = (error: string): Json => ({ ok: false, error })
