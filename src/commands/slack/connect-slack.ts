import { ConfigError } from '../../base/errors.ts'
import { createAddress, readManifest, type AppManifest } from './app-manifest.ts'
import { checkSlack, installedIn, isUnreachable, type CheckOptions, type CheckRow } from './check-slack.ts'
import type { Desk } from './desk.ts'
import { formFault, WHERE, type SlackTokens, type TokenName } from './slack-tokens.ts'
import type { TokenFile } from './token-file.ts'

export interface ConnectOptions extends CheckOptions {
  desk: Desk
  /** The existing tokens. */
  tokens: SlackTokens
  file: TokenFile
}

/**
 * Guides a person to working tokens, starting with or without existing ones, and writes them to `.env`.
 * @returns whether everything is right now
 */
export async function connectSlack(options: ConnectOptions): Promise<boolean> {
  const { desk, file } = options
  const tokens = { ...options.tokens }
  const before = file.installed()
  if (tokens.SLACK_BOT_TOKEN === undefined) await makeApp(desk)
  else desk.say('There are tokens already: looking whether Slack takes them.\n')
  for (;;) {
    await askMissing(tokens, desk)
    const rows = await checkSlack(tokens, { ...options, before })
    desk.say(`\n${tableOf(rows)}\n`)
    const wrong = [...new Set(rows.flatMap(({ ok, token }) => (ok || !token ? [] : [token])))]
    if (rows.some(isUnreachable)) return false
    if (wrong.length > 0) {
      if (!(await takesAnother(wrong, desk))) return false
      for (const name of wrong) delete tokens[name]
      continue
    }
    const kept = await file.keep(tokens, { installed: installedIn(rows), desk })
    if (kept === 'refused') {
      desk.say('Nothing is written: what you pasted is forgotten.')
      return false
    }
    if (rows.every(({ ok }) => ok)) return true
    const answer = await desk.ask('When that is done press Enter, and it is looked at again; q and Enter ends: ')
    if (answer !== '') return false
  }
}

/** One line per check, followed by its fix. */
function tableOf(rows: CheckRow[]): string {
  return rows
    .map(({ ok, sentence, fix }) => `${ok ? (fix ? '!' : '✓') : '✗'} ${sentence}${fix ? `\n  → ${fix}` : ''}`)
    .join('\n')
}

async function makeApp(desk: Desk): Promise<void> {
  desk.say('1. The app\n')
  desk.say('  1  plain: mentions, /ask, direct messages, for everybody; the right one if in doubt')
  desk.say('  2  agent app: beside a channel too; may need a paid plan, and guests cannot use it\n')
  const manifest = readManifest((await desk.ask('Which one? [1] ')) === '2' ? 'agent' : 'plain')
  await showAddress(manifest, desk)
  desk.say('\nChoose your workspace there, then Next and Create. Then Install App → Install to Workspace → Allow.\n')
  desk.say('2. Its tokens. Nothing of what you paste is shown.\n')
}

async function showAddress(manifest: AppManifest, desk: Desk): Promise<void> {
  const address = createAddress(manifest)
  if (address === undefined)
    return desk.say(
      `\nOpen https://api.slack.com/apps?new_app=1, choose From a manifest, and paste the whole of ${manifest.file}.`,
    )
  const isOpen = await desk.open(address)
  desk.say(isOpen ? '\nYour browser opens this page; if it does not, open it yourself:' : '\nOpen this page:')
  desk.say(`\n${address}`)
}

const OVER_HTTP =
  'Over HTTP: on the app’s page turn Socket Mode off, and put https://YOUR-HOST/slack/events under Event Subscriptions, ' +
  'Interactivity & Shortcuts and Slash Commands → /ask, once the bot answers there.'

/** Asks for missing tokens. A signing secret may replace the app-level token. */
async function askMissing(tokens: SlackTokens, desk: Desk): Promise<void> {
  tokens.SLACK_BOT_TOKEN ??= await askToken('SLACK_BOT_TOKEN', desk)
  if (tokens.SLACK_APP_TOKEN !== undefined || tokens.SLACK_SIGNING_SECRET !== undefined) return
  const token = await askToken('SLACK_APP_TOKEN', desk, '; Enter alone to take events over HTTP instead')
  if (token !== '') tokens.SLACK_APP_TOKEN = token
  else {
    desk.say(`\n${OVER_HTTP}\n`)
    tokens.SLACK_SIGNING_SECRET = await askToken('SLACK_SIGNING_SECRET', desk)
  }
}

/** Attempts per token: a person who fails this often is stuck. */
const MAX_TRIES = 10

/** Repeats until the form is right. `otherwise` says what an empty answer means, if one is allowed. */
async function askToken(name: TokenName, desk: Desk, otherwise?: string): Promise<string> {
  desk.say(`${name}: ${WHERE[name]}${otherwise ?? ''}.`)
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const value = await desk.ask(`${name} (hidden): `, { hidden: true })
    if (value === '' && otherwise !== undefined) return value
    const fault = value === '' ? `Nothing came. Paste ${name}, then press Enter.` : formFault(name, value)
    if (fault === undefined) return value
    desk.say(`✗ ${fault}`)
  }
  throw new ConfigError(`${name} has not come: nothing was changed.`)
}

async function takesAnother(names: TokenName[], desk: Desk): Promise<boolean> {
  return desk.confirm(`Take ${names.length === 1 ? `another ${names[0]}` : `others for ${names.join(' and ')}`}?`, true)
}
