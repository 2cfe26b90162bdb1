/**
 * How long a model may be silent, which is decided three times:
 *
 * - with a fallback model: for half of the time that its caller has left; then the fallback is called (`FALLBACK_SHARE`)
 * - for its circuit breaker: for two fifths of a run's time, if the run ends in that silence; then it counts as hanging
 *   (`HANG_SHARE`)
 * - for the sentence that people read when a run's time is over: for 5 s, or a quarter of the call's time; then it has
 *   stalled, rather than written for too long (`SILENT_MS` and `SILENT_SHARE` in the agent, which knows no model)
 */
import type { ModelRequest } from '../agent/types.ts'
import { tooSlow } from '../base/errors.ts'

/** How much of the time that is left a model may be silent for, where another one waits to take over. */
const FALLBACK_SHARE = 0.5

/**
 * The share of a run's time after which a silent model counts as hanging, for its circuit breaker. It is less than the half
 * after which the fallback model is called.
 */
export const HANG_SHARE = 0.4

/**
 * One call's patience with a model that says nothing: from each sign of life on it may be silent for half of the time that
 * its caller has left. So a reasoning model that thinks for a minute is left alone where there is time for that, and what is
 * left is enough for another model. After that the signal of its request is aborted with a ModelError.
 */
export class StallTimer {
  /** What the silent model is to be called with. */
  readonly request: ModelRequest
  readonly #caller: AbortSignal
  readonly #model: string
  readonly #controller = new AbortController()
  readonly #stop = () => this.#controller.abort(this.#caller.reason)
  readonly #endsAt: number
  #heardAt: number
  #timer: NodeJS.Timeout | undefined

  constructor(model: string, request: ModelRequest, timeMs: number) {
    this.#model = model
    this.#caller = request.signal
    this.#heardAt = performance.now()
    this.#endsAt = this.#heardAt + timeMs
    this.request = { ...request, signal: this.#controller.signal, onSign: () => this.#heard(request) }
    if (this.#caller.aborted) this.#stop()
    else this.#caller.addEventListener('abort', this.#stop)
    this.#watch()
  }

  release(): void {
    clearTimeout(this.#timer)
    this.#caller.removeEventListener('abort', this.#stop)
  }

  #heard(request: ModelRequest): void {
    this.#heardAt = performance.now()
    request.onSign?.()
  }

  /** A sign of life costs no timer: the one that is set looks whether there has been any, and waits on. */
  #watch(): void {
    const ms = (this.#endsAt - this.#heardAt) * FALLBACK_SHARE
    const leftMs = this.#heardAt + ms - performance.now()
    if (leftMs <= 0) this.#controller.abort(tooSlow(`model ${this.#model}: silent for ${(ms / 1000).toFixed(1)} s`))
    else this.#timer = setTimeout(() => this.#watch(), Math.ceil(leftMs))
  }
}
