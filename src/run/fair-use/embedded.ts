import { ExpiringMap } from '../../history/expiring-map.ts'
import { debtLimit, KNOWN_MS, waitFor, type Bucket, type Entry, type Ledger, type Places } from './ledger.ts'

/** Bounds of the memory. Who is forgotten begins with full buckets. */
const MOST_BUCKETS = 20_000
const MOST_IDS = 50_000

/** Fair use in this process's memory. Nothing in here awaits, so each method is one atomic step. */
export function embeddedLedger({ max, lapseMs }: Places, now: () => number): Ledger {
  // The longest debt is two windows of a day.
  const fullAt = new ExpiringMap<number>({ now, ttlMs: 2 * KNOWN_MS, maxSize: MOST_BUCKETS })
  const known = new ExpiringMap<'admitted' | 'settled'>({ now, ttlMs: KNOWN_MS, maxSize: MOST_IDS })
  const places = new Map<string, number>()
  const keyOf = ({ team }: Entry, bucket: Bucket) => `${team} ${bucket.key}`
  const nameOf = ({ team, id }: Entry) => `${team} ${id}`

  const isFull = (team: string) => {
    for (const [name, until] of places) if (until <= now()) places.delete(name)
    return [...places.keys()].filter((name) => name.startsWith(`${team} `)).length >= (max ?? Infinity)
  }
  const take = (entry: Entry, bucket: Bucket, points: number) => {
    const key = keyOf(entry, bucket)
    const later = Math.max(fullAt.get(key) ?? 0, now()) + points * bucket.pointMs
    fullAt.set(key, Math.min(later, debtLimit(bucket, now())))
  }

  return {
    async admit(entry, buckets) {
      if (!known.has(nameOf(entry))) {
        for (const bucket of buckets) {
          const waitMs = waitFor(bucket, fullAt.get(keyOf(entry, bucket)) ?? 0, now())
          if (waitMs > 0) return { bucket, waitMs }
        }
        if (isFull(entry.team)) return 'places'
        for (const bucket of buckets) if (bucket.takes) take(entry, bucket, 1)
        known.set(nameOf(entry), 'admitted')
      }
      if (max !== undefined) places.set(nameOf(entry), now() + lapseMs)
      return undefined
    },
    async settle(entry, costs) {
      places.delete(nameOf(entry))
      if (known.get(nameOf(entry)) === 'settled') return
      known.set(nameOf(entry), 'settled')
      for (const { bucket, points } of costs) take(entry, bucket, points)
    },
  }
}
