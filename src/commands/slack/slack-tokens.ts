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
    return `What begins with ${kind[0]} is ${kind[1]}. ${name} is under ${WHERE[name]}.`
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
export function tokensOf(env: Env): SlackTokens {
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
export function appOf(token = ''): string | undefined {
  return /^xapp-\d+-(A[A-Z0-9]{5,30})-/.exec(token)?.[1]
}
