/** Reads cells of a sheet by a range in spreadsheet notation. */
import type { ReadPart, Section } from './types.ts'
import { beginning, columnLetters, columnNumber, spanOf } from './units.ts'

interface CellRange {
  rows: { from: number; to: number }
  columns: { from: number; to: number }
}

/**
 * Returns the rows of the range, each after its number, under the letters of its columns, divided by tabs.
 * @param written `A1:C20`, `B:D`, `10:20`, `B7`, also `10-20`; the whole sheet if undefined
 */
export function readRange(section: Section, written: string | number | undefined, maxChars: number): ReadPart {
  const { lines, columns = 1 } = section
  const whole = `the sheet is A1:${columnLetters(columns)}${lines}.`
  if (lines === 0) return { missing: 'The sheet is empty.' }
  const range = written === undefined ? parseRange('1:') : parseRange(String(written))
  if (!range) return { missing: `"${String(written).slice(0, 60)}" is no range: write A1:C20, B:D or 10:20; ${whole}` }
  if (range.rows.from > lines || range.columns.from > columns) return { missing: `These cells are empty: ${whole}` }
  const rows = { from: range.rows.from, to: Math.min(range.rows.to, lines) }
  const shown = { from: range.columns.from, to: Math.min(range.columns.to, columns) }
  const { text, end } = rowsOf(section, { rows, columns: shown }, maxChars)
  const place = `${columnLetters(shown.from)}${rows.from}:${columnLetters(shown.to)}${end}`
  return { text, place, sections: [1], ...(end < rows.to && { more: `It goes on at row ${end + 1} of ${lines}.` }) }
}

/** Joins whole rows as far as they fit; the first is cut if necessary. */
function rowsOf(section: Section, { rows, columns }: CellRange, maxChars: number): { text: string; end: number } {
  const letters = Array.from({ length: columns.to - columns.from + 1 }, (_, i) => columnLetters(columns.from + i))
  const parts = [beginning(['row', ...letters].join('\t'), maxChars)]
  let left = maxChars - (parts[0] ?? '').length
  const all = section.text.split('\n')
  let end = rows.from
  for (let row = rows.from; row <= rows.to; row += 1) {
    const cells = (all[row - 1] ?? '').split('\t').slice(columns.from - 1, columns.to)
    const line = [row, ...cells].join('\t')
    if (line.length + 1 > left && row > rows.from) break
    parts.push(beginning(line, left - 1))
    left -= line.length + 1
    end = row
  }
  return { text: beginning(parts.join('\n'), maxChars), end }
}

/** Columns end at XFD, rows at 1,048,576: three letters and seven digits. */
const CELL = /^\$?([a-z]{1,3})?\$?(\d{1,7})?$/i

function parseRange(written: string): CellRange | undefined {
  const text = written.slice(0, 60).replace(/\s+/g, '')
  const [first = '', second, ...rest] = text.split(':')
  if (second === undefined && !/[a-z]/i.test(text)) {
    const rows = spanOf(text)
    return rows && { rows, columns: { from: 1, to: Infinity } }
  }
  const [from, to] = [CELL.exec(first), CELL.exec(second ?? first)]
  if (!from || !to || rest.length > 0 || text === '' || text === ':') return undefined
  const span = (a: number | undefined, b: number | undefined) => {
    const [start, end] = [a ?? 1, b ?? Infinity]
    return { from: Math.max(1, Math.min(start, end)), to: Math.max(start, end) }
  }
  const row = (digits: string | undefined) => (digits === undefined ? undefined : Number(digits))
  const column = (letters: string | undefined) => (letters === undefined ? undefined : columnNumber(letters))
  return { rows: span(row(from[2]), row(to[2])), columns: span(column(from[1]), column(to[1])) }
}
