import { OAuthError, refreshAuthorization, type FetchLike } from '@modelcontextprotocol/client'
import type { ToolError } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { loginFailure, loginFetch } from './login-fetch.ts'
import { loginNeeded } from '../servers/call-errors.ts'
import { loginStore, type Login, type LoginStore } from './login-store.ts'
import { SealBroken, type Sealer } from '../../base/encryption.ts'
import { hasOwnAuthorization, type AuthOf, type HttpServerConfig, type ServerLogin, type McpConfig } from '../types.ts'
import { isPersonal } from './whose-login.ts'
import type { ValueStore } from '../../stores/values/value-store.ts'
import { openServers, type ServersDeps, type McpServers } from '../servers/servers.ts'

/**
 * Returns the logins of servers that have no Authorization header in MCP_CONFIG: of the workspace, or of one person
 * (`loginsOf`).
 */
function createAuthOf(
  logins: LoginStore,
  { log, now, loginsOf }: { log: Log; now(): number; loginsOf?: ((person: string) => LoginStore) | undefined },
): AuthOf {
  return (server, fetch, as) => {
    if (hasOwnAuthorization(server)) return undefined
    if (!isPersonal(server)) return serverAuth(server, logins, fetch, log, now)
    return as && loginsOf ? serverAuth(server, loginsOf(as.person), fetch, log, now) : anonymousAuth(server)
  }
}

/** The authentication of a server that people log in to, for calls without a person. */
function anonymousAuth({ name }: HttpServerConfig): ServerLogin {
  return {
    token: async () => undefined,
    onUnauthorized: () => Promise.reject(loginNeeded(name, true)),
  }
}

/** How long a renewal may take. Milliseconds. */
const RENEWAL_MS = 10_000

/** The number of a server's tokens that are remembered as secrets. */
const MAX_SECRETS = 12

/** Codes after which a renewal will not succeed later (RFC 6749, 5.2). */
const FINAL = ['invalid_grant', 'invalid_client', 'unauthorized_client', 'invalid_target', 'invalid_scope']

/** Authenticates with tokens of the store, which one process renews for all. `fetch`: the server's authFetch. */
function serverAuth(
  server: HttpServerConfig,
  logins: LoginStore,
  fetch: FetchLike,
  log: Log,
  now: () => number,
): ServerLogin {
  let needReason: string | undefined
  let used: Login | undefined
  let secrets: string[] = []

  /** Logs once that a login is needed. @returns the error for the caller */
  const needed = async (why: string): Promise<ToolError> => {
    needReason = why
    if (!isPersonal(server) && (await logins.noteNeed(server, { why, since: now() })))
      log.warn({ server: server.name, why }, `An MCP server needs a login: npm run mcp -- login ${server.name}`)
    return loginNeeded(server.name, isPersonal(server))
  }

  const load = () =>
    logins.load(server).catch(async (error: unknown) => {
      throw error instanceof SealBroken ? await needed(`Its login cannot be read. ${error.message}`) : error
    })

  /**
   * Renews the login unless another process has. A refresh token is never sent twice: with rotation that would end the
   * login.
   */
  const renew = (refused: string) =>
    logins.alone(server, async () => {
      const login = await load()
      if (!login) throw await needed('The server requires a login, and there is none.')
      if (login.accessToken !== refused) return
      if (login.refreshToken === undefined)
        throw await needed('Its login has expired, and the authorization server gave no refresh token.')
      const renewed = await renewedLogin(server, login, fetch, now())
      // It may have been disconnected or forgotten meanwhile.
      if ((await load())?.accessToken !== login.accessToken) return
      if (renewed) return logins.save(server, renewed)
      await logins.remove(server)
      throw await needed('Its login has expired, and the authorization server does not renew it.')
    })

  return {
    need: () => needReason,
    secrets: () => secrets,
    async token() {
      used = await load()
      if (used?.refreshToken !== undefined && used.expiresAt !== undefined && used.expiresAt <= now()) {
        await renew(used.accessToken)
        used = await load()
      }
      if (used) needReason = undefined
      secrets = withSecretsOf(used, secrets)
      return used?.accessToken
    },
    onUnauthorized: () => renew(used?.accessToken ?? ''),
  }
}

/** Returns the secrets of this login and of earlier ones, because a server may still return an earlier token. */
function withSecretsOf(login: Login | undefined, seen: string[]): string[] {
  const own = [login?.accessToken, login?.refreshToken, login?.client.client_secret].filter((one) => one !== undefined)
  if (own.every((one) => seen.includes(one))) return seen
  return [...new Set([...seen, ...own])].slice(-MAX_SECRETS)
}

/**
 * Asks only the authorization server that issued the login.
 * @returns undefined if it will not renew the login any more
 * @throws ToolError if it may renew it later
 */
async function renewedLogin(
  { name }: HttpServerConfig,
  login: Login,
  fetch: FetchLike,
  now: number,
): Promise<Login | undefined> {
  try {
    const tokens = await refreshAuthorization(login.authorizationServer, {
      metadata: login.metadata,
      clientInformation: login.client,
      refreshToken: login.refreshToken ?? '',
      resource: login.resource,
      fetchFn: loginFetch(name, fetch, RENEWAL_MS).fetch,
    })
    return { ...login, ...loginTokens(tokens, now), scope: tokens.scope ?? login.scope }
  } catch (error) {
    if (error instanceof OAuthError && FINAL.includes(error.code)) return undefined
    throw loginFailure(name, error)
  }
}

/** `now`: milliseconds since the epoch. */
export function loginTokens(
  tokens: { access_token: string; refresh_token?: string | undefined; expires_in?: number | undefined },
  now: number,
): Pick<Login, 'accessToken' | 'refreshToken' | 'expiresAt'> {
  return {
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token,
    expiresAt: tokens.expires_in === undefined ? undefined : now + tokens.expires_in * 1_000,
  }
}

interface LoggedInDeps extends ServersDeps {
  store: ValueStore
  sealer: Sealer | undefined
  /** The logins of one person, `team:user`. */
  loginsOf?: ((person: string) => LoginStore) | undefined
}

/** Opens the servers with the workspace's and people's logins, which are in the store under SECRETS_KEY. */
export function openLoggedIn(config: McpConfig, { store, sealer, loginsOf, ...deps }: LoggedInDeps): McpServers {
  return openServers(config, { ...deps, authOf: createAuthOf(loginStore(store, sealer), { ...deps, loginsOf }) })
}
