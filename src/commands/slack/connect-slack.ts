import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ConfigError } from '../../base/errors.ts'
import { createAddress, readManifest, type AppManifest } from '../../base/app-manifest.ts'
import { checkSlack, installedIn, isUnreachable, type CheckOptions, type CheckRow } from './check-slack.ts'
import type { Prompter } from './terminal.ts'
import { formFault, WHERE, type SlackTokens, type TokenName } from './slack-tokens.ts'
import type { TokenFile } from './token-file.ts'

interface ConnectOptions extends CheckOptions {
  prompter: Prompter
  /** The existing tokens. */
  tokens: SlackTokens
  file: TokenFile
}

/**
 * Guides a person to working tokens, starting with or without existing ones, and writes them to `.env`.
 * @returns whether everything is right now
 */
export async function connectSlack(options: ConnectOptions): Promise<boolean> {
  const { prompter, file } = options
  const tokens = { ...options.tokens }
  const before = file.installed()
  const link = tokens.SLACK_BOT_TOKEN === undefined ? await makeApp(prompter) : undefined
  if (!link) prompter.say('Found existing tokens. Checking them with Slack…\n')
  for (;;) {
    await askMissing(tokens, prompter)
    link?.close()
    const rows = await checkSlack(tokens, { ...options, before })
    prompter.say(`\n${tableOf(rows)}\n`)
    const wrong = [...new Set(rows.flatMap(({ ok, token }) => (ok || !token ? [] : [token])))]
    if (rows.some(isUnreachable)) return false
    if (wrong.length > 0) {
      if (!(await prompter.confirm(`Enter ${wrong.join(' and ')} again?`, true))) return false
      for (const name of wrong) delete tokens[name]
      continue
    }
    const kept = await file.keep(tokens, installedIn(rows), prompter)
    if (kept === 'refused') {
      prompter.say('Nothing was changed. The tokens that you pasted are discarded.')
      return false
    }
    if (rows.every(({ ok }) => ok)) return true
    const answer = await prompter.ask('Press Enter when that is done to check again, or q and Enter to quit: ')
    if (answer !== '') return false
  }
}

/** One line per check, followed by its fix. */
function tableOf(rows: CheckRow[]): string {
  return rows
    .map(({ ok, sentence, fix }) => `${ok ? (fix ? '!' : '✓') : '✗'} ${sentence}${fix ? `\n  → ${fix}` : ''}`)
    .join('\n')
}

/** @returns the link to Slack’s page, which works until it is closed */
async function makeApp(prompter: Prompter): Promise<ShortLink | undefined> {
  prompter.say('1. The app\n')
  prompter.say('  1  standard app: mentions, /ask and direct messages, for everyone (recommended)')
  prompter.say('  2  agent app: also opens beside a channel; may need a paid Slack plan, and guests cannot use it\n')
  const manifest = readManifest((await prompter.ask('Which one? [1] ')) === '2' ? 'agent' : 'plain')
  const link = await showAddress(manifest, prompter)
  prompter.say(
    '\nThere, choose your workspace, then Next and Create. Then: Install App → Install to Workspace → Allow.\n',
  )
  prompter.say('2. The tokens (hidden while you paste them)\n')
  return link
}

async function showAddress(manifest: AppManifest, prompter: Prompter): Promise<ShortLink | undefined> {
  const byHand = `open https://api.slack.com/apps?new_app=1, choose From a manifest, and paste the whole of ${manifest.file}.`
  const address = createAddress(manifest)
  const link = address === undefined ? undefined : await shortLink(address).catch(() => undefined)
  if (address === undefined || !link) {
    prompter.say(`\nIn your browser, ${byHand}`)
    return undefined
  }
  const isOpen = await prompter.open(address)
  prompter.say(isOpen ? '\nYour browser should open now. If it does not, open this link:' : '\nOpen this link:')
  prompter.say(`\n  ${link.url}\n\nOn another computer, ${byHand}`)
  return link
}

const OVER_HTTP =
  'To receive events over HTTP, start the bot first. Then, on the app’s page, turn Socket Mode off and enter ' +
  'https://YOUR-HOST/slack/events under Event Subscriptions, Interactivity & Shortcuts and Slash Commands → /ask.'

/** Asks for missing tokens. A signing secret may replace the app-level token. */
async function askMissing(tokens: SlackTokens, prompter: Prompter): Promise<void> {
  tokens.SLACK_BOT_TOKEN ??= await askToken('SLACK_BOT_TOKEN', prompter)
  if (tokens.SLACK_APP_TOKEN !== undefined || tokens.SLACK_SIGNING_SECRET !== undefined) return
  const token = await askToken('SLACK_APP_TOKEN', prompter, '; or press Enter to receive events over HTTP instead')
  if (token !== '') tokens.SLACK_APP_TOKEN = token
  else {
    prompter.say(`\n${OVER_HTTP}\n`)
    tokens.SLACK_SIGNING_SECRET = await askToken('SLACK_SIGNING_SECRET', prompter)
  }
}

/** Attempts per token: a person who fails this often is stuck. */
const MAX_TRIES = 10

/** Repeats until the form is right. `otherwise` says what an empty answer means, if one is allowed. */
async function askToken(name: TokenName, prompter: Prompter, otherwise?: string): Promise<string> {
  prompter.say(`${name}: ${WHERE[name]}${otherwise ?? ''}.`)
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const value = await prompter.ask(`${name} (hidden): `, { hidden: true })
    if (value === '' && otherwise !== undefined) return value
    const fault = value === '' ? `Nothing was pasted. Paste ${name}, then press Enter.` : formFault(name, value)
    if (fault === undefined) return value
    prompter.say(`✗ ${fault}`)
  }
  throw new ConfigError(`No valid ${name} after ${MAX_TRIES} tries. Nothing was changed.`)
}

/** A short address on this machine that leads to a long one. */
interface ShortLink {
  url: string
  close(): void
}

/**
 * Redirects an address of this machine to `target`. An address of thousands of characters is broken over many lines of
 * a terminal, which then cannot open it.
 */
async function shortLink(target: string): Promise<ShortLink> {
  const server = createServer((_, response) => response.writeHead(302, { location: target, connection: 'close' }).end())
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
