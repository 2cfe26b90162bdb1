import { timingSafeEqual } from 'node:crypto'
import type { Readable } from 'node:stream'
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
import { awaitAnswers } from './login-callback.ts'
import { codeShown, loginFailure } from './login-failure.ts'
import { loginFetch, shown } from './login-fetch.ts'
import type { LoginStore } from './login-store.ts'
import { loginProvider, type LoginProvider } from './oauth-provider.ts'
import type { HttpServerConfig } from '../types.ts'

export interface LogInOptions {
  logins: LoginStore
  /** The server's authFetch. */
  fetch: FetchLike
  /** The local port that the browser comes back to; 0 for any free one. */
  port: number
  /** Where a person may paste the address that the browser was redirected to. */
  input: Readable
  say(line: string): void
  /** Milliseconds since the epoch. */
  now(): number
}

/** How long each half of a login may take, before and after the person's part. Milliseconds. */
const HALF_MS = 30_000
/** How long the person may take. Milliseconds. */
const PERSON_MS = 10 * 60_000

/**
 * Logs the workspace in at a server: tells a person which page to open, and keeps the resulting tokens.
 * @throws ToolError with a sentence without any words of the other side; ConfigError without SECRETS_KEY
 */
export async function logIn(server: HttpServerConfig, options: LogInOptions): Promise<void> {
  const answers = await awaitAnswers(options)
  try {
    const provider = loginProvider(server, { ...options, redirectUrl: answers.url })
    const { isAsked, ...challenge } = await challengeOf(server, options.fetch)
    await half(server, provider, { ...options, isAsked, ...challenge })
    sayWhere(provider.address(), { ...options, server, back: answers.url })
    const answer = await inTime(answers.first((given) => isSame(given.get('state') ?? '', provider.state())))
    const authorizationCode = codeOf(server, answer, provider)
    await half(server, provider, {
      ...options,
      isAsked,
      ...challenge,
      authorizationCode,
      iss: answer.get('iss') ?? undefined,
    })
  } finally {
    await answers.close()
  }
}

interface Challenge {
  resourceMetadataUrl?: URL | undefined
  scope?: string | undefined
}

/**
 * Returns the server's answer to a request without a token: where its login is described, and which scopes it wants.
 */
async function challengeOf(server: HttpServerConfig, fetch: FetchLike): Promise<Challenge & { isAsked: boolean }> {
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
  const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }
  const post = { method: 'POST', body: JSON.stringify(ping), headers }
  const request = server.sse ? { method: 'GET', headers: { accept: 'text/event-stream' } } : post
  try {
    const response = await fetch(server.url, { ...request, signal: AbortSignal.timeout(HALF_MS) })
    const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response)
    await response.body?.cancel()
    return { isAsked: response.status === 401, resourceMetadataUrl, scope: server.oauth?.scope ?? scope }
  } catch (error) {
    throw error instanceof ToolError ? error : new ToolError(`${server.name} does not answer.`, { isDown: true })
  }
}

interface Half extends Challenge {
  fetch: FetchLike
  isAsked: boolean
  authorizationCode?: string
  iss?: string | undefined
}

async function half(server: HttpServerConfig, provider: LoginProvider, options: Half): Promise<void> {
  const http = loginFetch(server.name, options.fetch, HALF_MS)
  const { resourceMetadataUrl, scope, authorizationCode, iss } = options
  try {
    await auth(provider, {
      serverUrl: server.url,
      fetchFn: unrepeated(server.name, http.fetch),
      resourceMetadataUrl,
      scope,
      ...(authorizationCode === undefined ? {} : { authorizationCode, iss }),
    })
  } catch (error) {
    throw sentenceFor(server, error, { provider, isAsked: options.isAsked, refusal: http.refusal() })
  }
}

/** The SDK sends a refused code a second time. Throwing in place of the answer ends the login at once. */
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
    return notItsOwn(server)
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

function notItsOwn(server: HttpServerConfig): ToolError {
  return new ToolError(
    `The answer came from another authorization server than that of ${server.name}, so nothing was saved.`,
  )
}

/** Prints the address. It is never opened by us: that would hand another side's text to a program. */
function sayWhere(
  address: URL | undefined,
  { server, say, back }: { server: HttpServerConfig; say(line: string): void; back: string },
): void {
  if (!address) throw new ToolError(`The login at ${server.name} began without a page to log in at.`)
  say(`To log in at ${server.name}, open this page of ${shown(address)} in a browser:\n\n  ${address.href}\n`)
  say(`The browser returns to ${back}, and this command continues on its own.`)
  say(
    'If the browser is on another machine, it ends on a page that cannot be reached. Paste the address of that page here.',
  )
}

async function inTime(answer: Promise<URLSearchParams>): Promise<URLSearchParams> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    const minutes = PERSON_MS / 60_000
    timer = setTimeout(() => reject(new ToolError(`Nobody logged in within ${minutes} minutes.`)), PERSON_MS)
  })
  return Promise.race([answer, late]).finally(() => clearTimeout(timer))
}

/** Names the side whose error it is (RFC 9207), and shows nothing but the error's code. */
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
    throw notItsOwn(server)
  }
  throw new ToolError(
    `The authorization server of ${server.name} denied the login: ${codeShown(answer.get('error') ?? '')}.`,
  )
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}
