import type { Config } from '../../config.ts'
import { z } from 'zod'
import { once, inTime } from '../../base/async.ts'
import { ConfigError } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import type { Person } from '../../base/place.ts'
import { areAlike, bareName } from './alike-names.ts'
import { Directory } from './directory.ts'
import { refusalCode } from './slack-errors.ts'
import { pagesOf, SlackWeb, type WebOptions } from './web-api.ts'

/** The bot's identity in a team, from `auth.test`. An empty `botId` matches nobody. */
interface Identity {
  team: string
  /** The URL of the workspace, with a trailing slash. Empty if it is unknown. */
  url: string
  botUser: string
  botId: string
}

/** The bot in one team: its identity, its Web API client with its token, and the people and channels of that team. */
export interface Installation {
  /** Signs the metadata of views. It survives a rotation of the token. */
  signingKey: string
  /** The organisation's id, if the team belongs to one. */
  enterprise?: string | undefined
  identity: Identity
  client: SlackWeb
  directory: Directory
  /** Whether the token is that of a whole organisation. */
  isOrgWide: boolean
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
  /** The teams that are known to be served; of an organisation's app the organisation first. */
  teams(): string[]
  /** Whether the deployment serves more than one workspace. What belongs to all is then for its operator alone. */
  servesMany?(): Promise<boolean>
  /** The name in SLACK_APPS, if these are the installations of one app of several. It travels with a question. */
  readonly app?: string
  /** Returns whether a team's data is this app's to delete. Absent if there is no other app. */
  owns?(team: string): boolean
  /** Returns the installations of the app that accepted a question. Absent if there is no other app. */
  ofApp?(app: string | undefined): Installations
  /**
   * Notes that an organisation gives teams access from an event on (seconds since the epoch). An older `end` spares
   * them.
   */
  grant?(enterprise: string, teams: string[], eventTime: number): Promise<void>
  /** Ends a stored installation. Absent if installations are not stored: then they end with their token. */
  end?(ending: UninstallEvent): Promise<'ended' | 'newer'>
}

/** An event that ends an installation, or takes some teams of its organisation from it. */
export interface UninstallEvent {
  /** The workspace's or organisation's id. */
  id: string
  /** The event's time, in seconds since the epoch. A newer installation stays. */
  eventTime: number
  /** The organisation's teams that lose the installation. All if absent. */
  teams?: string[]
  /**
   * Called for each team that it served, once new work of that team is refused. If it throws, the next `end` repeats
   * it.
   */
  forget(team: string): Promise<void>
}

export interface InstallationOptions {
  log: Log
  now: WebOptions['now']
  fetch?: WebOptions['fetch']
  onCall?: WebOptions['onCall']
  /** Returns the id that a channel of a team has been given since. */
  movedTo?: (team: string, channel: string) => Promise<string | undefined>
  /** Aborts the wait for Slack. */
  signal?: AbortSignal
}

export interface IdentifyOptions extends InstallationOptions {
  apiUrl: string
}

/** The time that the start waits for Slack, in ms. */
const IDENTIFY_MS = 30_000
/** The time without an answer after which the operator is notified, in ms. */
const SILENT_MS = 4_000

/** Builds the installation of one bot token. @throws the error of `auth.test` */
export async function installationOf(
  token: string,
  options: IdentifyOptions,
): Promise<{ installations: Installations; appId: string | undefined }> {
  const { isOrgWide, enterprise, appId, ...identity } = await identify(token, options)
  const open = (team: string): Installation => {
    const isOneOfMany = isOrgWide && !team.startsWith('E')
    const movedTo = async (channel: string) => options.movedTo?.(team, channel)
    const client = new SlackWeb({ ...options, token, movedTo, ...(isOneOfMany ? { team } : {}) })
    const directory = new Directory(client, options.log, options.now, enterprise)
    return { signingKey: token, enterprise, identity: { ...identity, team }, client, directory, isOrgWide }
  }
  const opened = new Map([[identity.team, open(identity.team)]])
  const installations: Installations = {
    defaultTeam: identity.team,
    isOrgWide,
    async of(team) {
      if (isOrgWide && !opened.has(team)) opened.set(team, open(team))
      return opened.get(team)
    },
    teams: () => [...opened.keys()],
    servesMany: async () => isOrgWide,
  }
  return { installations, appId }
}

