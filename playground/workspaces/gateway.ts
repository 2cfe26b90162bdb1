/**
 * A Slack of several workspaces and an organisation, with one distributed app: several local Slacks behind one address.
 * It finds a token's workspace, signs deliveries, and holds back those of workspaces without the app.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isForeign, listen, readBytes, sendJson } from '../base/loopback-server.ts'
import { isObject, parseArgs } from '../slack/args.ts'
import { sign } from '../slack/events/deliveries.ts'
import type { LocalSlack } from '../slack/local-slack.ts'
import type { Json } from '../slack/types.ts'
import { createOAuth, type Home, type OAuth } from './oauth.ts'
import { forOrganisation, mapBody, otherIds, type Digits, type OtherIds } from './other-ids.ts'

/** A workspace to simulate. */
export interface WorkspacePlan {
  name: string
  digits: Digits
  enterprise?: { id: string; name: string }
}

export interface PlayedWorkspace extends WorkspacePlan {
  n: number
  id: string
  slack: LocalSlack
  ids: OtherIds
  /** Whether its organisation's installation covers it. */
  isGranted: boolean
}

interface GatewayOptions {
  plans: WorkspacePlan[]
  /** Starts a local Slack whose own addresses begin with `base`. */
  startSlack(base: string): Promise<LocalSlack>
  scopes: string[]
  /** Milliseconds since the epoch. Tokens expire by it. */
  now(): number
  /** Serves paths other than Slack's. @returns whether it handled the request */
  serve(request: IncomingMessage, response: ServerResponse, gateway: Gateway): Promise<boolean>
}

export interface Gateway {
  base: string
  oauth: OAuth
  workspaces: PlayedWorkspace[]
  client: { id: string; secret: string }
  signingSecret: string
  /** The bot's address: `http://127.0.0.1:PORT`. */
  setBot(url: string): void
  botUrl(): string
  /** Sends the app an event of a workspace, even if the app is not installed there. */
  tell(workspace: PlayedWorkspace, payload: Json): Promise<void>
  close(): Promise<void>
}

const CLIENT = { id: '111.222', secret: 'local-client-secret' }
const SIGNING_SECRET = 'local-signing-secret'
const APP = 'A0LOCAL0001'

export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const oauth = createOAuth({
    ...{ client: CLIENT, app: APP, scopes: options.scopes, rotates: true, now: options.now },
    botUserOf: (home) => botUserOf(home, gateway.workspaces),
  })
  const server = await listen((request, response) => {
    if (isForeign(request)) return void response.writeHead(403).end('Only for this machine.')
    handle(request, response).catch((error: unknown) => refuse(error, response))
  })
  let bot = ''
  const gateway: Gateway = {
    ...{ base: server.base, oauth, workspaces: [], client: CLIENT, signingSecret: SIGNING_SECRET },
    setBot: (url) => void (bot = url),
    botUrl: () => bot,
    tell: async (workspace, payload) => {
      await deliver(workspace, { bot, body: JSON.stringify(payload), type: 'application/json', headers: {} })
    },
    async close() {
      for (const { slack } of gateway.workspaces) await slack.close()
      await server.close()
    },
  }
  for (const [n, plan] of options.plans.entries()) {
    const slack = await options.startSlack(`${server.base}/w${n}`)
    const ids = otherIds(plan.digits)
    slack.setTarget(`${server.base}/from/${n}`)
    gateway.workspaces.push({ ...plan, n, slack, ids, id: ids.outward('T0LOCAL0001'), isGranted: false })
  }

  async function handle(request: IncomingMessage, response: ServerResponse) {
    const { pathname } = new URL(request.url ?? '/', server.base)
    const [, first = '', second = ''] = pathname.split('/')
    const workspace = gateway.workspaces[Number(/^w(\d)$/.exec(first)?.[1] ?? (first === 'from' ? second : NaN))]
    response.setHeader('date', new Date(options.now()).toUTCString())
    if (first === 'api') return answerCall(second, { request, response, gateway })
    if (workspace && first === 'from') return takeDelivery(workspace, request, response)
    if (workspace) return pass(workspace, { request, response, gateway })
    if (!(await options.serve(request, response, gateway))) response.writeHead(404).end()
  }

  /** Slack delivers nothing to an app that is not installed. */
  async function takeDelivery(workspace: PlayedWorkspace, request: IncomingMessage, response: ServerResponse) {
    const body = (await readBytes(request)).toString()
    if (!isServed(workspace, oauth)) {
      tellAbsence(workspace, { body, base: server.base })
      return void response.writeHead(200).end()
    }
    const { headers } = request
    const told = await deliver(workspace, {
      bot,
      body,
      type: headers['content-type'] ?? '',
      headers: retriesIn(headers),
    })
    response.writeHead(told.status).end(await told.text())
  }

  return gateway
}

