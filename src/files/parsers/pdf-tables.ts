/** Finds tables in a pdf by the places of its words. What is no table for certain is left out. */
import { writtenDate } from '../tables/dates.ts'
import { gridFrom, isFigure, type PdfColumn, type Grid } from './pdf-grid.ts'
import { headingOf, isHeadingAt, isOther, withoutHalfColumns } from './pdf-heading.ts'
import type { PdfLine } from './pdf-lines.ts'
import { figureColumns, rowsOf } from './pdf-rows.ts'

/** A table on a page, or its part there. */
export interface PdfTable {
  caption: string
  names: string[]
  columns: PdfColumn[]
  rows: string[][]
  wrapped: number
  /** The lines of the page that it takes: from, and behind its end. */
  from: number
  to: number
  refused?: string | undefined
}

/** A grid of so many lines that is no table is not tried again from its second line. */
const TRIED_AGAIN = 50
const MAX_ON_PAGE = 20

export function tablesOn(lines: readonly PdfLine[]): PdfTable[] {
  const tables: PdfTable[] = []
  for (let at = 0; at < lines.length && tables.length < MAX_ON_PAGE; at += 1) {
    if (!isHeadingAt(lines, at)) continue
    const grid = gridFrom(lines, at)
    const table = grid.lines.length < 3 ? undefined : tableOf(grid, lines, at, tables.at(-1)?.to ?? 0)
    if (table) tables.push(table)
    if (table || grid.lines.length > TRIED_AGAIN) at = Math.max(at, grid.end - 1)
  }
  return tables
}

/** @param after the index of the line behind the table above */
function tableOf(whole: Grid, lines: readonly PdfLine[], at: number, after: number): PdfTable | undefined {
  const grid = withoutHalfColumns(whole)
  const { names, rows: headed, top, unclear } = headingOf(grid, lines, at)
  const body = bodyOf(grid, headed)
  const isBold = isOther(lines[at]!, lines[at + 1] ?? lines[at]!)
  if (!isTable(names, body, isBold)) return undefined
  const empty = names.find((name, i) => name !== '' && body.rows.every((row) => row[i] === ''))
  const faults = [
    grid.isBroken && 'one of its rows cannot be divided into its columns',
    unclear !== undefined && `which columns belong to "${unclear.slice(0, 80)}" cannot be told`,
    body.isUnclear && 'which of its lines belong to one row cannot be told',
    empty !== undefined && `no words stand below its heading "${empty.slice(0, 80)}"`,
    areTwo(grid.columns, body) && 'two tables may stand side by side in it',
  ]
  const refused = faults.find((fault) => fault !== false)
  const caption = captionAbove(lines, Math.max(top, after), after)
  const { rows, wrapped, below } = body
  return { caption, names, columns: grid.columns, rows, wrapped, from: top, to: grid.end - below, refused }
}

/** `figures`: the columns of figures. `below`: how many lines at its end are texts below the table. */
interface PdfBody {
  rows: string[][]
  figures: Set<number>
  wrapped: number
  isUnclear: boolean
  below: number
}

function bodyOf(grid: Grid, headed: number): PdfBody {
  const lines = grid.lines.slice(headed)
  const { rows, wrapped, isUnclear } = rowsOf(lines, grid.columns)
  let [last, below] = [rows.length, 0]
  for (; last > 0; last -= 1) {
    const { cells, lines: own } = rows[last - 1]!
    const filled = cells.filter((cell) => cell !== '')
    if (filled.length > 1 || filled.some(isFigure)) break
    below += own.length
  }
  const kept = rows.slice(0, last)
  return {
    rows: kept.map(({ cells }) => cells),
    figures: figureColumns(lines.slice(0, lines.length - below), grid.columns.length),
    wrapped: wrapped - rows.slice(last).reduce((sum, { lines: own }) => sum + own.length - 1, 0),
    isUnclear,
    below,
  }
}

/** A column of figures below names is a table. Columns of words are one only if their names are set apart. */
function isTable(names: readonly string[], { rows, figures }: PdfBody, isBold: boolean): boolean {
  const width = names.length
  if (width < 2 || rows.length < 2 || names.slice(1).includes('')) return false
  const cells = rows.flat().filter((cell) => cell !== '')
  if (cells.length < 0.5 * rows.length * width || cells.some((cell) => /\.{4}|(?:\. ){4}/.test(cell))) return false
  const columns = names.map((_, i) => rows.flatMap((row) => row[i] || []))
  if (columns.some((column, i) => !figures.has(i) && isProse(column))) return false
  // Rows of a form begin with dates too.
  if ([...figures].some((i) => writtenDate(names[i] ?? '') && columns[i]?.some((cell) => writtenDate(cell))))
    return false
  const filled = [...figures].filter((i) => (columns[i]?.length ?? 0) >= 0.5 * rows.length)
  if (width === 2) return filled.includes(1) && !isForm(columns, isBold)
  return filled.length > 0 || (isBold && rows.length > 2)
}

/** Lines of a text beside a table begin within a sentence. */
function isProse(column: readonly string[]): boolean {
  const long = column.filter((cell) => cell.split(' ').length > 3)
  const within = long.filter((cell) => /^\p{Ll}/u.test(cell))
  return long.length >= 0.5 * column.length && within.length > 1 && within.length > 0.2 * long.length
}

/** `Name: Ann`, `Date: 3 May`: words and values of different kinds, and dates below what is no other font. */
function isForm([labels = [], values = []]: readonly string[][], isBold: boolean): boolean {
  const dates = values.filter((value) => writtenDate(value)).length
  const colons = labels.filter((label) => label.endsWith(':')).length
  return colons > 1 || (dates > 0 && (dates < 0.8 * values.length || !isBold))
}

/** A gap that is much wider than the others may divide two tables, each with words and figures. */
function areTwo(columns: readonly PdfColumn[], { figures }: PdfBody): boolean {
  const gaps = columns.slice(1).map(({ left }, i) => left - columns[i]!.right)
  const widest = Math.max(...gaps)
  const at = gaps.indexOf(widest) + 1
  const others = gaps.filter((_, i) => i + 1 !== at)
  if (at < 2 || columns.length - at < 2 || widest < 30 || widest < 2.5 * Math.max(...others)) return false
  return !figures.has(at) && [...figures].some((i) => i < at) && [...figures].some((i) => i > at)
}

const MAX_CAPTION = 100

/** A short line right above the table. */
function captionAbove(lines: readonly PdfLine[], top: number, after: number): string {
  const [line, first] = [lines[top - 1], lines[top]]
  if (!line || !first || top - 1 < after || line.pieces.length > 1) return ''
  const text = line.pieces[0]?.text ?? ''
  const isNear = first.y - line.y < 4 * line.height
  return isNear && text.length <= MAX_CAPTION && !/[.;,]$/.test(text) && !isFigure(text) ? text : ''
}
