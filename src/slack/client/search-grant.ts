/**
 * People's own grants in Slack, with which the bot searches what that person can see. The installation does not change.
 */
import { z } from 'zod'
import { newState } from '../../base/http/oauth-states.ts'
import { messageOf, ToolError } from '../../base/errors.ts'
import type { Person } from '../../base/place.ts'
import { sealerFrom, type Sealer } from '../../base/encryption.ts'
import type { Config } from '../../config.ts'
import type { Account } from '../../mcp/login/connectable-account.ts'
import { personKey, type PeopleStore } from '../../stores/values/people-store.ts'
import { slackClock } from './slack-clock.ts'
import { refusalCode } from './slack-errors.ts'
import { revokeToken, SlackWeb, type ApiOptions } from './web-api.ts'

interface SlackAccountOptions extends ApiOptions {
  people: PeopleStore
  sealer: Sealer
  clientId: string
  clientSecret: string
  /** Returns the organisation of a team. Without it, nobody of an organisation can connect. */
  enterpriseOf?: (team: string) => Promise<string | undefined>
}

export interface SlackAccount extends Account {
  /** Returns a client that calls Slack as the person; undefined if they have not connected Slack. */
  clientOf(person: Person): Promise<SlackWeb | undefined>
  /** Deletes a grant that has ended in Slack, unless it was made after that (ms since the epoch). */
  forget(person: Person, endedAt?: number): Promise<void>
}

/** The user scopes in the manifests. */
export const SCOPES = ['public', 'private', 'im', 'mpim', 'files', 'users'].map((what) => `search:read.${what}`)
const MAY = ['search what you can see in Slack; only you see what others could not']
const CALL_MS = 20_000
const LOCK_MS = 60_000
/** A token that ends this soon is refreshed first. */
const MARGIN_MS = 30 * 60_000

const grantSchema = z.object({
  token: z.string(),
  refreshToken: z.string().optional(),
  /** Milliseconds since the epoch. */
  expiresAt: z.number().optional(),
  /** The time at which the person made it, by Slack's clock, ms since the epoch. Refreshes keep it. */
  since: z.number(),
})
type TokenGrant = z.infer<typeof grantSchema>

const tokens = {
  access_token: z.string(),
  refresh_token: z.string().optional(),
  expires_in: z.number().optional(),
}
const place = z.object({ id: z.string() }).nullish()
const answerSchema = z.object({
  team: place,
  enterprise: place,
  authed_user: z.object({ id: z.string(), ...tokens }),
})

/** Undefined without the client of a distributed app. */
export function openSlackAccount(
  config: Config,
  options: Pick<SlackAccountOptions, 'people' | 'log' | 'now' | 'fetch' | 'enterpriseOf'>,
): SlackAccount | undefined {
  const { SLACK_CLIENT_ID: clientId, SLACK_CLIENT_SECRET: clientSecret, SLACK_API_URL: apiUrl } = config
  const sealer = sealerFrom(config)
  if (!clientId || !clientSecret || !sealer) return undefined
  return slackAccount({ ...options, sealer, clientId, clientSecret, apiUrl })
}

function slackAccount(options: SlackAccountOptions): SlackAccount {
  const { apiUrl, clientId, people, log, now, enterpriseOf } = options
  const web = (token: string) => new SlackWeb({ ...options, token })
  return {
    name: 'Slack',
    provesIdentity: true,
    async begin({ team }, callback) {
      const state = newState()
      const address = new URL('/oauth/v2/authorize', apiUrl)
      const asked = { client_id: clientId, user_scope: SCOPES.join(','), redirect_uri: callback, state, team }
      for (const [name, value] of Object.entries(asked)) address.searchParams.set(name, value)
      return { address, state, flow: { callback } }
    },
    async finish(person, flow, answer) {
      const { callback } = z.object({ callback: z.string() }).parse(flow)
      const args = { ...credentials(options), code: answer.get('code') ?? '', redirect_uri: callback }
      const clock = slackClock(options)
      const given = answerSchema.parse(await access(args, { ...options, fetch: clock.fetch }))
      const { authed_user: user, team, enterprise } = given
      // Slack names no team if an organisation has installed the app.
      const own = team ? person.team : ((await enterpriseOf?.(person.team)) ?? person.team)
      if (user.id !== person.user || ![team?.id, enterprise?.id].includes(own)) {
        await revokeToken(web(user.access_token)).catch(() => undefined)
        throw new ToolError('In the browser you are signed in to Slack as somebody else, or to another workspace.')
      }
      const grant = grantOf(user, { now: now(), since: clock.time() })
      await alone(person, options, () => saveGrant(person, grant, options))
    },
    look: async (person) =>
      (await loadGrant(person, options)) ? { may: MAY, usedAt: await usedAt(person, options) } : undefined,
    async disconnect(person) {
      // Not during a refresh, which would bring it back.
      const grant = await alone(person, options, async () => {
        const found = await loadGrant(person, options)
        await people.of(personKey(person)).remove(KEY)
        return found
      })
      const warn = (error: unknown) => log.warn({ error: messageOf(error) }, NOT_REVOKED)
      return async () => {
        if (grant) await revokeToken(web(grant.token)).catch(warn)
      }
    },
    async clientOf(person) {
      const grant = await freshGrant(person, options)
      if (grant) await people.of(personKey(person)).put(`used:${KEY}`, now())
      return grant && web(grant.token)
    },
    forget: (person, endedAt = Infinity) =>
      alone(person, options, async () => {
        const grant = await loadGrant(person, options)
        if (!grant || grant.since <= endedAt) await people.of(personKey(person)).remove(KEY)
      }),
  }
}

