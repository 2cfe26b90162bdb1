/**
 * The fetch that the SDK is given: it keeps our headers at the origin that the settings name, tells a web page from a model,
 * bounds whatever an endpoint sends, and puts an endpoint's errors into the form that the SDK reads.
 */
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

type Bytes = Uint8Array
type Body = AsyncIterable<Bytes>

/** The body's beginning as text; the rest is not fetched. */
async function beginningOf(body: Body, most: number): Promise<string> {
  const held: Bytes[] = []
  let bytes = 0
  for await (const piece of body) {
    held.push(piece)
    bytes += piece.length
    if (bytes >= most) break
  }
  return textOf(held).slice(0, most)
}

/** The whole body as text. @throws KnownFailure where it is longer than `most`, or begins as a web page does */
async function wholeText(body: Body, most: number): Promise<string> {
  const held: Bytes[] = []
  let bytes = 0
  for await (const piece of body) {
    held.push(piece)
    bytes += piece.length
    if (bytes > most) throw tooMuch()
  }
  const text = textOf(held)
  checkNoPage(text)
  return text
}

function joined(pieces: Bytes[]): Bytes {
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
}

function textOf(pieces: Bytes[]): string {
  return new TextDecoder().decode(joined(pieces))
}

/**
 * A byte order mark is three characters of Latin-1.
 * @throws KnownFailure for what begins as a web page does, rather than as JSON or a stream of events
 */
export function checkNoPage(beginning: string): void {
  if (/^(?:\ufeff|\xef\xbb\xbf)?\s{0,1000}</.test(beginning)) throw noModel('a web page')
}

export function tooMuch(): KnownFailure {
  return new KnownFailure(
    'the answer is too long to be one',
    'The model sent far more than an answer can be, so I stopped reading it. Please ask again, perhaps for less.',
  )
}

/**
 * Refusals come in many forms: `{"detail": …}` (FastAPI), `{"message": …}` (older vLLM, Mistral), `[{"error": …}]` (Gemini).
 * The SDK reads `{"error": …}` alone and drops the rest, so the others are put into that form before it sees them.
 */
function withOpenAiErrors(fetch: Fetch): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init)
    if (response.ok || !response.headers.get('content-type')?.includes('json')) return response
    const { status, headers } = response
    return new Response(inOpenAiForm(await response.text()), { status, headers })
  }
}

function inOpenAiForm(text: string): string {
  try {
    const parsed: unknown = JSON.parse(text)
    const body: unknown = Array.isArray(parsed) ? parsed[0] : parsed
    if (typeof body !== 'object' || body === null) return text
    if ('error' in body) return JSON.stringify(body)
    return JSON.stringify({ error: 'message' in body ? body : { ...body, message: JSON.stringify(body) } })
  } catch {
    return text
  }
}
