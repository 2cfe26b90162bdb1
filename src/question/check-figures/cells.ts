/** Finds the row and the column of each number of a text: of tables, records, lists and sentences. */
import type { Numeral } from './numbers.ts'
import type { PlacedNumber } from './related-numbers.ts'

/** The longest line that is read as a row of cells. */
const LONGEST_LINE = 2000

/** The text with semicolons between the cells of comma-separated rows: `5,148` is two numbers there, not one. */
export function withCells(text: string): string {
  if (!text.includes(',')) return text
  const lines = text.split('\n')
  for (let head = 0; head < lines.length - 1; head += 1) {
    const count = isHead(lines[head]!) ? commasOf(lines[head]!) : 0
    if (count === 0) continue
    let end = head + 1
    while (end < lines.length && commasOf(lines[end]!) === count) end += 1
    for (let i = head; i < end; i += 1) lines[i] = withSemicolons(lines[i]!)
    head = end - 1
  }
  return lines.join('\n')
}

/** @returns 0 for a line that is no row */
function commasOf(line: string): number {
  if (line.length > LONGEST_LINE || /, /.test(line)) return 0
  return withSemicolons(line).split(';').length - line.split(';').length
}

function withSemicolons(line: string): string {
  return line
    .split('"')
    .map((part, i) => (i % 2 === 0 ? part.replaceAll(',', ';') : part))
    .join('"')
}

/** Each cell of a head begins with a letter. */
function isHead(line: string): boolean {
  return line.length <= LONGEST_LINE && line.split(',').every((cell) => /^\s*"?\p{L}/u.test(cell))
}

const CURRENCY = '[$€£¥₹]|\\b(?:USD|EUR|GBP|CHF|JPY|INR|CNY|SEK|NOK|DKK|PLN|CAD|AUD)\\b'
const CURRENCY_BEFORE = new RegExp(`(${CURRENCY})\\s?$`)
const CURRENCY_AFTER = new RegExp(`^\\s?(${CURRENCY})`)

function currencyOf(text: string, at: number, shown: string): string | undefined {
  const end = at + shown.length
  const before = CURRENCY_BEFORE.exec(text.slice(Math.max(0, at - 5), at))
  return (before ?? CURRENCY_AFTER.exec(text.slice(end, end + 5)))?.[1]
}

const MAX_WORDS = 60
const WORDS_BEFORE = 120
const WORDS_AFTER = 40

/** The text of a row around a number. */
function rowText(text: string, from: number, at: number): string {
  return text.slice(from, at) + /^[^\n{}]*/.exec(text.slice(at, at + WORDS_AFTER))![0]
}

/** The words that may name a row. */
export function addWords(words: Set<string>, text: string): void {
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}][\p{L}\p{N}_-]{2,30}|\p{L}\d|[\p{Lo}]{2}/gu))
    words.add(word)
}

const LABEL_BEFORE = 30
const LABEL_AFTER = 20

/** Words, names such as `EC2`, numbers, and the characters of scripts that are written without spaces. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]|\p{L}{3,30}|(?=\p{L}{0,2}\d)\p{L}[\p{L}\d]{1,9}|\d[\d.,]{0,20}\d/gu

/** The stems of the words of a text, each with its offset: `serves` and `serving` are one. */
export function stemsIn(text: string): { stem: string; at: number }[] {
  return [...text.toLowerCase().matchAll(WORD)].map(({ 0: word, index }) => ({
    stem: /^\d/.test(word) ? word.replace(/[.,]/g, '') : word.slice(0, 4),
    at: index,
  }))
}

/** The name before a number, such as a JSON key. */
const KEY = /([\p{L}_][\p{L}\p{N}_ -]{0,30})["'\]]?\s?[:=]\s?["']?[$€£¥₹]?[-−]?$/u
/** Stands between the cells of a line. */
const SEPARATOR = /[|;\t]| {2,}/g
/** Matches the separators of rows, cells and records. */
const MARK =
  /[\n|;\t{}[\]]|(?<!\d\s?(?:Mi[lo]|Mrd|Mld|Tsd|mln|tys|млн|млрд|тыс|руб))[.!?。](?=[\s*_]|[^\x20-\x7e])| {2,}/g

/**
 * Returns the numbers with their places. A row is a line, a record (`{…}`) or a sentence; a column is a name before
 * the number, or the number of the cell in rows of as many cells. Linear in the text's length.
 */
export function cellsIn(numerals: readonly Numeral[], text: string): PlacedNumber[] {
  const sorted = numerals.filter(({ isWord, isYear }) => !isWord && !isYear).sort((one, other) => one.at - other.at)
  const lines = text.split('\n')
  const widths = lines.map((one) => one.trim().match(SEPARATOR)?.length ?? 0)
  let heads = widths[0] ? lines[0]!.split(SEPARATOR) : []
  const marks = text.matchAll(MARK)
  let mark = marks.next()
  let [line, sentence, column, records, nth, table] = [0, 0, 0, 0, 0, 0]
  const open: number[] = []
  const starts = new Map<string, { from: number; words: Set<string> }>()
  let rowStart = 0
  return sorted.map(({ at, text: shown, readings, isPercent, unit }) => {
    for (; !mark.done && mark.value.index < at; mark = marks.next()) {
      const [sign] = mark.value
      if (!/[|;\t ]/.test(sign)) rowStart = mark.value.index + 1
      if (sign === '\n') {
        line += 1
        if (widths[line] !== widths[line - 1]) {
          table += 1
          heads = widths[line] ? lines[line]!.split(SEPARATOR) : []
        }
        sentence = column = nth = 0
      } else if (sign === '{' || sign === '[') open.push((records += 1))
      else if (sign === '}' || sign === ']') open.pop()
      else if (/[|;\s]/.test(sign)) column += 1
      else sentence += 1
    }
    nth += 1
    const [, key] = KEY.exec(text.slice(Math.max(0, at - 40), at)) ?? []
    const row = open.length > 0 ? `record ${open.at(-1)}` : `line ${line}.${sentence}`
    const known = starts.get(row) ?? { from: rowStart, words: new Set() }
    starts.set(row, known)
    if (known.words.size < MAX_WORDS) addWords(known.words, rowText(text, Math.max(known.from, at - WORDS_BEFORE), at))
    const place = widths[line] === 0 ? `number ${nth}` : `cell ${column}`
    return {
      value: readings[0]!.value,
      isPercent,
      unit,
      at,
      row,
      words: known.words,
      label: text.slice(Math.max(0, at - LABEL_BEFORE), at + shown.length + LABEL_AFTER),
      head: key ?? heads[column] ?? '',
      column: key === undefined ? `table ${table}, ${place}` : `key ${key.trim()}`,
      currency: currencyOf(text, at, shown),
    }
  })
}
