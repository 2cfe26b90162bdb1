/** Finds the sources of an answer's figures, by rules only. */
import { followsFrom, type WantedNumber } from './arithmetic.ts'
import { figuresIn, type Figure } from './find-figures.ts'
import { numbersIn, type Numeral, type Reading } from './numbers.ts'
import { ReadIndex, type ReadText } from './read-index.ts'

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
/** Rounding to one digit changes a number by this much at most, unless the answer says `about`. */
const ONE_DIGIT_ERROR = 0.05

/**
 * A number, date, quotation, file name or address of an answer, and its sources. Without sources it is not in what was
 * read.
 */
export interface FoundFigure {
  text: string
  in: string[]
}

/** Words for a factor or a divisor. */
const FRACTIONS: [words: RegExp, value: number][] = [
  [/\b(?:half|halves|twice|doubled?|doubles)\b/i, 2],
  [/\b(?:thirds?|tripled?|triples)\b/i, 3],
  [/\bquarters?\b/i, 4],
]

interface JudgedTexts {
  question: string
  /** Everything that the run has read, the question included. */
  read: readonly ReadText[]
  /** The current date, for ages. */
  today: Date
}

/**
 * Returns the figures of an answer, each with its sources. A figure without sources is not in what was read.
 * @returns undefined if the run has read too much to search
 */
export function judgeFigures(answer: string, { question, read, today }: JudgedTexts): FoundFigure[] | undefined {
  const chars = read.reduce((sum, { text }) => sum + text.length, 0)
  if (chars > MAX_READ_CHARS || answer.length > MAX_ANSWER_CHARS) return undefined
  const figures = figuresIn(answer)
  if (figures.length === 0) return []
  const date = { place: 'today’s date', text: today.toISOString().slice(0, 10) }
  return new Judge(answer, { question, index: new ReadIndex([...read, date]), year: today.getUTCFullYear() }).judge(
    figures,
  )
}

