/** The seed of this run, from vitest.chaos.config.ts. */
const SEED = Number(process.env.CHAOS_SEED ?? 1)

/** Random numbers that the seed reproduces. */
export interface SeededRandom {
  /** Returns a number from 0 to 1. */
  next(): number
  /** Returns a whole number from `min` to `max`. */
  between(min: number, max: number): number
  pick<T>(items: readonly T[]): T
  shuffled<T>(items: readonly T[]): T[]
}

/**
 * Returns a scenario's own generator (mulberry32), so that scenarios do not affect each other's numbers.
 */
export function randomFor(scenario: string): SeededRandom {
  let state = [...scenario].reduce((sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0), SEED) >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (min: number, max: number) => min + Math.floor(next() * (max - min + 1))
  return {
    next,
    between,
    pick: (items) => items[between(0, items.length - 1)]!,
    shuffled(items) {
      const keyed = items.map((item) => ({ item, key: next() }))
      return keyed.toSorted((a, b) => a.key - b.key).map(({ item }) => item)
    },
  }
}
