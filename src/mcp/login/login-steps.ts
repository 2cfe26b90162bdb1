/** The two halves of a login: before and after the person's part, which may be in different processes. */
import {
  AuthorizationServerMismatchError,
  IssuerMismatchError,
  OAuthError,
  RegistrationRejectedError,
  auth,
  extractWWWAuthenticateParams,
  validateAuthorizationResponseIssuer,
  type FetchLike,
} from '@modelcontextprotocol/client'
import { ToolError } from '../../base/errors.ts'
import { displayCode, loginFailure, loginFetch } from './login-fetch.ts'
import type { LoginProvider } from './oauth-provider.ts'
import type { HttpServerConfig } from '../types.ts'

/** How long each half may take. Milliseconds. */
const HALF_MS = 30_000

/**
 * Begins a login. @returns the page for the person
 * @throws ToolError with a sentence that contains no text of the server; ConfigError without SECRETS_KEY
 */
export async function startLogin(
  server: HttpServerConfig,
  provider: LoginProvider,
  fetch: FetchLike,
): Promise<{ address: URL; challenge: Challenge }> {
  const challenge = await challengeOf(server, fetch)
  await runAuth(server, provider, challenge, fetch)
  const address = provider.address()
  if (!address) throw new ToolError(`The login at ${server.name} began without a page to log in at.`)
  return { address, challenge }
}

/**
 * Takes the parameters that the browser came back with, and stores the login, which perhaps another process began.
 * @throws ToolError and ConfigError, as `startLogin`
 */
export async function finishLogin(
  server: HttpServerConfig,
  provider: LoginProvider,
  challenge: Challenge,
  fetch: FetchLike,
  answer: URLSearchParams,
): Promise<void> {
  const authorizationCode = codeOf(server, answer, provider)
  await runAuth(server, provider, challenge, fetch, { authorizationCode, iss: answer.get('iss') ?? undefined })
}

/** The server's login requirements. `isAsked`: it refuses without a login. JSON. */
export interface Challenge {
  isAsked: boolean
  resourceMetadataUrl?: string | undefined
  scope?: string | undefined
}

/**
 * Returns the server's answer to a request without a token: the address of its login's description, and the wanted
 * scopes.
 */
async function challengeOf(server: HttpServerConfig, fetch: FetchLike): Promise<Challenge> {
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
  const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }
  const post = { method: 'POST', body: JSON.stringify(ping), headers }
  const request = server.sse ? { method: 'GET', headers: { accept: 'text/event-stream' } } : post
  try {
    const response = await fetch(server.url, { ...request, signal: AbortSignal.timeout(HALF_MS) })
    const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response)
    await response.body?.cancel()
    return {
      isAsked: response.status === 401,
      resourceMetadataUrl: resourceMetadataUrl?.href,
      scope: server.oauth?.scope ?? scope,
    }
  } catch (error) {
    throw error instanceof ToolError ? error : new ToolError(`${server.name} does not answer.`, { isDown: true })
  }
}

async function runAuth(
  server: HttpServerConfig,
  provider: LoginProvider,
  { isAsked, resourceMetadataUrl, scope }: Challenge,
  fetch: FetchLike,
  answer: { authorizationCode?: string; iss?: string | undefined } = {},
): Promise<void> {
  const http = loginFetch(server.name, fetch, HALF_MS)
  try {
    await auth(provider, {
      serverUrl: server.url,
      fetchFn: unrepeated(server.name, http.fetch),
      resourceMetadataUrl: resourceMetadataUrl === undefined ? undefined : new URL(resourceMetadataUrl),
      scope,
      ...answer,
    })
  } catch (error) {
    throw sentenceFor(server, error, { provider, isAsked, refusal: http.refusal() })
  }
}

/** The SDK sends a refused code a second time. Throwing instead of answering ends the login at once. */
function unrepeated(name: string, fetch: FetchLike): FetchLike {
  return async (address, init) => {
    const response = await fetch(address, init)
    const isForTokens = init?.body instanceof URLSearchParams
    if (isForTokens && response.status >= 400) throw loginFailure(name, await errorIn(response))
    return response
  }
}

async function errorIn(response: Response): Promise<OAuthError> {
  const { error }: { error?: unknown } = Object(await response.json())
  return new OAuthError(String(error), 'refused')
}

function sentenceFor(
  server: HttpServerConfig,
  error: unknown,
  about: { provider: LoginProvider; isAsked: boolean; refusal: string | undefined },
): Error {
  if (error instanceof IssuerMismatchError || error instanceof AuthorizationServerMismatchError)
    return wrongServerError(server)
  if (about.refusal !== undefined) return new ToolError(about.refusal)
  const metadata = about.provider.discoveryState()?.authorizationServerMetadata
  const isClosed = metadata !== undefined && metadata.registration_endpoint === undefined
  if (error instanceof RegistrationRejectedError && !about.isAsked)
    return new ToolError(`${server.name} needs no login and offers none.`)
  if (error instanceof RegistrationRejectedError || (isClosed && server.oauth?.clientId === undefined))
    return new ToolError(
      `The authorization server of ${server.name} does not register clients automatically. Register one there, and put its id into ` +
        'MCP_CONFIG as "oauth": {"clientId": "…"}.',
    )
  return error instanceof Error && error.name === 'ConfigError' ? error : loginFailure(server.name, error)
}

function wrongServerError(server: HttpServerConfig): ToolError {
  return new ToolError(
    `The answer came from another authorization server than that of ${server.name}, so nothing was saved.`,
  )
}

/** Says which server the error came from (RFC 9207), and shows nothing but the error's code. */
function codeOf(server: HttpServerConfig, answer: URLSearchParams, provider: LoginProvider): string {
  const code = answer.get('code')
  if (code !== null && code !== '') return code
  const metadata = provider.discoveryState()?.authorizationServerMetadata
  try {
    validateAuthorizationResponseIssuer({
      iss: answer.get('iss') ?? undefined,
      expectedIssuer: metadata?.issuer,
      issParameterSupported: metadata?.authorization_response_iss_parameter_supported === true,
    })
  } catch {
    throw wrongServerError(server)
  }
  throw new ToolError(
    `The authorization server of ${server.name} denied the login: ${displayCode(answer.get('error') ?? '')}.`,
  )
}
