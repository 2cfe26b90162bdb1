/** Finds the sources of an answer's figures, by rules only. */
import { followsFrom, type WantedNumber } from './arithmetic.ts'
import { asciiDigits } from './decimal-digits.ts'
import { factorsIn } from './factor-words.ts'
import { figuresIn, type Figure } from './find-figures.ts'
import {
  enumerates,
  formatted,
  formsOf,
  isMeanOf,
  isRounding,
  isTotal,
  listCounts,
  rounded,
} from './compare-figures.ts'
import { dayNumber, type DatePart } from './dates.ts'
import { dayTimeOf } from './durations.ts'
import { zoneAfter, zoneBefore, type Zone } from './instants.ts'
import { sizesOf } from './number-words.ts'
import { AVERAGE } from './lists.ts'
import { numbersIn, type Numeral } from './numbers.ts'
import { ReadIndex } from './read-index.ts'
import type { ReadText } from './read-text.ts'

/** The maximum number of characters that are searched. If a run has read more, nothing is judged. */
const MAX_READ_CHARS = 8_000_000
const MAX_ANSWER_CHARS = 100_000
/**
 * Figures are derived from the numbers of the whole run only if there are at most this many: among more, every number
 * would match.
 */
const MAX_POOL = 250
/** The maximum number of figures that are tried by arithmetic. */
const MAX_TRIED = 100
/** How many of the ten neighbours may match too: with numbers of the answer and the question, and with all numbers. */
const NEAR_CHANCE = 4
const FAR_CHANCE = 2
/**
 * A number, date, quotation, file name or address of an answer, and its sources. Without sources it is not in what was
 * read.
 */
export interface FoundFigure {
  text: string
  in: string[]
}

/** The distance within which a word for a factor belongs to a figure, in characters. */
const FACTOR_CHARS = 40

interface JudgedTexts {
  question: string
  /** Everything that the run has read, the question included. */
  read: readonly ReadText[]
  /** The current date, for ages. */
  today: Date
  /** The time of the question, which the model knows. */
  askedAt?: Date
}

/**
 * Returns the figures of an answer, each with its sources. A figure without sources is not in what was read.
 * @returns undefined if the run has read too much to search
 */
export function judgeFigures(
  written: string,
  { question, read, today, askedAt }: JudgedTexts,
): FoundFigure[] | undefined {
  const chars = read.reduce((sum, { text }) => sum + text.length, 0)
  if (chars > MAX_READ_CHARS || written.length > MAX_ANSWER_CHARS) return undefined
  const answer = asciiDigits(written)
  const figures = figuresIn(answer)
  if (figures.length === 0) return []
  const day = today.toISOString().slice(0, 10)
  const date = { place: 'today’s date', text: askedAt ? `${day}\n${askedAt.toISOString().slice(0, 16)}Z` : day }
  const texts = [...read, date].map((one) => ({ ...one, text: asciiDigits(one.text) }))
  const index = new ReadIndex(texts, day)
  const judge = new Judge(answer, { question: asciiDigits(question), index, year: today.getUTCFullYear() })
  const judged = judge.judge(figures)
  if (answer.length !== written.length) return judged
  return judged.map(({ text, in: places }, i) => {
    const { kind, at } = figures[i]!
    const isAsIs = kind === 'quotation' || kind === 'address'
    return { text: isAsIs ? text : written.slice(at, at + text.length), in: places }
  })
}

/** `⚠ 1 of 6 figures is not in any source`. @returns undefined if all are, or nothing is known */
export function figuresText(figures: readonly FoundFigure[] | undefined): string | undefined {
  const missing = unsupported(figures)
  if (!figures || missing === 0) return undefined
  return `⚠ ${missing} of ${figures.length} figures ${missing === 1 ? 'is' : 'are'} not in any source`
}

export function unsupported(figures: readonly FoundFigure[] = []): number {
  return figures.filter((figure) => figure.in.length === 0).length
}

interface FigureSources {
  question: string
  index: ReadIndex
  year: number
}

/** A double cannot tell such numbers apart, so they are compared as they are written. */
const MANY_DIGITS = /^\d{16,}$/

class Judge {
  readonly #answer: string
  readonly #index: ReadIndex
  readonly #year: number
  /** The numbers of the question, and those of the answer that are known to be right. */
  readonly #near: Set<number>
  /** The numbers of the answer with a source, in order, for totals. */
  readonly #listed: number[] = []
  readonly #counts: Set<number>
  readonly #zones = new Set<Zone>(['UTC'])
  #tried = 0

