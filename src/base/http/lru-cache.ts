/**
 * Creates a bounded LRU cache. The caller supplies the sizes in bytes; `maxBytes` bounds their sum. A value larger than
 * an eighth of it is not stored.
 */
export function createCache<T>(limits: { entries: number; maxBytes: number; now: () => number }) {
  // A Map keeps insertion order. Each use inserts the key again, so the first key is the least recently used.
  const entries = new Map<string, { value: T; size: number; until: number }>()
  let bytes = 0

  const drop = (key: string) => {
    bytes -= entries.get(key)?.size ?? 0
    entries.delete(key)
  }

  return {
    /** Undefined if the value was not stored, was evicted or has expired. */
    get(key: string): T | undefined {
      const entry = entries.get(key)
      if (!entry) return undefined
      entries.delete(key)
      if (entry.until <= limits.now()) {
        bytes -= entry.size
        return undefined
      }
      entries.set(key, entry)
      return entry.value
    },
    /** `until` is when the value expires, in milliseconds of the cache's clock. */
    set(key: string, value: T, { size, until }: { size: number; until: number }): void {
      drop(key)
      if (size > limits.maxBytes / 8) return
      entries.set(key, { value, size, until })
      bytes += size
      for (const oldest of entries.keys()) {
        if (entries.size <= limits.entries && bytes <= limits.maxBytes) break
        drop(oldest)
      }
    },
  }
}
