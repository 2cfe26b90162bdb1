import type { Dispatcher } from 'undici'
import { discard, followRedirects } from './bounds.ts'
import { ResponseBody, TransportResponse, type ResponseHead } from './transport-response.ts'

type WebFetch = typeof globalThis.fetch
type Init = Parameters<WebFetch>[1]

/**
 * A fetch straight on undici's pool, for the SDKs and for us: what they need of the web's, at a third of its CPU. Bodies to
 * send are text or bytes; what comes back is a TransportResponse. A redirect is followed within the same origin alone and
 * only where the same request may be made again; any other one is the answer, or a fault where `redirect` is `error`.
 * As the web's fetch it rejects with a TypeError whose cause tells what happened, or with the reason of its signal.
 */
export function createTransportFetch(dispatcher: Dispatcher): WebFetch {
  const turns = new Turns()
  const fetch = async (address: string | URL, init?: Init): Promise<TransportResponse> => {
    const request = requestOf(init)
    let isRedirected = false
    const response = await followRedirects<TransportResponse>(
      typeof address === 'string' ? new URL(address) : address,
      {
        async send(url) {
          init?.signal?.throwIfAborted()
          const { head, body } = await exchange(dispatcher, turns, { ...request, url })
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
  // The SDKs ask for the web's type, and read no more of it than a TransportResponse has.
  return fetch as unknown as WebFetch
}

interface Request {
  method: string
  headers: string[]
  body: string | Uint8Array | null
  signal: AbortSignal | undefined
}

function requestOf(init: Init = {}): Request {
  const { method = 'GET', headers, body, signal } = init
  if (body !== undefined && body !== null && typeof body !== 'string' && !(body instanceof Uint8Array))
    throw new TypeError('Only text and bytes can be sent.')
  return { method: method.toUpperCase(), headers: headersOf(headers), body: body ?? null, signal: signal ?? undefined }
}

/** Names and values in turn, which is what undici reads quickest. */
function headersOf(headers: NonNullable<Init>['headers'] = {}): string[] {
  const pairs = Symbol.iterator in headers ? headers : Object.entries(headers)
  const flat: string[] = []
  for (const [name, value] of pairs) if (name !== undefined && value !== undefined) flat.push(name, String(value))
  return flat
}

async function exchange(dispatcher: Dispatcher, turns: Turns, request: Request & { url: URL }) {
  const { url, method, headers, body, signal } = request
  const handler = new ExchangeHandler(turns, signal)
  dispatcher.dispatch({ origin: url.origin, path: url.pathname + url.search, method, headers, body }, handler)
  const { head, body: answer } = await handler.answered
  return { head: { ...head, url: url.href, method }, body: answer }
}

interface Exchanged {
  head: Omit<ResponseHead, 'url' | 'method'>
  body: ResponseBody
}

type ResponseStart = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>

interface Settle {
  resolve(exchanged: Exchanged): void
  reject(reason: unknown): void
}

/** Answers that are told of in one turn of the event loop. */
const ANSWERS_A_TURN = 4

/**
 * Tells of answers a few in a turn of the event loop. Before undici uses a connection again it waits for the end of the turn, to
 * hear whether the server has closed it or has sent what nobody asked for (CVE-2026-6733). So if many answers that came in
 * together were all read in one turn, what the first leads to would wait for the last, and on a new connection at that.
 */
class Turns {
  readonly #waiting: (() => void)[] = []

  add(tell: () => void): void {
    if (this.#waiting.push(tell) === 1) this.#next()
  }

  /** Behind the immediate by which undici frees the connection of a whole answer. */
  #next(): void {
    queueMicrotask(() => setImmediate(() => this.#take()))
  }

  #take(): void {
    for (const tell of this.#waiting.splice(0, ANSWERS_A_TURN)) tell()
    if (this.#waiting.length > 0) this.#next()
  }
}

/** One request on undici's wire: from its dispatch to the last byte of the answer. Settles once with the head of the answer. */
class ExchangeHandler implements Dispatcher.DispatchHandler {
  readonly answered: Promise<Exchanged>
  readonly #turns: Turns
  readonly #signal: AbortSignal | undefined
  readonly #settle: Settle
  readonly #onAbort = () => this.#abort(this.#signal?.reason)
  #controller: Dispatcher.DispatchController | undefined
  #answer: Exchanged | undefined
  /** Why it was ended from our side, which counts for more than what the wire then says. */
  #aborted: { reason: unknown } | undefined

  constructor(turns: Turns, signal: AbortSignal | undefined) {
    this.#turns = turns
    let settle: Settle = { resolve() {}, reject() {} }
    this.answered = new Promise((resolve, reject) => (settle = { resolve, reject }))
    this.#settle = settle
    this.#signal = signal
    signal?.addEventListener('abort', this.#onAbort, { once: true })
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#aborted) controller.abort(errorOf(this.#aborted.reason))
  }

  onResponseStart(...[controller, status, headers, statusText = '']: ResponseStart): void {
    // 100 Continue and its like come before the answer.
    if (status < 200) return
    const body = new ResponseBody({
      pause: () => controller.pause(),
      resume: () => controller.resume(),
      abort: (reason) => this.#abort(reason),
    })
    this.#answer = { head: { status, statusText, headers }, body }
    this.#turns.add(() => this.#tell())
  }

  #tell(): void {
    if (this.#answer) this.#settle.resolve(this.#answer)
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer<ArrayBuffer>): void {
    this.#answer?.body.push(chunk)
  }

  onResponseEnd(): void {
    this.#release()
    this.#answer?.body.end()
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#release()
    const reason = this.#aborted
      ? this.#aborted.reason
      : new TypeError(this.#answer ? 'terminated' : 'fetch failed', { cause: error })
    // An answer has begun, though nobody was told yet: its status is one to know.
    this.#tell()
    this.#answer?.body.end(reason)
    this.#settle.reject(reason)
  }

  /** Also before there is a connection: whoever waits learns it at once. */
  #abort(reason: unknown): void {
    if (this.#aborted) return
    this.#aborted = { reason }
    this.#release()
    this.#controller?.abort(errorOf(reason))
    this.#answer?.body.end(reason)
    this.#settle.reject(reason)
  }

  #release(): void {
    this.#signal?.removeEventListener('abort', this.#onAbort)
  }
}

function errorOf(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason })
}