/** Sends the bot a payload, signed and with the workspace's ids. */
async function deliver(
  workspace: PlayedWorkspace,
  { bot, body, type, headers }: { bot: string; body: string; type: string; headers: Record<string, string> },
): Promise<Response> {
  const decorated = workspace.enterprise ? decorate(body, type, workspace.enterprise) : body
  const mapped = String(mapBody(Buffer.from(decorated), type, workspace.ids.outward))
  // Bolt compares a request's timestamp with the real time.
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signed = {
    'x-slack-request-timestamp': timestamp,
    'x-slack-signature': sign(SIGNING_SECRET, timestamp, mapped),
  }
  const sent = { method: 'POST', body: mapped, headers: { 'content-type': type, ...headers, ...signed } }
  return fetch(`${bot}/slack/events`, sent)
}

/**
 * Tells people that the app is not installed in their workspace, if they mention it or write to it. The page shows the
 * app in all workspaces.
 */
function tellAbsence({ slack, name }: PlayedWorkspace, { body, base }: { body: string; base: string }): void {
  const payload: unknown = body.startsWith('{') ? JSON.parse(body) : undefined
  const event = isObject(payload) && isObject(payload['event']) ? payload['event'] : {}
  const { type, channel_type: kind, channel, user, thread_ts: thread } = event
  const isMeant = type === 'app_mention' || (type === 'message' && kind === 'im')
  if (!isMeant || typeof channel !== 'string' || typeof user !== 'string') return
  const text = `Thinkaloud is not installed in ${name}. Add it here: ${base}/workspaces`
  slack.store.sendEphemeral(slack.store.channel(channel), {
    ...{ user, text },
    ...(typeof thread === 'string' ? { thread_ts: thread } : {}),
  })
}

function refuse(error: unknown, response: ServerResponse): void {
  if (error instanceof SyntaxError && !response.headersSent) response.writeHead(400).end('Not JSON.')
  else response.destroy()
}

interface GatewayRequest {
  request: IncomingMessage
  response: ServerResponse
  gateway: Gateway
}

/** Answers a Web API call with the token of any workspace. */
async function answerCall(method: string, { request, response, gateway }: GatewayRequest) {
  const { oauth, workspaces } = gateway
  const { authorization = '', 'content-type': type = '' } = request.headers
  const body = await readBytes(request)
  const args = parseArgs(body.toString(), type, new URL(request.url ?? '/', gateway.base).searchParams)
  if (method === 'oauth.v2.access') return sendJson(response, oauth.access(args))
  const token = authorization.replace('Bearer ', '')
  const checked = oauth.check(token)
  if ('error' in checked) return sendJson(response, { ok: false, error: checked.error })
  if (method === 'auth.revoke') return sendJson(response, { ok: true, revoked: oauth.revoke(token) })
  const found = workspaceOf(checked.home, method, args, workspaces)
  if (typeof found === 'string') return sendJson(response, { ok: false, error: found })
  const sent = checked.home.user === undefined ? { type, body } : asPerson(found, checked.home.user, args)
  const answer = await send(found, { path: `/api/${method}`, method: 'POST', ...sent, isKnown: true })
  const text = found.ids.outward(await answer.text())
  const isOrgs = method === 'auth.test' && checked.home.id.startsWith('E')
  const org = { team_id: checked.home.id, enterprise_id: checked.home.id, is_enterprise_install: true }
  const told = isOrgs ? JSON.stringify({ ...(JSON.parse(text) as Json), ...org }) : text
  const retryAfter = answer.headers.get('retry-after')
  response.writeHead(answer.status, {
    'content-type': 'application/json; charset=utf-8',
    ...(retryAfter === null ? {} : { 'retry-after': retryAfter }),
  })
  response.end(told)
}

