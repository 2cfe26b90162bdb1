/**
 * The fetch for the SDK. It sends our headers only to the configured origin, tells a web page from a model, limits the
 * size of responses, and converts an endpoint's errors to the form that the SDK reads. `callDeadline` (agent/budget.ts)
 * limits the total duration of a call.
 */
import { discard, followRedirects, readCapped } from '../base/http/response-limits.ts'
import type { TransportInit } from '../base/http/transport-fetch.ts'
import { parseExact, unmarkJson } from '../base/parse-json.ts'
import { KnownFailure, noModel } from './failures.ts'

export type Fetch = typeof globalThis.fetch

export function modelFetch(fetch: Fetch): Fetch {
  return withOpenAiErrors(async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    // A model on a small computer may read for longer than a silent connection is kept. The call's signal limits it.
    const patient: TransportInit = { ...withDigits(init), silenceMs: 0 }
    return bounded(await sameOrigin(fetch, url, patient))
  })
}

/** A tool's schema may have marked numbers. */
function withDigits(init: RequestInit | undefined): RequestInit | undefined {
  return typeof init?.body === 'string' ? { ...init, body: unmarkJson(init.body) } : init
}

/**
 * Follows redirects within the origin, as the POST that it is. Nothing is sent elsewhere: a gateway's headers are keys
 * as well, and the platform's fetch would take along all of them but one.
 * @throws KnownFailure for a redirect to another origin
 */
async function sameOrigin(fetch: Fetch, url: URL, init: RequestInit | undefined): Promise<Response> {
  const response = await followRedirects<Response>(url, {
    send: (at) => fetch(at, { ...init, redirect: 'manual' }),
    follows(next, from, answer) {
      if (!next || next.origin === from.origin) return next !== undefined
      void discard(answer)
      throw new KnownFailure(`the address redirects to ${next.origin}`, movedTo(next.origin))
    },
  })
  if (!response) throw noModel('the address redirects in a circle', { retryable: false })
  return response
}

function movedTo(origin: string): string {
  return (
    `The model’s address redirects to ${origin}, where I do not send my key. ` +
    'The person who runs me should check OPENAI_BASE_URL.'
  )
}

const WHOLE_BYTES = 8_000_000

/** Only the beginning of an error is read. */
const ERROR_BYTES = 64_000

/**
 * Limits the size of a response and rejects a web page with KnownFailure. A successful response stays the original
 * object with replaced readers: wrapping each one in streams and a new Response costs a third of a call's CPU.
 */
async function bounded(response: Response): Promise<Response> {
  const { status, statusText, headers, body, ok } = response
  if (body === null) return response
  if (!ok) return new Response(await beginningOf(body, ERROR_BYTES), { status, statusText, headers })
  const text = () => wholeText(body, WHOLE_BYTES)
  const json = async (): Promise<unknown> => parseAnswer(await text())
  return Object.defineProperties(response, { text: { value: text }, json: { value: json } })
}

/**
 * Parses an answer or a chunk, or the first of a list. The arguments of a call keep the digits of their numbers if they
 * are an object. @throws SyntaxError
 */
export function parseAnswer(text: string): unknown {
  const answer: unknown = JSON.parse(text.replace(/^\ufeff/, ''))
  const exact = /"arguments"\s*:\s*\{/.test(text) ? parseExact(text) : answer
  return Array.isArray(exact) ? exact[0] : exact
}

type Bytes = Uint8Array
type Body = AsyncIterable<Bytes>

/** The beginning of the body as text. The rest is not fetched. */
async function beginningOf(body: Body, max: number): Promise<string> {
  const held: Bytes[] = []
  let bytes = 0
  for await (const piece of body) {
    held.push(piece)
    bytes += piece.length
    if (bytes >= max) break
  }
  return decoded(Buffer.concat(held)).slice(0, max)
}

/** The whole body as text. @throws KnownFailure if it is longer than `max`, or begins like a web page */
async function wholeText(body: Body, max: number): Promise<string> {
  const whole = await readCapped(body, max)
  if (!whole) throw tooMuch()
  const text = decoded(whole)
  checkNoPage(text)
  return text
}

function decoded(bytes: Bytes): string {
  return new TextDecoder().decode(bytes)
}

/**
 * Rejects a web page. A byte order mark is three characters in Latin-1.
 * @throws KnownFailure for text that begins like a web page instead of JSON or an event stream
 */
export function checkNoPage(beginning: string): void {
  if (/^(?:\ufeff|\xef\xbb\xbf)?\s{0,1000}</.test(beginning)) throw noModel('a web page')
}

export function tooMuch(): KnownFailure {
  return new KnownFailure(
    'the answer is too long to be one',
    'The model’s answer was far too long, so I stopped reading it. Please ask again, perhaps for less.',
  )
}

/**
 * Errors come in many forms: `{"detail": …}` (FastAPI), `{"message": …}` (older vLLM, Mistral), `[{"error": …}]`
 * (Gemini). The SDK reads only `{"error": …}` and drops the rest, so the others are converted first.
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
