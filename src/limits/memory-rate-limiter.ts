import { ExpiringMap } from '../history/expiring-map.ts'
import { KNOWN_MS, keptUntil, MEAN_MS, MEAN_SHARE, takenAtFirst, waitFor } from './rate-limiter.ts'
import type { Bucket, Entry, RateLimiter, Slots } from './rate-limiter.ts'

/** Bounds of the memory. Who is forgotten begins with full buckets. */
const MOST_BUCKETS = 20_000
const MOST_IDS = 50_000

interface Kept {
  fullAt: number
  until: number
}

/** What a question has taken of each bucket, in points, and whether that is what it cost or what was put aside for it. */
interface Taken {
  isBooked: boolean
  points: Map<string, number>
}

/** Fair use in this process's memory. Nothing in here awaits, so each method is one atomic step. */
export function memoryRateLimiter(slots: Slots, now: () => number): RateLimiter {
  const rateLimiter = new MemoryRateLimiter(slots, now)
  return {
    admit: async (entry, buckets) => rateLimiter.admit(entry, buckets),
    release: async (entry, costs) => rateLimiter.release(entry, costs),
  }
}

class MemoryRateLimiter {
  readonly #slots: Slots
  readonly #now: () => number
  readonly #held = new Map<string, number>()
  readonly #kept: ExpiringMap<Kept>
  readonly #means: ExpiringMap<number>
  readonly #known: ExpiringMap<Taken>

  constructor(slots: Slots, now: () => number) {
    this.#slots = slots
    this.#now = now
    // No bucket is kept for longer than two windows of a day.
    this.#kept = new ExpiringMap({ now, ttlMs: 2 * KNOWN_MS, maxSize: MOST_BUCKETS })
    this.#means = new ExpiringMap({ now, ttlMs: MEAN_MS, maxSize: MOST_BUCKETS })
    this.#known = new ExpiringMap({ now, ttlMs: KNOWN_MS, maxSize: MOST_IDS })
  }

  admit<B extends Bucket>(entry: Entry, buckets: B[]): { bucket: B; waitMs: number } | 'slots' | undefined {
    const id = keyOf(entry, entry.id)
    if (!this.#known.has(id)) {
      for (const bucket of buckets) {
        const { fullAt, until } = this.#keptOf(keyOf(entry, bucket.key))
        const waitMs = waitFor(bucket, Math.min(fullAt, until), this.#now())
        if (waitMs > 0) return { bucket, waitMs }
      }
      if (this.#isFull(entry.team)) return 'slots'
      this.#known.set(id, { isBooked: false, points: this.#take(entry, buckets) })
    }
    if (this.#slots.max !== undefined) this.#held.set(id, this.#now() + this.#slots.lapseMs)
    return undefined
  }

  release(entry: Entry, costs: { bucket: Bucket; points: number }[]): void {
    const id = keyOf(entry, entry.id)
    this.#held.delete(id)
    const { isBooked, points: taken } = this.#known.get(id) ?? { isBooked: false, points: new Map<string, number>() }
    for (const { bucket, points: cost } of costs) {
      const before = taken.get(bucket.key) ?? 0
      const points = isBooked && bucket.mean ? Math.max(cost, before) : cost
      const { fullAt } = this.#keptOf(keyOf(entry, bucket.key))
      this.#keep(entry, bucket, fullAt + (points - before) * bucket.pointMs)
      taken.set(bucket.key, points)
      if (bucket.mean && !isBooked) this.#learn(keyOf(entry, bucket.mean), cost)
    }
    this.#known.set(id, { isBooked: true, points: taken })
  }

  /** What time has forgiven is forgiven for good where somebody is let in. */
  #take(entry: Entry, buckets: Bucket[]): Map<string, number> {
    return new Map(
      buckets.map((bucket) => {
        const { fullAt, until } = this.#keptOf(keyOf(entry, bucket.key))
        const mean = bucket.mean === undefined ? undefined : this.#means.get(keyOf(entry, bucket.mean))
        const points = takenAtFirst(bucket, mean)
        this.#keep(entry, bucket, Math.min(fullAt, until) + points * bucket.pointMs)
        return [bucket.key, points]
      }),
    )
  }

  /** A question that has cost nothing, such as one that the model failed, says nothing of the next. */
  #learn(key: string, cost: number): void {
    const mean = this.#means.get(key) ?? cost
    if (cost > 0) this.#means.set(key, mean + (cost - mean) * MEAN_SHARE)
  }

  #isFull(team: string): boolean {
    for (const [name, until] of this.#held) if (until <= this.#now()) this.#held.delete(name)
    const held = [...this.#held.keys()].filter((name) => name.startsWith(`${team} `))
    return held.length >= (this.#slots.max ?? Infinity)
  }

  #keptOf(key: string): Kept {
    const now = this.#now()
    const kept = this.#kept.get(key)
    return kept && kept.until > now ? kept : { fullAt: now, until: now }
  }

  #keep(entry: Entry, bucket: Bucket, at: number): void {
    const [key, now] = [keyOf(entry, bucket.key), this.#now()]
    if (at <= now) this.#kept.delete(key)
    else this.#kept.set(key, { fullAt: at, until: keptUntil(at, bucket, now) })
  }
}

function keyOf({ team }: Entry, key: string): string {
  return `${team} ${key}`
}
