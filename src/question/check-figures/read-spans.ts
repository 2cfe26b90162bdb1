/** The differences between the days, times and moments that were read, and the results of counting from them. */
import { MONTH, type QuantityUnit } from './durations.ts'
import { clockAt, type Zone } from './instants.ts'
import type { Reading } from './numbers.ts'
import { around, Numbers } from './sorted-numbers.ts'

/** The maximum number of days or times that are compared with each other. */
const MAX_PAIRED = 200
/** The maximum number of sums of a time and a duration that are tried, and that of days of a birth. */
const MAX_SHIFTED = 60
const MAX_AGES = 30
const MAX_OVERNIGHT = 16
const MAX_RATED = 30
const DAY = 86_400

export class ReadSpans {
  readonly #days = new Set<number>()
  readonly #times = new Set<number>()
  /** Times with a date, in seconds since the epoch. */
  readonly #moments = new Set<number>()
  /** Quantities in their base units, by kind. */
  readonly #quantities = new Map<string, Set<number>>()
  #spans: Numbers | undefined

  addDay(day: number): void {
    if (this.#days.size < MAX_PAIRED) this.#days.add(day)
    this.#spans = undefined
  }

  addTime(second: number): void {
    if (this.#times.size < MAX_PAIRED) this.#times.add(second)
  }

  addMoment(second: number): void {
    if (this.#moments.size < MAX_PAIRED) this.#moments.add(second)
  }

  addQuantity(value: number, kind: string): void {
    const known = this.#quantities.get(kind) ?? new Set()
    this.#quantities.set(kind, known)
    if (known.size < MAX_PAIRED) known.add(value)
  }

  /** Returns whether two of the days, times or moments are this far apart. */
  isApart({ value, tolerance }: Reading, unit: QuantityUnit): boolean {
    if (unit.kind !== 'time' && unit.kind !== 'months') return false
    const span = { value: value * unit.factor, tolerance: tolerance * unit.factor }
    const inSeconds = { value: span.value * MONTH, tolerance: Math.min(span.tolerance, 1 / 2) * MONTH }
    return this.#inSeconds.within(...around(unit.kind === 'time' ? span : inSeconds)).length > 0
  }

  get #inSeconds(): Numbers {
    this.#spans ??= new Numbers(
      [spansOf(this.#days, DAY), this.#betweenTimes, spansOf(this.#moments, 1)]
        .flat()
        .map((value) => ({ value, of: -1 })),
    )
    return this.#spans
  }

  /** Also over midnight, between few times. */
  get #betweenTimes(): number[] {
    const spans = spansOf(this.#times, 1)
    return this.#times.size > MAX_OVERNIGHT ? spans : spans.flatMap((span) => [span, DAY - span])
  }

  /** Returns whether a day is as far from a read day as a read number of days, weeks or months. */
  isShiftedDay(day: number): boolean {
    const spans = this.#ofKind('time')
    const months = this.#ofKind('months')
    return [...this.#days].some((other) => {
      const apart = Math.abs(day - other) * DAY
      const apartMonths = monthsBetween(day, other)
      // The last day of two weeks is the 14th.
      const isLast = (apart / DAY) % 7 === 6 && spans.has(apart + DAY)
      return apart > 0 && (isLast || spans.has(apart) || (apartMonths !== undefined && months.has(apartMonths)))
    })
  }

  /** Returns whether a time of day is a read duration later or earlier than a read time. */
  isShiftedTime(second: number, zone: Zone): boolean {
    const spans = [...this.#ofKind('time')].filter((span) => span > 0 && span < DAY)
    const times = [...this.#times, ...[...this.#moments].map((moment) => clockAt(moment * 1000, zone).second)]
    if (spans.length * times.length > MAX_SHIFTED) return false
    const minuteOf = (one: number) => Math.floor(((one + DAY) % DAY) / 60)
    const minute = minuteOf(second)
    return times.some((time) =>
      spans.some((span) => minuteOf(time + span) === minute || minuteOf(time - span) === minute),
    )
  }

  /** Returns whether one of the days is this many whole years after another. */
  isAge(years: number): boolean {
    if (this.#days.size > MAX_AGES) return false
    return [...this.#days].some((one) =>
      [...this.#days].some((other) => other > one && Math.floor((other - one) / 365.2425) === years),
    )
  }

  /** Returns whether a read length in a read time has this speed, in metres per second. */
  isSpeed(speed: Reading): boolean {
    const lengths = [...this.#ofKind('length')].slice(0, MAX_RATED)
    const spans = this.#inSeconds.values.slice(0, 4 * MAX_RATED)
    const times = [...[...this.#ofKind('time')].slice(0, MAX_RATED), ...spans].filter((time) => time > 0)
    const [low, high] = around(speed)
    return lengths.some((length) => times.some((time) => length / time >= low && length / time <= high))
  }

  #ofKind(kind: string): ReadonlySet<number> {
    return this.#quantities.get(kind) ?? new Set()
  }
}

function spansOf(points: Iterable<number>, factor: number): number[] {
  const some = [...points]
  return some.flatMap((one, i) => some.slice(i + 1).map((other) => Math.abs(one - other) * factor))
}

/** @returns undefined unless both are the same day of a month */
function monthsBetween(one: number, other: number): number | undefined {
  const [from, to] = [new Date(one * DAY * 1000), new Date(other * DAY * 1000)]
  if (from.getUTCDate() !== to.getUTCDate()) return undefined
  return Math.abs((to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth())
}
