/**
 * Splits a query into search terms and counts them in a text.
 * Words of scripts with spaces match at the start of a word, so that `invoice` finds `invoices`. Scripts without spaces
 * are searched by pairs of neighbouring characters, as Lucene's CJKBigramFilter does.
 */

export interface Term {
  text: string
  /** Whether it is a whole word of a script with spaces. It then begins at a word boundary. */
  isWord: boolean
}

const MAX_TERMS = 32
const MAX_QUERY = 1000
const LONGEST_TERM = 60
/** A shorter word matches only whole words: `art` is not the beginning of `article`. */
const LEAST_PREFIX = 4
/** A match at the start of a longer word counts less than the whole word. */
const PREFIX_WEIGHT = 0.5

const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu
const WORDS = /[\p{L}\p{N}]+/gu
const WORD_CHARACTER = /[\p{L}\p{N}]/u

/** Returns lower case without accents; characters with several encodings become one (NFKD). */
export function foldText(text: string): string {
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase()
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]+/g, '')
    .toLowerCase()
}

export function termsOf(query: string): Term[] {
  const text = foldText(query.slice(0, MAX_QUERY))
  const pairs = [...text.matchAll(UNSPACED)].flatMap(([run]) => pairsOf(run))
  const words = [...text.replace(UNSPACED, ' ').matchAll(WORDS)].map(([word]) => singular(word.slice(0, LONGEST_TERM)))
  const all: Term[] = [
    ...pairs.map((pair) => ({ text: pair, isWord: false })),
    ...words.map((word) => ({ text: word, isWord: true })),
  ]
  const terms = new Map(all.map((term) => [term.text, term]))
  return [...terms.values()].slice(0, MAX_TERMS)
}

/** Returns how often the term occurs in a folded text; the beginning of a longer word counts half. */
export function occurrences(text: string, { text: term, isWord }: Term): number {
  let count = 0
  for (let at = text.indexOf(term); at >= 0; at = text.indexOf(term, at + term.length)) {
    if (!isWord) count += 1
    else if (!isWordAt(text, at - 1)) count += weightAt(text, at + term.length, term)
  }
  return count
}

function weightAt(text: string, end: number, term: string): number {
  const isPlural = text[end] === 's' && !isWordAt(text, end + 1)
  if (isPlural || !isWordAt(text, end)) return 1
  return term.length >= LEAST_PREFIX ? PREFIX_WEIGHT : 0
}

function isWordAt(text: string, at: number): boolean {
  const character = text[at]
  return character !== undefined && WORD_CHARACTER.test(character)
}

function pairsOf(run: string): string[] {
  const characters = [...run]
  if (characters.length < 2) return characters
  return characters.slice(1).map((character, i) => `${characters[i]}${character}`)
}

/** Drops the plural `s` of English words (the last rule of Harman's S stemmer, 1991): the singular matches both. */
function singular(word: string): string {
  return /^[a-z]{3,}[^su\W\d]s$/.test(word) ? word.slice(0, -1) : word
}
