/** Indexes everything that a run has read, so that figures can be looked up. */
import { datesIn, dayNumber, timesIn, type DatePart } from './dates.ts'
import { clockSpansIn, dayTimeOf, MONTH, wordySpansIn, type QuantityUnit } from './durations.ts'
import { masked } from './find-figures.ts'
import { clockAt, instantsIn, type Zone } from './instants.ts'
import { sizesOf } from './number-words.ts'
import { listResults } from './lists.ts'
import { columnQuantities } from './column-units.ts'
import { countsIn } from './count-items.ts'
import { numbersIn, type Numeral, type Reading } from './numbers.ts'
import type { ReadText } from './read-text.ts'
import { indexesOf, WordIndex } from './word-index.ts'
import { around, Numbers, slack, type IndexedNumber } from './sorted-numbers.ts'

/** Quantities and spans of time between read values are in their base unit. */
export class ReadIndex {
  readonly #texts: readonly ReadText[]
  /** The texts as they are written. */
  readonly words: WordIndex
  readonly #plain: Numbers
  /** The numbers that open files which were queried. */
  readonly #opening: Numbers
  readonly #quantities = new Map<string, Numbers>()
  readonly #dates = new Map<string, Set<number>>()
  readonly #times = new Map<number, Set<number>>()
  readonly #days = new Set<number>()
  readonly #instants: IndexedNumber[] = []
  readonly #sums: number[] = []
  readonly #means: number[] = []
  /** The numbers that are written as years, and the others. */
  readonly #years = new Set<number>()
  readonly #counted = new Set<number>()
  /** The numbers in cells of results. */
  readonly cells = new Set<number>()
  /** The numbers in all texts but the openings of files. */
  readonly #read = new Set<number>()
  #spans: Numbers | undefined
  #values: number[] | undefined

  constructor(texts: readonly ReadText[], today: string) {
    this.#texts = texts
    this.words = new WordIndex(texts.map(({ text }) => text))
    const plain: IndexedNumber[] = []
    const opening: IndexedNumber[] = []
    const quantities = new Map<string, IndexedNumber[]>()
    for (const [of, { text, isCell, isOpening, isQueried }] of texts.entries()) {
      for (const instant of instantsIn(text, today)) this.#instants.push({ value: instant, of })
      const add = (value: number, to = isQueried ? opening : plain) => void to.push({ value, of })
      const { dates, rest } = datesIn(text.replace(URL_IN_TEXT, masked), masked)
      for (const { readings } of dates) for (const date of readings) this.#addDate(date, of, add)
      const { times, rest: untimed } = timesIn(rest, masked)
      const numerals = numbersIn(untimed).flatMap((one) => [one, ...(one.parts ?? [])])
      if (!isQueried) this.#addLists(numerals, untimed)
      const dayTimes = numerals.flatMap((one) => dayTimeOf(one.text) ?? [])
      for (const time of [...times.flatMap(({ readings }) => readings), ...dayTimes]) addTo(this.#times, time, of)
      for (const { readings, isPercent, unit, isYear } of numerals)
        for (const { value } of readings) {
          add(value)
          if (isCell) this.cells.add(value)
          if (!isOpening) this.#read.add(value)
          if (isYear) this.#years.add(value)
          else this.#counted.add(value)
          if (isPercent) add(value / 100)
          if (unit) for (const size of sizesOf(unit)) add(toBase(value, size), listOf(quantities, unit.kind))
        }
      for (const [value, unit] of [...wordySpansIn(untimed), ...columnQuantities(untimed)])
        add(toBase(value, unit), listOf(quantities, unit.kind))
      for (const seconds of clockSpansIn(rest)) add(seconds, listOf(quantities, 'time'))
      for (const [, d, m] of untimed.matchAll(DAY_AND_MONTH)) this.#addDate({ m: Number(m), d: Number(d) }, of, add)
      for (const [words, value] of SHARES) if (words.test(untimed)) add(value)
      for (const count of countsIn(text)) add(count)
      // Finds `Node 22` or `Python 3.12` for a version that was read whole.
      for (const [, head = ''] of text.matchAll(/(?<![\w.])v?(\d{1,4}\.\d{1,4})(?:\.\d{1,4}){1,2}(?![\w.]\w)/gi))
        for (const version of [head, head.split('.')[0]]) add(Number(version))
    }
    this.#plain = new Numbers(plain)
    this.#opening = new Numbers(opening)
    for (const [kind, entries] of quantities) this.#quantities.set(kind, new Numbers(entries))
  }

  #addLists(numerals: readonly Numeral[], text: string): void {
    const sorted = numerals.filter(({ isWord }) => !isWord).sort((one, other) => one.at - other.at)
    let [line, from] = [0, 0]
    const listed = sorted.map(({ at, readings }) => {
      for (let end = text.indexOf('\n', from); end >= 0 && end < at; end = text.indexOf('\n', from)) {
        line += 1
        from = end + 1
      }
      const [, key = ''] = KEY.exec(text.slice(Math.max(from, at - 40), at)) ?? []
      return { value: readings[0]!.value, line, key }
    })
    const { sums, means } = listResults(listed)
    for (const sum of sums) this.#sums.push(sum)
    for (const mean of means) this.#means.push(mean)
  }