interface OwnIdentity extends Identity {
  isOrgWide: boolean
  enterprise?: string
  appId: string | undefined
}

async function identify(token: string, options: IdentifyOptions): Promise<OwnIdentity> {
  // Logs early why the start takes so long.
  const warn = once(() => options.log.warn(`${unreachable(options.apiUrl)} Trying for ${IDENTIFY_MS / 1000} s.`))
  const silence = setTimeout(warn, SILENT_MS)
  const onCall: WebOptions['onCall'] = (call) => {
    if (call.outcome === 'connection') warn()
    options.onCall?.(call)
  }
  const client = new SlackWeb({ ...options, onCall, token, movedTo: undefined })
  try {
    const signals = [AbortSignal.timeout(IDENTIFY_MS), ...(options.signal ? [options.signal] : [])]
    const me = await client.call('auth.test', {}, { effort: 'patient', signal: AbortSignal.any(signals) })
    return {
      team: String(me.team_id),
      url: typeof me.url === 'string' ? me.url : '',
      botUser: String(me.user_id),
      botId: String(me.bot_id ?? ''),
      isOrgWide: me.is_enterprise_install === true,
      appId: typeof me.app_id === 'string' ? me.app_id : undefined,
      ...(typeof me.enterprise_id === 'string' ? { enterprise: me.enterprise_id } : {}),
    }
  } finally {
    clearTimeout(silence)
  }
}

function unreachable(apiUrl: string): string {
  return `Cannot reach ${new URL(apiUrl).host} (SLACK_API_URL). Check the network; behind a proxy set HTTPS_PROXY.`
}

/** The error for the operator if Slack does not accept a token at the start, or does not answer. */
export function tokenRefused(setting: string, error: unknown, config: Pick<Config, 'SLACK_API_URL'>): ConfigError {
  const code = refusalCode(error)
  if (code === undefined) return new ConfigError(unreachable(config.SLACK_API_URL))
  return new ConfigError(`Slack does not accept ${setting} (${code}). Run npm run slack to see why and to replace it.`)
}

/** The time limit of looking up a person's name, in ms. */
const WHO_MS = 2_000

/** The most pages of a workspace's people in which a second bearer of a name is looked for. */
const NAMESAKE_PAGES = 10
const membersSchema = z.object({
  members: z.array(
    z.object({
      id: z.string(),
      name: z.string().optional(),
      deleted: z.boolean().optional(),
      profile: z.object({ display_name: z.string().optional(), real_name: z.string().optional() }).optional(),
    }),
  ),
})

/** A person as a page names them. People choose their name, but neither their id nor the address of their profile. */
interface KnownPerson {
  name: string
  workspace: string
  id?: string
  profile?: string | undefined
  /** Whether another member has the same name, as far as Slack tells in time. */
  hasNamesake?: boolean
}

/** Returns a function that names a person and their workspace for people. */
export function whoIs({ of }: Pick<Installations, 'of'>) {
  return async ({ team, user }: Person): Promise<KnownPerson> => {
    const { directory, identity, client } = (await of(team)) ?? {}
    await directory?.lookUp(team, [user], WHO_MS)
    const name = directory?.personName(team, user)
    const url = identity && URL.canParse(identity.url) ? new URL(identity.url) : undefined
    const asking = name !== undefined && client ? isShared({ name, user }, client).catch(() => false) : undefined
    const hasNamesake = asking !== undefined && (await inTime(WHO_MS, asking, false))
    return {
      name: name === undefined || bareName(name) === '' ? user : `@${bareName(name)}`,
      workspace: url?.host ?? team,
      id: user,
      hasNamesake,
      ...(url ? { profile: new URL(`/team/${encodeURIComponent(user)}`, url).href } : {}),
    }
  }
}

/** Returns whether another member goes by a person's name, in any of the names that Slack shows. */
async function isShared({ name, user }: { name: string; user: string }, client: SlackWeb): Promise<boolean> {
  for await (const page of pagesOf(client, 'users.list', { limit: 1_000 }, { effort: 'once' }, NAMESAKE_PAGES)) {
    const { members = [] } = membersSchema.safeParse(page).data ?? {}
    const others = members.filter(({ id, deleted }) => id !== user && !deleted)
    const names = others.flatMap((one) => [one.name, one.profile?.display_name, one.profile?.real_name])
    if (names.some((one) => one !== undefined && areAlike(one, name))) return true
  }
  return false
}
