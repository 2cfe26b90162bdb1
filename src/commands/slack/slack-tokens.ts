import { fstatSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { parse } from 'dotenv'
import type { CommandIo } from '../command.ts'
import { loadConfig, type Env } from '../../config.ts'
import { messageOf } from '../../base/errors.ts'

export const TOKEN_NAMES = ['SLACK_BOT_TOKEN', 'SLACK_APP_TOKEN', 'SLACK_SIGNING_SECRET'] as const

export type TokenName = (typeof TOKEN_NAMES)[number]

/** The bot's credentials for Slack: a bot token, and an app-level token (Socket Mode) or a signing secret (HTTP). */
export type SlackTokens = Partial<Record<TokenName, string>>

/** The page on which Slack shows each token, by its menu names. */
export const WHERE: Record<TokenName, string> = {
  SLACK_BOT_TOKEN: 'OAuth & Permissions → Bot User OAuth Token',
  SLACK_APP_TOKEN: 'Basic Information → App-Level Tokens → Generate Token and Scopes, with the scope connections:write',
  SLACK_SIGNING_SECRET: 'Basic Information → App Credentials → Signing Secret',
}

/** Other token prefixes, to recognize a wrong token. */
const KINDS: [prefix: string, kind: string][] = [
  ['xoxb-', 'the bot token'],
  ['xapp-', 'the app-level token'],
  ['xoxp-', 'a user token'],
  ['xoxe', 'a rotating token or an app configuration token'],
  ['xox', 'another kind of token'],
]

/** @returns what is wrong with the form, as a sentence. It never contains the value. */
export function formFault(name: TokenName, value: string): string | undefined {
  const kind = KINDS.find(([prefix]) => value.startsWith(prefix))
  const isOther = kind && !(name === 'SLACK_BOT_TOKEN' ? 'xoxb-' : 'xapp-').startsWith(kind[0])
  if (kind && (isOther || name === 'SLACK_SIGNING_SECRET'))
    return `A value that begins with ${kind[0]} is ${kind[1]}. ${name} is under ${WHERE[name]}.`
  if (name === 'SLACK_SIGNING_SECRET' && !/^[\x21-\x7e]{8,}$/.test(value))
    return 'SLACK_SIGNING_SECRET should be the 32 characters (0-9 and a-f) that Slack shows.'
  try {
    loadConfig({ [name]: value })
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}

/** Returns the tokens in the settings, from NAME or from the file of NAME_FILE, even if their form is wrong. */
export function tokensInSettings(env: Env): SlackTokens {
  const found = TOKEN_NAMES.map((name) => [name, tokenOf(env, name)] as const)
  return Object.fromEntries(found.filter(([, value]) => value !== undefined))
}

function tokenOf(env: Env, name: TokenName): string | undefined {
  try {
    return loadConfig({ [name]: env[name], [`${name}_FILE`]: env[`${name}_FILE`] })[name]
  } catch {
    return env[name]
  }
}

/** Returns the app id from an app-level token: `xapp-1-A…-…`. */
export function appOfToken(token = ''): string | undefined {
  return /^xapp-\d+-(A[A-Z0-9]{5,30})-/.exec(token)?.[1]
}

/** More characters than three tokens need. The rest is not read. */
const MAX = 64_000
/** How long to read from the pipe, in ms. A pipe without a writer would otherwise wait forever. */
const WAIT_MS = 10_000

/** Returns whether stdin is a pipe or a file. */
export function isPiped({ fd }: CommandIo['stdin']): boolean {
  if (fd === undefined) return true
  try {
    const stdin = fstatSync(fd)
    return stdin.isFIFO() || stdin.isFile() || stdin.isSocket()
  } catch {
    return false
  }
}

/** Reads `NAME=value` lines, or bare tokens, which it recognizes by their prefix. Ignores everything else. */
export function tokensIn(text: string): SlackTokens {
  const named = parse(text)
  const words = text.split(/\s+/)
  const beginning = (prefix: string) => words.find((word) => word.startsWith(prefix))
  const found: SlackTokens = { SLACK_BOT_TOKEN: beginning('xoxb-'), SLACK_APP_TOKEN: beginning('xapp-') }
  const all = TOKEN_NAMES.map((name) => [name, named[name] || found[name]] as const)
  return Object.fromEntries(all.filter(([, value]) => value !== undefined))
}

/** Reads to the end, up to a maximum size and time. */
export async function readPiped(input: Readable): Promise<string> {
  let text = ''
  const timer = setTimeout(() => input.destroy(), WAIT_MS)
  try {
    for await (const chunk of input.setEncoding('utf8')) {
      text += String(chunk)
      if (text.length > MAX) break
    }
  } catch {
    // Cut off: the text so far counts.
  } finally {
    clearTimeout(timer)
  }
  return text.slice(0, MAX)
}
