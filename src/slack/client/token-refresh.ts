/**
 * Token rotation (https://docs.slack.dev/authentication/using-token-rotation): an access token lives 12 hours, and a
 * refresh token works once. So only one process refreshes at a time, and a new pair is stored before it is used.
 */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { messageOf } from '../../base/errors.ts'
import type { InstallStores, InstallationRecord, StoredInstallation } from '../../stores/installations/types.ts'
import { refusalCode } from './slack-errors.ts'
import { SlackWeb, type ApiOptions } from './web-api.ts'

export interface TokenRefresh {
  /** Refreshes in the background if it is due. Never throws. */
  ahead(record: InstallationRecord): void
  /** Returns the record with a token that has not ended; refreshes it first if it has. */
  fresh(record: InstallationRecord): Promise<InstallationRecord>
  /** Returns the record with a new token instead of one that Slack reports as expired, if there can be one. */
  replaced(record: InstallationRecord, ended: string): Promise<InstallationRecord>
  /** Refreshes all installations that are due. */
  sweep(): Promise<void>
}

interface TokenRefreshOptions extends ApiOptions {
  stores: InstallStores
  clientId: string
  clientSecret: string
  /** Notifies the installer once that the app must be installed again. */
  tellInstaller(record: InstallationRecord): Promise<void>
}

const HOUR_MS = 3_600_000
/**
 * A token is refreshed when less than this is left, and up to `SPREAD_MS` earlier. The spread differs by installation.
 */
const AHEAD_MS = 2 * HOUR_MS
const SPREAD_MS = 20 * 60_000
/** A token that ends this soon is no longer used, because a call takes a while. */
const MARGIN_MS = 30_000
/** Longer than two exchanges and their writes may take, or the telling. */
const LOCK_MS = 60_000
const CALL_MS = 20_000
/** How long nobody retries after a temporary failure. */
const PAUSE_MS = 60_000

export function tokenRefresh(options: TokenRefreshOptions): TokenRefresh {
  const { stores, log, now } = options
  /** The current refreshes of this process, by id. Concurrent callers wait for the same one. */
  const refreshing = new Map<string, Promise<void>>()
  const refresh = (id: string, isWanted: (record: InstallationRecord) => boolean): Promise<void> => {
    const mine = refreshing.get(id) ?? refreshOnce(id, isWanted, options).finally(() => refreshing.delete(id))
    refreshing.set(id, mine)
    return mine
  }
  const isDue = ({ id, expiresAt }: InstallationRecord) =>
    expiresAt !== undefined && expiresAt - now() < AHEAD_MS + spreadOf(id)
  const ahead = async (record: InstallationRecord): Promise<void> => {
    if (!isDue(record)) return
    await refresh(record.id, isDue).catch((error: unknown) =>
      log.warn({ team: record.id, error: messageOf(error) }, 'a token could not be refreshed'),
    )
  }
  const newest = async (record: InstallationRecord) => (await stores.records.load(record.id))?.record ?? record
  return {
    ahead: (record) => void ahead(record),
    async fresh(record) {
      const isOver = ({ expiresAt }: InstallationRecord) => expiresAt !== undefined && expiresAt - now() < MARGIN_MS
      if (!isOver(record)) return record
      const stored = await newest(record)
      if (!isOver(stored)) return stored
      await refresh(record.id, isOver)
      return newest(record)
    },
    async replaced(record, ended) {
      await refresh(record.id, ({ token }) => token === ended)
      return newest(record)
    },
    async sweep() {
      for (const id of await stores.records.ids()) {
        const stored = await stores.records.load(id).catch(() => undefined)
        if (stored) await ahead(stored.record)
      }
    },
  }
}

/** Spreads the refreshes of installations from the same day. */
function spreadOf(id: string): number {
  return createHash('sha256').update(id).digest().readUInt32BE(0) % SPREAD_MS
}

