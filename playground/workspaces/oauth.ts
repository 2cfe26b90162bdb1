/**
 * Slack's OAuth for a distributed app: one-time codes, tokens and their rotation. A rotating token lives 12 hours, and
 * its refresh token works only once. A third token revokes the oldest.
 * https://docs.slack.dev/authentication/using-token-rotation
 */
import { randomBytes } from 'node:crypto'
import type { Json } from '../slack/types.ts'

/** The owner of a token. */
export interface Home {
  /** T… of a workspace, or E… of an organisation that installs for all of its workspaces. */
  id: string
  name?: string
  /** The organisation of a workspace. */
  enterprise?: string
  app?: string
  /** The person who granted the token, and the workspace of a person's token. */
  user?: string
  of?: string
}

interface OAuthOptions {
  client: { id: string; secret: string }
  app: string
  botUserOf(home: string): string
  scopes: string[]
  /** Milliseconds since the epoch. */
  now(): number
  rotates: boolean
  /** The lifetime of a new token, in seconds. Default: 43,200. */
  expiresIn?: () => number
}

interface Token {
  home: Home
  until: number
}

const LIFE_SECONDS = 43_200
const CODE_MS = 10 * 60_000
const MAX_ACTIVE = 2

export type OAuth = ReturnType<typeof createOAuth>

export function createOAuth(options: OAuthOptions) {
  const { client, now } = options
  const { tokens, refreshTokens, issue } = createIssuer(options)
  const codes = new Map<string, { home: Home; until: number }>()
  const exchange = (code: string): Json => {
    const given = codes.get(code)
    codes.delete(code)
    if (!given || given.until <= now()) return no('invalid_code')
    const { home } = given
    return home.user === undefined
      ? installed(home, { ...options, issued: issue(home) })
      : granted(home, {
          ...{ user: home.user, app: options.app },
          issued: issue({ id: `${home.user} of ${home.id}`, user: home.user, of: home.id }),
        })
  }
  return {
    /** All tokens that were not revoked. */
    tokens,
    issue,
    /** Agrees to an installation. @returns the code that the browser brings back to the app */
    agree(home: Home): string {
      const code = `code-${randomBytes(6).toString('hex')}`
      codes.set(code, { home, until: now() + CODE_MS })
      return code
    },
    /** `oauth.v2.access`. */
    access(args: Json): Json {
      if (args['client_id'] !== client.id || args['client_secret'] !== client.secret) return no('bad_client_secret')
      if (args['grant_type'] !== 'refresh_token') return exchange(String(args['code']))
      const refresh = String(args['refresh_token'])
      const home = refreshTokens.get(refresh)
      if (!home || !refreshTokens.delete(refresh)) return no('invalid_refresh_token')
      return { ok: true, ...issue(home) }
    },
    /** Returns a token's owner, or Slack's error. */
    check(token: string): { home: Home } | { error: string } {
      const known = tokens.get(token)
      if (!known) return { error: token === '' ? 'not_authed' : 'invalid_auth' }
      return known.until <= now() ? { error: 'token_expired' } : { home: known.home }
    },
    /** Ends a token. */
    revoke: (token: string) => tokens.delete(token),
    end(home: string): void {
      const isOf = ({ id, of }: Home) => id === home || of === home
      for (const [token, one] of tokens) if (isOf(one.home)) tokens.delete(token)
      for (const [refresh, one] of refreshTokens) if (isOf(one)) refreshTokens.delete(refresh)
    },
    /** Uses up refresh tokens, of all or of one person, like a process that crashed before it saved the new ones. */
    spendRefreshTokens(user?: string): void {
      for (const [refresh, home] of refreshTokens)
        if (user === undefined || home.user === user) refreshTokens.delete(refresh)
    },
  }
}

function createIssuer({ now, rotates, expiresIn = () => LIFE_SECONDS }: OAuthOptions) {
  const tokens = new Map<string, Token>()
  const refreshTokens = new Map<string, Home>()
  /** Creates a token, and a refresh token if tokens rotate. */
  const issue = (home: Home): Json => {
    const [type, kind] = home.user === undefined ? ['bot', 'xoxb'] : ['user', 'xoxp']
    const token = `${rotates ? 'xoxe.' : ''}${kind}-${home.of ?? home.id}-${randomBytes(6).toString('hex')}`
    tokens.set(token, { home, until: rotates ? now() + expiresIn() * 1000 : Infinity })
    if (!rotates) return { access_token: token, token_type: type }
    const refresh = `xoxe-1-${randomBytes(6).toString('hex')}`
    refreshTokens.set(refresh, home)
    const active = [...tokens].filter(([, one]) => one.home.id === home.id && one.until > now())
    for (const [old] of active.slice(0, -MAX_ACTIVE)) tokens.delete(old)
    return { access_token: token, token_type: type, refresh_token: refresh, expires_in: expiresIn() }
  }
  return { tokens, refreshTokens, issue }
}

/** Returns the answer to the code of a person who granted a token. */
function granted({ id, app }: Home, given: { user: string; app: string; issued: Json }): Json {
  const authed_user = { id: given.user, ...given.issued }
  const place = id.startsWith('E') ? { team: null, enterprise: { id } } : { team: { id }, enterprise: null }
  return { ok: true, app_id: app ?? given.app, ...place, authed_user }
}

interface InstallationAnswer extends OAuthOptions {
  issued: Json
}

/** Returns the answer to the code of an installation. */
function installed(home: Home, { app, scopes, botUserOf, issued }: InstallationAnswer): Json {
  const { id, enterprise } = home
  const isOrgWide = id.startsWith('E')
  const { name = `${isOrgWide ? 'Org' : 'Team'} ${id}` } = home
  return {
    ...{ ok: true, ...issued, scope: scopes.join(','), bot_user_id: botUserOf(id), app_id: home.app ?? app },
    is_enterprise_install: isOrgWide,
    team: isOrgWide ? null : { id, name },
    enterprise: isOrgWide ? { id, name } : enterprise ? { id: enterprise, name: 'Org' } : null,
    authed_user: { id: 'U0INSTALLER' },
  }
}

const no = (error: string): Json => ({ ok: false, error })
