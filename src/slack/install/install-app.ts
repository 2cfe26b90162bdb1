/** Exchanges the code that Slack sends a browser back with for a stored installation. */
import { z } from 'zod'
import { messageOf } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import type { InstallStores, InstallationRecord } from '../../stores/installations/types.ts'
import { slackClock } from '../client/slack-clock.ts'
import { revokeToken, SlackWeb } from '../client/web-api.ts'
import { completeRecord } from '../client/stored-installations.ts'

export interface InstallOptions {
  stores: InstallStores
  clientId: string
  clientSecret: string
  /** The public URL of the bot, without a slash at the end. */
  publicUrl: string
  /** Ids of the workspaces and organisations that may install the app; `*` for any. */
  allowed: string[]
  apiUrl: string
  /** The bot scopes to request. */
  scopes: string[]
  log: Log
  /** Milliseconds since the epoch. */
  now: () => number
  fetch?: typeof globalThis.fetch | undefined
  /** How long the page waits for Slack, if not four seconds. Milliseconds. */
  pageMs?: number | undefined
}

/** A code is valid for ten minutes, but nobody waits that long. Milliseconds. */
const CALL_MS = 20_000

const NOT_REVOKED = 'the token of a workspace that is not allowed could not be revoked'

const place = z.object({ id: z.string(), name: z.string().catch('') }).nullish()
const answerSchema = z.object({
  access_token: z.string(),
  scope: z.string().catch(''),
  bot_user_id: z.string(),
  app_id: z.string(),
  team: place,
  enterprise: place,
  is_enterprise_install: z.boolean().catch(false),
  authed_user: z.object({ id: z.string() }),
  refresh_token: z.string().optional(),
  expires_in: z.number().optional(),
})

export const redirectUri = ({ publicUrl }: InstallOptions): string => `${publicUrl}/slack/oauth_redirect`

/**
 * Exchanges a code and stores the installation. A workspace that may not install the app loses its token at once.
 * @returns the record, or undefined if it is not allowed
 * @throws SlackRefusal if Slack refuses the code, or the last error if it cannot be reached
 */
export async function installApp(code: string, options: InstallOptions): Promise<InstallationRecord | undefined> {
  const { stores, clientId, clientSecret, allowed, log, now } = options
  const signal = AbortSignal.timeout(CALL_MS)
  const clock = slackClock(options)
  const web = (token: string) => new SlackWeb({ ...options, fetch: clock.fetch, token })
  const args = { client_id: clientId, client_secret: clientSecret, code, redirect_uri: redirectUri(options) }
  const answer = answerSchema.parse(await web('').call('oauth.v2.access', args, { effort: 'patient', signal }))
  const { access_token: token, team, enterprise } = answer
  const isOrgWide = answer.is_enterprise_install || !team
  const home = isOrgWide ? enterprise : team
  if (!home) throw new TypeError('Slack named neither a workspace nor an organisation.')
  const isAllowed = ['*', team?.id, enterprise?.id].some((id) => id !== undefined && allowed.includes(id))
  if (!isAllowed) {
    log.warn({ team: home.id }, 'a workspace that ALLOW_TEAMS does not name has tried to install the app')
    await revokeToken(web(token)).catch((error: unknown) =>
      log.warn({ team: home.id, error: messageOf(error) }, NOT_REVOKED),
    )
    return undefined
  }
  const record: InstallationRecord = {
    id: home.id,
    name: home.name,
    isOrgWide,
    appId: answer.app_id,
    token,
    ...(enterprise ? { enterprise: enterprise.id } : {}),
    botUser: answer.bot_user_id,
    botId: '',
    url: '',
    scopes: answer.scope.split(',').filter(Boolean),
    installer: answer.authed_user.id,
    installedAt: clock.time(),
    ...(answer.refresh_token === undefined ? {} : { refreshToken: answer.refresh_token }),
    ...(answer.expires_in === undefined ? {} : { expiresAt: now() + answer.expires_in * 1000 }),
  }
  // The code works once, so its tokens are stored before anything else is asked.
  await stores.records.save(record)
  log.info({ team: record.id, isOrgWide }, 'the app was installed')
  await completeRecord(record.id, stores, options)
  return record
}