  /** Returns whether it is the sum, or with `isMean` the mean or median, of all the numbers of some list. */
  isOfList({ value, tolerance }: Reading, isMean: boolean): boolean {
    const isNear = (one: number) => Math.abs(one - value) <= tolerance + slack(value)
    return this.#sums.some(isNear) || (isMean && this.#means.some(isNear))
  }

  /** Returns whether a number is only read where a year stands. */
  isOnlyYear(value: number): boolean {
    return this.#years.has(value) && !this.#counted.has(value)
  }

  /** The texts with a moment at which the clock of a zone shows this. A part that is missing does not matter. */
  instants({ day, second }: { day?: number; second?: number }, zone: Zone): number[] {
    return this.#instants.flatMap(({ value, of }) => {
      const clock = clockAt(value, zone)
      const isIt =
        (day === undefined || day === clock.day) && (second === undefined || second - (second % 60) === clock.second)
      return isIt ? [of] : []
    })
  }

  /** The texts with this phone number, with or without the codes of the country and the area. */
  phone(number: string): number[] {
    const wanted = digitsOf(number)
    return indexesOf(
      this.#texts.map(({ text }) => text),
      (text) =>
        [...text.matchAll(PHONE_IN_TEXT)].some(([found]) => {
          const read = digitsOf(found)
          return read.length >= 7 && (read.endsWith(wanted) || wanted.endsWith(read))
        }),
    )
  }

  #addDate(date: DatePart, of: number, add: (value: number) => void): void {
    const { y, m, d } = date
    if (y !== undefined) {
      add(y)
      this.#years.add(y)
    }
    for (const key of [`${y}-${m}-${d}`, `*-${m}-${d}`, `${y}-${m}-*`, `*-*-${d}`]) addTo(this.#dates, key, of)
    const day = dayNumber(date)
    if (day !== undefined && this.#days.size < MAX_PAIRED) this.#days.add(day)
  }

  /** The texts with a number that rounds to the reading. Among the rows that open a queried file, any number has one. */
  numbers(reading: Reading): IndexedNumber[] {
    const exact = this.#opening.within(...around({ ...reading, tolerance: 0 }))
    return [...this.#plain.within(...around(reading)), ...exact]
  }

  /** The texts with such a quantity, in any unit, and time spans between two dates or times. */
  quantities({ value, tolerance }: Reading, unit: QuantityUnit): IndexedNumber[] {
    const base = { value: toBase(value, unit), tolerance: Math.abs(tolerance * unit.factor) }
    return this.#quantities.get(unit.kind)?.within(...around(base)) ?? []
  }

  /** Returns whether two of the dates or times are this far apart. */
  isSpan({ value, tolerance }: Reading, unit: QuantityUnit): boolean {
    if (unit.kind !== 'time' && unit.kind !== 'months') return false
    this.#spans ??= new Numbers([...spansOf(this.#days, 86_400), ...spansOf(this.#times.keys(), 1)])
    const span = { value: toBase(value, unit), tolerance: tolerance * unit.factor }
    const inSeconds = { value: span.value * MONTH, tolerance: Math.min(span.tolerance, 1 / 2) * MONTH }
    return this.#spans.within(...around(unit.kind === 'time' ? span : inSeconds)).length > 0
  }

  /** The texts with this date. A year that is missing on one side does not matter. */
  dates({ y, m, d }: DatePart): number[] {
    const key = `${y ?? '*'}-${m}-${d ?? '*'}`
    const yearless = y === undefined ? undefined : this.#dates.get(`undefined-${m}-${d}`)
    return [...(this.#dates.get(key) ?? []), ...(yearless ?? [])]
  }

  /** The texts with a date of that day, in any month. */
  days(d: number): number[] {
    return [...(this.#dates.get(`*-*-${d}`) ?? [])]
  }

  /**
   * Returns whether the date is a number of days or weeks away from one that was read, and that number was read too.
   */
  isShifted(date: DatePart): boolean {
    const day = dayNumber(date)
    const spans = this.#quantities.get('time')
    if (day === undefined || !spans) return false
    return [...this.#days].some((other) => {
      const apart = Math.abs(day - other) * 86_400
      return apart > 0 && spans.within(apart - 1, apart + 1).length > 0
    })
  }

  /** The texts with this time of day, by the second or the minute. */
  times(second: number, hasSeconds: boolean): number[] {
    const found = [...(this.#times.get(second) ?? [])]
    if (hasSeconds) return [...found, ...(this.#times.get(second - (second % 60)) ?? [])]
    for (let more = 1; more < 60; more += 1) found.push(...(this.#times.get(second + more) ?? []))
    return found
  }

  /** The different plain numbers, sorted. Beside a query's result, the rows that open its file do not count. */
  get values(): number[] {
    if (this.#values) return this.#values
    const all = this.cells.size > 0 ? this.#read : new Set([...this.#plain.values, ...this.#opening.values])
    this.#values = [...all].sort((one, other) => one - other)
    return this.#values
  }

  placesOf(indexes: Iterable<number>): string[] {
    const places = [...new Set(indexes)].sort((one, other) => one - other).map((i) => this.#texts[i]?.place ?? '')
    const rows = new Map<string, number>()
    const kept = places.filter((place) => {
      const table = ROW.exec(place)?.[1]
      if (table === undefined) return true
      rows.set(table, (rows.get(table) ?? 0) + 1)
      return (rows.get(table) ?? 0) <= MAX_ROWS
    })
    return kept.filter((place) => !rows.has(place) || (rows.get(place) ?? 0) > MAX_ROWS)
  }
}

/** `the table, row 3 (Merino)`. A row is the better place than its table, unless there are many. */
const ROW = /^(.*?), row \d/
const MAX_ROWS = 5
/** `24.12.` may be a day and a month. */
const DAY_AND_MONTH = /(?<![\d.,])(\d{1,2})\.(0?[1-9]|1[0-2])\.(?!\d)/g
/** Numbers that are written without digits. */
const SHARES: [words: RegExp, value: number][] = [
  [/\bhalf\b/i, 1 / 2],
  [/\b(?:a|one)[ -]third\b/i, 1 / 3],
  [/\btwo[ -]thirds\b/i, 2 / 3],
  [/\b(?:a|one)[ -]quarter\b/i, 1 / 4],
  [/\bthree[ -]quarters\b/i, 3 / 4],
  [/\ba dozen\b/i, 12],
]
/** The name before a number, such as a JSON key. */
const KEY = /([\p{L}_][\p{L}\p{N}_ -]{0,30})["'\]]?\s?[:=]\s?["']?$/u
const PHONE_IN_TEXT = /[+(]?\d[\d ()./-]{5,20}\d/g

/** The digits of a phone number without the zeros in front, and without the zero of `+44 (0)20`. */
function digitsOf(number: string): string {
  return number.replace('(0)', '').replace(/\D/g, '').replace(/^0+/, '')
}

const URL_IN_TEXT = /\bhttps?:\/\/[^\s<>|"'`\u0001()[\]]{1,2000}/g
/** The maximum number of dates or times that are compared with each other. */
const MAX_PAIRED = 200

function toBase(value: number, { factor, offset }: QuantityUnit): number {
  return value * factor + offset
}

function spansOf(points: Iterable<number>, factor: number): IndexedNumber[] {
  const some = [...points].slice(0, MAX_PAIRED)
  return some.flatMap((one, i) => some.slice(i + 1).map((other) => ({ value: Math.abs(one - other) * factor, of: -1 })))
}

function addTo<Key>(map: Map<Key, Set<number>>, key: Key, of: number): void {
  const known = map.get(key)
  if (known) known.add(of)
  else map.set(key, new Set([of]))
}

function listOf(map: Map<string, IndexedNumber[]>, key: string): IndexedNumber[] {
  const known = map.get(key) ?? []
  map.set(key, known)
  return known
}
