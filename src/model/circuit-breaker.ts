import type { Model, ModelEvent, ModelRequest } from '../agent/contracts/model.ts'
import { isTimeUp, ModelError } from '../base/errors.ts'

interface BreakerOptions {
  /** Consecutive failures that open the breaker. Each of them has had its retries. 4 unless given. */
  failures?: number
  /** Milliseconds until one trial call is allowed. 20,000 unless given. */
  openMs?: number
  /**
   * Milliseconds. If a model has been silent for this long when its caller's time ends, that counts as a failure. After
   * a shorter silence it may only have been thinking.
   */
  hangMs: number
  now: () => number
  /** Called at the start, and whenever the breaker opens or closes. */
  onChange?: ((isOpen: boolean) => void) | undefined
}

/**
 * A circuit breaker (M. Nygard, "Release It!"): after repeated failures, calls fail at once for a while instead of
 * waiting for the same failure. Then one trial call checks whether the model is back.
 */
export function withBreaker(model: Model, options: BreakerOptions): Model {
  const breaker = new Breaker(options)
  return { name: model.name, stream: (request) => guarded(model, breaker, request) }
}

async function* guarded(model: Model, breaker: Breaker, request: ModelRequest): AsyncGenerator<ModelEvent> {
  const call = breaker.enter()
  if (call === 'spared')
    throw new ModelError(`model ${model.name}: paused after repeated failures`, { hint: SPARED, retryable: true })
  const signs = new SignsOfLife(request, breaker.now)
  let hasThrown = false
  try {
    for await (const event of model.stream(signs.request)) {
      if (event.type !== 'restart' && event.type !== 'unseen') signs.heard()
      yield event
    }
    signs.heard()
  } catch (error) {
    hasThrown = true
    if (isTimeUp(request.signal) ? breaker.isHang(signs.heardAt) : isPassing(error)) breaker.failed()
    throw error
  } finally {
    // A caller that has read enough leaves early. The model has succeeded then.
    if (signs.isHeard && !hasThrown) breaker.succeeded()
    if (call === 'trial') breaker.endTrial()
  }
}

class SignsOfLife {
  isHeard = false
  /** Time of the last sign of life, or of the call itself. */
  heardAt: number
  readonly request: ModelRequest
  readonly #now: () => number

  constructor(request: ModelRequest, now: () => number) {
    this.#now = now
    this.heardAt = now()
    this.request = { ...request, onSign: () => (this.heard(), request.onSign?.()) }
  }

  heard(): void {
    this.isHeard = true
    this.heardAt = this.#now()
  }
}

function isPassing(error: unknown): boolean {
  return error instanceof ModelError && error.retryable
}

const SPARED = 'The model has been failing for a while. Please ask again in a minute or two.'

class Breaker {
  readonly now: () => number
  readonly #maxFailures: number
  readonly #openMs: number
  readonly #hangMs: number
  readonly #onChange: BreakerOptions['onChange']
  #failures = 0
  #openUntil = 0
  #isTrying = false

  constructor({ failures = 4, openMs = 20_000, hangMs, now, onChange }: BreakerOptions) {
    this.now = now
    this.#maxFailures = failures
    this.#openMs = openMs
    this.#hangMs = hangMs
    this.#onChange = onChange
    onChange?.(false)
  }

  enter(): 'call' | 'trial' | 'spared' {
    if (this.#failures < this.#maxFailures) return 'call'
    if (this.#isTrying || this.now() < this.#openUntil) return 'spared'
    this.#isTrying = true
    return 'trial'
  }

  isHang(heardAt: number): boolean {
    return this.now() - heardAt >= this.#hangMs
  }

  succeeded(): void {
    if (this.#failures >= this.#maxFailures) this.#onChange?.(false)
    this.#failures = 0
  }

  failed(): void {
    if (++this.#failures === this.#maxFailures) this.#onChange?.(true)
    this.#openUntil = this.now() + this.#openMs
  }

  endTrial(): void {
    this.#isTrying = false
  }
}
