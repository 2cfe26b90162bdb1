import { ExpiringMap } from './expiring-map.ts'

export interface PaceOptions {
  /** How many turns there are at once, after a rest. */
  burst: number
  /** One more turn comes in each of these, in ms. */
  everyMs: number
  /** The clock, in ms. */
  now: () => number
}

const MAX_KEYS = 10_000

/** Turns for each key: a token bucket, kept as the time at which the bucket is full again (GCRA). */
export class Pace {
  readonly #options: PaceOptions
  readonly #fullAt: ExpiringMap<number>

  constructor(options: PaceOptions) {
    this.#options = options
    this.#fullAt = new ExpiringMap({ ttlMs: options.burst * options.everyMs, maxSize: MAX_KEYS, now: options.now })
  }

  /** How long until there is a turn, ms. */
  waitMs(key: string): number {
    const { burst, everyMs, now } = this.#options
    return Math.max(0, (this.#fullAt.get(key) ?? 0) - (burst - 1) * everyMs - now())
  }

  /** Takes a turn. Returns false where there is none. */
  take(key: string): boolean {
    if (this.waitMs(key) > 0) return false
    const { everyMs, now } = this.#options
    this.#fullAt.set(key, Math.max(now(), this.#fullAt.get(key) ?? 0) + everyMs)
    return true
  }
}

/** Work that takes a turn each time. What comes without one waits for the next; of several works on one thing the newest is kept. */
export class PacedWork {
  readonly #pace: Pace
  readonly #onError: (error: unknown) => void
  readonly #waiting = new Map<string, () => Promise<void>>()

  /** `onError` is told of the failures of work that had to wait. */
  constructor({ onError, ...options }: PaceOptions & { onError: (error: unknown) => void }) {
    this.#onError = onError
    this.#pace = new Pace(options)
  }

  /** Does the work now, or when there is a turn. Resolves once it is done, or put off. @throws what work that is done now throws */
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
