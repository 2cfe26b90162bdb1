/** Finds the numbers near a figure of an answer, from which it may follow. */
import { stemsIn } from './cells.ts'
import { RelatedNumbers, type PlacedNumber } from './related-numbers.ts'
import { groupsOf } from './sorted-numbers.ts'

const MAX_NAMING = 5000
/** The maximum number of numbers that a sentence and its words name. */
const MAX_LABELLED = 12
/** Numbers of best named numbers that are combined, each with the most neighbours of a figure that may follow too. */
const COUNTS = [
  [1, 5],
  [2, 4],
  [3, 4],
  [4, 3],
  [6, 3],
  [8, 2],
] as const
/** Among more numbers than this, a figure must be exact: many results are near a rough one. */
const FEW = 4
const MAX_ROUGH = 0.005
/** Two steps are tried with so few numbers, for figures that are this exact. */
const MAX_STEPPED = 6
const EXACT = 1e-3
/** The weights of a word in a neighbouring sentence, and of one in the row of a number. A near word counts more. */
const OTHER_SENTENCE = 0.3
const ROW_WEIGHT = 0.5
const NEAR_CHARS = 30
/** A word that stands with more numbers names none of them. */
const MAX_SHARED = 40
const MAX_RANKED = 20
/** A figure may be the rest of so many named numbers. */
const MAX_WHOLES = 6
/** The weight of numbers that no word names, and how many there are. */
const LONE_WEIGHT = 0.1
const MAX_UNNAMED = 4
/** The amounts of a row that are added up. */
const MAX_AMOUNTS = 12
/** The most numbers of a pool. */
const MAX_POOL = 60

export class NearbyNumbers {
  readonly #answer: string
  readonly #asked: readonly PlacedNumber[]
  /** The numbers that were read, and the sums of their columns and rows. */
  readonly #operands: readonly PlacedNumber[]
  readonly #sums: ReadonlyMap<string, PlacedNumber>
  /** The results of calculations, and sums, of which a figure may be a part without naming them. */
  readonly #unnamed: readonly PlacedNumber[]
  /** The numbers of the answer that are known to be right. */
  #known: readonly PlacedNumber[] = []
  /** The pools of each sentence, by its offset. */
  readonly #pools = new Map<number, RelatedNumbers[]>()
  readonly #rankings = new Map<number, PlacedNumber[]>()
  /** The numbers that were read, by the words beside them. */
  #labels: Map<string, Named[]> | undefined

