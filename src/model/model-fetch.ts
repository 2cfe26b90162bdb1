/**
 * The fetch that the SDK is given: it keeps our headers at the origin that the settings name, tells a web page from a model,
 * and bounds whatever an endpoint sends.
 */
import { beginningOf, wholeText } from './bodies.ts'
import { withOpenAiErrors } from './error-bodies.ts'
import { KnownFailure, noModel } from './failures.ts'

export type Fetch = typeof globalThis.fetch

export function modelFetch(fetch: Fetch): Fetch {
  return withOpenAiErrors(async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    return readable(await sameOrigin(fetch, { url, init, hops: 0 }))
  })
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])
const MOST_HOPS = 3

/**
 * Follows redirects within the origin, as the POST that it is. Elsewhere nothing is sent: a gateway's headers are keys as
 * well, and the platform's fetch would take all of them along but one.
 * @throws KnownFailure for a redirect to another origin
 */
async function sameOrigin(
  fetch: Fetch,
  { url, init, hops }: { url: URL; init: RequestInit | undefined; hops: number },
): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: 'manual' })
  const location = response.headers.get('location')
  if (!REDIRECTS.has(response.status) || location === null || !URL.canParse(location, url.href)) return response
  await response.body?.cancel()
  const target = new URL(location, url)
  if (target.origin !== url.origin)
    throw new KnownFailure(`the address redirects to ${target.origin}`, movedTo(target.origin))
  if (hops === MOST_HOPS) throw noModel('the address redirects in a circle', { retryable: false })
  return sameOrigin(fetch, { url: target, init, hops: hops + 1 })
}

function movedTo(origin: string): string {
  return (
    `The model's address sends me on to ${origin}, where I do not take my key along. ` +
    'Whoever runs me should check OPENAI_BASE_URL.'
  )
}

const WHOLE_BYTES = 8_000_000

/** An error is told from its beginning. */
const ERROR_BYTES = 64_000

/**
 * The response, read within bounds; a web page is a KnownFailure. Where all is well it stays the one that came, with other
 * ways to read it: to wrap each answer in streams and a response of our own costs a third of a call's CPU.
 */
async function readable(response: Response): Promise<Response> {
  const { status, statusText, headers, body, ok } = response
  if (body === null) return response
  if (!ok) return new Response(await beginningOf(body, ERROR_BYTES), { status, statusText, headers })
  const text = () => wholeText(body, WHOLE_BYTES)
  const json = async (): Promise<unknown> => JSON.parse(await text())
  return Object.defineProperties(response, { text: { value: text }, json: { value: json } })
}
