/** Finds the sources of an answer's figures, by rules only. */
import { asciiDigits } from './decimal-digits.ts'
import { figuresIn, type Figure } from './find-figures.ts'
import { Derivations } from './derive-figure.ts'
import { formsOf, isRounding, MANY_DIGITS, rounded } from './compare-figures.ts'
import { dayNumber, type DatePart } from './dates.ts'
import { dayTimeOf, type QuantityUnit } from './durations.ts'
import { zoneAfter, zoneBefore, type Zone } from './instants.ts'
import { sizesOf, unitOf } from './number-words.ts'
import { isOnOtherWeekday, pairsIn, wrongResults } from './contradictions.ts'
import type { Numeral, Reading } from './numbers.ts'
import { ReadIndex } from './read-index.ts'
import type { IndexedNumber } from './sorted-numbers.ts'
import type { ReadText } from './read-text.ts'

/** The maximum number of characters that are searched. If a run has read more, nothing is judged. */
const MAX_READ_CHARS = 8_000_000
const MAX_ANSWER_CHARS = 100_000
/**
 * A number, date, quotation, file name or address of an answer, and its sources. Without sources it is not in what was
 * read.
 */
export interface FoundFigure {
  text: string
  in: string[]
}

/** `th and 20th centuries` */
const CENTURY = /^(?:(?:,| and| or| to|–)+ ?\d{1,2}\w\w)* centur(?:y|ies)\b/i

/** A zone is named at most this far before a time. */
const SENTENCE_CHARS = 160
/** A unit counts for another number of the sentence within this distance. */
const BESIDE_CHARS = 80
interface JudgedTexts {
  question: string
  /** Everything that the run has read, the question included. */
  read: readonly ReadText[]
  /** The current date, for ages. */
  today: Date
  /** The time of the question, which the model knows. */
  askedAt?: Date
}

