import { newState } from '../../base/http/oauth-states.ts'
import type {
  OAuthClientInformationContext,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
} from '@modelcontextprotocol/client'
import { ToolError } from '../../base/errors.ts'
import { checkAddress } from '../../base/http/check-address.ts'
import { checkTransport, originOf } from './login-fetch.ts'
import type { LoginClient, LoginStore } from './login-store.ts'
import { loginTokens } from './server-auth.ts'
import type { HttpServerConfig } from '../types.ts'

interface LoginProviderOptions {
  logins: LoginStore
  /** The address that the browser is sent back to. */
  redirectUrl: string
  /** Milliseconds since the epoch. */
  now(): number
  /** The flow that an earlier process began. */
  flow?: LoginFlow
}

/** The state of a login between its two halves, as JSON. It contains a secret, the verifier. */
export interface LoginFlow {
  state: string
  issuer: string
  verifier?: string | undefined
  resource?: string | undefined
  found?: OAuthDiscoveryState | undefined
}

/**
 * One login by one person. The verifier, the state and the discovered metadata are in `flow`; the result is stored.
 */
export interface LoginProvider extends OAuthClientProvider {
  state(): string
  discoveryState(): OAuthDiscoveryState | undefined
  /** Returns the page for the person; undefined before the SDK knows it. */
  address(): URL | undefined
  flow(): LoginFlow
}

/**
 * Returns an OAuthClientProvider of the SDK for `server`. `tokens()` returns none, because each login asks the person
 * again.
 */
export function loginProvider(server: HttpServerConfig, options: LoginProviderOptions): LoginProvider {
  const { redirectUrl } = options
  const clients = loginClients(server, options)
  const flow: LoginFlow = options.flow ?? { state: newState(), issuer: '' }
  let address: URL | undefined
  const issuerOf = (about: OAuthClientInformationContext | undefined) => (flow.issuer = about?.issuer ?? flow.issuer)
  return {
    redirectUrl,
    clientMetadata: metadataFor(server, redirectUrl),
    state: () => flow.state,
    flow: () => flow,
    address: () => address,
    clientInformation: (about) => clients.load(issuerOf(about)),
    saveClientInformation: (client, about) => clients.save(client, issuerOf(about)),
    tokens: () => undefined,
    async saveTokens(tokens, about) {
      const client = await clients.load(issuerOf(about))
      const { found, resource } = flow
      if (!client || !found) throw new ToolError(`The login at ${server.name} came before its client.`)
      const { authorizationServerUrl: authorizationServer, authorizationServerMetadata: metadata } = found
      const login = {
        ...loginTokens(tokens, options.now()),
        since: options.now(),
        scope: tokens.scope,
        client,
        authorizationServer,
        metadata,
        resource,
      }
      await options.logins.alone(server, () => options.logins.save(server, login))
      await clients.confirm(issuerOf(about))
    },
    redirectToAuthorization(url) {
      checkAuthorizationAddress(server, url)
      address = url
    },
    saveCodeVerifier: (given) => void (flow.verifier = given),
    codeVerifier: () => flow.verifier ?? '',
    saveResourceUrl: (given) => void (flow.resource = given),
    saveDiscoveryState: (given) => void (flow.found = given),
    discoveryState: () => flow.found,
    invalidateCredentials: (what) => (what === 'client' ? clients.forget(flow.issuer) : undefined),
  }
}

function metadataFor(server: HttpServerConfig, redirectUrl: string): OAuthClientMetadata {
  return {
    client_name: 'Thinkaloud',
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    // A public client: PKCE replaces the secret.
    token_endpoint_auth_method: 'none',
    scope: server.oauth?.scope,
  }
}

interface LoginClients {
  load(issuer: string): Promise<LoginClient | undefined>
  save(client: StoredOAuthClientInformation, issuer: string): Promise<void>
  /** Called when the login with the client has succeeded. */
  confirm(issuer: string): Promise<void>
  forget(issuer: string): Promise<void>
}

function loginClients(server: HttpServerConfig, options: LoginProviderOptions): LoginClients {
  const { clientId, clientSecret } = server.oauth ?? {}
  if (clientId === undefined) return registeredClients(server, options)
  const client = { client_id: clientId, ...(clientSecret === undefined ? {} : { client_secret: clientSecret }) }
  return configuredClients(server, client, options)
}

/** A registered client is used again as long as the browser comes back to the same address. */
function registeredClients(server: HttpServerConfig, { logins, redirectUrl, now }: LoginProviderOptions): LoginClients {
  return {
    async load(issuer) {
      const client = await logins.loadClient(server, issuer)
      const endsAt = (client?.client_secret_expires_at ?? 0) * 1_000
      const isOfUse = client?.redirect_uris?.includes(redirectUrl) && (endsAt === 0 || endsAt > now())
      return isOfUse ? client : undefined
    },
    save: (client, issuer) => logins.saveClient(server, issuer, client),
    confirm: async () => {},
    forget: (issuer) => logins.removeClient(server, issuer),
  }
}

/**
 * Binds the client of MCP_CONFIG to the authorization server at which it first succeeded. Otherwise a server could name
 * another one later, which would receive the client's secret. Another client id starts over.
 */
function configuredClients(
  server: HttpServerConfig,
  client: LoginClient,
  { logins }: LoginProviderOptions,
): LoginClients {
  const bound = `the client ${client.client_id}`
  return {
    async load(issuer) {
      const known = await logins.loadClient(server, bound)
      if (known?.issuer === undefined || known.issuer === issuer) return { ...client, issuer }
      throw new ToolError(
        `${server.name} now names another authorization server than the one that oauth.clientId was used with, so the login is refused.`,
      )
    },
    save: async () => {},
    confirm: (issuer) => logins.saveClient(server, bound, { client_id: client.client_id, issuer }),
    forget: async () => {},
  }
}

/**
 * Checks the authorization endpoint, which is a text of the server. It is printed, never handed to a program or a shell
 * (CVE-2025-6514), and it must lead to the server's own origin or to a public one, so that no browser is sent into a
 * private network.
 * @throws ToolError
 */
function checkAuthorizationAddress(server: HttpServerConfig, url: URL): void {
  checkTransport(server.name, url)
  if (url.username !== '' || url.password !== '')
    throw new ToolError(
      `The login page of ${server.name} has a user name in its address (${originOf(url)}): it is refused.`,
    )
  if (url.origin !== new URL(server.url).origin) checkAddress(url, { name: `The login at ${server.name}` })
}
