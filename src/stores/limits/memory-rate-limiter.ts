import { deleteBeginning, expiringCache, type ExpiringCache } from '../../base/expiring-cache.ts'
import { capFullAt, MEAN_SMOOTHING, MEAN_TTL_MS, QUESTION_TTL_MS, reservedPoints, waitFor } from './rate-limiter.ts'
import type { Bucket, Charge, AdmittedQuestion, Obstacle, RateLimiter, Slots } from './rate-limiter.ts'

/** Upper bounds of the memory. A bucket that is evicted counts as full. */
const MAX_BUCKETS = 20_000
const MAX_QUESTIONS = 50_000

interface BucketState {
  fullAt: number
  cappedFullAt: number
}

/**
 * The points that a question has taken from each bucket: reserved until its run has ended (`isSettled`), then charged.
 */
interface TakenPoints {
  isSettled: boolean
  points: Map<string, number>
}

/** Fair use in this process's memory. Nothing in here awaits, so each method is one atomic step. */
export class MemoryRateLimiter implements RateLimiter {
  readonly #slots: Slots
  readonly #now: () => number
  /** The time at which each held slot is free again at the latest. */
  readonly #held = new Map<string, number>()
  readonly #buckets: ExpiringCache<BucketState>
  readonly #means: ExpiringCache<number>
  readonly #questions: ExpiringCache<TakenPoints>

  constructor(slots: Slots, { now, questionTtlMs }: { now: () => number; questionTtlMs: number }) {
    this.#slots = slots
    this.#now = now
    // A bucket's debt is capped at two windows, and the longest window is a day.
    this.#buckets = expiringCache({ now, ttlMs: 2 * QUESTION_TTL_MS, max: MAX_BUCKETS })
    this.#means = expiringCache({ now, ttlMs: MEAN_TTL_MS, max: MAX_BUCKETS })
    this.#questions = expiringCache({ now, ttlMs: questionTtlMs, max: MAX_QUESTIONS })
  }

  async admit<B extends Bucket>(entry: AdmittedQuestion, buckets: B[]): Promise<Obstacle<B> | undefined> {
    const id = keyOf(entry, entry.id)
    if (!this.#questions.has(id)) {
      for (const bucket of buckets) {
        const waitMs = waitFor(bucket, this.#stateOf(keyOf(entry, bucket.key)).cappedFullAt, this.#now())
        if (waitMs > 0) return { bucket, waitMs }
      }
      if (this.#isFull(entry.team)) return 'slots'
      this.#questions.set(id, { isSettled: false, points: this.#reserve(entry, buckets) })
    }
    if (this.#slots.max !== undefined) this.#held.set(id, this.#now() + this.#slots.ttlMs)
    return undefined
  }

  async release(entry: AdmittedQuestion, charges: Charge[]): Promise<void> {
    const id = keyOf(entry, entry.id)
    this.#held.delete(id)
    const { isSettled, points: taken } = this.#questions.get(id) ?? {
      isSettled: false,
      points: new Map<string, number>(),
    }
    for (const { bucket, points: cost } of charges) {
      const before = taken.get(bucket.key) ?? 0
      const points = isSettled && bucket.mean ? Math.max(cost, before) : cost
      const { fullAt } = this.#stateOf(keyOf(entry, bucket.key))
      this.#setFullAt(entry, bucket, fullAt + (points - before) * bucket.pointMs)
      taken.set(bucket.key, points)
      if (bucket.mean && !isSettled) this.#learn(keyOf(entry, bucket.mean), cost)
    }
    this.#questions.set(id, { isSettled: true, points: taken })
  }

  async fillTimes(team: string, buckets: Bucket[]): Promise<number[]> {
    return buckets.map(({ key }) => this.#stateOf(keyOf({ team }, key)).cappedFullAt - this.#now())
  }

  async forgetTeam(team: string): Promise<void> {
    for (const cache of [this.#buckets, this.#means, this.#questions]) deleteBeginning(cache, keyOf({ team }, ''))
    for (const id of this.#held.keys()) if (id.startsWith(keyOf({ team }, ''))) this.#held.delete(id)
  }

  /** Starts from the capped debt: what exceeds the cap is forgiven for good once a question is admitted. */
  #reserve(entry: AdmittedQuestion, buckets: Bucket[]): Map<string, number> {
    return new Map(
      buckets.map((bucket) => {
        const { cappedFullAt } = this.#stateOf(keyOf(entry, bucket.key))
        const mean = bucket.mean === undefined ? undefined : this.#means.get(keyOf(entry, bucket.mean))
        const points = reservedPoints(bucket, mean)
        this.#setFullAt(entry, bucket, cappedFullAt + points * bucket.pointMs)
        return [bucket.key, points]
      }),
    )
  }

  /** A question that cost nothing, such as one that the model failed, does not change the mean. */
  #learn(key: string, cost: number): void {
    const mean = this.#means.get(key) ?? cost
    if (cost > 0) this.#means.set(key, mean + (cost - mean) * MEAN_SMOOTHING)
  }

  #isFull(team: string): boolean {
    for (const [id, until] of this.#held) if (until <= this.#now()) this.#held.delete(id)
    const held = [...this.#held.keys()].filter((id) => id.startsWith(keyOf({ team }, '')))
    return held.length >= (this.#slots.max ?? Infinity)
  }

  #stateOf(key: string): BucketState {
    const now = this.#now()
    const state = this.#buckets.get(key)
    return state && state.cappedFullAt > now ? state : { fullAt: now, cappedFullAt: now }
  }

  #setFullAt(entry: AdmittedQuestion, bucket: Bucket, fullAt: number): void {
    const [key, now] = [keyOf(entry, bucket.key), this.#now()]
    if (fullAt <= now) this.#buckets.delete(key)
    else this.#buckets.set(key, { fullAt, cappedFullAt: capFullAt(fullAt, bucket, now) })
  }
}

function keyOf({ team }: Pick<AdmittedQuestion, 'team'>, key: string): string {
  return `${team} ${key}`
}
