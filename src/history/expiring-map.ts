export interface ExpiringMapOptions {
  /** Milliseconds that an entry lives after it was last set. */
  ttlMs: number
  /** The most entries kept; beyond it the ones that were set longest ago go first. */
  maxSize: number
  /** The clock, in milliseconds. */
  now: () => number
}

/**
 * A map for a process that runs for a year: bounded in time and in size. Every entry lives equally long, so the order of
 * insertion is the order of expiry and each `set` needs to look only at the oldest ones.
 */
export class ExpiringMap<V> {
  readonly #entries = new Map<string, { value: V; until: number }>()
  readonly #options: ExpiringMapOptions

  constructor(options: ExpiringMapOptions) {
    this.#options = options
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key)
    return entry && entry.until > this.#options.now() ? entry.value : undefined
  }

  has(key: string): boolean {
    return this.get(key) !== undefined
  }

  /** Sets the entry; its time starts now. */
  set(key: string, value: V): void {
    this.#entries.delete(key)
    this.#entries.set(key, { value, until: this.#options.now() + this.#options.ttlMs })
    this.#evict()
  }

  delete(key: string): void {
    this.#entries.delete(key)
  }

  #evict(): void {
    const now = this.#options.now()
    for (const [key, { until }] of this.#entries) {
      if (until > now && this.#entries.size <= this.#options.maxSize) return
      this.#entries.delete(key)
    }
  }
}
