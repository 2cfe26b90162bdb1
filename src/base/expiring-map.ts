export interface ExpiringMapOptions<V> {
  /** Milliseconds that an entry lives after it was last set. */
  ttlMs: number
  /** Upper bound on the number of entries; beyond it the entries that were set longest ago are evicted. */
  maxSize: number
  /** Upper bound on the weight of all values together, and the weight of one value; without it only `maxSize` counts. */
  weight?: { most: number; of: (value: V) => number }
  /** The clock, in milliseconds. */
  now: () => number
}

/**
 * A map for a process that runs for a year: its entries expire and their number is bounded. All entries live equally long, so
 * they expire in the order in which they were set, and each `set` needs to look only at the oldest ones.
 */
export class ExpiringMap<V> {
  readonly #entries = new Map<string, { value: V; until: number; weight: number }>()
  readonly #options: ExpiringMapOptions<V>
  #weight = 0

  constructor(options: ExpiringMapOptions<V>) {
    this.#options = options
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key)
    return entry && entry.until > this.#options.now() ? entry.value : undefined
  }

  has(key: string): boolean {
    return this.get(key) !== undefined
  }

  /** Sets the entry; its `ttlMs` start now. */
  set(key: string, value: V): void {
    this.delete(key)
    const weight = this.#options.weight?.of(value) ?? 0
    this.#entries.set(key, { value, until: this.#options.now() + this.#options.ttlMs, weight })
    this.#weight += weight
    this.#evict()
  }

  delete(key: string): void {
    this.#weight -= this.#entries.get(key)?.weight ?? 0
    this.#entries.delete(key)
  }

  /** The keys of what has not expired, those that were set longest ago first. */
  keys(): string[] {
    return [...this.#entries.keys()].filter((key) => this.has(key))
  }

  #evict(): void {
    const { now, maxSize, weight } = this.#options
    const time = now()
    for (const [key, { until }] of this.#entries) {
      const isOverBounds = this.#entries.size > maxSize || this.#weight > (weight?.most ?? Infinity)
      if (until > time && !isOverBounds) return
      this.delete(key)
    }
  }
}

/** How a store forgets the entries of a channel, or of a team, whose keys begin with its ids: `team:channel:…`. */
export function forgettingIn<V>(map: ExpiringMap<V>) {
  const forget = (beginning: string) => {
    for (const key of map.keys()) if (key.startsWith(beginning)) map.delete(key)
  }
  return {
    forgetChannel: async ({ team, channel }: { team: string; channel: string }) => forget(`${team}:${channel}:`),
    forgetTeam: async (team: string) => forget(`${team}:`),
  }
}
