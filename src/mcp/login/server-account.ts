/** A server of MCP_CONFIG as an account that people connect. */
import type { FetchLike } from '@modelcontextprotocol/client'
import { once } from '../../base/async.ts'
import { messageOf } from '../../base/errors.ts'
import { createAgents, systemResolve, type ProxySetting } from '../../base/http/connection-pools.ts'
import type { Log } from '../../base/log.ts'
import type { Person } from '../../base/place.ts'
import { personKey } from '../../stores/values/people-store.ts'
import { authFetch } from '../servers/http-fetch.ts'
import type { HttpServerConfig } from '../types.ts'
import type { Account } from './connectable-account.ts'
import { loginFetch } from './login-fetch.ts'
import { finishLogin, startLogin, type Challenge } from './login-steps.ts'
import type { Login } from './login-store.ts'
import { loginProvider, type LoginFlow } from './oauth-provider.ts'
import type { PersonLogins } from './person-logins.ts'

interface ServerAccountDeps {
  logins: PersonLogins
  proxy: ProxySetting | undefined
  log: Log
  /** Milliseconds since the epoch. */
  now(): number
  /** Returns the titles of a server's tools. */
  titles(server: string, person: Person): Promise<string[]>
}

interface Flow {
  callback: string
  login: LoginFlow
  challenge: Challenge
}

/** How long a revocation may take. Milliseconds. */
const REVOKE_MS = 10_000

export function serverAccount(server: HttpServerConfig, deps: ServerAccountDeps): Account {
  const { logins, proxy, now, log, titles } = deps
  const opened = once(() => createAgents(proxy ? { proxy } : {}))
  const fetch: FetchLike = async (url, init) =>
    authFetch(server, { agents: await opened(), resolve: proxy ? systemResolve : undefined })(url, init)
  const providerFor = (person: string, redirectUrl: string, flow?: LoginFlow) =>
    loginProvider(server, { logins: logins.of(person), redirectUrl, now, flow })
  return {
    name: server.name,
    async begin(person, callback) {
      const provider = providerFor(personKey(person), callback)
      const { address, challenge } = await startLogin(server, provider, fetch)
      return { address, state: provider.state(), flow: { callback, login: provider.flow(), challenge } satisfies Flow }
    },
    async finish(person, flow, answer) {
      const { callback, login, challenge } = flow as Flow
      await finishLogin(server, providerFor(personKey(person), callback, login), challenge, fetch, answer)
      // The server may list its tools only now.
      await titles(server.name, person).catch(() => undefined)
    },
    async look(person) {
      const key = personKey(person)
      if (!(await logins.current(server, key))) return undefined
      return { may: await titles(server.name, person), usedAt: await logins.lastUse(server, key) }
    },
    async disconnect(person) {
      const store = logins.of(personKey(person))
      const login = await store.alone(server, async () => {
        const found = await store.load(server).catch(() => undefined)
        await store.remove(server)
        return found
      })
      const warn = (error: unknown) =>
        log.warn({ server: server.name, error: messageOf(error) }, 'a login could not be revoked: it was only deleted')
      return () => revoke(server, login, fetch).catch(warn)
    },
  }
}

/** Revokes both tokens (RFC 7009), if the authorization server supports that. */
async function revoke({ name }: HttpServerConfig, login: Login | undefined, fetch: FetchLike): Promise<void> {
  const endpoint = login?.metadata?.revocation_endpoint
  if (!login || endpoint === undefined) return
  const { client_id, client_secret } = login.client
  const basic = Buffer.from(`${encodeURIComponent(client_id)}:${encodeURIComponent(client_secret ?? '')}`)
  const headers = new Headers(
    client_secret === undefined ? [] : [['authorization', `Basic ${basic.toString('base64')}`]],
  )
  const http = loginFetch(name, fetch, REVOKE_MS)
  const tokens = [
    { token: login.refreshToken, token_type_hint: 'refresh_token' },
    { token: login.accessToken, token_type_hint: 'access_token' },
  ]
  for (const { token, token_type_hint } of tokens) {
    if (token === undefined) continue
    const body = new URLSearchParams({ token, token_type_hint, ...(client_secret === undefined ? { client_id } : {}) })
    await (await http.fetch(endpoint, { method: 'POST', headers, body })).body?.cancel()
  }
}