  constructor(answer: string, { question, index, year }: FigureSources) {
    this.#answer = answer
    this.#index = index
    this.#year = year
    this.#near = new Set(numbersIn(question.slice(0, MAX_ANSWER_CHARS)).flatMap(operandsOf))
    this.#counts = listCounts(answer)
    for (const count of this.#counts) this.#near.add(count)
  }

  judge(figures: readonly Figure[]): FoundFigure[] {
    for (const figure of figures)
      if (figure.kind === 'time') for (const zone of this.#zonesOf(figure)) this.#zones.add(zone)
    const places = figures.map((figure) => this.#sourcesOf(figure))
    for (const [i, figure] of figures.entries()) if (places[i]!.length > 0) this.#addOperands(figure)
    // A figure may follow from a derived one.
    for (let round = 0; round < 2; round += 1)
      for (const [i, figure] of figures.entries()) {
        if (places[i]!.length > 0) continue
        places[i] = this.#derivationOf(figure)
        if (places[i].length > 0) this.#addOperands(figure)
      }
    return figures.map(({ text }, i) => ({ text, in: places[i]! }))
  }

  #addOperands(figure: Figure): void {
    if (figure.kind !== 'number') return
    for (const value of operandsOf(figure.number)) this.#near.add(value)
    this.#listed.push(figure.number.readings[0]!.value)
  }

  /** The sources that contain the figure, in some form. */
  #sourcesOf(figure: Figure): string[] {
    const index = this.#index
    if (figure.kind === 'quotation') return index.placesOf(index.words.quotation(figure.text))
    if (figure.kind === 'phone')
      return index.placesOf([...index.phone(figure.text), ...index.words.quotation(figure.text)])
    if (figure.kind === 'number') return this.#sourcesOfNumber(figure.number)
    if (figure.kind === 'date') {
      const found = index.placesOf(
        figure.date.readings.flatMap((date) => [...index.dates(date), ...this.#daysAt(date)]),
      )
      if (found.length > 0) return found
      return figure.date.readings.some((date) => index.isShifted(date)) ? ['counted from another date'] : []
    }
    if (figure.kind === 'time') {
      const { readings, hasSeconds } = figure.time
      const zones = this.#zonesOf(figure)
      return index.placesOf(readings.flatMap((second) => this.#timesAt(second, hasSeconds, zones)))
    }
    return index.placesOf(formsOf(figure).flatMap((form) => index.words.literal(form)))
  }

  #timesAt(second: number, hasSeconds: boolean, zones: Zone[]): number[] {
    const instants = zones.flatMap((zone) => this.#index.instants({ second }, zone))
    return [...this.#index.times(second, hasSeconds), ...instants]
  }

  /** The zone that is named behind a time. Without one, UTC and a zone that is named before it. */
  #zonesOf({ at, text }: { at: number; text: string }): Zone[] {
    const after = zoneAfter(this.#answer.slice(at + text.length, at + text.length + 40))
    const before = zoneBefore(this.#answer.slice(Math.max(0, at - 40), at))
    return after === undefined ? [...(before === undefined ? [] : [before]), 'UTC'] : [after]
  }

  /** The texts with a moment of this day, in UTC or a zone that the answer names. */
  #daysAt(date: DatePart): number[] {
    const day = dayNumber({ y: this.#year, ...date })
    return day === undefined ? [] : [...this.#zones].flatMap((zone) => this.#index.instants({ day }, zone))
  }

  #sourcesOfNumber(number: Numeral): string[] {
    const { readings, isPercent, unit, parts = [] } = number
    const index = this.#index
    const isLong = MANY_DIGITS.test(number.text)
    if (isLong && !index.words.hasPowers) return index.placesOf(index.words.digits(number.text))
    const found = readings.flatMap((written) => {
      const reading = rounded(written, number)
      const share = { value: reading.value / 100, tolerance: reading.tolerance / 100 }
      const plain = [...index.numbers(reading), ...(isPercent ? index.numbers(share) : [])]
      const near = plain.filter(({ value }) => isRounding(value, isPercent && value <= 1 ? share : reading, number))
      // `a year` is no rounding of 15 months, but `an hour` may be one of 80 minutes.
      const isNear = (value: number) => unit?.kind !== 'months' || isRounding(value / unit.factor, reading, number)
      const sizes = unit ? sizesOf(unit) : []
      return [...near, ...sizes.flatMap((size) => index.quantities(reading, size)).filter(({ value }) => isNear(value))]
    })
    const time = dayTimeOf(number.text)
    const times = time === undefined ? [] : this.#timesAt(time, false, this.#zonesOf(number))
    const places = index.placesOf([...found.map(({ of }) => of), ...this.#daysOf(number), ...times])
    if (places.length > 0 || parts.length < 2) return places
    // `1 h for the one and 30 min for the other`
    const each = parts.map((part) => this.#sourcesOfNumber(part))
    return each.every((some) => some.length > 0) ? [...new Set(each.flat())] : []
  }

  /** The texts in which the number is a date: `24.12.` or `the 24th`. */
  #daysOf({ text }: Numeral): number[] {
    const [, d, m] = /^(\d{1,2})(?:\.(\d{1,2})|st|nd|rd|th)$/.exec(text) ?? []
    if (d === undefined) return []
    return m === undefined ? this.#index.days(Number(d)) : this.#index.dates({ m: Number(m), d: Number(d) })
  }

  #derivationOf(figure: Figure): string[] {
    if (figure.kind !== 'number') return []
    const { readings, unit, isPercent, text } = figure.number
    const [first] = readings
    if (!first || MANY_DIGITS.test(text)) return []
    const after = this.#answer.slice(figure.at + text.length, figure.at + text.length + 300)
    if (Number.isInteger(first.value) && (this.#counts.has(first.value) || enumerates(after, first.value)))
      return ['counted in the answer']
    if (unit && readings.some((reading) => this.#index.isSpan(reading, unit)))
      return ['the difference between two times in the sources']
    if (isTotal(this.#listed, first)) return ['the sum of figures of the answer']
    const isMean = AVERAGE.test(this.#answer)
    if (this.#listed.length >= 3 && isMean && isMeanOf(this.#listed, first))
      return ['the mean of figures of the answer']
    const ofList = isMean ? readings.map((reading) => rounded(reading, figure.number)) : readings
    if (ofList.some((reading) => this.#index.isOfList(reading, isMean)))
      return ['calculated from a list in the sources']
    if ((this.#tried += 1) > 2 * MAX_TRIED) return []
    const isAge =
      (unit?.kind === 'months' && unit.factor === 12) ||
      after === '' ||
      /\baged?\s$/i.test(this.#answer.slice(0, figure.at).slice(-6))
    for (const reading of readings) {
      const pair = this.#pairOf({ ...rounded(reading, figure.number), isPercent }, isAge, this.#factorsNear(figure))
      if (pair) return [`from ${pair.map(formatted).join(' and ')}`]
    }
    return []
  }

  /** The factors that the words beside a figure name. */
  #factorsNear({ at, text }: { at: number; text: string }): number[] {
    const beside = this.#answer.slice(Math.max(0, at - FACTOR_CHARS), at + text.length + FACTOR_CHARS)
    return factorsIn(beside)
  }

  #pairOf(wanted: WantedNumber, isAge: boolean, factors: number[]): [number, number] | undefined {
    const near = [...this.#near, ...factors].sort((one, other) => one - other)
    const years = this.#index.values.filter((value) => isYearLike(value) && value <= this.#year)
    const age = isAge ? ageFrom([...new Set([...years, this.#year])], wanted.value) : undefined
    if (age) return age
    const isYear = wanted.tolerance === 0
    const found = near.length <= MAX_POOL ? followsFrom(near, wanted, isYear ? FAR_CHANCE : NEAR_CHANCE) : undefined
    if (found || isYear) return found
    for (const factor of factors)
      for (const times of [factor, 1 / factor]) {
        const [read] = this.#index.numbers({ value: wanted.value * times, tolerance: wanted.tolerance * times })
        if (read) return [read.value, factor]
      }
    const cells = [...new Set([...near, ...this.#index.cells])].sort((one, other) => one - other)
    const ofCells = cells.length <= MAX_POOL ? followsFrom(cells, wanted, FAR_CHANCE) : undefined
    if (ofCells) return ofCells
    // The differences of years match almost any number, so years count only for ages and percentages.
    const all = this.#index.values.filter((value) => isAge || wanted.isPercent || !this.#index.isOnlyYear(value))
    return all.length <= MAX_POOL ? followsFrom(all, wanted, FAR_CHANCE) : undefined
  }
}

function isYearLike(value: number): boolean {
  return Number.isInteger(value) && value >= 1500 && value <= 2100
}

/** Returns whether two years are this far apart, or one more because the birthday is still to come. */
function ageFrom(years: readonly number[], age: number): [number, number] | undefined {
  if (years.length > 12) return undefined
  for (const one of years)
    for (const other of years) if (other - one === age || other - one === age + 1) return [one, other]
  return undefined
}

function operandsOf({ readings, isPercent }: Numeral): number[] {
  const value = readings[0]?.value ?? 0
  return isPercent ? [value, value / 100] : [value]
}