/** Searches as the token's person. */
function asPerson({ slack, ids }: PlayedWorkspace, user: string, args: Json): { type: string; body: Buffer } {
  const searched = { ...args, action_token: slack.searchTokenOf(ids.inward(user)) }
  return { type: 'application/json', body: Buffer.from(JSON.stringify(searched)) }
}

/** Returns the workspace of a call, or Slack's refusal. A call with an organisation's token must name the workspace. */
function workspaceOf(home: Home, method: string, args: Json, workspaces: PlayedWorkspace[]): PlayedWorkspace | string {
  // A person's token is only for search.
  if (home.user !== undefined && method !== 'assistant.search.context') return 'not_allowed_token_type'
  if (home.of !== undefined) return workspaces.find(({ id }) => id === home.of) ?? 'invalid_auth'
  if (!home.id.startsWith('E')) return workspaces.find(({ id }) => id === home.id) ?? 'invalid_auth'
  const own = workspaces.filter(({ enterprise }) => enterprise?.id === home.id)
  if (method === 'auth.test') return own[0] ?? 'invalid_auth'
  if (args['team_id'] === undefined) return 'missing_argument'
  const named = own.find(({ id }) => id === args['team_id'])
  return named?.isGranted ? named : 'team_access_not_granted'
}

/** Forwards files, uploads and response URLs to the local Slack. */
async function pass(workspace: PlayedWorkspace, { request, response, gateway: { oauth } }: GatewayRequest) {
  const type = request.headers['content-type'] ?? ''
  const body = await readBytes(request, 50_000_000)
  const path = (request.url ?? '').replace(/^\/w\d/, '')
  const isKnown = 'home' in oauth.check((request.headers.authorization ?? '').replace('Bearer ', ''))
  const answer = await send(workspace, { path, method: request.method ?? 'GET', type, body, isKnown })
  const sentType = answer.headers.get('content-type') ?? ''
  const location = answer.headers.get('location')
  response.writeHead(answer.status, { 'content-type': sentType, ...(location === null ? {} : { location }) })
  response.end(mapBody(Buffer.from(await answer.arrayBuffer()), sentType, workspace.ids.outward))
}

function send(
  { slack, ids }: PlayedWorkspace,
  { path, method, type, body, isKnown }: { path: string; method: string; type: string; body: Buffer; isKnown: boolean },
): Promise<Response> {
  return fetch(`http://127.0.0.1:${slack.port}${ids.inward(path)}`, {
    ...{ method, redirect: 'manual' },
    headers: {
      ...(isKnown ? { authorization: `Bearer ${slack.botToken}` } : {}),
      ...(type === '' ? {} : { 'content-type': type }),
    },
    ...(method === 'GET' ? {} : { body: new Uint8Array(Buffer.from(mapBody(body, type, ids.inward))) }),
  })
}

/** Returns whether the app is installed in a workspace, or in its organisation and added to it. */
function isServed({ id, enterprise, isGranted }: PlayedWorkspace, oauth: OAuth): boolean {
  return isInstalled(id, oauth) || (isGranted && enterprise !== undefined && isInstalled(enterprise.id, oauth))
}

export function isInstalled(home: string, { tokens }: OAuth): boolean {
  return [...tokens.values()].some((token) => token.home.id === home)
}

function botUserOf(home: string, workspaces: PlayedWorkspace[]): string {
  const one = workspaces.find(({ id, enterprise }) => id === home || enterprise?.id === home)
  return one?.ids.outward('U0THINK0001') ?? ''
}

function decorate(body: string, type: string, enterprise: { id: string; name: string }): string {
  const told = (text: string) => JSON.stringify(forOrganisation(JSON.parse(text) as Json, enterprise))
  if (type.includes('json')) return told(body)
  const form = new URLSearchParams(body)
  const payload = form.get('payload')
  if (payload !== null) return new URLSearchParams({ payload: told(payload) }).toString()
  const command = forOrganisation(Object.fromEntries(form), enterprise)
  const texts = Object.entries(command).map(([key, value]) => [key, String(value)] as [string, string])
  return new URLSearchParams(texts).toString()
}

function retriesIn(headers: IncomingMessage['headers']): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => name.startsWith('x-slack-retry'))
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]))
}
