/** Indexes everything that a run has read, so that figures can be looked up. */
import { parseJson } from '../../base/parse-json.ts'
import { datesIn, dayOf, timesIn, type DatePart } from './dates.ts'
import { wordySpansIn, type QuantityUnit } from './durations.ts'
import { masked } from './find-figures.ts'
import { numbersIn, type Reading } from './numbers.ts'

/** A text that a run has read, and its place in words: `step 2`, `handbook.pdf, page 3`. */
export interface ReadText {
  place: string
  text: string
}

/** A number of a text, and the index of the text. */
interface IndexedNumber {
  value: number
  of: number
}

/** A sorted list of numbers, each with its text. */
class Numbers {
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

function around({ value, tolerance }: Reading): [low: number, high: number] {
  const more = tolerance + slack(value)
  return [value - more, value + more]
}

/** Quantities and spans of time between read values are in their base unit. */
export class ReadIndex {
  readonly #texts: readonly ReadText[]
  readonly #plain: Numbers
  readonly #quantities = new Map<string, Numbers>()
  readonly #dates = new Map<string, Set<number>>()
  readonly #times = new Map<number, Set<number>>()
  readonly #days = new Set<number>()
  #lower: string[] | undefined
  #words: string[] | undefined
  #spans: Numbers | undefined
  #values: number[] | undefined

  constructor(texts: readonly ReadText[]) {
    this.#texts = texts
    const plain: IndexedNumber[] = []
    const quantities = new Map<string, IndexedNumber[]>()
    for (const [of, { text }] of texts.entries()) {
      const add = (value: number, to = plain) => void to.push({ value, of })
      const { dates, rest } = datesIn(text.replace(URL_IN_TEXT, masked), masked)
      for (const { readings } of dates) for (const date of readings) this.#addDate(date, of, add)
      const { times, rest: untimed } = timesIn(rest, masked)
      for (const { readings } of times) for (const time of readings) addTo(this.#times, time, of)
      const numerals = numbersIn(untimed).flatMap((one) => [one, ...(one.parts ?? [])])
      for (const { readings, isPercent, unit } of numerals)
        for (const { value } of readings) {
          add(value)
          if (isPercent) add(value / 100)
          if (unit) add(toBase(value, unit), listOf(quantities, unit.kind))
        }
      for (const [value, unit] of wordySpansIn(untimed)) add(toBase(value, unit), listOf(quantities, unit.kind))
      for (const [, d, m] of untimed.matchAll(DAY_AND_MONTH)) this.#addDate({ m: Number(m), d: Number(d) }, of, add)
      for (const [words, value] of SHARES) if (words.test(untimed)) add(value)
      for (const count of countsIn(text)) add(count)
      // Finds `Node 22` or `Python 3.12` for a version that was read whole.
      for (const [, head = ''] of text.matchAll(/(?<![\w.])v?(\d{1,4}\.\d{1,4})(?:\.\d{1,4}){1,2}(?![\w.]\w)/gi))
        for (const version of [head, head.split('.')[0]]) add(Number(version))
    }
    this.#plain = new Numbers(plain)
    for (const [kind, entries] of quantities) this.#quantities.set(kind, new Numbers(entries))
  }

  #addDate(date: DatePart, of: number, add: (value: number) => void): void {
    const { y, m, d } = date
    if (y !== undefined) add(y)
    for (const key of [`${y}-${m}-${d}`, `*-${m}-${d}`, `${y}-${m}-*`, `*-*-${d}`]) addTo(this.#dates, key, of)
    const day = dayOf(date)
    if (day !== undefined && this.#days.size < MAX_PAIRED) this.#days.add(day)
  }

  /** The texts with a number that rounds to the reading. */
  numbers(reading: Reading): IndexedNumber[] {
    return this.#plain.within(...around(reading))
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
    const day = dayOf(date)
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

  /** The texts with these words in a row, ignoring everything between words. An ellipsis stands for any words. */
  quotation(quoted: string): number[] {
    this.#words ??= this.#texts.map(({ text }) => wordsOf(text))
    const parts = quoted.split(/\s*(?:\.{3,}|…|\[\.{3}\]|\[…\])\s*/).map((part) => wordsOf(part).trimEnd())
    return indexesOf(this.#words, (words) => {
      let at = 0
      return parts.every((part) => {
        if (part === '') return true
        const found = words.indexOf(`${part} `, at)
        at = found + part.length
        return found >= 0
      })
    })
  }

  /** The texts that contain this name or address, in any case. */
  literal(name: string): number[] {
    this.#lower ??= this.#texts.map(({ text }) => text.toLowerCase())
    const wanted = name.toLowerCase()
    return indexesOf(this.#lower, (text) => containsWhole(text, wanted))
  }

  /** The different plain numbers, sorted. */
  get values(): number[] {
    return (this.#values ??= this.#plain.values)
  }

  placesOf(indexes: Iterable<number>): string[] {
    return [...new Set(indexes)].sort((one, other) => one - other).map((i) => this.#texts[i]?.place ?? '')
  }
}

/** The mean length of a month, in seconds. */
const MONTH = (365.25 / 12) * 86_400
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

function indexesOf(texts: readonly string[], test: (text: string) => boolean): number[] {
  return [...texts.keys()].filter((i) => test(texts[i] ?? ''))
}

/**
 * Lower case, and a space after each word and number: marks, line breaks and numbers of notes (`[2]`) do not matter.
 */
function wordsOf(text: string): string {
  const words = text
    .replace(/\[\d{1,3}\]/g, ' ')
    .replace(/[[\]'’‘*_`]/g, '')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu)
  return words ? ` ${words.join(' ')} ` : ''
}

/** Returns whether `wanted` is in the text, and not only as a part of a longer name. */
function containsWhole(text: string, wanted: string): boolean {
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
    const isPart = /[\p{L}\p{N}]/u.test(text[at - 1] ?? '') || /[\p{L}\p{N}]/u.test(text[at + wanted.length] ?? '')
    if (!isPart) return true
  }
  return false
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

/** The longest text in which items are counted. */
const COUNTED_CHARS = 100_000

/** The numbers of list items, rows or entries in a text: an answer may say `3 results` although the text does not. */
function countsIn(text: string): number[] {
  if (text.length > COUNTED_CHARS) return []
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const items = lines.filter((line) => /^\s*(?:[-*•+]|\(?\d{1,3}[.)])\s/.test(line)).length
  const rows = lines.filter((line) => /^\s*\|/.test(line)).length
  const counts = [items, rows - 2, ...(lines.length > 2 ? [lines.length, lines.length - 1] : [])]
  return [...counts, ...entriesIn(text)].filter((count) => count > 1)
}

function entriesIn(text: string): number[] {
  if (!/^\s*[[{]/.test(text)) return []
  const value = parseJson(text)
  const parts = [value, ...(typeof value === 'object' && value !== null ? Object.values(value) : [])]
  return parts.flatMap((part) => (Array.isArray(part) ? [part.length] : []))
}
