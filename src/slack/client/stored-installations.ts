import { messageOf } from '../../base/errors.ts'
import { expiringCache } from '../../base/expiring-cache.ts'
import { SealBroken } from '../../base/encryption.ts'
import type { InstallStores, InstallationRecord, StoredInstallation } from '../../stores/installations/types.ts'
import { Directory } from './directory.ts'
import type { UninstallEvent, Installation, InstallationOptions, Installations } from './installations.ts'
import { SlackWeb, type ApiOptions } from './web-api.ts'
import { pauseKey, type TokenRefresh } from './token-refresh.ts'

interface StoredInstallationsOptions extends InstallationOptions {
  stores: InstallStores
  refresh: TokenRefresh
  apiUrl: string
  /** The secret from which each installation's signing key is derived. */
  secret: string
}

/** The number of workspaces that this process holds ready. Others are opened again on their next event. */
const MAX_HELD = 1_000
const DAY_MS = 86_400_000
/** The precision of an installation's last use, in milliseconds. */
const USE_MS = 10 * 60_000
/** The time limit for noting a team's organisation, in milliseconds. */
const NOTE_MS = 5_000

/** A workspace in this process's memory, with the newest record that was read. */
interface CachedInstallation {
  record: InstallationRecord
  installation: Installation
  usedAt: number
}

/**
 * The installations of the distributed app. Each `of` reads the store, so that a new installation, a refreshed token or
 * a removal takes effect at once in all processes. Only a changed record is opened.
 */
export function storedInstallations(options: StoredInstallationsOptions): Installations {
  const { stores, log, now } = options
  const held = expiringCache<CachedInstallation>({ ttlMs: DAY_MS, max: MAX_HELD, now })
  const load = (id: string) =>
    stores.records.load(id).catch((error: unknown) => {
      if (!(error instanceof SealBroken)) throw error
      log.error({ team: id, error: messageOf(error) }, 'an installation cannot be opened')
      return undefined
    })
  const links = organisationLinks(stores)
  const find = async (team: string, enterprise?: string): Promise<StoredInstallation | undefined> => {
    const own = team === '' ? undefined : await load(team)
    if (own) return own
    const organisation = (team === '' ? undefined : await links.of(team)) ?? enterprise
    const wide = organisation === undefined ? undefined : await load(organisation)
    if (!wide?.record.isOrgWide) return undefined
    if (team !== '' && team !== organisation) await links.note(team, wide.record.id)
    return wide
  }
  return {
    defaultTeam: '',
    isOrgWide: false,
    teams: () => [...held.keys()],
    async servesMany() {
      const [first, ...others] = await stores.records.ids()
      return others.length > 0 || (first !== undefined && (await load(first))?.record.isOrgWide === true)
    },
    async of(team, enterprise) {
      const found = await find(team, enterprise)
      const stored = found && !isComplete(found) ? await completeRecord(found.record.id, stores, options) : found
      if (!stored) {
        held.delete(team)
        return undefined
      }
      const known = held.get(team)
      const isSame = (['id', 'botUser', 'url'] as const).every((key) => known?.record[key] === stored.record[key])
      const one = known && isSame ? known : opened(team, stored.record, options)
      one.record = stored.record
      if (now() - one.usedAt > USE_MS) {
        one.usedAt = now()
        void stores.shared.put(usedKey(stored.record.id), now()).catch(() => undefined)
      }
      held.set(team, one)
      options.refresh.ahead(stored.record)
      return one.installation
    },
    async grant(enterprise, teams, eventTime) {
      for (const team of teams) {
        await find(team, enterprise)
        await links.grant(team, eventTime)
      }
    },
    end: (ending) => endInstallation(ending, { stores, load, find, links, left: (team) => held.delete(team) }),
  }
}

const isComplete = ({ record }: StoredInstallation) => record.url !== ''

/**
 * Adds the bot's id and the workspace's address to a record without them, which its installation could not ask for. If
 * that fails, the next event tries again.
 */
export async function completeRecord(
  id: string,
  stores: InstallStores,
  api: ApiOptions,
): Promise<StoredInstallation | undefined> {
  const stored = await stores.records.load(id)
  if (!stored || isComplete(stored)) return stored
  try {
    const me = await new SlackWeb({ ...api, token: stored.record.token }).call('auth.test', {}, { effort: 'once' })
    const { bot_id: botId = '', url = '' } = me
    await stores.records.save({ ...stored.record, botId: String(botId), url: String(url) }, stored.generation)
  } catch (error) {
    api.log.warn({ team: id, error: messageOf(error) }, 'Slack did not tell the address of a workspace')
  }
  return stores.records.load(id)
}

interface EndParts {
  stores: InstallStores
  load(id: string): Promise<StoredInstallation | undefined>
  find(team: string): Promise<StoredInstallation | undefined>
  links: ReturnType<typeof organisationLinks>
  left(team: string): void
}

