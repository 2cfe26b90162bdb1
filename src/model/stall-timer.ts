/**
 * How long a model may be silent. Three limits:
 *
 * - with a fallback model: half of the time that its caller has left; then the fallback is called (`FALLBACK_SHARE`)
 * - for its circuit breaker: two fifths of a run's time, if the run ends in that silence; then it counts as hanging
 *   (`HANG_SHARE`)
 * - for the sentence when a run's time is over: 5 s, or a quarter of the call's time; then the model has stalled,
 *   rather than written for too long (`SILENT_MS` and `SILENT_SHARE` in the agent, which must not import this box)
 *
 * A model that is known to read slowly is not silent while it may be reading (reading-speed.ts).
 */
import type { ModelRequest } from '../agent/contracts/model.ts'
import { tooSlow } from '../base/errors.ts'

/** The share of the remaining time for which a model may be silent, if another one can take over. */
const FALLBACK_SHARE = 0.5

/**
 * The share of a run's time after which a silent model counts as hanging, for its circuit breaker. It is less than
 * `FALLBACK_SHARE`.
 */
export const HANG_SHARE = 0.4

/** A request whose caller has set how much time is left. */
interface TimedRequest extends ModelRequest {
  timeMs: number
}

/**
 * Limits the silence of a model during one call: from each sign of life on, it may be silent for half of its caller's
 * remaining time. So a reasoning model that thinks for a minute is left alone if there is time for that, and enough
 * time remains for another model. After that it aborts the request's signal with a ModelError.
 */
export class StallTimer {
  /** The request to call the model with. */
  readonly request: ModelRequest
  readonly #caller: AbortSignal
  readonly #model: string
  readonly #now: () => number
  readonly #controller = new AbortController()
  readonly #stop = () => this.#controller.abort(this.#caller.reason)
  readonly #endsAt: number
  #heardAt: number
  #timer: NodeJS.Timeout | undefined

  constructor(model: string, request: TimedRequest, now: () => number) {
    this.#model = model
    this.#now = now
    this.#caller = request.signal
    this.#heardAt = this.#now()
    this.#endsAt = this.#heardAt + request.timeMs
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
    this.#heardAt = this.#now()
    request.onSign?.()
  }

  /** A sign of life sets no timer. The running timer checks whether there was one, and then waits again. */
  #watch(): void {
    const ms = (this.#endsAt - this.#heardAt) * FALLBACK_SHARE
    const leftMs = this.#heardAt + ms - this.#now()
    if (leftMs <= 0) this.#controller.abort(tooSlow(`model ${this.#model}: silent for ${(ms / 1000).toFixed(1)} s`))
    else this.#timer = setTimeout(() => this.#watch(), Math.ceil(leftMs))
  }
}
