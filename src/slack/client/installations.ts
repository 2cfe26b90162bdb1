import type { Config } from '../../config.ts'
import { ConfigError } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { Directory } from './directory.ts'
import { refusalCode } from './slack-errors.ts'
import { SlackWeb, type WebOptions } from './slack-web.ts'

/** Who the bot is in a team, from `auth.test`. An empty `botId` matches nobody. */
export interface Identity {
  team: string
  /** The URL of the workspace, with a trailing slash. Empty if Slack has not told it. */
  url: string
  botUser: string
  botId: string
}

/** The bot in one team: its identity, its Web API client with its token, and the people and channels of that team. */
export interface Installation {
  /** Signs what views carry. It outlives a rotated token. */
  signingKey: string
  identity: Identity
  client: SlackWeb
  directory: Directory
}

/** The teams where the bot is installed. */
export interface Installations {
  /** The team of an event that names none. */
  readonly defaultTeam: string
  /**
   * Resolves to undefined if the bot is not installed in the team. `enterprise` is the organisation that an event names
   * beside the team; it is remembered.
   */
  of(team: string, enterprise?: string): Promise<Installation | undefined>
  /** Whether a whole organisation has installed the app. */
  readonly isOrgWide: boolean
  /** The teams whose installation this process has used. */
  teams(): string[]
  /** Absent where installations are not stored, and end with their token. */
  end?(ending: Ending): Promise<'ended' | 'newer'>
}

/** What ends an installation, or takes it from some teams of its organisation. */
export interface Ending {
  /** The workspace's or organisation's id. */
  id: string
  /** Of the event, in seconds since the epoch: a newer installation stays. */
  eventTime: number
  /** The organisation's teams that lose the installation; all if absent. */
  teams?: string[]
  /** Called for each team that it served, once new work of the team is refused. If it throws, the next `end` repeats it. */
  forget(team: string): Promise<void>
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
 * Builds the installation for the token in the environment. If a whole organisation has installed the app, it is the
 * installation of each of its teams. @throws ConfigError if Slack refuses the token or cannot be reached
 */
export async function installationFromConfig(config: Config, options: InstallationOptions): Promise<Installations> {
  try {
    const { installations } = await installationOf(config.SLACK_BOT_TOKEN!, {
      ...options,
      apiUrl: config.SLACK_API_URL,
    })
    return installations
  } catch (error) {
    throw tokenRefused('SLACK_BOT_TOKEN', error)
  }
}

/** Builds the installation of one bot token. @throws the error of `auth.test` */
export async function installationOf(
  token: string,
  options: InstallationOptions & { apiUrl: string },
): Promise<{ installations: Installations; appId: string | undefined }> {
  const client = new SlackWeb({ ...options, token })
  const { isOrgWide, enterprise, appId, ...identity } = await identify(client)
  const directory = new Directory({ web: client, log: options.log, enterprise, now: options.now })
  const installation = { signingKey: token, identity, client, directory }
  const teams = new Set([identity.team])
  const installations: Installations = {
    defaultTeam: identity.team,
    isOrgWide,
    async of(team) {
      if (isOrgWide) teams.add(team)
      return teams.has(team) ? installation : undefined
    },
    teams: () => [...teams],
  }
  return { installations, appId }
}

interface Me extends Identity {
  isOrgWide: boolean
  enterprise?: string
  appId: string | undefined
}

async function identify(client: SlackWeb): Promise<Me> {
  const me = await client.call('auth.test', {}, { effort: 'patient', signal: AbortSignal.timeout(IDENTIFY_MS) })
  return {
    team: String(me.team_id),
    url: typeof me.url === 'string' ? me.url : '',
    botUser: String(me.user_id),
    botId: String(me.bot_id ?? ''),
    isOrgWide: me.is_enterprise_install === true,
    appId: typeof me.app_id === 'string' ? me.app_id : undefined,
    ...(typeof me.enterprise_id === 'string' ? { enterprise: me.enterprise_id } : {}),
  }
}

/** The error for the operator if Slack does not accept a token at the start. */
export function tokenRefused(setting: string, error: unknown): ConfigError {
  const code = refusalCode(error)
  if (code) return new ConfigError(`${setting} should be a token that Slack takes: it answered ${code}.`)
  return new ConfigError('SLACK_API_URL should be an address where Slack answers: it could not be reached.')
}
