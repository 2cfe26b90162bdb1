/** Indexes everything that a run has read, so that figures can be looked up. */
import { datesIn, dayNumber, timesIn, withIsoDates, type DatePart } from './dates.ts'
import { clockSpansIn, dayTimeOf, wordySpansIn, type QuantityUnit } from './durations.ts'
import { masked } from './find-figures.ts'
import { eraYearsIn } from './han-numerals.ts'
import { clockAt, instantsIn, type Zone } from './instants.ts'
import { sizesOf } from './number-words.ts'
import { cellsIn, withCells } from './cells.ts'
import { RelatedNumbers, type PlacedNumber } from './related-numbers.ts'
import { columnUnits } from './column-units.ts'
import { pairsIn } from './contradictions.ts'
import { countsIn, romansIn } from './count-items.ts'
import { numbersIn, type Numeral, type Reading } from './numbers.ts'
import { ReadSpans } from './read-spans.ts'
import type { ReadText } from './read-text.ts'
import { indexesOf, WordIndex } from './word-index.ts'
import { around, Numbers, type IndexedNumber } from './sorted-numbers.ts'

export class ReadIndex {
  readonly #texts: readonly ReadText[]
  readonly #year: number
  /** The texts as they are written. */
  readonly words: WordIndex
  readonly #plain: Numbers
  /** The numbers that open files which were queried. */
  readonly #opening: Numbers
  readonly #quantities = new Map<string, Numbers>()
  readonly #dates = new Map<string, Set<number>>()
  readonly #times = new Map<number, Set<number>>()
  readonly #instants: IndexedNumber[] = []
  /** The differences between days and times. */
  readonly spans: ReadSpans
  readonly cells: readonly PlacedNumber[]
  /** The results of arithmetic with numbers that stand together. */
  readonly related: RelatedNumbers
  /** The numbers that are written as years. */
  readonly #years = new Set<number>()
  #pairs: Set<string> | undefined
  #isScaled: boolean | undefined