const pairSchema = z.object({ access_token: z.string(), refresh_token: z.string(), expires_in: z.number() })

async function refreshOnce(
  id: string,
  isWanted: (record: InstallationRecord) => boolean,
  options: TokenRefreshOptions,
): Promise<void> {
  const { stores } = options
  const isUntold = await stores.shared.lock(`refresh:${id}`, LOCK_MS, async () => {
    const stored = await stores.records.load(id)
    if (!stored?.record.refreshToken || !isWanted(stored.record)) return false
    if (stored.record.refused) return stored.record.refused === 'untold'
    if ((await stores.shared.get(pauseKey(id))) === stored.generation) return false
    try {
      await exchange(stored, options)
      return false
    } catch (error) {
      if (isRefused(error) && (await isRefusedAgain(stored, options))) return giveUp(stored, error, options)
      // A new installation has another generation, so this pause does not apply to it.
      await stores.shared.put(pauseKey(id), stored.generation, { ttlMs: PAUSE_MS })
      throw error
    }
  })
  if (isUntold) await tellOnce(id, options)
}

/** The key of the note that a generation's refresh failed a moment ago. */
export const pauseKey = (id: string) => `refresh-failed:${id}`

/** Uses the refresh token. A new installation in the meantime wins: the pair for the old one is dropped. */
async function exchange({ record, generation }: StoredInstallation, options: TokenRefreshOptions): Promise<void> {
  const { stores, clientId, clientSecret, now, log } = options
  const web = new SlackWeb({ ...options, token: '' })
  const args = {
    client_id: clientId,
    client_secret: clientSecret,
    grant_type: 'refresh_token',
    refresh_token: record.refreshToken,
  }
  const signal = AbortSignal.timeout(CALL_MS)
  const pair = pairSchema.parse(await web.call('oauth.v2.access', args, { effort: 'patient', signal }))
  const { access_token: token, refresh_token: refreshToken, expires_in: seconds } = pair
  const next = { ...record, token, refreshToken, expiresAt: now() + seconds * 1000 }
  if (!(await stores.records.save(next, generation)))
    log.info(
      { team: record.id },
      'the app was installed again while its token was refreshed: the new installation stays',
    )
}

/** @returns whether somebody must be notified, which is not so if the app was installed again in the meantime */
async function giveUp(
  { record, generation }: StoredInstallation,
  error: unknown,
  { stores, log }: TokenRefreshOptions,
): Promise<boolean> {
  const fields = { team: record.id, error: messageOf(error) }
  log.error(fields, 'Slack refuses to refresh a token: the app must be installed again')
  return stores.records.save({ ...record, refused: 'untold' }, generation)
}

/** If a process ends before it has notified somebody, the next one does. */
async function tellOnce(id: string, { stores, tellInstaller }: TokenRefreshOptions): Promise<void> {
  await stores.shared.lock(`tell:${id}`, LOCK_MS, async () => {
    const stored = await stores.records.load(id)
    if (stored?.record.refused !== 'untold') return
    await tellInstaller(stored.record)
    await stores.records.save({ ...stored.record, refused: 'told' }, stored.generation)
  })
}

/**
 * Returns whether Slack refuses the installation itself, rather than our client id or secret, and the connection works.
 */
function isRefused(error: unknown): boolean {
  const code = refusalCode(error)
  return code !== undefined && code !== 'bad_client_secret' && code !== 'invalid_client_id'
}

/**
 * Slack refuses a refresh token that was already used: by a process that ended before storing the result, or by one
 * whose lock expired. So the currently stored one is tried once more.
 */
async function isRefusedAgain(refused: StoredInstallation, options: TokenRefreshOptions): Promise<boolean> {
  const stored = await options.stores.records.load(refused.record.id)
  if (stored?.generation !== refused.generation) return false
  const error = await exchange(stored, options).catch((again: unknown) => again)
  return error !== undefined && isRefused(error)
}