/** `1 of 6 figures is not from a source`. @returns undefined if all are, or nothing is known */
export function figuresText(figures: readonly FoundFigure[] | undefined): string | undefined {
  const missing = unsupported(figures)
  if (!figures || missing === 0) return undefined
  return `${missing} of ${figures.length} figures ${missing === 1 ? 'is' : 'are'} not from a source`
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
  /** The numbers of the question, and those of the answer that are known to be right. */
  readonly #near: Set<number>
  /** The numbers of the answer with a source, in order, for totals. */
  readonly #listed: number[] = []
  readonly #counts: Set<number>
  #tried = 0

  constructor(answer: string, { question, index, year }: FigureSources) {
    this.#answer = answer
    this.#index = index
    this.#year = year
    this.#near = new Set(numbersIn(question.slice(0, MAX_ANSWER_CHARS)).flatMap(operandsOf))
    for (const [words, value] of FRACTIONS) if (words.test(answer)) this.#near.add(value)
    this.#counts = listCounts(answer)
    for (const count of this.#counts) this.#near.add(count)
  }

  judge(figures: readonly Figure[]): FoundFigure[] {
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
    if (figure.kind === 'quotation') return index.placesOf(index.quotation(figure.text))
    if (figure.kind === 'number') return this.#sourcesOfNumber(figure.number)
    if (figure.kind === 'date') {
      const found = index.placesOf(figure.date.readings.flatMap((date) => index.dates(date)))
      if (found.length > 0) return found
      return figure.date.readings.some((date) => index.isShifted(date)) ? ['counted from another date'] : []
    }
    if (figure.kind === 'time') {
      const { readings, hasSeconds } = figure.time
      return index.placesOf(readings.flatMap((time) => index.times(time, hasSeconds)))
    }
    return index.placesOf(formsOf(figure).flatMap((form) => index.literal(form)))
  }

  #sourcesOfNumber(number: Numeral): string[] {
    const { readings, isPercent, unit, parts = [] } = number
    const index = this.#index
    const found = readings.flatMap((written) => {
      const reading = rounded(written, number)
      const share = { value: reading.value / 100, tolerance: reading.tolerance / 100 }
      const plain = [...index.numbers(reading), ...(isPercent ? index.numbers(share) : [])]
      const near = plain.filter(({ value }) => isRounding(value, isPercent && value <= 1 ? share : reading, number))
      // `a year` is no rounding of 15 months, but `an hour` may be one of 80 minutes.
      const isNear = (value: number) => unit?.kind !== 'months' || isRounding(value / unit.factor, reading, number)
      return [...near, ...(unit ? index.quantities(reading, unit).filter(({ value }) => isNear(value)) : [])]
    })
    const places = index.placesOf([...found.map(({ of }) => of), ...this.#daysOf(number)])
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
    if (!first) return []
    const after = this.#answer.slice(figure.at + text.length, figure.at + text.length + 300)
    if (Number.isInteger(first.value) && (this.#counts.has(first.value) || enumerates(after, first.value)))
      return ['counted in the answer']
    if (unit && readings.some((reading) => this.#index.isSpan(reading, unit)))
      return ['the time between two that stand there']
    if (isTotal(this.#listed, first)) return ['the sum of figures of the answer']
    if ((this.#tried += 1) > 2 * MAX_TRIED) return []
    const isAge =
      (unit?.kind === 'months' && unit.factor === 12) ||
      after === '' ||
      /\baged?\s$/i.test(this.#answer.slice(0, figure.at).slice(-6))
    for (const reading of readings) {
      const pair = this.#pairOf({ ...rounded(reading, figure.number), isPercent }, isAge)
      if (pair) return [`from ${pair.map(formatted).join(' and ')}`]
    }
    return []
  }

  #pairOf(wanted: WantedNumber, isAge: boolean): [number, number] | undefined {
    const near = [...this.#near].sort((one, other) => one - other)
    const years = this.#index.values.filter((value) => isYearLike(value) && value <= this.#year)
    const age = isAge ? ageFrom([...new Set([...years, this.#year])], wanted.value) : undefined
    if (age) return age
    const isYear = wanted.tolerance === 0
    const found = near.length <= MAX_POOL ? followsFrom(near, wanted, isYear ? FAR_CHANCE : NEAR_CHANCE) : undefined
    if (found || isYear) return found
    // The differences of years match almost any number, so years count only for ages and percentages.
    const all = this.#index.values.filter((value) => isAge || wanted.isPercent || !isYearLike(value))
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

/** The reading with the zeros at its end as open places: `3,800,000` may stand for 3,769,495. */
function rounded(reading: Reading, { isHedged, isYear, text }: Numeral): Reading {
  const { value, tolerance } = reading
  if (/^\d{3}0s$/.test(text)) return { value: value + 4.5, tolerance: 4.5 }
  if (isYear && !isHedged) return { value, tolerance: 0 }
  const unit = 2 * tolerance
  const zeros = /0*$/.exec(String(Math.round(value / (unit || 1))))?.[0].length ?? 0
  const mayRound = isHedged || (value >= 10_000 && digitsOf(value, unit * 10 ** zeros) >= 2)
  const open = mayRound && zeros > 0 && Number.isFinite(unit) ? (unit * 10 ** zeros) / 2 : tolerance
  // `over 3 million`, `nearly 4 million`: rounded down or up.
  return { value, tolerance: isHedged ? 2 * open : open }
}

/** Returns whether a number that was read may be rounded to the written one. */
function isRounding(read: number, { value, tolerance }: Reading, { isHedged }: Numeral): boolean {
  if (isHedged || digitsOf(value, 2 * tolerance) >= 2) return true
  return Math.abs(read - value) <= ONE_DIGIT_ERROR * Math.abs(read) + 1e-12
}

/** The number of digits down to the last place that is given. */
function digitsOf(value: number, unit: number): number {
  return unit > 0 ? String(Math.round(Math.abs(value) / unit)).length : 15
}

/** Returns whether three or more neighbouring figures have this sum. */
function isTotal(listed: readonly number[], { value, tolerance }: Reading): boolean {
  if (value < 10) return false
  for (let from = 0; from < listed.length - 2; from += 1) {
    let sum = listed[from]! + listed[from + 1]!
    for (let to = from + 2; to < Math.min(listed.length, from + 50); to += 1) {
      sum += listed[to]!
      if (Math.abs(sum - value) <= tolerance + 1e-9 * Math.abs(value)) return true
    }
  }
  return false
}

/** How many items the answer's own lists and tables have. */
function listCounts(answer: string): Set<number> {
  const counts = new Set<number>()
  let [items, rows] = [0, 0]
  for (const line of [...answer.split('\n'), 'end']) {
    if (/^(?:[-*•+]|\(?\d{1,3}[.)])\s/.test(line)) items += 1
    else if (/^\s*\|/.test(line)) rows += 1
    else if (line.trim() !== '' && !/^\s{2,}\S/.test(line)) {
      for (const count of [items, rows - 2]) if (count > 1) counts.add(count)
      items = rows = 0
    }
  }
  return counts
}

/** Returns whether this many things are listed after the number: `the 3 authors are Ada, Bob and Cy`. */
function enumerates(after: string, count: number): boolean {
  const sentence = /^[^.!?;\n]{0,300}/.exec(after)?.[0] ?? ''
  return count > 1 && count <= 20 && sentence.split(/,\s(?:and\s|or\s)?|\s(?:and|or|&|und)\s/).length === count
}

/** The forms by which a file name or an address is recognised. */
function formsOf({ kind, text }: Figure): string[] {
  if (kind === 'file') return [text, text.slice(text.lastIndexOf('/') + 1)]
  if (kind !== 'address') return /^\d/.test(text) ? [text, `v${text}`] : [text, text.replace(/^v(?=\d)/i, '')]
  const plain = text
    .replace(/^https?:\/\/(?:www\.)?/i, '')
    .replace(/#.*$/, '')
    .replace(/\/$/, '')
  return [plain, decoded(plain)]
}

function decoded(text: string): string {
  try {
    return decodeURI(text)
  } catch {
    return text
  }
}

function formatted(value: number): string {
  return Number.isInteger(value) && value < 10_000
    ? String(value)
    : value.toLocaleString('en-US', { maximumFractionDigits: 4 })
}
