/** Derives the numbers of an answer that no source has: by arithmetic, from times, from lists. */
import { cellsIn } from './cells.ts'
import { enumerates, formatted, isRemainder, isTotal, listCounts, MANY_DIGITS, rounded } from './compare-figures.ts'
import type { QuantityUnit } from './durations.ts'
import { factorsIn } from './factor-words.ts'
import { NearbyNumbers, sentenceAround } from './nearby-numbers.ts'
import { AVERAGE } from './number-words.ts'
import { numbersIn, type Numeral, type Reading } from './numbers.ts'
import type { ReadIndex } from './read-index.ts'
import type { PlacedNumber, ResultKind } from './related-numbers.ts'
import { ratesIn } from './time-rates.ts'

/** The maximum number of figures that are tried by arithmetic. */
const MAX_TRIED = 200
/** A figure that is less exact than this share of it is no multiple of a number. */
const MAX_ROUGH = 0.035
/** `a month` and the like follow a figure within this many characters. */
const RATE_CHARS = 30
/** The distance within which a word for a factor belongs to a figure, in characters. */
const FACTOR_CHARS = 40

/** Words for a difference of percentages. */
const POINTS =
  /^[ \u00a0-]?(?:percentage[ -]points?|points?\b|pp\b|p\.p\.|ppt?s?\b|Prozentpunkte?n?|points de pourcentage|puntos porcentuales|punti percentuali|procentpunt|个百分点|個百分點|ポイント|%p)/iu

interface DerivationSources {
  question: string
  index: ReadIndex
  year: number
}

export class Derivations {
  readonly #answer: string
  readonly #index: ReadIndex
  readonly #year: number
  readonly #asked: PlacedNumber[]
  readonly #counts: Set<number>
  /** The numbers of the question, and those of the answer that are known to be right. */
  #near = new Set<number>()
  /** The numbers of the answer that are known to be right, in order, for totals. */
  #listed: number[] = []
  readonly #nearby: NearbyNumbers
  #tried = 0

