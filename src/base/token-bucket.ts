import { expiringCache, type ExpiringCache } from './expiring-cache.ts'

interface PaceOptions {
  /** How many turns are available at once after a rest. */
  burst: number
  /** Time until one more turn is available, in ms. */
  everyMs: number
  /** The clock, in ms. */
  now: () => number
}

const MAX_KEYS = 10_000

/** A token bucket per key, stored as the time at which the bucket is full again (GCRA). */
export class Pace {
  readonly #options: PaceOptions
  readonly #fullAt: ExpiringCache<number>

  constructor(options: PaceOptions) {
    this.#options = options
    this.#fullAt = expiringCache({ ttlMs: options.burst * options.everyMs, max: MAX_KEYS, now: options.now })
  }

  /** Time until the next turn, in ms. */
  waitMs(key: string): number {
    const { burst, everyMs, now } = this.#options
    return Math.max(0, (this.#fullAt.get(key) ?? 0) - (burst - 1) * everyMs - now())
  }

  /** Takes a turn. Returns false if there is none. */
  take(key: string): boolean {
    if (this.waitMs(key) > 0) return false
    const { everyMs, now } = this.#options
    this.#fullAt.set(key, Math.max(now(), this.#fullAt.get(key) ?? 0) + everyMs)
    return true
  }
}

/**
 * Paces work: without a turn it waits for the next one. Only the newest of several calls for the same thing is kept.
 */
export class PacedWork {
  readonly #pace: Pace
  readonly #onError: (error: unknown) => void
  readonly #waiting = new Map<string, () => Promise<void>>()

  /** `onError` receives the errors of delayed work. */
  constructor(options: PaceOptions, onError: (error: unknown) => void) {
    this.#onError = onError
    this.#pace = new Pace(options)
  }

  /** Runs the work now or at the next turn. Resolves once it is done or delayed. @throws what immediate work throws */
  async run({ key, thing }: { key: string; thing: string }, work: () => Promise<void>): Promise<void> {
    const id = `${key}\n${thing}`
    if (!this.#waiting.has(id) && this.#pace.take(key)) return work()
    if (!this.#waiting.has(id) && this.#waiting.size < MAX_KEYS) this.#later(id, key)
    if (this.#waiting.has(id)) this.#waiting.set(id, work)
  }

  #later(id: string, key: string): void {
    if (!this.#waiting.has(id)) this.#waiting.set(id, async () => {})
    const timer = setTimeout(() => {
      if (!this.#pace.take(key)) return this.#later(id, key)
      const work = this.#waiting.get(id)
      this.#waiting.delete(id)
      work?.().catch(this.#onError)
    }, this.#pace.waitMs(key))
    timer.unref()
  }
}
