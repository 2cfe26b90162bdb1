import { LRUCache } from 'lru-cache'

export type ExpiringCache<V extends CachedValue> = LRUCache<string, V>
type CachedValue = object | string | number | true

interface CacheTimes {
  /** Lifetime of an entry after its last `set`, in milliseconds. */
  ttlMs: number
  /** The clock, in milliseconds. */
  now: () => number
}

interface ExpiringCacheOptions<V> extends CacheTimes {
  /** Maximum number of entries, or of their weight. Beyond it, the least recently used ones are evicted. */
  max: number
  /** The weight of an entry: a positive whole number. Without it, each entry weighs 1. */
  weightOf?: (value: V) => number
}

/** A bounded cache with expiring entries, for a process that runs for a year. */
export function expiringCache<V extends CachedValue>(options: ExpiringCacheOptions<V>): ExpiringCache<V> {
  const { max, weightOf = () => 1 } = options
  // Not the option `max`, for which memory would be reserved.
  return new LRUCache<string, V>({ maxSize: max, sizeCalculation: weightOf, ...cacheTimes(options) })
}

/** The options of a cache that has our clock. */
export function cacheTimes({ ttlMs, now }: CacheTimes) {
  // To lru-cache, a time of 0 is none.
  return { ttl: ttlFor(ttlMs), ttlResolution: 0, perf: { now: () => now() + 1 } }
}

/** lru-cache keeps an entry for its lifetime and the moment after it. A lifetime of 0 is none to it. */
export function ttlFor(ttlMs: number): number {
  return Math.max(1, Math.ceil(ttlMs) - 1)
}

/** Deletes the entries whose keys begin with a text. */
export function deleteBeginning(cache: Pick<ExpiringCache<true>, 'keys' | 'delete'>, beginning: string): void {
  for (const key of [...cache.keys()]) if (key.startsWith(beginning)) cache.delete(key)
}
