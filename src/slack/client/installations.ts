import type { Config } from '../../config.ts'
import { ConfigError } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { Directory } from './directory.ts'
import { refusalCode } from './slack-errors.ts'
import { SlackWeb, type WebOptions } from './slack-web.ts'

/** Who the bot is in a team, as `auth.test` tells. An empty `botId` is nobody's. */
export interface Identity {
  team: string
  /** The address of the workspace, with a slash at the end; empty where Slack has not told it. */
  url: string
  botUser: string
  botId: string
}

/** The bot in one team: its token, who it is there, the Web API in its name, and the people and channels of that team. */
export interface Installation {
  token: string
  identity: Identity
  client: SlackWeb
  directory: Directory
}

/** Where the bot is installed. */
export interface Installations {
  /** The team of an event that names none. */
  readonly defaultTeam: string
  /** Undefined where the bot is not installed. */
  of(team: string): Promise<Installation | undefined>
  /** Whether a whole organisation has installed the app. */
  readonly isOrgWide: boolean
  /** The teams for which this process has had an installation. */
  teams(): string[]
}

export interface InstallationOptions {
  log: Log
  now?: WebOptions['now']
  fetch?: WebOptions['fetch']
  onCall?: WebOptions['onCall']
}

/** How long the start waits for a Slack that does not answer. */
const IDENTIFY_MS = 30_000

/**
 * The one installation whose token is in the environment. If the token is that of an app that a whole organisation has
 * installed, it is the installation of each of its teams. @throws ConfigError when Slack refuses the token
 */
export async function installationFromConfig(config: Config, options: InstallationOptions): Promise<Installations> {
  const token = config.SLACK_BOT_TOKEN!
  const client = new SlackWeb({ ...options, token, apiUrl: config.SLACK_API_URL })
  const { isOrgWide, enterprise, ...identity } = await identify(client)
  const directory = new Directory({ web: client, log: options.log, enterprise, now: options.now })
  const installation = { token, identity, client, directory }
  const teams = new Set([identity.team])
  return {
    defaultTeam: identity.team,
    isOrgWide,
    async of(team) {
      if (isOrgWide) teams.add(team)
      return teams.has(team) ? installation : undefined
    },
    teams: () => [...teams],
  }
}

async function identify(client: SlackWeb): Promise<Identity & { isOrgWide: boolean; enterprise?: string }> {
  try {
    const me = await client.call('auth.test', {}, { effort: 'patient', signal: AbortSignal.timeout(IDENTIFY_MS) })
    return {
      team: String(me.team_id),
      url: typeof me.url === 'string' ? me.url : '',
      botUser: String(me.user_id),
      botId: String(me.bot_id ?? ''),
      isOrgWide: me.is_enterprise_install === true,
      ...(typeof me.enterprise_id === 'string' ? { enterprise: me.enterprise_id } : {}),
    }
  } catch (error) {
    throw tokenRefused('SLACK_BOT_TOKEN', error)
  }
}

/** What to tell the operator when Slack does not take a token at the start. */
export function tokenRefused(setting: string, error: unknown): ConfigError {
  const code = refusalCode(error)
  if (code) return new ConfigError(`${setting} should be a token that Slack takes: it answered ${code}.`)
  return new ConfigError('SLACK_API_URL should be an address where Slack answers: it could not be reached.')
}
