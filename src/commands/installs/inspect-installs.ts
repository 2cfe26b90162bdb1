import { z } from 'zod'
import type { Network } from '../../base/http/proxy.ts'
import type { Log } from '../../base/log.ts'
import { readEnv, type Config } from '../../config.ts'
import type { InstallStores } from '../../stores/installations/types.ts'
import { loadSlackApps } from '../../slack/client/slack-apps.ts'
import { outcomeOf, SlackRefusal } from '../../slack/client/slack-errors.ts'
import { SlackWeb } from '../../slack/client/web-api.ts'
import { lastUsed } from '../../slack/client/stored-installations.ts'
import { readManifest } from '../../base/app-manifest.ts'

/** An installation as operators see it. It never holds a token. */
export interface InstallRow {
  /** The workspace's or organisation's id; the app's name in SLACK_APPS if Slack does not tell the id. */
  team: string
  /** `ok`, `unreadable` (no key opens the record), or Slack's error for the token. */
  token: string
  /** Scopes of manifest.yml that the app was installed without. */
  missingScopes: string[]
  search: 'on' | 'off'
  /** The end of a token that rotates, in ISO 8601. */
  rotation: string | null
  lastUsed: string | null
}

/** How an installation is named, and its token if it can be read. */
interface NamedInstallation {
  name: string
  token?: string | undefined
  scopes?: string[]
  expiresAt?: number | undefined
  usedAt?: number | undefined
}

export interface InspectOptions {
  log: Log
  /** Milliseconds since the epoch. */
  now: () => number
  net: Network
  installs: InstallStores | undefined
}

/** Asks Slack about each installation, or about that of one team. */
export async function inspectInstalls(config: Config, options: InspectOptions, team?: string): Promise<InstallRow[]> {
  const rows = await Promise.all((await entriesOf(config, options)).map((entry) => inspect(entry, config, options)))
  return team === undefined ? rows : rows.filter((row) => row.team === team)
}

async function entriesOf(config: Config, { installs }: InspectOptions): Promise<NamedInstallation[]> {
  if (installs) return Promise.all((await installs.records.ids()).map((id) => storedEntry(id, installs)))
  if (config.SLACK_APPS)
    return loadSlackApps(config.SLACK_APPS, readEnv()).map(({ name, botToken }) => ({ name, token: botToken }))
  return config.SLACK_BOT_TOKEN ? [{ name: 'SLACK_BOT_TOKEN', token: config.SLACK_BOT_TOKEN }] : []
}

async function storedEntry(id: string, installs: InstallStores): Promise<NamedInstallation> {
  const usedAt = await lastUsed(installs, id)
  const stored = await installs.records.load(id).catch(() => undefined)
  if (!stored) return { name: id, usedAt }
  const { token, scopes, expiresAt } = stored.record
  return { name: id, token, scopes, expiresAt, usedAt }
}

const meSchema = z.object({
  team_id: z.string(),
  response_metadata: z
    .object({ scopes: z.array(z.string()) })
    .optional()
    .catch(undefined),
})

async function inspect(
  entry: NamedInstallation,
  config: Config,
  { log, now, net }: InspectOptions,
): Promise<InstallRow> {
  const { name, token, expiresAt, usedAt } = entry
  const row = {
    team: name,
    missingScopes: [],
    search: 'off' as const,
    rotation: expiresAt === undefined ? null : new Date(expiresAt).toISOString(),
    lastUsed: usedAt === undefined ? null : new Date(usedAt).toISOString(),
  }
  if (token === undefined) return { ...row, token: 'unreadable' }
  const web = new SlackWeb({ token, apiUrl: config.SLACK_API_URL, log, now, fetch: net.fetch })
  try {
    const me = meSchema.parse(await web.call('auth.test', {}, { effort: 'once' }))
    const granted = me.response_metadata?.scopes ?? entry.scopes
    const isOn = await web.call('assistant.search.info', {}, { effort: 'once' }).then(
      () => true,
      () => false,
    )
    const missingScopes = granted ? readManifest('plain').scopes.filter((scope) => !granted.includes(scope)) : []
    const team = entry.scopes ? name : me.team_id
    return { ...row, team, token: 'ok', missingScopes, search: isOn ? 'on' : 'off' }
  } catch (error) {
    return { ...row, token: error instanceof SlackRefusal ? error.code : outcomeOf(error) }
  }
}

/** Returns an installation as one sentence. */
export function installLine({ team, token, missingScopes, search, rotation, lastUsed }: InstallRow): string {
  const parts = [
    token === 'ok' ? 'token accepted' : `token not usable: ${token}`,
    missingScopes.length === 0 ? 'all scopes' : `without ${missingScopes.join(', ')}`,
    `search ${search}`,
    rotation === null ? 'does not rotate' : `token ends ${rotation}`,
    lastUsed === null ? 'not used yet' : `last used ${lastUsed}`,
  ]
  return `${team}: ${parts.join('; ')}`
}