const KEY = 'slack'
const NOT_REVOKED = 'a grant of Slack could not be revoked: it was only deleted'

function credentials({ clientId, clientSecret }: SlackAccountOptions) {
  return { client_id: clientId, client_secret: clientSecret }
}

/** @throws ToolError if Slack refuses */
function access(args: Record<string, unknown>, options: SlackAccountOptions): Promise<unknown> {
  return exchange('oauth.v2.access', args, new SlackWeb({ ...options, token: '' }))
}

/** Exchanges a code or a token. @throws ToolError if Slack refuses */
export async function exchange(
  method: 'oauth.v2.access' | 'openid.connect.token',
  args: Record<string, unknown>,
  web: SlackWeb,
): Promise<unknown> {
  const how = { effort: 'patient', signal: AbortSignal.timeout(CALL_MS) } as const
  return web.call(method, args, how).catch((error: unknown) => {
    const code = refusalCode(error)
    const isDown = code === undefined
    throw new ToolError(isDown ? 'Slack could not be reached.' : `Slack refused it (${code}).`, { isDown })
  })
}

function grantOf(
  given: { access_token: string; refresh_token?: string | undefined; expires_in?: number | undefined },
  { now, since }: { now: number; since: number },
): TokenGrant {
  const { access_token: token, refresh_token: refreshToken, expires_in: seconds } = given
  return {
    token,
    since,
    refreshToken,
    ...(seconds === undefined ? {} : { expiresAt: now + seconds * 1000 }),
  }
}

async function usedAt(person: Person, { people }: SlackAccountOptions): Promise<number | undefined> {
  const at = await people.of(personKey(person)).get(`used:${KEY}`)
  return typeof at === 'number' ? at : undefined
}

const purposeOf = (person: Person) => `slack:${personKey(person)}`

/** A grant that no key opens counts as missing: the person connects Slack again. */
async function loadGrant(person: Person, { people, sealer }: SlackAccountOptions): Promise<TokenGrant | undefined> {
  const sealed = await people.of(personKey(person)).get(KEY)
  if (typeof sealed !== 'string') return undefined
  try {
    return grantSchema.parse(JSON.parse(sealer.open(sealed, purposeOf(person))))
  } catch {
    return undefined
  }
}

async function saveGrant(person: Person, grant: TokenGrant, { people, sealer }: SlackAccountOptions): Promise<void> {
  await people.of(personKey(person)).put(KEY, sealer.seal(JSON.stringify(grant), purposeOf(person)))
}

/** One change of a person's grant at a time, over all processes. */
function alone<T>(person: Person, { people }: SlackAccountOptions, work: () => Promise<T>): Promise<T> {
  return people.of(personKey(person)).lock(KEY, LOCK_MS, work)
}

/**
 * Returns the grant with a new token. If it cannot be renewed, the old one counts while it is valid; after that, a
 * grant that Slack refuses is deleted, so that the person can connect again.
 */
async function renew(
  current: TokenGrant,
  person: Person,
  options: SlackAccountOptions,
): Promise<TokenGrant | undefined> {
  try {
    const args = { ...credentials(options), grant_type: 'refresh_token', refresh_token: current.refreshToken }
    const given = z.object(tokens).parse(await access(args, options))
    return grantOf(given, { now: options.now(), since: current.since })
  } catch (error) {
    if ((current.expiresAt ?? Infinity) > options.now()) return current
    if (!(error instanceof ToolError) || error.isDown) throw error
    await options.people.of(personKey(person)).remove(KEY)
    return undefined
  }
}

/** Refreshes a token that ends soon. One process does it at a time, because a refresh token works once. */
async function freshGrant(person: Person, options: SlackAccountOptions): Promise<TokenGrant | undefined> {
  const { now } = options
  const isDue = ({ expiresAt = Infinity }: TokenGrant) => expiresAt - now() < MARGIN_MS
  const grant = await loadGrant(person, options)
  if (!grant || !isDue(grant)) return grant
  return alone(person, options, async () => {
    const current = await loadGrant(person, options)
    if (!current || !isDue(current) || current.refreshToken === undefined) return current
    const renewed = await renew(current, person, options)
    if (!renewed || renewed === current) return renewed
    // It may have been disconnected in the meantime.
    if ((await loadGrant(person, options))?.token !== current.token) return undefined
    await saveGrant(person, renewed, options)
    return renewed
  })
}
