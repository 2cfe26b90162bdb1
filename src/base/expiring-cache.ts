import { LRUCache } from 'lru-cache'

interface ExpiringCacheOptions<V> {
  /** Lifetime of an entry after its last `set`, in milliseconds. */
  ttlMs: number
  /** Maximum number of entries, or of their weight. Beyond it, the least recently used ones are evicted. */
  max: number
  /** The weight of an entry: a positive whole number. Without it, each entry weighs 1. */
  weightOf?: (value: V) => number
  /** The clock, in milliseconds. */
  now: () => number
}

/** A bounded cache with expiring entries, for a process that runs for a year. */
export function expiringCache<V extends object | string | number | true>({
  max,
  weightOf,
  ...times
}: ExpiringCacheOptions<V>): LRUCache<string, V> {
  return new LRUCache<string, V>({
    // Not `max`, for which memory would be reserved.
    maxSize: max,
    sizeCalculation: weightOf ?? (() => 1),
    ttl: ttlFor(times.ttlMs),
    ttlResolution: 0,
    // To lru-cache, a time of 0 is none.
    perf: { now: () => times.now() + 1 },
  })
}

/** lru-cache keeps an entry for its lifetime and the moment after it. A lifetime of 0 is none to it. */
export function ttlFor(ttlMs: number): number {
  return Math.max(1, ttlMs - 1)
}
