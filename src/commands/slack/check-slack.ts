import { createLog } from '../../base/log.ts'
import { outcomeOf, SlackRefusal } from '../../slack/client/slack-errors.ts'
import { SlackWeb, type SlackResult } from '../../slack/client/web-api.ts'
import { plainLine } from '../../slack/format/escape.ts'
import { readManifest } from '../../base/app-manifest.ts'
import { fixFor, refusedSentence } from './token-refusals.ts'
import { appOfToken, formFault, WHERE, type SlackTokens, type TokenName } from './slack-tokens.ts'

/** The result of one check. */
export interface CheckRow {
  name: string
  ok: boolean
  /** The finding in a sentence. It never contains a token. */
  sentence: string
  /** The fix: where to click. */
  fix?: string
  /** The token that must be replaced. */
  token?: TokenName
  /** Ids and lists, for programs. */
  facts?: Record<string, string | string[]>
}

/** The ids of the app and the workspace. */
export interface InstalledIds {
  team?: string
  app?: string
}

export interface CheckOptions {
  apiUrl: string
  now: () => number
  fetch?: typeof globalThis.fetch | undefined
  /** The result of the previous check. */
  before?: InstalledIds
}

/**
 * Asks Slack whether the tokens are valid, whose they are, and whether the app has the permissions of its manifest.
 * Never throws because something is missing or wrong. No row contains a token.
 */
export async function checkSlack(tokens: SlackTokens, options: CheckOptions): Promise<CheckRow[]> {
  const { before = {} } = options
  const app = appOfToken(tokens.SLACK_APP_TOKEN)
  const [bot, delivery] = await Promise.all([
    checkBot(tokens.SLACK_BOT_TOKEN, { ...options, app: app ?? before.app }),
    checkDelivery(tokens, { ...options, app: app ?? before.app }),
  ])
  return [...bot, ...delivery, ...sameApp(bot, delivery), ...changes(bot, before)]
}

/** Returns where the bot is installed, from the row of `auth.test`. */
export function installedIn(rows: CheckRow[]): InstalledIds {
  const { team, app } = rows.find(({ name }) => name === 'auth.test')?.facts ?? {}
  return { ...(typeof team === 'string' && { team }), ...(typeof app === 'string' && { app }) }
}

/** Returns whether a row says that Slack could not be reached. */
export function isUnreachable({ facts }: CheckRow): boolean {
  return facts?.['error'] === 'connection'
}

interface SlackCheck extends CheckOptions {
  app: string | undefined
}

async function checkBot(token: string | undefined, options: SlackCheck): Promise<CheckRow[]> {
  const bad = form('SLACK_BOT_TOKEN', token)
  if (bad || token === undefined) return bad ? [bad] : []
  const answer = await ask('auth.test', token, options)
  if ('error' in answer) return [refused('SLACK_BOT_TOKEN', 'auth.test', answer.error, options)]
  const { team_id: team, team: teamName, user, user_id: userId, bot_id: botId, app_id: appId } = answer.result
  if (typeof botId !== 'string' || typeof team !== 'string')
    return [refused('SLACK_BOT_TOKEN', 'auth.test', 'no_bot', options)]
  const app = idOf(appId) ?? options.app
  const sentence = `The bot token belongs to @${nameOf(user)} in the workspace ${nameOf(teamName)} (${nameOf(team)}).`
  const facts = { team: nameOf(team), user: nameOf(userId), ...(app && { app }) }
  return [{ name: 'auth.test', ok: true, sentence, facts }, scopes(answer.result, app)]
}

/** Compares the installed scopes with the manifest: the agent app's, if the token has its scope. */
function scopes({ response_metadata: metadata }: SlackResult, app: string | undefined): CheckRow {
  const { scopes: granted }: { scopes?: unknown } = Object(metadata)
  const name = 'scopes'
  if (!Array.isArray(granted))
    return { name, ok: true, sentence: 'Slack did not report the scopes of the token, so they were not checked.' }
  const manifest = readManifest(granted.includes('assistant:write') ? 'agent' : 'plain')
  const missing = manifest.scopes.filter((scope) => !granted.includes(scope))
  const needed = missing.filter((scope) => !manifest.optional.includes(scope))
  if (missing.length === 0)
    return { name, ok: true, sentence: `The app has all ${manifest.scopes.length} scopes of ${manifest.file}.` }
  const doWithout = needed.length === 0 ? ' It works without them.' : ''
  return {
    name,
    ok: needed.length === 0,
    sentence: `The app lacks scopes of ${manifest.file}: ${missing.join(', ')}.${doWithout}`,
    fix: fixFor('missing_scope', app, 'SLACK_BOT_TOKEN'),
    facts: { missing },
  }
}

