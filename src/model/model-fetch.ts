/**
 * The fetch for the SDK. It sends our headers only to the configured origin, tells a web page from a model, limits the
 * size of responses, and converts an endpoint's errors to the form that the SDK reads. `callDeadline` (agent/budget.ts)
 * limits the total duration of a call.
 */
import { APIError } from 'openai/core/error'
import { discard, followRedirects, readCapped } from '../base/http/bounds.ts'
import { TransportResponse } from '../base/http/transport-response.ts'
import { KnownFailure, noModel } from './failures.ts'

export type Fetch = typeof globalThis.fetch

export function modelFetch(fetch: Fetch): Fetch {
  return withOpenAiErrors(async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    return readable(await sameOrigin(fetch, url, init))
  })
}

/**
 * Follows redirects within the origin, as the POST that it is. Nothing is sent elsewhere: a gateway's headers are keys as well, and the
 * platform's fetch would take along all of them but one.
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
    'Your admin should check OPENAI_BASE_URL.'
  )
}

const WHOLE_BYTES = 8_000_000

/** Only the beginning of an error is read. */
const ERROR_BYTES = 64_000

/**
 * Limits the size of a response and rejects a web page with KnownFailure. A successful response stays the original
 * object with replaced readers: wrapping each one in streams and a new Response costs a third of a call's CPU.
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

/** The beginning of the body as text. The rest is not fetched. */
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

/** The whole body as text. @throws KnownFailure if it is longer than `most`, or begins like a web page */
async function wholeText(body: Body, most: number): Promise<string> {
  const whole = await readCapped(body, most)
  if (!whole) throw tooMuch()
  const text = textOf([whole])
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
 * Rejects a web page. A byte order mark is three characters in Latin-1.
 * @throws KnownFailure for text that begins like a web page instead of JSON or an event stream
 */
function checkNoPage(beginning: string): void {
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

/**
 * A fast model's tokens are read in batches of this many milliseconds: nobody sees them singly, and each turn of the
 * readers costs more than its token. The end of a stream is never delayed.
 */
const GATHER_MS = 20

/**
 * The chunks of a streamed answer, in batches as they arrived. Leaving early ends the request.
 * @throws SyntaxError for a chunk that is not JSON, APIError for an error instead of a chunk, KnownFailure for a web
 *   page or an oversized stream, and what the connection throws
 */
export function chunkBatches(response: Response): AsyncIterable<unknown[]> {
  return { [Symbol.asyncIterator]: () => new BatchReader(response) }
}

/**
 * Written by hand, because an async generator costs each token of a slow stream three more turns of the microtask
 * queue.
 */
class BatchReader implements AsyncIterator<unknown[], undefined> {
  readonly #response: Response
  readonly #bytes: AsyncIterator<Uint8Array> | undefined
  readonly #decoder = new EventDecoder()
  #isDone = false
  #bytesRead = 0
  /** The error that ended the stream after a good batch. */
  #fault: unknown

  constructor(response: Response) {
    this.#response = response
    const body = response instanceof TransportResponse ? response.gathered(GATHER_MS) : response.body
    this.#bytes = body?.[Symbol.asyncIterator]()
  }

  async next(): Promise<IteratorResult<unknown[], undefined>> {
    for (;;) {
      if (this.#fault !== undefined) return this.#fail(this.#fault)
      const read = await this.#bytes?.next()
      if (!read || read.done) return OVER
      const batch = this.#decode(read.value)
      if (batch.length > 0) return { value: batch, done: false }
    }
  }

  async return(): Promise<IteratorResult<unknown[], undefined>> {
    await this.#bytes?.return?.()
    return OVER
  }

  #decode(bytes: Uint8Array): unknown[] {
    const batch: unknown[] = []
    try {
      this.#check(bytes)
      for (const data of this.#decoder.push(bytes)) {
        this.#isDone ||= data.startsWith('[DONE]')
        // Still reads to the end, so that the connection can be reused.
        if (this.#isDone) break
        batch.push(chunkOf(data, this.#response))
      }
    } catch (error) {
      this.#fault = error
    }
    return batch
  }

  #check(bytes: Uint8Array): void {
    if (this.#bytesRead === 0) checkNoPage(Buffer.from(bytes.subarray(0, PAGE_BYTES)).toString('latin1'))
    this.#bytesRead += bytes.length
    if (this.#bytesRead > MAX_STREAM_BYTES) throw tooMuch()
  }

  async #fail(fault: unknown): Promise<never> {
    await this.return()
    throw fault
  }
}

const OVER = { value: undefined, done: true } as const

function chunkOf(data: string, response: Response): unknown {
  const chunk = JSON.parse(data) as { error?: object; type?: string }
  if (chunk?.error && chunk.type !== 'error') throw new APIError(undefined, chunk.error, undefined, response.headers)
  return chunk
}

/** This many bytes are enough to recognise a web page. */
const PAGE_BYTES = 1100
/** Each token of a stream takes about 200 bytes. The longest answer that is read has a megabyte (completion.ts). */
const MAX_STREAM_BYTES = 64_000_000
const MAX_EVENT_BYTES = 2_000_000
const LINE_FEED = 10

/**
 * Server-sent events (WHATWG HTML, "Interpreting an event stream"): bytes in, the data of complete events out. Reads
 * each byte once, however the bytes are split. Lines end with LF or CRLF. Names, ids and comments are ignored.
 */
export class EventDecoder {
  /** The bytes of an incomplete line; `#restBytes` is their number. Grows by doubling. */
  #rest = Buffer.alloc(0)
  #restBytes = 0
  /** Data lines of an incomplete event. */
  #data: string[] = []
  #dataChars = 0

  push(bytes: Uint8Array): string[] {
    const end = bytes.lastIndexOf(LINE_FEED) + 1
    if (end === 0) {
      this.#keep(bytes)
      return []
    }
    const whole = Buffer.concat([this.#rest.subarray(0, this.#restBytes), bytes.subarray(0, end)])
    this.#restBytes = 0
    if (end < bytes.length) this.#keep(bytes.subarray(end))
    // Split at a line feed, which is never inside a character.
    return this.#read(whole.toString())
  }

  #keep(bytes: Uint8Array): void {
    const size = this.#restBytes + bytes.length
    this.#check(size)
    if (size > this.#rest.length) this.#rest = Buffer.concat([this.#rest], 2 * size)
    this.#rest.set(bytes, this.#restBytes)
    this.#restBytes = size
  }

  #check(size: number): void {
    if (size > MAX_EVENT_BYTES) throw tooMuch()
  }

  /** Reads complete lines. */
  #read(text: string): string[] {
    const events: string[] = []
    for (let from = 0; from < text.length;) {
      const end = text.indexOf('\n', from)
      const isEmpty = end === from || (end === from + 1 && text[from] === '\r')
      if (isEmpty) this.#finish(events)
      else if (text.startsWith('data:', from)) this.#take(text.slice(from + 5, text[end - 1] === '\r' ? end - 1 : end))
      from = end + 1
    }
    return events
  }

  #take(value: string): void {
    this.#data.push(value.startsWith(' ') ? value.slice(1) : value)
    this.#dataChars += value.length + 1
    this.#check(this.#dataChars)
  }

  #finish(events: string[]): void {
    if (this.#data.length > 0) events.push(this.#data.join('\n'))
    this.#data = []
    this.#dataChars = 0
  }
}