async function endInstallation(
  { id, eventTime, teams, forget }: UninstallEvent,
  { stores, load, find, links, left }: EndParts,
): Promise<'ended' | 'newer'> {
  for (let isOver = false; !isOver;) {
    const stored = await load(id)
    if (stored && isNewer(stored.record, eventTime)) return 'newer'
    isOver = !stored || teams !== undefined || (await stores.records.remove(id, stored.generation))
  }
  const linked = await links.teamsOf(id)
  const unserved = teams
    ? await links.withoutGrant(
        linked.filter((team) => teams.includes(team)),
        eventTime,
      )
    : linked
  for (const team of unserved) {
    // A team of the organisation may have its own installation.
    if (!(await load(team))) await forget(team)
    left(team)
  }
  if (!teams && (await isUnreadable(stores, id))) await stores.records.remove(id)
  // A team may still be served by the installation of its organisation.
  if (!teams && !(await find(id))) await forget(id)
  left(id)
  await links.drop(id, unserved)
  if (!teams) await Promise.all([usedKey(id), pauseKey(id)].map((key) => stores.shared.remove(key)))
  return 'ended'
}

function isUnreadable({ records }: InstallStores, id: string): Promise<boolean> {
  return records.load(id).then(
    () => false,
    (error: unknown) => error instanceof SealBroken || Promise.reject(error),
  )
}

/** Slack's events have whole seconds. One in the second of the installation may be younger than it, so it counts. */
function isNewer({ installedAt }: InstallationRecord, eventTime: number): boolean {
  return Math.floor(installedAt / 1000) > eventTime
}

function opened(team: string, record: InstallationRecord, options: StoredInstallationsOptions): CachedInstallation {
  const { log, now, fetch, onCall, apiUrl, secret, refresh } = options
  const { isOrgWide, enterprise, botUser, botId, url, id } = record
  const token = {
    async current() {
      held.record = await refresh.fresh(held.record)
      return held.record.token
    },
    async replace(ended: string) {
      held.record = await refresh.replaced(held.record, ended)
      return held.record.token !== ended
    },
  }
  const movedTo = async (channel: string) => options.movedTo?.(team, channel)
  const client = new SlackWeb({
    token,
    apiUrl,
    log,
    now,
    fetch,
    onCall,
    movedTo,
    ...(isOrgWide && team !== id ? { team } : {}),
  })
  const directory = new Directory(client, log, now, enterprise)
  const identity = { team, url, botUser, botId }
  const installation = { signingKey: `${secret} ${id}`, enterprise, identity, client, directory, isOrgWide }
  const held: CachedInstallation = { record, installation, usedAt: 0 }
  return held
}

const usedKey = (id: string) => `used:${id}`

/** Returns when an installation was last used, to ten minutes, in milliseconds since the epoch. */
export async function lastUsed({ shared }: InstallStores, id: string): Promise<number | undefined> {
  const at = await shared.get(usedKey(id))
  return typeof at === 'number' ? at : undefined
}

/** Returns the known teams of an organisation's installation. */
export function servedTeams(stores: InstallStores, enterprise: string): Promise<string[]> {
  return organisationLinks(stores).teamsOf(enterprise)
}

/**
 * The teams that an organisation's installation serves. They are noted at their first event, because a worker knows
 * only the team.
 */
function organisationLinks({ shared }: InstallStores) {
  const linkKey = (team: string) => `organisation-of:${team}`
  const grantKey = (team: string) => `granted:${team}`
  const teamsKey = (enterprise: string) => `teams-of:${enterprise}`
  const teamsOf = async (enterprise: string): Promise<string[]> => {
    const stored = await shared.get(teamsKey(enterprise))
    return Array.isArray(stored) ? stored.map(String) : []
  }
  return {
    async of(team: string): Promise<string | undefined> {
      const stored = await shared.get(linkKey(team))
      return typeof stored === 'string' ? stored : undefined
    },
    teamsOf,
    async grant(team: string, eventTime: number): Promise<void> {
      const before = await shared.get(grantKey(team))
      if (typeof before !== 'number' || before < eventTime) await shared.put(grantKey(team), eventTime)
    },
    /** Returns the teams that have not been given access again since. */
    async withoutGrant(teams: string[], eventTime: number): Promise<string[]> {
      const granted = await Promise.all(teams.map((team) => shared.get(grantKey(team))))
      return teams.filter((_, i) => !(Number(granted[i] ?? 0) > eventTime))
    },
    async note(team: string, enterprise: string): Promise<void> {
      if ((await shared.get(linkKey(team))) === enterprise) return
      await shared.lock(teamsKey(enterprise), NOTE_MS, async () => {
        await shared.put(teamsKey(enterprise), [...new Set([...(await teamsOf(enterprise)), team])])
      })
      await shared.put(linkKey(team), enterprise)
    },
    async drop(enterprise: string, teams: string[]): Promise<void> {
      await shared.lock(teamsKey(enterprise), NOTE_MS, async () => {
        const left = (await teamsOf(enterprise)).filter((team) => !teams.includes(team))
        for (const key of teams.flatMap((team) => [linkKey(team), grantKey(team)])) await shared.remove(key)
        if (left.length > 0) await shared.put(teamsKey(enterprise), left)
        else await shared.remove(teamsKey(enterprise))
      })
    },
  }
}
