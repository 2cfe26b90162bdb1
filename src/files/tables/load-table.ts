/**
 * Finds the heading of a table among its first rows, and what does not belong to its data: titles, totals, footnotes.
 */
import { conventionsOf, typedColumns } from './columns.ts'
import { filledIn, isValue, said, TableLines } from './table-lines.ts'
import { withoutFooter } from './table-totals.ts'
import type { TypedColumn, LoadedTable, SourceTable } from './types.ts'

const LOOKED_AT = 20
/** How many rows say how the table writes numbers and dates, for columns that do not show it themselves. */
const LOOKED_THROUGH = 2000
const MAX_COLUMNS = 500
/** The number of the row in the file, which stands beside the columns. */
const ROW = '_row'

/** The number of cells held at a time, beside those that have their types. */
const CELLS_AT_ONCE = 1_000_000

export function loadTable(source: SourceTable): LoadedTable {
  const { name, text, hasHeading, isExact, repeatsMerged } = source
  const lines = new TableLines(text)
  const notes = [...(source.notes ?? [])]
  const begin = lines.filled.slice(0, 60).map((row) => lines.at(row))
  const head = headingOf(begin, hasHeading === true, repeatsMerged === true)
  const above = begin.slice(0, head.skipped).map(said).join(' / ').slice(0, 200)
  if (head.skipped > 0) notes.push(`Above the heading: ${above}.`)
  if (head.names === undefined) notes.push('It has no heading, so its columns are numbered.')
  const data = lines.filled.slice(head.skipped + head.rows)
  const all = data.reduce((max, row) => Math.max(max, lines.width(row)), head.names?.length ?? 0)
  const width = Math.min(MAX_COLUMNS, all)
  if (all > width) notes.push(`Only its first ${MAX_COLUMNS} columns are loaded.`)
  // In a result of SQL or JSON, every row is data. A workbook's heading is not certain.
  const isResult = hasHeading === true && isExact === true
  const rows = isResult ? data : withoutFooter(data, lines, width, head.names ?? [], notes)
  const first = columnsIn(lines, rows.slice(0, LOOKED_THROUGH), 0, width)
  const conventions = conventionsOf(first, isExact === true)
  const names = uniqueNames(Array.from({ length: width }, (_, i) => head.names?.[i] ?? ''))
  const typed: TypedColumn[] = []
  const atOnce = Math.max(8, Math.floor(CELLS_AT_ONCE / Math.max(1, rows.length)))
  for (let from = 0; from < width; from += atOnce)
    for (const [i, cells] of columnsIn(lines, rows, from, Math.min(width, from + atOnce)).entries())
      typed.push(...typedColumns(names[from + i] ?? '', cells, conventions))
  const named = uniqueNames(typed.map((column) => column.name))
  const columns = typed.map((column, i) => ({ ...column, name: named[i] ?? column.name }))
  const rowColumn: TypedColumn = { name: ROW, type: 'whole', cells: rows, empty: 0, misfits: 0, notes: [] }
  return { name, rows: rows.length, columns: [...columns, rowColumn], notes }
}

function columnsIn(lines: TableLines, rows: readonly number[], from: number, to: number): string[][] {
  const columns = Array.from({ length: to - from }, () => new Array<string>(rows.length).fill(''))
  for (const [at, row] of rows.entries()) {
    const cells = lines.at(row)
    for (const [i, column] of columns.entries()) column[at] = cells[from + i] ?? ''
  }
  return columns
}

const isYear = (cell: string) => /^(?:19|20)\d{2}$/.test(cell)
/** Returns whether a cell may stand in a heading. */
const isName = (cell: string) => isYear(cell) || !isValue(cell)

/** `rows`: how many rows the heading has. */
interface TableHeading {
  skipped: number
  rows: number
  names?: string[]
}

/** `repeats`: merged cells may be repeated. */
function headingOf(rows: readonly string[][], isCertain: boolean, repeats: boolean): TableHeading {
  if (isCertain) return { skipped: 0, rows: 1, names: rows[0] ?? [] }
  const widths = rows.map(filledIn).sort((a, b) => a - b)
  const usual = widths[Math.floor(widths.length / 2)] ?? 1
  const found = rows.slice(0, LOOKED_AT).findIndex((cells) => filledIn(cells) >= Math.max(1, 0.6 * usual))
  const cells = rows[found] ?? []
  const isText = cells.some((cell) => cell !== '' && !isValue(cell)) && cells.every(isName)
  if (!isText) return { skipped: Math.max(0, found), rows: 0 }
  const above = rows[found - 1] ?? []
  if (isAbove(above, cells, repeats)) return { skipped: found - 1, rows: 2, names: mergedNames(above, cells) }
  const next = rows[found + 1] ?? []
  const third = rows[found + 2] ?? []
  const isSecond = isMerged(cells, next, repeats) && next.every(isName) && third.some(isValue)
  if (!isSecond) return { skipped: found, rows: 1, names: cells }
  return { skipped: found, rows: 2, names: mergedNames(cells, next) }
}

/** A merged cell is blank in sheets, and may be repeated in documents, behind its first column. */
function isMerged(upper: readonly string[], lower: readonly string[], repeats: boolean): boolean {
  const isBlank = upper.slice(1).some((cell, i) => cell === '' && (lower[i + 1] ?? '') !== '')
  const isRepeated =
    repeats && upper.slice(1).some((cell, i) => cell !== '' && cell === upper[i] && lower[i] !== lower[i + 1])
  const names = new Set(lower.map((cell, i) => `${upper[i] ?? ''}\t${cell}`))
  return isBlank || (isRepeated && lower.every((cell) => cell !== '') && names.size === lower.length)
}

/** A row of groups that leaves the first column free: `|2023||2024|` above `City|Plan|Actual|Plan|Actual`. */
function isAbove(upper: readonly string[], lower: readonly string[], repeats: boolean): boolean {
  return upper[0] === '' && filledIn(upper) > 1 && upper.every(isName) && isMerged(upper, lower, repeats)
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
    const plain = written.replace(/["\s]+/g, ' ').trim()
    const name = plain.slice(0, 80) || `column${i + 1}`
    let free = name
    for (let n = 2; taken.has(free.toLowerCase()); n += 1) free = `${name}_${n}`
    taken.add(free.toLowerCase())
    return free
  })
}
