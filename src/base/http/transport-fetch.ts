import type { Dispatcher } from 'undici'
import { discard, followRedirects } from './response-limits.ts'
import { TransportResponse, type ResponseHead } from './transport-response.ts'
import { ResponseBody } from './response-body.ts'

type WebFetch = typeof globalThis.fetch
type WebRequestInit = Parameters<WebFetch>[1]

/** A request with what this fetch reads and the web's ignores. */
export interface TransportInit extends NonNullable<WebRequestInit> {
  /** The longest silence of the server, in ms. 0: as long as the signal allows. Five minutes unless given. */
  silenceMs?: number
}

/**
 * A fetch directly on undici's pool, for the SDKs and for us: the part of the web's fetch that they need, at a third of
 * its CPU. Request bodies are text or bytes. The result is a TransportResponse. A redirect is followed only within the
 * same origin and if the same request may be repeated. Any other redirect is returned as the response, or is an error
 * if `redirect` is `error`. Like the web's fetch, it rejects with a TypeError whose cause has the details, or with the
 * reason of its signal.
 */
export function createTransportFetch(dispatcher: Dispatcher): WebFetch {
  const turns = new DeliveryTurns()
  const fetch = async (address: string | URL, init?: WebRequestInit): Promise<TransportResponse> => {
    const request = requestOf(init)
    let isRedirected = false
    const response = await followRedirects<TransportResponse>(
      typeof address === 'string' ? new URL(address) : address,
      {
        async send(url) {
          init?.signal?.throwIfAborted()
          const { head, body } = await exchange(url, request, dispatcher, turns)
          init?.signal?.throwIfAborted()
          return new TransportResponse(head, body, isRedirected)
        },
        follows(next, from, answer) {
          if (init?.redirect === 'error') {
            void discard(answer)
            throw new TypeError('fetch failed', { cause: new Error('unexpected redirect') })
          }
          const isSame = answer.status >= 307 || request.method === 'GET' || request.method === 'HEAD'
          isRedirected = init?.redirect !== 'manual' && isSame && next?.origin === from.origin
          return isRedirected
        },
      },
    )
    if (!response) throw new TypeError('fetch failed', { cause: new Error('redirected too often') })
    return response
  }
  // The SDKs expect the web's type, but read only what a TransportResponse has.
  return fetch as unknown as WebFetch
}

interface TransportRequest {
  method: string
  headers: string[]
  body: string | Uint8Array | null
  signal: AbortSignal | undefined
  silenceMs: number | undefined
}

function requestOf(init: TransportInit = {}): TransportRequest {
  const { method = 'GET', headers, body, signal, silenceMs } = init
  if (body !== undefined && body !== null && typeof body !== 'string' && !(body instanceof Uint8Array))
    throw new TypeError('Only text and bytes can be sent.')
  const sent = { method: method.toUpperCase(), headers: headersOf(headers), body: body ?? null }
  return { ...sent, signal: signal ?? undefined, silenceMs }
}

/** Alternating names and values, the format that undici reads fastest. */
function headersOf(headers: NonNullable<WebRequestInit>['headers'] = {}): string[] {
  const pairs = Symbol.iterator in headers ? headers : Object.entries(headers)
  const flat: string[] = []
  for (const [name, value] of pairs) if (name !== undefined && value !== undefined) flat.push(name, String(value))
  return flat
}

async function exchange(url: URL, request: TransportRequest, dispatcher: Dispatcher, turns: DeliveryTurns) {
  const { method, headers, body, signal, silenceMs } = request
  const handler = new ExchangeHandler(turns, signal)
  const limits = silenceMs === undefined ? {} : { headersTimeout: silenceMs, bodyTimeout: silenceMs }
  dispatcher.dispatch(
    { origin: url.origin, path: url.pathname + url.search, method, headers, body, ...limits },
    handler,
  )
  const { head, body: answer } = await handler.response
  return { head: { ...head, url: url.href, method }, body: answer }
}

interface ReceivedResponse {
  head: Omit<ResponseHead, 'url' | 'method'>
  body: ResponseBody
}

type ResponseStart = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>

interface Settle {
  resolve(exchanged: ReceivedResponse): void
  reject(reason: unknown): void
}

/** How many responses are delivered per turn of the event loop. */
const RESPONSES_PER_TURN = 4

/**
 * Delivers responses a few per turn of the event loop. Before undici reuses a connection, it waits for the end of the
 * turn, to see whether the server has closed it or has sent unrequested data (CVE-2026-6733). If many responses that
 * arrived together were all read in one turn, the requests that follow the first one would wait for the last, and on a
 * new connection at that.
 */
class DeliveryTurns {
  readonly #waiting: (() => void)[] = []

  add(deliver: () => void): void {
    if (this.#waiting.push(deliver) === 1) this.#next()
  }

  /** Runs after undici's own immediate, which frees the connection of a complete response. */
  #next(): void {
    queueMicrotask(() => setImmediate(() => this.#take()))
  }

  #take(): void {
    for (const deliver of this.#waiting.splice(0, RESPONSES_PER_TURN)) deliver()
    if (this.#waiting.length > 0) this.#next()
  }
}

/**
 * One request on undici's wire, from its dispatch to the last byte of the response. Settles once, with the response
 * head.
 */
class ExchangeHandler implements Dispatcher.DispatchHandler {
  readonly response: Promise<ReceivedResponse>
  readonly #turns: DeliveryTurns
  readonly #signal: AbortSignal | undefined
  readonly #settle: Settle
  readonly #onAbort = () => this.#abort(this.#signal?.reason)
  #controller: Dispatcher.DispatchController | undefined
  #received: ReceivedResponse | undefined
  /** Why we aborted. Takes precedence over any later error of the connection. */
  #aborted: { reason: unknown } | undefined

  constructor(turns: DeliveryTurns, signal: AbortSignal | undefined) {
    this.#turns = turns
    let settle: Settle = { resolve() {}, reject() {} }
    this.response = new Promise((resolve, reject) => (settle = { resolve, reject }))
    this.#settle = settle
    this.#signal = signal
    signal?.addEventListener('abort', this.#onAbort, { once: true })
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#aborted) controller.abort(errorOf(this.#aborted.reason))
  }

  onResponseStart(...[controller, status, headers, statusText = '']: ResponseStart): void {
    // 100 Continue and other 1xx precede the response.
    if (status < 200) return
    const body = new ResponseBody({
      pause: () => controller.pause(),
      resume: () => controller.resume(),
      abort: (reason) => this.#abort(reason),
    })
    this.#received = { head: { status, statusText, headers }, body }
    this.#turns.add(() => this.#deliver())
  }

  #deliver(): void {
    if (this.#received) this.#settle.resolve(this.#received)
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer<ArrayBuffer>): void {
    this.#received?.body.push(chunk)
  }

  onResponseEnd(): void {
    this.#release()
    this.#received?.body.end()
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#release()
    const reason = this.#aborted
      ? this.#aborted.reason
      : new TypeError(this.#received ? 'terminated' : 'fetch failed', { cause: error })
    // The response may have begun without being delivered. Its status is worth knowing.
    this.#deliver()
    this.#received?.body.end(reason)
    this.#settle.reject(reason)
  }

  /** Works before there is a connection too: the caller learns about it at once. */
  #abort(reason: unknown): void {
    if (this.#aborted) return
    this.#aborted = { reason }
    this.#release()
    this.#controller?.abort(errorOf(reason))
    this.#received?.body.end(reason)
    this.#settle.reject(reason)
  }

  #release(): void {
    this.#signal?.removeEventListener('abort', this.#onAbort)
  }
}

function errorOf(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason })
}
