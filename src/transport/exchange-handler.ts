import type { Dispatcher } from 'undici'
import { ResponseBody } from './response-body.ts'
import type { ResponseHead } from './transport-response.ts'

export interface Exchanged {
  head: Omit<ResponseHead, 'url' | 'method'>
  body: ResponseBody
}

type ResponseStart = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>

interface Settle {
  resolve(exchanged: Exchanged): void
  reject(reason: unknown): void
}

/** One request on undici's wire: from its dispatch to the last byte of the answer. Settles once with the head of the answer. */
export class ExchangeHandler implements Dispatcher.DispatchHandler {
  readonly answered: Promise<Exchanged>
  readonly #signal: AbortSignal | undefined
  readonly #settle: Settle
  readonly #onAbort = () => this.#abort(this.#signal?.reason)
  #controller: Dispatcher.DispatchController | undefined
  #body: ResponseBody | undefined
  /** Why it was ended from our side, which counts for more than what the wire then says. */
  #aborted: { reason: unknown } | undefined

  constructor(signal: AbortSignal | undefined) {
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
    this.#body = new ResponseBody({
      pause: () => controller.pause(),
      resume: () => controller.resume(),
      abort: (reason) => this.#abort(reason),
    })
    this.#settle.resolve({ head: { status, statusText, headers }, body: this.#body })
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer<ArrayBuffer>): void {
    this.#body?.push(chunk)
  }

  onResponseEnd(): void {
    this.#release()
    this.#body?.end()
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#release()
    const reason = this.#aborted
      ? this.#aborted.reason
      : new TypeError(this.#body ? 'terminated' : 'fetch failed', { cause: error })
    this.#body?.end(reason)
    this.#settle.reject(reason)
  }

  /** Also before there is a connection: whoever waits learns it at once. */
  #abort(reason: unknown): void {
    if (this.#aborted) return
    this.#aborted = { reason }
    this.#release()
    this.#controller?.abort(errorOf(reason))
    this.#body?.end(reason)
    this.#settle.reject(reason)
  }

  #release(): void {
    this.#signal?.removeEventListener('abort', this.#onAbort)
  }
}

function errorOf(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason })
}
