import { OAuthError, type FetchLike } from '@modelcontextprotocol/client'
import { ToolError, messageOf } from '../../base/errors.ts'
import { AddressRefused } from '../../base/http/connection-pools.ts'
import { parseJson } from '../../base/parse-json.ts'

/** The HTTP of a login. */
interface LoginFetch {
  fetch: FetchLike
  /** Returns the last refusal of an address. The SDK takes some refusals for missing pages, and continues. */
  refusal(): string | undefined
}

/**
 * Restricts `bounded` (authFetch: hosts and sizes) to https or this machine, to `ms` from now on in total, and errors
 * to their codes. `error_description` is the authorization server's text, and the SDK would put it into messages and on
 * the console.
 */
export function loginFetch(name: string, bounded: FetchLike, ms: number): LoginFetch {
  const timeUp = AbortSignal.timeout(ms)
  let refusal: string | undefined
  return {
    refusal: () => refusal,
    async fetch(address, init = {}) {
      try {
        checkTransport(name, new URL(address))
        const signal = init.signal ? AbortSignal.any([init.signal, timeUp]) : timeUp
        const response = await bounded(address, { ...init, signal })
        checkRedirect(name, new URL(address), response)
        return await withoutServerText(response)
      } catch (error) {
        if (error instanceof ToolError && !error.isDown) refusal = error.message
        throw error
      }
    },
  }
}

/** @throws ToolError for an address to which tokens would be sent unencrypted */
export function checkTransport(name: string, url: URL): void {
  const isLoopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname)
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback)) return
  throw new ToolError(`The login at ${name} would use ${originOf(url)}, and only https addresses may be used for it.`)
}

/** Returns only scheme and host, because the rest of an address may contain anything. */
export function originOf(url: URL): string {
  return url.host === '' ? url.protocol : `${url.protocol}//${url.host}`
}

/** The SDK follows redirects within an origin, and treats one that leaves it as an error. */
function checkRedirect(name: string, url: URL, response: Response): void {
  const location = response.headers.get('location')
  if (location === null || response.status < 300 || response.status >= 400) return
  if (URL.canParse(location, url.href) && new URL(location, url).origin === url.origin) return
  throw new ToolError(`The login at ${name} was sent on from ${originOf(url)} to another host: it is refused.`)
}

async function withoutServerText(response: Response): Promise<Response> {
  if (response.status >= 300 && response.status < 400) return response
  const text = await response.text()
  const code = codeIn(text)
  const headers = { 'content-type': 'application/json' }
  if (response.ok && code === undefined) return new Response(text, { headers })
  const status = response.ok ? 400 : response.status
  return new Response(JSON.stringify({ error: code ?? 'server_error' }), { status, headers })
}

/** Returns the code of an OAuth error. An authorization server may send one with status 200. */
function codeIn(text: string): string | undefined {
  const value = parseJson(text)
  if (typeof value !== 'object' || value === null || !('error' in value)) return undefined
  return typeof value.error === 'string' && isCode(value.error) ? value.error : 'server_error'
}

/**
 * Returns whether a text is a code of RFC 6749 or its relatives. Nothing else that an authorization server says is
 * shown.
 */
function isCode(text: string): boolean {
  return /^[a-z_]{1,40}$/.test(text)
}

/** Returns an error code for display: the code if it has the known form, else a note that there was another one. */
export function displayCode(code: string): string {
  return isCode(code) ? code : 'with an unknown code'
}

/** Returns the meaning of an error of a login's HTTP or of the SDK, without any text of the server. */
export function loginFailure(name: string, error: unknown): ToolError {
  if (error instanceof ToolError) return error
  if (error instanceof OAuthError)
    return new ToolError(`The authorization server of ${name} refused: ${displayCode(error.code)}.`)
  if (error instanceof Error && error.cause instanceof AddressRefused)
    return new ToolError(`The login at ${name} leads to an address that may not be called.`)
  if (isNetwork(error)) return new ToolError(`The authorization server of ${name} does not answer.`, { isDown: true })
  return new ToolError(`The authorization server of ${name} sent an answer that is not valid OAuth.`)
}

function isNetwork(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return ['AbortError', 'TimeoutError'].includes(error.name) || /fetch failed/.test(messageOf(error))
}