/** Slack's references to people, channels and groups, whose ids are no figures. */
const MENTION = /<[@#!][^<>\n]{1,200}>/g

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
  const answer = asciiDigits(written.replace(MENTION, (mention) => ' '.repeat(mention.length)))
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

class Judge {
  readonly #answer: string
  readonly #index: ReadIndex
  readonly #year: number
  readonly #derivations: Derivations
  readonly #zones = new Set<Zone>(['UTC'])

  constructor(answer: string, { question, index, year }: FigureSources) {
    this.#answer = answer
    this.#index = index
    this.#year = year
    this.#derivations = new Derivations(answer, { question: question.slice(0, MAX_ANSWER_CHARS), index, year })
  }

  judge(figures: readonly Figure[]): FoundFigure[] {
    for (const figure of figures)
      if (figure.kind === 'time') for (const zone of this.#zonesOf(figure)) this.#zones.add(zone)
    const places = figures.map((figure) => {
      const found = this.#sourcesOf(figure)
      return found.length > 0
        ? found
        : this.#withUnitsBeside(figure, figures).flatMap((one) => this.#sourcesOfNumber(one))
    })
    // A figure may follow from a derived one.
    for (let round = 0; round < 3; round += 1) {
      const isKnown = (i: number) => places[i]!.length > 0
      this.#derivations.learn(figures.flatMap((one, i) => (one.kind === 'number' && isKnown(i) ? [one.number] : [])))
      for (const [i, figure] of figures.entries())
        if (figure.kind === 'number' && !isKnown(i)) places[i] = this.#derivations.of(figure.number)
    }
    const wrong = this.#contradicted()
    return figures.map((figure, i) => {
      const { text, at } = figure
      const isWrong = wrong.some((span) => at >= span.at && at < span.end)
      return {
        text,
        in: isWrong || isOnOtherWeekday(figure, this.#answer, (date) => this.#index.yearsOf(date)) ? [] : places[i]!,
      }
    })
  }

  /** The places that contradict themselves or what was read: results of equations, and scores. */
  #contradicted(): { at: number; end: number }[] {
    const { pairs } = this.#index
    const scores = pairs.size === 0 ? [] : pairsIn(this.#answer).filter(({ pair }) => !pairs.has(pair))
    return [...wrongResults(this.#answer), ...scores]
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
      // `between March and August`, in a text with the year
      const [name = ''] = /^\p{L}{3,}/u.exec(figure.text) ?? []
      if (name && figure.date.readings.some(({ y = 0, d }) => d === undefined && index.yearLike.includes(y))) {
        const named = index.placesOf(index.words.literal(name))
        if (named.length > 0) return named
      }
      const days = figure.date.readings.flatMap((date) =>
        [this.#year, this.#year + 1].flatMap((y) => dayNumber({ y, ...date }) ?? []),
      )
      const shifted = days.filter((day) => index.spans.isShiftedDay(day))
      // `on 1 January, in 36 days`
      for (const day of shifted) index.spans.addDay(day)
      return shifted.length > 0 ? ['counted from another date'] : []
    }
    if (figure.kind === 'time') {
      const { readings, hasSeconds } = figure.time
      const zones = this.#zonesOf(figure)
      const found = index.placesOf([
        ...readings.flatMap((second) => this.#timesAt(second, hasSeconds, zones)),
        ...clockReadings(figure.text).flatMap((reading) => index.quantities(reading, SECOND).map(({ of }) => of)),
      ])
      if (found.length > 0) return found
      // `2:22 behind the winner`
      const isGap = AFTER_GAP.test(this.#answer.slice(figure.at + figure.text.length).slice(0, 20))
      if (isGap && clockReadings(figure.text).some((reading) => index.spans.isApart(reading, SECOND)))
        return ['the difference between two times in the sources']
      if (readings.some((second) => zones.some((zone) => index.spans.isShiftedTime(second, zone))))
        return ['counted from another time']
      const isPace = PACE.exec(this.#answer.slice(figure.at + figure.text.length).slice(0, 20))
      const metres = isPace ? (unitOf(isPace[1]!)?.factor ?? 1) : 0
      const isOfPace = clockReadings(figure.text).some(({ value, tolerance }) =>
        index.spans.isSpeed({ value: metres / value, tolerance: (tolerance * metres) / value ** 2 }),
      )
      return isPace && isOfPace ? ['calculated from a length and a time'] : []
    }
    const isLong = figure.kind === 'id' && !/[-.]/.test(figure.text)
    if (isLong) return index.placesOf(index.words.compact(figure.text))
    return index.placesOf(formsOf(figure).flatMap((form) => index.words.literal(form)))
  }

  #timesAt(second: number, hasSeconds: boolean, zones: Zone[]): number[] {
    const instants = zones.flatMap((zone) => this.#index.instants({ second, hasSeconds }, zone))
    return [...this.#index.times(second, hasSeconds), ...instants]
  }

  /** The zone that is named behind a time. Without one, UTC and a zone that is named before it. */
  #zonesOf({ at, text }: { at: number; text: string }): Zone[] {
    const after = zoneAfter(this.#answer.slice(at + text.length, at + text.length + 40))
    const before = zoneBefore(this.#answer.slice(Math.max(0, at - SENTENCE_CHARS), at))
    if (after === undefined) return [...(before === undefined ? [] : [before]), 'UTC']
    // `In New York at 11:30, in Berlin at 17:30`
    const isNext =
      before !== undefined && /^\s?(?:[ap]\.?m\.?)?,/.test(this.#answer.slice(at + text.length).slice(0, 8))
    return isNext ? [before, after] : [after]
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
    // `2.3bn` for 2,314 in a table in millions
    const inTable = index.isScaled && readings.length > 1 ? [1e3, 1e6].map((by) => divided(readings[0]!, by)) : []
    const found = [...readings, ...inTable].flatMap((written) => {
      const reading = rounded(written, number)
      const share = divided(reading, 100)
      const isSame = ({ unit: other }: IndexedNumber) =>
        !other || (unit ? other.kind === unit.kind && other.factor === unit.factor : !isPercent)
      const plain = [...index.numbers(reading), ...(isPercent ? index.numbers(share) : [])].filter(isSame)
      const near = plain.filter(({ value }) => isRounding(value, isPercent && value <= 1 ? share : reading, number))
      // `a year` is no rounding of 15 months, but `an hour` may be one of 80 minutes.
      const isNear = (value: number) => unit?.kind !== 'months' || isRounding(value / unit.factor, reading, number)
      const sizes = unit ? sizesOf(unit) : []
      return [...near, ...sizes.flatMap((size) => index.quantities(reading, size)).filter(({ value }) => isNear(value))]
    })
    const time = dayTimeOf(number.text)
    const times = time === undefined ? [] : this.#timesAt(time, false, this.#zonesOf(number))
    const names = number.text.match(/^\d+\.\d+$/) && number.text.length > 8 ? index.words.compact(number.text) : []
    const places = index.placesOf([...found.map(({ of }) => of), ...this.#daysOf(number), ...times, ...names])
    if (places.length > 0 || parts.length < 2) return places
    // `1 h for the one and 30 min for the other`
    const each = parts.map((part) => this.#sourcesOfNumber(part))
    return each.every((some) => some.length > 0) ? [...new Set(each.flat())] : []
  }

  /** A bare number with the units of its sentence: `50, 51 and 54 GiB`, `it takes 130 minutes; the target is 180`. */
  #withUnitsBeside(figure: Figure, figures: readonly Figure[]): Numeral[] {
    if (figure.kind !== 'number' || figure.number.unit || figure.number.isPercent || figure.number.isWord) return []
    const { at, number } = figure
    const beside = figures.flatMap((one) => {
      const between = this.#answer.slice(Math.min(at, one.at), Math.max(at, one.at))
      const isNear = between.length <= BESIDE_CHARS && !/[.!?]\s|\n/.test(between)
      return one.kind === 'number' && one.number.unit && isNear ? [one.number.unit] : []
    })
    const units = new Map(beside.map((unit) => [`${unit.kind} ${unit.factor}`, unit]))
    return [...units.values()].slice(0, 2).map((unit) => ({ ...number, unit }))
  }

  /** The texts in which the number is a date: `24.12.` or `the 24th`. */
  #daysOf({ text, at }: Numeral): number[] {
    const [, d, m] = /^(\d{1,2})(?:\.(\d{1,2})|st|nd|rd|th)$/.exec(text) ?? []
    if (d === undefined) return []
    const after = this.#answer.slice(at + text.length, at + text.length + 40)
    if (CENTURY.test(after)) {
      const middle = { value: Number(d) * 100 - 49.5, tolerance: 49.5 }
      return this.#index.numbers(middle).map(({ of }) => of)
    }
    if (m !== undefined) return this.#index.dates({ m: Number(m), d: Number(d) })
    const inZones = [...this.#zones].flatMap((zone) => this.#index.instantDays(Number(d), zone))
    return [...this.#index.days(Number(d)), ...inZones]
  }
}

function divided({ value, tolerance }: Reading, by: number): Reading {
  return { value: value / by, tolerance: tolerance / by }
}

/** `1:05:06` and `5:15` as durations. */
function clockReadings(text: string): Reading[] {
  const [, a, b, c] = /^(\d{1,2}):(\d\d)(?::(\d\d))?$/.exec(text) ?? []
  if (a === undefined) return []
  if (c !== undefined) return [{ value: Number(a) * 3600 + Number(b) * 60 + Number(c), tolerance: 0.5 }]
  const first = Number(a) * 60 + Number(b)
  return [
    { value: first, tolerance: 0.5 },
    { value: first * 60, tolerance: 30 },
  ]
}

const SECOND: QuantityUnit = { kind: 'time', factor: 1, offset: 0 }
const AFTER_GAP =
  /^\s?(?:min(?:utes?)?\s|h(?:ours?)?\s)?(?:behind|ahead|later|earlier|slower|faster|before|after|longer|shorter|more|less)(?!\p{L})/u
const PACE = /^\s?(?:min(?:utes?)?)?\s?(?:\/|per\s|pro\s)\s?(km|mi|miles?|kilomet(?:re|er))(?!\p{L})/iu
