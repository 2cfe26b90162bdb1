import { movedKey, type Forgetting, type Moving } from './place.ts'

interface ExpiringMapOptions<V> {
  /** Lifetime of an entry after its last `set`, in milliseconds. */
  ttlMs: number
  /** Maximum number of entries. Beyond it, the entries with the oldest `set` are evicted. */
  maxSize: number
  /** Maximum weight of all values together, and the weight of one value. Without it, only `maxSize` counts. */
  weight?: { max: number; of: (value: V) => number }
  /** The clock, in milliseconds. */
  now: () => number
}

/**
 * A bounded map with expiring entries, for a process that runs for a year. All entries have the same lifetime, so they
 * expire in the order of their `set`, and each `set` only checks the oldest ones.
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

  /** Sets the entry and restarts its lifetime. */
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

  /** The keys of unexpired entries, oldest `set` first. */
  keys(): string[] {
    return [...this.#entries.keys()].filter((key) => this.has(key))
  }

  #evict(): void {
    const { now, maxSize, weight } = this.#options
    const time = now()
    for (const [key, { until }] of this.#entries) {
      const isOverBounds = this.#entries.size > maxSize || this.#weight > (weight?.max ?? Infinity)
      if (until > time && !isOverBounds) return
      this.delete(key)
    }
  }
}

/** The `Forgetting` methods for a map whose keys begin with the ids of team and channel: `team:channel:…`. */
export function forgettingIn<V>(map: ExpiringMap<V>): Forgetting {
  const forget = (beginning: string) => {
    for (const key of map.keys()) if (key.startsWith(beginning)) map.delete(key)
  }
  return {
    forgetChannel: async ({ team, channel }) => forget(`${team}:${channel}:`),
    forgetTeam: async (team) => forget(`${team}:`),
  }
}

/** The `Moving` method for such a map. */
export function movingIn<V>(map: ExpiringMap<V>): Moving {
  return {
    async moveChannel(place, to) {
      for (const key of map.keys()) {
        const moved = movedKey(key, place, to)
        if (moved === undefined) continue
        const value = map.get(key)
        if (value !== undefined && !map.has(moved)) map.set(moved, value)
        map.delete(key)
      }
    },
  }
}