  constructor(answer: string, asked: readonly PlacedNumber[], read: readonly PlacedNumber[]) {
    this.#answer = answer
    this.#asked = asked
    const some = read.slice(0, MAX_NAMING)
    const columns = columnSums(some)
    const rows = rowSums(some)
    const sums = [...columns, ...rows]
    this.#sums = new Map([
      ...columns.map((sum) => [sum.column, sum] as const),
      ...rows.map((sum) => [sum.row, sum] as const),
    ])
    const texts = groupsOf(some, ({ row }) => [row.split(' ')[0]!], 1)
    this.#unnamed = [...texts.filter((cells) => cells.length === 1).flat(), ...sums].slice(0, MAX_UNNAMED)
    this.#operands = [...some, ...sums]
  }

  /** Takes the numbers of the answer that are known to be right. */
  learn(known: readonly PlacedNumber[]): void {
    this.#known = known
    this.#pools.clear()
  }

  /** Returns the known numbers of a figure's sentence, behind each of the numbers that its words name best. */
  listsAt(at: number): number[][] {
    const { from, to } = sentenceAround(this.#answer, at)
    const known = this.#knownIn(from, to).map(({ value }) => value)
    return [
      known,
      ...this.#ranked(at)
        .slice(0, MAX_WHOLES)
        .map(({ value }) => [value, ...known]),
    ]
  }

  /** Returns the numbers of the sentence and its neighbours, and those that its words name. */
  poolsAt(at: number): RelatedNumbers[] {
    const { from, to } = sentenceAround(this.#answer, at, 1)
    const known = this.#pools.get(from) ?? this.#poolsOf(this.#knownIn(from, to))
    this.#pools.set(from, known)
    return [...known, ...this.#labelled(at)]
  }

  #poolsOf(near: PlacedNumber[]): RelatedNumbers[] {
    return [near, [...this.#asked, ...near]]
      .filter((cells) => cells.length > 1 && cells.length <= MAX_POOL)
      .map((cells) => new RelatedNumbers(cells))
  }

  /** Returns the known numbers of the sentence with those that its words name best: few, then more. */
  #labelled(at: number): RelatedNumbers[] {
    const { from, to } = sentenceAround(this.#answer, at)
    const known = uniqueOf(this.#knownIn(from, to))
    const values = new Set(known.map(({ value }) => value))
    // A figure may be a part of a sum that is not named.
    const ranked = this.#ranked(at).flatMap((cell) => [cell, ...this.#sumsOf(cell)])
    const named = uniqueOf(ranked).filter(({ value }) => !values.has(value))
    const pools: RelatedNumbers[] = []
    for (const [count, chance] of COUNTS) {
      const cells = [...known, ...named.slice(0, count)].map((cell) => ({ ...cell, row: 'beside' }))
      if (cells.length < 2 || cells.length > MAX_LABELLED) continue
      pools.push(new RelatedNumbers(cells, { chance, maxRough: count > FEW ? MAX_ROUGH : 1 }))
      if (cells.length <= MAX_STEPPED)
        pools.push(new RelatedNumbers(cells, { chance: 0, isStepped: true, maxRough: EXACT }))
      if (named.length <= count) break
    }
    return pools
  }

  /** The numbers that were read, those first that stand with the rarest and nearest words of a figure. */
  #ranked(figureAt: number): PlacedNumber[] {
    const known = this.#rankings.get(figureAt)
    if (known) return known
    this.#labels ??= byStem(this.#operands)
    const { from, to } = sentenceAround(this.#answer, figureAt, 1)
    const own = sentenceAround(this.#answer, figureAt)
    const weights = new Map<string, number>()
    for (const { stem, at } of stemsIn(this.#answer.slice(from, to))) {
      const isOwn = from + at >= own.from && from + at < own.to
      const weight = (isOwn ? 1 : OTHER_SENTENCE) / (1 + Math.abs(from + at - figureAt) / NEAR_CHARS)
      weights.set(stem, Math.max(weight, weights.get(stem) ?? 0))
    }
    const scores = new Map(this.#unnamed.map((cell) => [cell, LONE_WEIGHT]))
    for (const [stem, weight] of weights) {
      const some = this.#labels.get(stem) ?? []
      for (const { cell, weight: own } of some) scores.set(cell, (scores.get(cell) ?? 0) + (own * weight) / some.length)
    }
    const ranked = [...scores]
      .sort(([, one], [, other]) => other - one)
      .slice(0, MAX_RANKED)
      .map(([cell]) => cell)
    this.#rankings.set(figureAt, ranked)
    return ranked
  }

  #sumsOf({ column, row }: PlacedNumber): PlacedNumber[] {
    return [column, row].flatMap((list) => this.#sums.get(list) ?? [])
  }

  #knownIn(from: number, to: number): PlacedNumber[] {
    return this.#known.filter(({ at }) => at >= from && at < to)
  }
}

interface Named {
  cell: PlacedNumber
  weight: number
}

/** The numbers by the words beside them and of their rows. A word that stands with many numbers names none of them. */
function byStem(cells: readonly PlacedNumber[]): Map<string, Named[]> {
  const labels = new Map<string, Named[]>()
  const ofRow = new Map<ReadonlySet<string>, Set<string>>()
  for (const cell of cells) {
    const row = ofRow.get(cell.words) ?? stemSet([...cell.words].join(' '))
    ofRow.set(cell.words, row)
    const label = stemSet(`${cell.label} ${cell.head}`)
    for (const stem of new Set([...label, ...row])) {
      const some = labels.get(stem) ?? []
      labels.set(stem, some)
      if (some.length <= MAX_SHARED) some.push({ cell, weight: label.has(stem) ? 1 : ROW_WEIGHT })
    }
  }
  return new Map([...labels].filter(([, some]) => some.length <= MAX_SHARED))
}

/** The sums of the columns that have a name. */
function columnSums(cells: readonly PlacedNumber[]): PlacedNumber[] {
  return groupsOf(cells, ({ column, head, isPercent }) => (isPercent || head === '' ? [] : [column]), 3).map(
    (column) => ({
      ...column[0]!,
      value: column.reduce((sum, { value }) => sum + value, 0),
      label: '',
      words: new Set<string>(),
      isSum: true as const,
    }),
  )
}

/** The sums of the amounts of a row: of `laptop $900, 2 screens at $300` 1500. */
function rowSums(cells: readonly PlacedNumber[]): PlacedNumber[] {
  return groupsOf(cells, ({ row }) => [row], 2).flatMap((row) => {
    let [sum, count, amounts] = [0, 1, 0]
    for (const { value, isPercent, currency } of row.slice(0, MAX_AMOUNTS)) {
      if (currency) sum += count * value
      if (currency) amounts += 1
      count = currency || isPercent ? 1 : value
    }
    return amounts < 2
      ? []
      : [{ ...row[0]!, value: sum, unit: undefined, isPercent: false, label: '', head: '', isSum: true }]
  })
}

const stemSet = (text: string) => new Set(stemsIn(text).map(({ stem }) => stem))

/** A sentence has at most this many characters on each side of a figure. */
const SENTENCE_CHARS = 250
const SENTENCE_END = /[.!?](?=\s)|[。！？\n]/g

/** The bounds of the sentence around an offset, with `more` sentences before it and after it. */
export function sentenceAround(text: string, at: number, more = 0): { from: number; to: number } {
  const start = Math.max(0, at - SENTENCE_CHARS)
  const before = [...text.slice(start, at).matchAll(SENTENCE_END)].at(-1 - more)
  const after = [...text.slice(at, at + SENTENCE_CHARS).matchAll(SENTENCE_END)][more]
  return { from: before ? start + before.index + 1 : start, to: after ? at + after.index : at + SENTENCE_CHARS }
}

function uniqueOf(cells: readonly PlacedNumber[]): PlacedNumber[] {
  return [
    ...new Map(
      cells.map((cell) => [`${cell.value} ${cell.isPercent} ${cell.unit?.kind} ${cell.unit?.factor}`, cell]),
    ).values(),
  ]
}
