/** Finds the row and the column of each number of a text: of tables, records, lists and sentences. */
import type { Numeral } from './numbers.ts'
import type { Cell } from './related-numbers.ts'

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

/** The name before a number, such as a JSON key. */
const KEY = /([\p{L}_][\p{L}\p{N}_ -]{0,30})["'\]]?\s?[:=]\s?["']?[$€£¥₹]?$/u
/** What separates rows, cells and records. */
const MARK = /[\n|;\t{}]|[.!?。](?=[\s*_]|[^\x20-\x7e])| {2,}/g

/**
 * Returns the numbers with their places. A row is a line, a record (`{…}`) or a sentence; a column is a name before
 * the number, or the number of the cell in rows of as many cells. Linear in the text's length.
 */
export function cellsIn(numerals: readonly Numeral[], text: string): Cell[] {
  const sorted = numerals.filter(({ isWord, isYear }) => !isWord && !isYear).sort((one, other) => one.at - other.at)
  const widths = text.split('\n').map((line) => line.trim().match(/[|;\t]| {2,}/g)?.length ?? 0)
  const marks = text.matchAll(MARK)
  let mark = marks.next()
  let [line, sentence, column, records, nth, table] = [0, 0, 0, 0, 0, 0]
  const open: number[] = []
  return sorted.map(({ at, readings, isPercent, unit }) => {
    for (; !mark.done && mark.value.index < at; mark = marks.next()) {
      const [sign] = mark.value
      if (sign === '\n') {
        line += 1
        if (widths[line] !== widths[line - 1]) table += 1
        sentence = column = nth = 0
      } else if (sign === '{') open.push((records += 1))
      else if (sign === '}') open.pop()
      else if (/[|;\s]/.test(sign)) column += 1
      else sentence += 1
    }
    nth += 1
    const [, key] = KEY.exec(text.slice(Math.max(0, at - 40), at)) ?? []
    const row = open.length > 0 ? `record ${open.at(-1)}` : `line ${line}.${sentence}`
    const place = widths[line] === 0 ? `number ${nth}` : `cell ${column}`
    return {
      value: readings[0]!.value,
      isPercent,
      unit,
      row,
      column: key === undefined ? `table ${table}, ${place}` : `key ${key.trim()}`,
      end: widths[line] === 0 || key !== undefined ? undefined : `end ${widths[line]! - column}`,
    }
  })
}
