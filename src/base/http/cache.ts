/** A bounded cache: the least recently used goes first. Sizes are the caller's, in bytes. */
export interface Cache<T> {
  /** Undefined for what was never kept, has gone or has grown too old. */
  get(key: string): T | undefined
  /** `until` is a point on the cache's clock, in milliseconds. */
  set(key: string, value: T, options: { size: number; until: number }): void
}

/** `maxBytes` bounds the sum of the sizes; a value larger than an eighth of it is not kept at all. */
export function createCache<T>(limits: { entries: number; maxBytes: number; now: () => number }): Cache<T> {
  // A Map keeps its keys in the order of their setting: what is used is set anew, so the first key is the oldest.
  const entries = new Map<string, { value: T; size: number; until: number }>()
  let bytes = 0

  const drop = (key: string) => {
    bytes -= entries.get(key)?.size ?? 0
    entries.delete(key)
  }

  return {
    get(key) {
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
    set(key, value, { size, until }) {
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
