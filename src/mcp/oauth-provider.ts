import { randomBytes } from 'node:crypto'
import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
} from '@modelcontextprotocol/client'
import { ToolError } from '../errors.ts'
import { checkAddress } from '../toolbox/http/check-address.ts'
import { checkTransport, shown } from './login-fetch.ts'
import type { LoginClient, LoginStore } from './login-store.ts'
import { tokensOf } from './server-auth.ts'
import type { HttpServerConfig } from './types.ts'

export interface LoginProviderOptions {
  logins: LoginStore
  /** Where the browser is sent back to. */
  redirectUrl: string
  /** In ms. */
  now(): number
}

/** One login by one person. The verifier, the state and what was found stay in this process; what comes of it is kept. */
export interface LoginProvider extends OAuthClientProvider {
  state(): string
  discoveryState(): OAuthDiscoveryState | undefined
  /** Where the person has to go; undefined before the SDK knows. */
  address(): URL | undefined
}

/** An OAuthClientProvider of the SDK for `server`. `tokens()` knows none, since a login always asks the person anew. */
export function loginProvider(server: HttpServerConfig, options: LoginProviderOptions): LoginProvider {
  const { redirectUrl } = options
  const state = randomBytes(32).toString('base64url')
  const clients = loginClients(server, options)
  let [verifier, resource, address]: [string?, string?, URL?] = []
  let found: OAuthDiscoveryState | undefined
  return {
    redirectUrl,
    clientMetadata: metadataFor(server, redirectUrl),
    state: () => state,
    address: () => address,
    clientInformation: (about) => clients.load(about?.issuer),
    saveClientInformation: (client, about) => clients.save(client, about?.issuer),
    tokens: () => undefined,
    async saveTokens(tokens, about) {
      const client = await clients.load(about?.issuer)
      if (!client || !found) throw new ToolError(`The login at ${server.name} came before its client.`)
      const { authorizationServerUrl: authorizationServer, authorizationServerMetadata: metadata } = found
      const login = { ...tokensOf(tokens, options.now()), scope: tokens.scope, client, authorizationServer, metadata, resource }
      await options.logins.alone(server, () => options.logins.save(server, login))
    },
    redirectToAuthorization(url) {
      checkAuthorizationAddress(server, url)
      address = url
    },
    saveCodeVerifier: (given) => void (verifier = given),
    codeVerifier: () => verifier ?? '',
    saveResourceUrl: (given) => void (resource = given),
    saveDiscoveryState: (given) => void (found = given),
    discoveryState: () => found,
    invalidateCredentials: (what) => (what === 'client' ? clients.forget() : undefined),
  }
}

function metadataFor(server: HttpServerConfig, redirectUrl: string): OAuthClientMetadata {
  return {
    client_name: 'Thinkaloud',
    redirect_uris: [redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    // A public client: the verifier (PKCE) stands in for the secret.
    token_endpoint_auth_method: 'none',
    scope: server.oauth?.scope,
  }
}

/** The client of MCP_CONFIG, else one that is registered: used again as long as the browser comes back to the same address. */
function loginClients(server: HttpServerConfig, { logins, redirectUrl }: LoginProviderOptions) {
  const { clientId, clientSecret } = server.oauth ?? {}
  let last: string | undefined
  const load = async (issuer = ''): Promise<LoginClient | undefined> => {
    last = issuer
    if (clientId === undefined) {
      const client = await logins.loadClient(server, issuer)
      return client?.redirect_uris?.includes(redirectUrl) ? client : undefined
    }
    return { client_id: clientId, ...(clientSecret === undefined ? {} : { client_secret: clientSecret }), issuer }
  }
  return {
    load,
    async save(client: StoredOAuthClientInformation, issuer = '') {
      if (clientId === undefined) await logins.saveClient(server, issuer, client)
    },
    async forget() {
      if (last !== undefined) await logins.removeClient(server, last)
    },
  }
}

/**
 * The authorization endpoint is the other side's text. It is printed, never handed to a program or a shell (CVE-2025-6514), and
 * it leads to the server's own origin or to a public one: nobody's browser is sent into a network by it.
 * @throws ToolError
 */
function checkAuthorizationAddress(server: HttpServerConfig, url: URL): void {
  checkTransport(server.name, url)
  if (url.username !== '' || url.password !== '')
    throw new ToolError(`The login page of ${server.name} has a user name in its address (${shown(url)}): it is refused.`)
  if (url.origin !== new URL(server.url).origin) checkAddress(url, { name: `The login at ${server.name}` })
}