  constructor(texts: readonly ReadText[], today: string) {
    this.#year = Number(today.slice(0, 4))
    this.#texts = texts
    this.spans = new ReadSpans()
    this.words = new WordIndex(texts.map(({ text }) => text))
    const plain: IndexedNumber[] = []
    const opening: IndexedNumber[] = []
    const quantities = new Map<string, IndexedNumber[]>()
    const cells: PlacedNumber[] = []
    for (const [of, { text, isQueried }] of texts.entries()) {
      const { instants, dated } = instantsIn(withIsoDates(text), today)
      for (const value of instants) this.#instants.push({ value, of })
      for (const value of dated) this.spans.addMoment(value / 1000)
      const add = (value: number, to = isQueried ? opening : plain, unit?: QuantityUnit) =>
        void to.push({ value, of, unit })
      const { dates, rest } = datesIn(withCells(text).replace(URL_IN_TEXT, masked), masked)
      for (const { readings } of dates) for (const date of readings) this.#addDate(date, of, add)
      const { times, rest: untimed } = timesIn(rest, masked)
      const numerals = numeralsOf(untimed)
      const isMinor = MINOR_UNITS.test(text)
      if (!isQueried) cells.push(...placedIn(numerals, untimed, { of, isMinor }))
      const dayTimes = numerals.flatMap((one) => dayTimeOf(one.text) ?? [])
      for (const time of [...times.flatMap(({ readings }) => readings), ...dayTimes]) {
        addTo(this.#times, time, of)
        this.spans.addTime(time)
      }
      for (const { text: shown, at, readings, isPercent, unit, isYear } of numerals)
        for (const { value } of readings) {
          add(value, undefined, readings.length === 1 ? unit : undefined)
          if (isYear) this.#years.add(value)
          if (isPercent) add(value / 100)
          // Thousandths of a processor: `250m`.
          if (/^\d+m$/.test(shown)) add(value / 1000)
          if (isMinor && isInMinor(untimed, { value, at })) add(value / 100)
          if (unit) this.spans.addQuantity(toBase(value, unit), unit.kind)
          for (const size of unit ? sizesOf(unit) : [])
            for (const one of size.kind === 'temperature' && isNegative(untimed, at) ? [-value] : [value])
              listOf(quantities, size.kind).push({ value: toBase(one, size), of, isBinary: size.isBinary })
        }
      for (const [value, unit] of wordySpansIn(untimed)) add(toBase(value, unit), listOf(quantities, unit.kind))
      for (const seconds of clockSpansIn(rest)) add(seconds, listOf(quantities, 'time'))
      for (const [, d, m] of untimed.matchAll(DAY_AND_MONTH)) this.#addDate({ m: Number(m), d: Number(d) }, of, add)
      for (const [words, value] of SHARES) if (words.test(untimed)) add(value)
      for (const value of otherNumbersIn(text)) add(value)
    }
    this.#plain = new Numbers(plain)
    this.cells = cells
    this.related = new RelatedNumbers(cells, { chance: 1 })
    this.#opening = new Numbers(opening)
    for (const [kind, entries] of quantities) this.#quantities.set(kind, new Numbers(entries))
  }

  /** The texts with a moment at which the clock of a zone shows this. A part that is missing does not matter. */
  instants({ day, second, hasSeconds }: { day?: number; second?: number; hasSeconds?: boolean }, zone: Zone): number[] {
    return this.#instants.flatMap(({ value, of }) => {
      const clock = clockAt(value, zone)
      const isExact = hasSeconds === true && clock.second % 60 > 0
      const shown = isExact ? clock.second : clock.second - (clock.second % 60)
      const isTime = second === undefined || (isExact ? second : second - (second % 60)) === shown
      return isTime && (day === undefined || day === clock.day) ? [of] : []
    })
  }

  /** The texts with a moment of that day of a month, on the clock of a zone. */
  instantDays(d: number, zone: Zone): number[] {
    return this.#instants.flatMap(({ value, of }) =>
      new Date(clockAt(value, zone).day * 86_400_000).getUTCDate() === d ? [of] : [],
    )
  }

  /** The texts with this phone number, with or without the codes of the country and the area. */
  phone(number: string): number[] {
    const wanted = digitsOf(number)
    return indexesOf(
      this.#texts.map(({ text }) => text),
      (text) =>
        [...text.matchAll(PHONE_IN_TEXT)].some(([found]) => {
          const read = digitsOf(found)
          return read.length >= 7 && ((wanted.length >= 7 && read.includes(wanted)) || wanted.endsWith(read))
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
    const day = dayNumber({ y: this.#year, ...date })
    if (day !== undefined) this.spans.addDay(day)
  }

  /**
   * The texts with a number that rounds to the reading. Among the rows that open a queried file, any number has one.
   */
  numbers(reading: Reading): IndexedNumber[] {
    const exact = this.#opening.within(...around({ ...reading, tolerance: 0 }))
    return [...this.#plain.within(...around(reading)), ...exact]
  }

  /** The texts with such a quantity, in any unit, and time spans between two dates or times. */
  quantities({ value, tolerance }: Reading, unit: QuantityUnit): IndexedNumber[] {
    const base = { value: toBase(value, unit), tolerance: Math.abs(tolerance * unit.factor) }
    const found = this.#quantities.get(unit.kind)?.within(...around(base)) ?? []
    // `5 TB` may be 5 TiB, but never 5.5 TB.
    const isAny = (isBinary?: boolean) => isBinary === undefined || unit.isBinary === undefined
    return found.filter(({ isBinary }) => isAny(isBinary) || isBinary === unit.isBinary)
  }

  /** The scores and other pairs of small numbers. */
  get pairs(): ReadonlySet<string> {
    return (this.#pairs ??= new Set(this.words.texts.flatMap((text) => pairsIn(text)).map(({ pair }) => pair)))
  }

  /** A text says that its values are in thousands or millions. */
  get isScaled(): boolean {
    return (this.#isScaled ??= this.words.texts.some((text) => SCALED.test(text)))
  }

  /** The years that a date without one may be of. */
  yearsOf({ m, d }: DatePart): number[] {
    const near = [this.#year - 1, this.#year, this.#year + 1]
    const read = [...this.#years, ...near].filter((y) => this.#dates.has(`${y}-${m}-${d}`))
    return read.length > 0 ? read : near
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

  /** The texts with this time of day, by the second or the minute. */
  times(second: number, hasSeconds: boolean): number[] {
    const found = [...(this.#times.get(second) ?? [])]
    if (hasSeconds) return [...found, ...(this.#times.get(second - (second % 60)) ?? [])]
    for (let more = 1; more < 60; more += 1) found.push(...(this.#times.get(second + more) ?? []))
    return found
  }

  /** The numbers that may be years. */
  get yearLike(): number[] {
    return [...new Set(this.#plain.within(1500, 2100).map(({ value }) => value))].filter(Number.isInteger)
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

/** The numbers of a text that may be operands: not the parts of durations. */
function placedIn(
  numerals: Numeral[],
  text: string,
  { of, isMinor }: { of: number; isMinor: boolean },
): PlacedNumber[] {
  const parts = new Set(numerals.flatMap((one) => one.parts ?? []))
  const whole = numerals.filter((one) => !parts.has(one))
  return cellsIn(whole, text).map((cell) => ({
    ...cell,
    value: isMinor && isInMinor(text, cell) ? cell.value / 100 : cell.value,
    row: `${of} ${cell.row}`,
    column: `${of} ${cell.column}`,
  }))
}

function isInMinor(text: string, { value, at }: Pick<PlacedNumber, 'value' | 'at'>): boolean {
  return Number.isInteger(value) && MINOR.test(text.slice(Math.max(0, at - 40), at))
}

/** The numbers of a text and the parts of its durations, with the units of their columns. */
function numeralsOf(text: string): Numeral[] {
  const units = columnUnits(text)
  const all = numbersIn(text).flatMap((one) => [one, ...(one.parts ?? [])])
  const unitAt = new Map(all.map(({ at, unit }) => [at, unit]))
  return all.map((one) => {
    if (one.unit || one.isPercent) return one
    const end = one.at + one.text.length
    const [toNext] = TO_NEXT.exec(text.slice(end, end + 8)) ?? []
    const unit = units.get(one.at) ?? (toNext === undefined ? undefined : unitAt.get(end + toNext.length))
    return unit ? { ...one, unit } : one
  })
}

/** Stands between the ends of a range: `-3 / 2 °C`. */
const TO_NEXT = /^\s?(?:[–/-]|to|bis|à|a)\s?[-−]?(?=\d)/u

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
/** `all values in thousand EUR` */
const SCALED =
  /(?<!\p{L})(?:in|en|em) (?:[$€£] ?|(?:USD|EUR|GBP|CHF|JPY|SEK|NOK|DKK) )?(?:thousands?|millions?|billions?|TEUR|kEUR|k€|Tsd|Mio|Mrd|000s?|milliers|miles|crores?|lakhs?)(?!\p{L})|千円|百万円|万元/iu
/** Amounts are written in cents or pence. */
const MINOR_UNITS = /"currency"|\bcents?\b|\bpence\b|\bminor units?\b|_cents\b/i
const MINOR =
  /(?:amount|price|total|fee|balance|net|gross|cost|paid|tax|due|charge|revenue|refund|cents)\w{0,20}["']?\s?[:=|]\s?["']?$/i
const PHONE_IN_TEXT = /[+(]?\d[\d ()./-]{5,20}\d/g

/** The digits of a phone number without the zeros in front, and without the zero of `+44 (0)20`. */
function digitsOf(number: string): string {
  return number.replace('(0)', '').replace(/\D/g, '').replace(/^0+/, '')
}

/** Counts of items, the 50 of `success_last_50`, roman numbers, and `Node 22` or `Python 3.12` for a whole version. */
function otherNumbersIn(text: string): number[] {
  const ofKeys = [...text.matchAll(/[a-z]_(\d{1,4})(?=["'_\s:=])/g)].map(([, digits]) => Number(digits))
  const versions = [...text.matchAll(/(?<![\w.])v?(\d{1,4}\.\d{1,4})(?:\.\d{1,4}){1,2}(?![\w.]\w)/gi)]
  const heads = versions.flatMap(([, head = '']) => [Number(head), Number(head.split('.')[0])])
  return [...countsIn(text), ...ofKeys, ...romansIn(text), ...heads, ...eraYearsIn(text)]
}

const URL_IN_TEXT = /\bhttps?:\/\/[^\s<>|"'`\u0001()[\]]{1,2000}/g
function toBase(value: number, { factor, offset }: QuantityUnit): number {
  return value * factor + offset
}

/** Returns whether a minus stands before a number. */
function isNegative(text: string, at: number): boolean {
  return /(?<![\p{L}\p{N}])[-−–]$/u.test(text.slice(Math.max(0, at - 2), at))
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
