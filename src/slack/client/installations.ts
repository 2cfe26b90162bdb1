import type { Config } from '../../config.ts'
import { once } from '../../base/async.ts'
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

/** The bot in one team: its token and identity, its Web API client, and the people and channels of that team. */
export interface Installation {
  token: string
  identity: Identity
  client: SlackWeb
  directory: Directory
}

/** The teams where the bot is installed. */
export interface Installations {
  /** The team of an event that names none. */
  readonly defaultTeam: string
  /** Resolves to undefined if the bot is not installed in the team. */
  of(team: string): Promise<Installation | undefined>
  /** Whether a whole organisation has installed the app. */
  readonly isOrgWide: boolean
  /** The teams whose installation this process has used. */
  teams(): string[]
}

export interface InstallationOptions {
  log: Log
  now?: WebOptions['now']
  fetch?: WebOptions['fetch']
  onCall?: WebOptions['onCall']
  /** Ends the wait for Slack. */
  signal?: AbortSignal
}

/** How long the start waits for a Slack that does not answer. */
const IDENTIFY_MS = 30_000
/** After this much silence the operator is told, in ms. */
const SILENT_MS = 4_000

/**
 * Builds the installation for the token in the environment. If a whole organisation has installed the app, it is the
 * installation of each of its teams. @throws ConfigError if Slack refuses the token or cannot be reached
 */
export async function installationFromConfig(config: Config, options: InstallationOptions): Promise<Installations> {
  const token = config.SLACK_BOT_TOKEN!
  const client = new SlackWeb({ ...options, token, apiUrl: config.SLACK_API_URL })
  const { isOrgWide, enterprise, ...identity } = await identify(config, options)
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

async function identify(
  config: Config,
  options: InstallationOptions,
): Promise<Identity & { isOrgWide: boolean; enterprise?: string }> {
  // Says early why the start takes so long.
  const warn = once(() => options.log.warn(`${unreachable(config)} Trying for ${IDENTIFY_MS / 1000} s.`))
  const silence = setTimeout(warn, SILENT_MS)
  const onCall: WebOptions['onCall'] = (call) => {
    if (call.outcome === 'connection') warn()
    options.onCall?.(call)
  }
  const client = new SlackWeb({ ...options, onCall, token: config.SLACK_BOT_TOKEN!, apiUrl: config.SLACK_API_URL })
  try {
    const signals = [AbortSignal.timeout(IDENTIFY_MS), ...(options.signal ? [options.signal] : [])]
    const me = await client.call('auth.test', {}, { effort: 'patient', signal: AbortSignal.any(signals) })
    return {
      team: String(me.team_id),
      url: typeof me.url === 'string' ? me.url : '',
      botUser: String(me.user_id),
      botId: String(me.bot_id ?? ''),
      isOrgWide: me.is_enterprise_install === true,
      ...(typeof me.enterprise_id === 'string' ? { enterprise: me.enterprise_id } : {}),
    }
  } catch (error) {
    throw tokenRefused('SLACK_BOT_TOKEN', error, config)
  } finally {
    clearTimeout(silence)
  }
}

function unreachable({ SLACK_API_URL }: Pick<Config, 'SLACK_API_URL'>): string {
  const { host } = new URL(SLACK_API_URL)
  return `Cannot reach ${host} (SLACK_API_URL). Check the network; behind a proxy set HTTPS_PROXY.`
}

/** The error for the operator if Slack does not accept a token at the start, or does not answer. */
export function tokenRefused(setting: string, error: unknown, config: Pick<Config, 'SLACK_API_URL'>): ConfigError {
  const code = refusalCode(error)
  if (code === undefined) return new ConfigError(unreachable(config))
  return new ConfigError(`Slack does not accept ${setting} (${code}). Run npm run slack to see why and to replace it.`)
}