/**
 * Checks how events arrive: over Socket Mode with the app-level token, or over HTTP, where only a real event can prove
 * the secret.
 */
async function checkDelivery(tokens: SlackTokens, options: SlackCheck): Promise<CheckRow[]> {
  const { SLACK_APP_TOKEN: token, SLACK_SIGNING_SECRET: secret } = tokens
  if (token === undefined && secret !== undefined) {
    const sentence = 'Events come over HTTP. The signing secret is set; only a real event can show whether it is right.'
    return [form('SLACK_SIGNING_SECRET', secret) ?? { name: 'SLACK_SIGNING_SECRET', ok: true, sentence }]
  }
  const bad = form('SLACK_APP_TOKEN', token)
  if (bad || token === undefined) return bad ? [bad] : []
  const name = 'apps.connections.open'
  const answer = await ask(name, token, options)
  if ('error' in answer) return [refused('SLACK_APP_TOKEN', name, answer.error, options)]
  const sentence = 'The app-level token opens Socket Mode connections.'
  return [{ name, ok: true, sentence, ...(options.app && { facts: { app: options.app } }) }]
}

function form(name: TokenName, value: string | undefined): CheckRow | undefined {
  const fix = `Copy it from your app at https://api.slack.com/apps: ${WHERE[name]}.`
  if (value === undefined) return { name, ok: false, sentence: `${name} is missing.`, fix, token: name }
  const sentence = formFault(name, value)
  return sentence === undefined ? undefined : { name, ok: false, sentence, fix, token: name }
}

/** Two tokens of different apps are both valid, but the bot would receive no events. */
function sameApp(bot: CheckRow[], delivery: CheckRow[]): CheckRow[] {
  const [one, other] = [bot, delivery].map((rows) => rows.find(({ ok, facts }) => ok && facts?.['app'])?.facts?.['app'])
  if (one === undefined || other === undefined || one === other) return []
  const sentence = `The tokens belong to two apps: the bot token to ${String(one)}, the app-level token to ${String(other)}.`
  const fix = `Use the tokens of one app: https://api.slack.com/apps/${String(one)}/general, ${WHERE.SLACK_APP_TOKEN}.`
  return [{ name: 'same app', ok: false, sentence, fix, token: 'SLACK_APP_TOKEN' }]
}

/** Reports a different workspace than before, which is not an error in itself. */
function changes(rows: CheckRow[], before: InstalledIds): CheckRow[] {
  const { team } = installedIn(rows)
  if (team === undefined || before.team === undefined || team === before.team) return []
  const sentence = `The token belongs to another workspace than before: now ${team}, before ${before.team}.`
  return [{ name: 'workspace', ok: true, sentence, facts: { team, before: before.team } }]
}

function refused(token: TokenName, name: string, error: string, { apiUrl, app }: SlackCheck): CheckRow {
  const sentence = refusedSentence(error, token, new URL(apiUrl).host)
  const isToken = !/^(?:connection|ratelimited|http_|not_slack)/.test(error)
  const fix = fixFor(error, app, token)
  return { name, ok: false, sentence, fix, facts: { error }, ...(isToken && { token }) }
}

const TRIES = 2
/** Our error code for a response that is not from Slack, such as an HTML page. */
const NOT_SLACK = 'not_slack'

/** Calls Slack, with one retry after a network error. */
async function ask(
  method: string,
  token: string,
  { apiUrl, fetch, now }: CheckOptions,
): Promise<{ result: SlackResult } | { error: string }> {
  const web = new SlackWeb({ token, apiUrl, log: createLog('silent'), fetch, now })
  let error = 'connection'
  for (let tries = 0; tries < TRIES; tries++) {
    try {
      return { result: await web.call(method, {}, { effort: 'once' }) }
    } catch (thrown) {
      if (thrown instanceof SlackRefusal) return { error: /^\w{1,60}$/.test(thrown.code) ? thrown.code : NOT_SLACK }
      error = outcomeOf(thrown)
    }
  }
  return { error }
}

/** Makes a name from Slack safe for one line of a terminal. */
function nameOf(value: unknown): string {
  return typeof value === 'string' ? plainLine(value.replace(/\p{Cf}/gu, '')).slice(0, 80) : '?'
}

function idOf(value: unknown): string | undefined {
  return typeof value === 'string' && /^A[A-Z0-9]{5,30}$/.test(value) ? value : undefined
}