  constructor(answer: string, { question, index, year }: DerivationSources) {
    this.#answer = answer
    this.#index = index
    this.#year = year
    this.#asked = cellsIn(numbersIn(question), question).map((cell) => ({
      ...cell,
      row: 'question',
      column: `question ${cell.column}`,
    }))
    this.#counts = listCounts(answer)
    this.#nearby = new NearbyNumbers(answer, this.#asked, index.cells)
  }

  /** Takes the numbers of the answer that are known to be right. */
  learn(known: readonly Numeral[]): void {
    this.#listed = known.map(({ readings }) => readings[0]!.value)
    this.#near = new Set([...this.#counts, ...this.#asked.map(({ value }) => value), ...known.flatMap(operandsOf)])
    const cells = cellsIn(known, this.#answer)
    this.#nearby.learn(cells)
  }

  /** Returns from what a number follows, in words: nothing if it does not. */
  of(number: Numeral): string[] {
    const { readings, unit, isPercent, text, at } = number
    const [first] = readings
    if (!first || MANY_DIGITS.test(text)) return []
    const after = this.#answer.slice(at + text.length, at + text.length + 300)
    if (!unit && Number.isInteger(first.value) && (this.#counts.has(first.value) || enumerates(after, first.value)))
      return ['counted in the answer']
    const { from, to } = sentenceAround(this.#answer, at)
    const sentence = this.#answer.slice(from, to)
    if (!unit && [...ratesIn(after.slice(0, 12)), ...periodsIn(sentence)].includes(first.value))
      return ['the number of periods']
    const apart = number.isWord ? readings.map(({ value }) => ({ value, tolerance: 0.5 })) : readings
    if (unit && apart.some((reading) => this.#index.spans.isApart(reading, unit)))
      return ['the difference between two times in the sources']
    if (isTotal(this.#listed, first)) return ['the sum of figures of the answer']
    if (this.#nearby.listsAt(at).some((list) => isRemainder(list, first))) return ['the rest of a figure of the answer']
    const kinds: ResultKind[] = isPercent
      ? ['percent', 'share']
      : TIMES.test(after)
        ? ['ratio']
        : POINTS.test(after.slice(0, 30))
          ? ['points', 'plain', 'total']
          : ['plain', 'product', 'total']
    if (AVERAGE.test(this.#answer)) kinds.push('wholeMean', 'mean')
    if (unit?.kind === 'temperature') kinds.splice(kinds.indexOf('product'), 1)
    const wanted = this.#derivedReadings(number)
    if (Number.isInteger(first.value) && SUBSET.test(after) && first.value <= MAX_SUBSET)
      return ['counted in the sources']
    const isWhole = isPercent && COMPARED.test(sentence)
    const pools = [...this.#nearby.poolsAt(at), ...(isWhole ? [] : [this.#index.related])]
    if (wanted.some((reading) => kinds.some((kind) => pools.some((pool) => pool.follows(reading, kind, unit)))))
      return ['calculated from figures that stand together']
    if (isWhole) return []
    if ((this.#tried += 1) > MAX_TRIED) return []
    if (unit?.kind === 'speed' && readings.some((one) => this.#index.spans.isSpeed(inBase(rounded(one, number), unit))))
      return ['calculated from a length and a time']
    const before = this.#answer.slice(Math.max(0, at - FACTOR_CHARS), at)
    const [, some = text] = ONE_IN.exec(before) ?? []
    const [, every = text] = IN_EVERY.exec(after) ?? []
    if (Number.isInteger(first.value) && (some === text) !== (every === text) && this.#isShare(some, every, number))
      return ['a share in the sources']
    const isAge =
      (unit?.kind === 'months' && unit.factor === 12) || after === '' || AGE.test(before + after.slice(0, RATE_CHARS))
    if (isAge && this.#index.spans.isAge(first.value)) return ['the difference between two dates in the sources']
    const beside = before + text + after.slice(0, FACTOR_CHARS)
    const periods = periodsIn(sentence)
    const parts = unit ? percentsIn(sentence) : []
    for (const reading of wanted) {
      const pair =
        (isAge ? this.#ageOf(reading.value) : undefined) ??
        this.#multipleOf(reading, [...factorsIn(beside), ...ratesIn(after.slice(0, RATE_CHARS))], MAX_ROUGH, unit) ??
        this.#multipleOf(reading, parts, MAX_ROUGH / 10, unit) ??
        this.#multipleOf(reading, [...ratesIn(before), ...periods], MAX_ROUGH / 20, unit)
      if (pair) return [`from ${pair.map(formatted).join(' and ')}`]
    }
    return []
  }

  /** `one in six` is a share of 15.4 to 18.2 %. */
  #isShare(some: string, every: string, number: Numeral): boolean {
    const [of, whole] = [some, every].map((words) => numbersIn(words)[0]?.readings[0])
    if (!of || !whole) return false
    const { value: all, tolerance: open } = rounded(whole, { ...number, isHedged: true })
    const value = (100 * of.value) / all
    const tolerance = (value / all) * Math.max(open / 2, 0.5)
    const isRead = [1, 100].some(
      (per) => this.#index.numbers({ value: value / per, tolerance: tolerance / per }).length > 0,
    )
    return isRead || this.#index.related.follows({ value, tolerance }, 'percent')
  }

  /** The readings that may be results: of `1.5 million` not 1.5, and of `1,500` not 1.5. */
  #derivedReadings(number: Numeral): Reading[] {
    const [first, second] = number.readings
    const isAmbiguous = first !== undefined && second !== undefined && second.value === first.value * 1000
    const isRough = number.isWord === true && number.isHedged
    return (isAmbiguous || (this.#index.isScaled && second) ? [first!, second!] : [first!]).map((reading) =>
      rounded(isRough ? { ...reading, tolerance: Math.max(reading.tolerance, 0.5) } : reading, number),
    )
  }

  /** A number that was read or is known to be right, and a factor. */
  #multipleOf(
    { value, tolerance }: Reading,
    factors: number[],
    maxRough: number,
    unit?: QuantityUnit,
  ): [number, number] | undefined {
    // Among the numbers of a long text, one is always near a rough figure.
    if (tolerance > maxRough * Math.abs(value)) return undefined
    for (const factor of factors)
      for (const times of [factor, 1 / factor]) {
        const wanted = { value: value * times, tolerance: tolerance * times }
        const found = unit
          ? this.#index.quantities(wanted, unit)[0]?.value
          : (this.#index.numbers(wanted)[0]?.value ??
            [...this.#near].find((one) => Math.abs(one - wanted.value) <= wanted.tolerance))
        if (found !== undefined) return [found, factor]
        if (
          factor > 4 &&
          !unit &&
          (['product', 'total'] as const).some((kind) => this.#index.related.follows(wanted, kind))
        )
          return [wanted.value, factor]
      }
    return undefined
  }

  /** Two years that are as far apart. */
  #ageOf(age: number): [number, number] | undefined {
    const years = this.#index.yearLike.filter((year) => year <= this.#year)
    return ageFrom([...new Set([...years, this.#year])], age, this.#year)
  }
}

/** `three times` */
const TIMES = /^\s?(?:times\b|×|x\b|-?fold\b|mal\b|fois\b|veces\b|vezes\b|volte\b|keer\b|раза?(?!\p{L})|倍|배)/u
/** `four of the five`: which ones is not known. */
const SUBSET =
  /^ of (?:the |our |your |these )?(?:[2-9]|1\d|20|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b(?![.,]\d|%)/i
const MAX_SUBSET = 20
/** Two amounts of money, or `12 of 48`: a percentage beside them is theirs. */
const COMPARED =
  /[$€£¥₹]\s?\d[^$€£¥₹\n]{1,80}[$€£¥₹]\s?\d|\d\s?[€£¥₹][^$€£¥₹\n]{1,80}\d\s?[€£¥₹]|\d (?:of|out of|von|sur|de|из) (?:the |all |den )?\d/
const AGE =
  /(?<!\p{L})(?:aged?|old|lived|died|born|turn(?:ed|s)?|at the time|when (?:he|she|they)|Jahre alt|años|ans)(?!\p{L})|歳|岁|세/iu
const ONE_IN = /(?<!\p{L})(\p{L}{3,9}(?:-\p{L}{3,5})?|\d{1,2}) (?:in|out of) (?:every |about |roughly |around )?$/iu
const IN_EVERY =
  /^ (?:in|out of) (?:every |about |roughly |around )?(\p{L}{3,9}(?:-\p{L}{3,5})?|\d{1,3}(?:,\d{3})*)(?![\p{L}\d])/iu

/** The numbers of months and years, or of days and hours, of the durations in a text: `over ten years`. */
function periodsIn(text: string): number[] {
  return numbersIn(text).flatMap(({ unit, readings: [first] }) => {
    const isPeriod = unit && (unit.kind === 'months' || unit.factor >= 86_400)
    const count = first?.value ?? 0
    if (!isPeriod || count < 2) return []
    return unit.kind === 'months' ? [count, count * unit.factor] : [count, (count * unit.factor) / 86_400]
  })
}

/** `80 % of full time, so 21.6 days` */
function percentsIn(text: string): number[] {
  return numbersIn(text).flatMap(({ isPercent, readings: [first] }) => (isPercent && first ? [first.value / 100] : []))
}

function inBase({ value, tolerance }: Reading, unit: QuantityUnit): Reading {
  return { value: value * unit.factor, tolerance: tolerance * unit.factor }
}

/** Returns whether two years are this far apart, or one more because the birthday of this year is still to come. */
function ageFrom(years: readonly number[], age: number, thisYear: number): [number, number] | undefined {
  if (years.length > 12) return undefined
  for (const one of years)
    for (const other of years)
      if (other - one === age || (other === thisYear && other - one === age + 1)) return [one, other]
  return undefined
}

function operandsOf({ readings, isPercent }: Numeral): number[] {
  const value = readings[0]?.value ?? 0
  return isPercent ? [value, value / 100] : [value]
}
