import { readManifest } from '../../base/app-manifest.ts'
import { messageOf } from '../../base/errors.ts'
import type { Pages } from '../../base/http/server.ts'
import { readEnv, type Config } from '../../config.ts'
import type { InstallStores } from '../../stores/installations/types.ts'
import { installationOf, tokenRefused, type InstallationOptions, type Installations } from '../client/installations.ts'
import { confirmedTeamsOnly } from '../client/confirmed-teams.ts'
import { joinedInstallations, loadSlackApps, openSlackApps, type SlackApp } from '../client/slack-apps.ts'
import { servedTeams, storedInstallations } from '../client/stored-installations.ts'
import { tokenRefresh } from '../client/token-refresh.ts'
import { installPages } from './install-pages.ts'
import { tellInstaller } from './tell-installer.ts'

/** The bot's installations, and the services that belong to them. */
export interface OpenedInstallations {
  installations: Installations
  /** The apps of SLACK_APPS. */
  apps?: SlackApp[] | undefined
  /** The install pages of the distributed app. */
  pages: Pages
  /** Stops the background work. */
  stop(): void
}

interface OpenInstallationsOptions extends InstallationOptions {
  installs: InstallStores | undefined
}

/**
 * Opens the installations that the settings name: of one token, of several apps, or of a distributed app.
 * @throws ConfigError if Slack refuses all tokens or cannot be reached
 */
export async function openInstallations(
  config: Config,
  options: OpenInstallationsOptions,
): Promise<OpenedInstallations> {
  const { installs, ...rest } = options
  if (config.SLACK_CLIENT_ID && installs) return openDistributed(config, installs, rest)
  const none = { pages: {}, stop: () => {} }
  if (!config.SLACK_APPS) return { ...none, installations: await installationFromConfig(config, rest) }
  const named = loadSlackApps(config.SLACK_APPS, readEnv())
  const apps = await openSlackApps(named, { ...rest, apiUrl: config.SLACK_API_URL })
  return { ...none, apps, installations: joinedInstallations(apps) }
}

/**
 * Builds the installation for the token in the environment. If a whole organisation has installed the app, it is the
 * installation of each of its teams. @throws ConfigError if Slack refuses the token or cannot be reached
 */
export async function installationFromConfig(config: Config, options: InstallationOptions): Promise<Installations> {
  try {
    const identifying = { ...options, apiUrl: config.SLACK_API_URL }
    const { installations } = await installationOf(config.SLACK_BOT_TOKEN!, identifying)
    return installations.isOrgWide ? await confirmedTeamsOnly(installations, options.now) : installations
  } catch (error) {
    throw tokenRefused('SLACK_BOT_TOKEN', error, config)
  }
}

/** The interval at which a worker checks for tokens to refresh, in milliseconds. */
const SWEEP_MS = 60_000

async function openDistributed(
  config: Config,
  stores: InstallStores,
  options: InstallationOptions,
): Promise<OpenedInstallations> {
  const { SLACK_CLIENT_ID: clientId = '', SLACK_CLIENT_SECRET: clientSecret = '', SLACK_API_URL: apiUrl } = config
  const publicUrl = (config.PUBLIC_URL ?? '').replace(/\/+$/, '')
  const parts = { ...options, apiUrl, stores, clientId, clientSecret }
  const refresh = tokenRefresh({
    ...parts,
    async tellInstaller(record) {
      const [team] = await servedTeams(stores, record.id)
      await tellInstaller(record, { ...options, apiUrl, publicUrl, team })
    },
  })
  await nameUnreadable(stores, options)
  if (!config.REDIS_URL)
    options.log.warn(
      {},
      'installations are kept in this process’s memory and lost when it ends (set REDIS_URL to keep them)',
    )
  const sweep = () =>
    refresh
      .sweep()
      .catch((error: unknown) => options.log.warn({ error: messageOf(error) }, 'tokens could not be checked'))
  const sweeping = config.ROLE === 'front' ? undefined : setInterval(() => void sweep(), SWEEP_MS).unref()
  return {
    installations: storedInstallations({ ...parts, refresh, secret: clientSecret }),
    pages: installPages({ ...parts, publicUrl, allowed: config.ALLOW_TEAMS, scopes: readManifest('plain').scopes }),
    stop: () => clearInterval(sweeping),
  }
}

/** Logs the workspaces whose records no key opens. They have to install the app again. */
async function nameUnreadable({ records }: InstallStores, { log }: InstallationOptions): Promise<void> {
  const teams: string[] = []
  for (const id of await records.ids()) await records.load(id).catch(() => teams.push(id))
  if (teams.length > 0)
    log.error(
      { teams },
      'neither SECRETS_KEY nor SECRETS_KEY_OLD decrypts these installations: install the app again there',
    )
}
