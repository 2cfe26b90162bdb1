/** Finds the numbers near a figure of an answer, from which it may follow. */
import { addWords, stemsIn } from './cells.ts'
import { RelatedNumbers, type PlacedNumber } from './related-numbers.ts'

const MAX_NAMING = 5000
/**
 * The most numbers that a sentence and its words name, and the most neighbours of a figure that may follow from them.
 */
const MAX_LABELLED = 8
const LABELLED_CHANCE = 2
/** The most numbers of a pool. */
const MAX_POOL = 60

export class NearbyNumbers {
  readonly #answer: string
  readonly #asked: readonly PlacedNumber[]
  readonly #read: readonly PlacedNumber[]
  /** The numbers of the answer that are known to be right. */
  #known: readonly PlacedNumber[] = []
  /** The pools of each sentence, by its offset. */
  readonly #pools = new Map<number, RelatedNumbers[]>()
  /** The numbers that were read, by the words beside them. */
  #labels: Map<string, PlacedNumber[]> | undefined

  constructor(answer: string, asked: readonly PlacedNumber[], read: readonly PlacedNumber[]) {
    this.#answer = answer
    this.#asked = asked
    this.#read = read
  }

  /** Takes the numbers of the answer that are known to be right. */
  learn(known: readonly PlacedNumber[]): void {
    this.#known = known
    this.#pools.clear()
  }

  /** Returns the known numbers between two offsets of the answer. */
  valuesIn(from: number, to: number): number[] {
    return this.#knownIn(from, to).map(({ value }) => value)
  }

  /** Returns the numbers of the sentence and its neighbours, and those of rows that share a word with them. */
  poolsAt(at: number): RelatedNumbers[] {
    const sentence = sentenceAround(this.#answer, at)
    const known = this.#pools.get(sentence.from)
    if (known) return known
    const { from, to } = sentenceAround(this.#answer, at, 1)
    const near = this.#knownIn(from, to)
    const words = new Set<string>()
    addWords(words, this.#answer.slice(from, to))
    const named = this.#read.filter((cell) => [...cell.words].some((word) => words.has(word)))
    const pools = [near, [...this.#asked, ...near], named].filter(
      (cells) => cells.length > 1 && cells.length <= MAX_POOL,
    )
    const related = pools.map((cells) => new RelatedNumbers(cells))
    related.push(new RelatedNumbers(this.#labelled(sentence), { chance: LABELLED_CHANCE }))
    this.#pools.set(sentence.from, related)
    return related
  }

  /** Returns the known numbers of the sentence, and those that were read beside its words. */
  #labelled({ from, to }: { from: number; to: number }): PlacedNumber[] {
    this.#labels ??= byStem(this.#read.slice(0, MAX_NAMING))
    const stems = stemsIn(this.#answer.slice(from, to))
    const beside = [...new Set([...stems].flatMap((stem) => this.#labels!.get(stem) ?? []))]
    const values = new Set(beside.map(({ value }) => value))
    const both = [...this.#knownIn(from, to).filter(({ value }) => !values.has(value)), ...beside]
    return both.length > MAX_LABELLED ? [] : both.map((cell) => ({ ...cell, row: 'beside' }))
  }

  #knownIn(from: number, to: number): PlacedNumber[] {
    return this.#known.filter(({ at }) => at >= from && at < to)
  }
}

/** A word that stands beside many numbers names none of them. */
function byStem(cells: readonly PlacedNumber[]): Map<string, PlacedNumber[]> {
  const labels = new Map<string, PlacedNumber[]>()
  for (const cell of cells)
    for (const stem of stemsIn(cell.label)) {
      const some = labels.get(stem) ?? []
      if (some.push(cell) === 1) labels.set(stem, some)
    }
  return new Map([...labels].filter(([, some]) => some.length <= MAX_LABELLED))
}

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
