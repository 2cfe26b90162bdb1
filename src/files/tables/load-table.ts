/** Finds the heading of a table among its first rows, and what does not belong to its data: titles, totals, footnotes. */
import { conventionsOf, typedColumns } from './columns.ts'
import { writtenDate } from './dates.ts'
import { writtenNumber } from './numbers.ts'
import type { TypedColumn, LoadedTable, SourceTable } from './types.ts'

const LOOKED_AT = 20
/** How many rows say how the table writes numbers and dates, for columns that do not show it themselves. */
const LOOKED_THROUGH = 2000
export const MAX_COLUMNS = 500
/** The number of the row in the file, which stands beside the columns. */
export const ROW = '_row'

/** The lines of a table, split into cells only when they are read: a table may have a million cells. */
class Lines {
  readonly #lines: string[]
  /** The numbers of the rows that are not blank, from 1. */
  readonly filled: number[] = []

  constructor(text: string) {
    this.#lines = text.split('\n')
    for (const [i, line] of this.#lines.entries()) if (!/^\s*$/.test(line)) this.filled.push(i + 1)
  }

  /** The first cell of a row. */
  first(row: number): string {
    const line = this.#lines[row - 1] ?? ''
    const end = line.indexOf('\t')
    return (end < 0 ? line : line.slice(0, end)).trim()
  }

  width(row: number): number {
    const line = this.#lines[row - 1] ?? ''
    let width = 1
    for (let at = line.indexOf('\t'); at >= 0; at = line.indexOf('\t', at + 1)) width += 1
    return width
  }

  at(row: number | undefined): string[] {
    if (row === undefined) return []
    return (this.#lines[row - 1] ?? '').split('\t').map((cell) => cell.trim())
  }
}

/** How many cells are held at a time, beside those that have their types. */
const CELLS_AT_ONCE = 1_000_000

export function loadTable({ name, text, hasHeading, isWorkbook }: SourceTable): LoadedTable {
  const lines = new Lines(text)
  const notes: string[] = []
  const begin = lines.filled.slice(0, 60).map((row) => lines.at(row))
  const head = headingOf(begin, hasHeading === true)
  const above = begin.slice(0, head.skipped).map(said).join(' / ').slice(0, 200)
  if (head.skipped > 0) notes.push(`Above the heading: ${above}.`)
  if (head.names === undefined) notes.push('It has no heading, so its columns are numbered.')
  const data = lines.filled.slice(head.skipped + head.rows)
  const all = data.reduce((max, row) => Math.max(max, lines.width(row)), head.names?.length ?? 0)
  const width = Math.min(MAX_COLUMNS, all)
  if (all > width) notes.push(`Only its first ${MAX_COLUMNS} columns are loaded.`)
  const rows = withoutFooter(data, { lines, width, notes, names: head.names ?? [] })
  const first = columnsIn({ lines, rows: rows.slice(0, LOOKED_THROUGH) }, 0, width)
  const conventions = conventionsOf(first, isWorkbook === true)
  const names = uniqueNames(Array.from({ length: width }, (_, i) => head.names?.[i] ?? ''))
  const typed: TypedColumn[] = []
  const atOnce = Math.max(8, Math.floor(CELLS_AT_ONCE / Math.max(1, rows.length)))
  for (let from = 0; from < width; from += atOnce)
    for (const [i, cells] of columnsIn({ lines, rows }, from, Math.min(width, from + atOnce)).entries())
      typed.push(...typedColumns(names[from + i] ?? '', cells, conventions))
  const named = uniqueNames(typed.map((column) => column.name))
  const columns = typed.map((column, i) => ({ ...column, name: named[i] ?? column.name }))
  return { name, rows: rows.length, columns: [...columns, rowColumn(rows)], notes }
}

function columnsIn({ lines, rows }: { lines: Lines; rows: readonly number[] }, from: number, to: number): string[][] {
  const columns = Array.from({ length: to - from }, () => new Array<string>(rows.length).fill(''))
  for (const [at, row] of rows.entries()) {
    const cells = lines.at(row)
    for (const [i, column] of columns.entries()) column[at] = cells[from + i] ?? ''
  }
  return columns
}

function rowColumn(cells: number[]): TypedColumn {
  return { name: ROW, type: 'whole', cells, empty: 0, misfits: 0, notes: [] }
}

const said = (cells: readonly string[]) => cells.filter((cell) => cell !== '').join(' ')
const filledIn = (cells: readonly string[]) => cells.filter((cell) => cell !== '').length
const isValue = (cell: string) => (writtenNumber(cell)?.digits ?? '') !== '' || writtenDate(cell) !== undefined
const isYear = (cell: string) => /^(?:19|20)\d{2}$/.test(cell)

/** `rows`: how many rows the heading has. */
interface TableHeading {
  skipped: number
  rows: number
  names?: string[]
}

function headingOf(rows: readonly string[][], isCertain: boolean): TableHeading {
  if (isCertain) return { skipped: 0, rows: 1, names: rows[0] ?? [] }
  const widths = rows
    .slice(0, 60)
    .map(filledIn)
    .sort((a, b) => a - b)
  const usual = widths[Math.floor(widths.length / 2)] ?? 1
  const found = rows.slice(0, LOOKED_AT).findIndex((cells) => filledIn(cells) >= Math.max(1, 0.6 * usual))
  const cells = rows[found] ?? []
  const isText =
    cells.some((cell) => cell !== '' && !isValue(cell)) &&
    cells.every((cell) => cell === '' || isYear(cell) || !isValue(cell))
  if (!isText) return { skipped: Math.max(0, found), rows: 0 }
  const next = rows[found + 1] ?? []
  const third = rows[found + 2] ?? []
  const isSecond =
    isMerged(cells, next) && next.every((cell) => cell === '' || isYear(cell) || !isValue(cell)) && third.some(isValue)
  if (!isSecond) return { skipped: found, rows: 1, names: cells }
  return { skipped: found, rows: 2, names: mergedNames(cells, next) }
}

/** A merged cell is blank in sheets, and repeated in documents, behind its first column. */
function isMerged(upper: readonly string[], lower: readonly string[]): boolean {
  const isBlank = upper.slice(1).some((cell, i) => cell === '' && (lower[i + 1] ?? '') !== '')
  const isRepeated = upper.slice(1).some((cell, i) => cell !== '' && cell === upper[i] && lower[i] !== lower[i + 1])
  return isBlank || (isRepeated && lower.every((cell) => cell !== '') && new Set(lower).size === lower.length)
}

/** `Q1` over `Revenue` and `Cost` becomes `Q1 Revenue` and `Q1 Cost`. */
function mergedNames(upper: readonly string[], lower: readonly string[]): string[] {
  let above = ''
  return Array.from({ length: Math.max(upper.length, lower.length) }, (_, i) => {
    above = upper[i] || above
    const below = lower[i] ?? ''
    return below === '' || below === above ? (upper[i] ?? '') : `${above} ${below}`.trim()
  })
}

/** Names blank columns `column3`, and numbers names that differ only in case, as SQL does not tell them apart. */
function uniqueNames(names: readonly string[]): string[] {
  const taken = new Set<string>([ROW])
  return names.map((written, i) => {
    const name =
      written
        .replace(/["\s]+/g, ' ')
        .trim()
        .slice(0, 80) || `column${i + 1}`
    let free = name
    for (let n = 2; taken.has(free.toLowerCase()); n += 1) free = `${name}_${n}`
    taken.add(free.toLowerCase())
    return free
  })
}

const TOTAL =
  /^(?:(?:grand|sub)[ -]?)?totals?(?: (?:amount|sum))?:?$|^(?:gesamt|zwischen|end)?summe:?$|^(?:ins)?gesamt:?$|^sum:?$|^total (?:général|general)$|^(?:subtotal|suma|somme|totale):?$/i

interface Footer {
  lines: Lines
  width: number
  names: readonly string[]
  notes: string[]
}

/** Leaves out rows of totals, which would be added twice, a repeated heading, and footnotes below the last row. */
function withoutFooter(rows: readonly number[], { lines, width, names, notes }: Footer): number[] {
  const heading = filledIn(names) > 1 ? said(names) : undefined
  const totals: string[] = []
  let [total, repeated] = [0, 0]
  const kept = rows.filter((row) => {
    const first = lines.first(row)
    if (first !== '' && first !== names[0] && !TOTAL.test(first)) return true
    const cells = lines.at(row)
    if (TOTAL.test(cells.find((cell) => cell !== '') ?? '') && (cells.some(isValue) || width === 1)) {
      total += 1
      if (total <= 3) totals.push(`row ${row}: ${said(cells).slice(0, 60)}`)
      return false
    }
    const isHeading = cells[0] === names[0] && heading !== undefined && said(cells) === heading
    if (isHeading) repeated += 1
    return !isHeading
  })
  const isNote = ([first = '', ...others]: string[]) =>
    width >= 3 && first !== '' && filledIn(others) === 0 && !isValue(first) && /[ :*]/.test(first)
  let last = kept.length
  while (last > 0 && isNote(lines.at(kept[last - 1]))) last -= 1
  const below = kept.slice(last).map((row) => said(lines.at(row)))
  const more = total > 3 ? ` and ${total - 3} more` : ''
  if (total > 0) notes.push(`Rows of totals are left out (${totals.join('; ')}${more}).`)
  if (repeated > 0) notes.push(`${repeated} repeated headings are left out.`)
  if (last < kept.length) notes.push(`Below the table: ${below.join(' / ').slice(0, 200)}.`)
  return kept.slice(0, last)
}
