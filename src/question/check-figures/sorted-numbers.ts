/** Sorted numbers, each with the text it is from. */
import type { QuantityUnit } from './durations.ts'
import type { Reading } from './numbers.ts'

/** A number of a text, and the index of the text. */
export interface IndexedNumber {
  value: number
  of: number
  /** The unit that it is written with. */
  unit?: QuantityUnit | undefined
  /** See `QuantityUnit`. */
  isBinary?: boolean | undefined
}

/** A sorted list of numbers, each with its text. */
export class Numbers {
  readonly #entries: IndexedNumber[]

  constructor(entries: IndexedNumber[]) {
    this.#entries = entries.sort((one, other) => one.value - other.value)
  }

  /** The numbers from `low` to `high`. */
  within(low: number, high: number): IndexedNumber[] {
    const found: IndexedNumber[] = []
    for (let i = firstFrom(this.#entries, ({ value }) => value < low); i < this.#entries.length; i += 1) {
      const entry = this.#entries[i]!
      if (entry.value > high || found.length >= MAX_FOUND) break
      found.push(entry)
    }
    return found
  }

  get values(): number[] {
    return [...new Set(this.#entries.map(({ value }) => value))]
  }
}

/** More sources of one figure are useless. */
const MAX_FOUND = 50

/** The index of the first entry of a sorted list that is not before the wanted ones. */
export function firstFrom<T>(sorted: readonly T[], isBefore: (entry: T) => boolean): number {
  let [from, to] = [0, sorted.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (isBefore(sorted[middle]!)) from = middle + 1
    else to = middle
  }
  return from
}

/** The tolerance for floating-point errors. */
export function slack(value: number): number {
  return 1e-9 * Math.max(1e-6, Math.abs(value))
}

export function around({ value, tolerance }: Reading): [low: number, high: number] {
  const more = tolerance + slack(value)
  return [value - more, value + more]
}

/** The groups of at least so many cells that share a key. */
export function groupsOf<Cell>(cells: readonly Cell[], keysOf: (cell: Cell) => readonly string[], least = 2): Cell[][] {
  const groups = new Map<string, Cell[]>()
  for (const cell of cells)
    for (const key of keysOf(cell)) {
      const group = groups.get(key)
      if (group) group.push(cell)
      else groups.set(key, [cell])
    }
  return [...groups.values()].filter((group) => group.length >= least)
}
