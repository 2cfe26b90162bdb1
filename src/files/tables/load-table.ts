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

interface NumberedRow {
  /** Its number in the file. */
  at: number
  cells: string[]
}

export function loadTable({ name, text, hasHeading, isWorkbook }: SourceTable): LoadedTable {
  const all = text
    .split('\n')
    .map((line, i): NumberedRow => ({ at: i + 1, cells: line.split('\t').map((cell) => cell.trim()) }))
    .filter(({ cells }) => cells.some((cell) => cell !== ''))
  const notes: string[] = []
  const head = headingOf(all, hasHeading === true)
  if (head.skipped > 0)
    notes.push(
      `Above the heading: ${all
        .slice(0, head.skipped)
        .map(({ cells }) => said(cells))
        .join(' / ')
        .slice(0, 200)}.`,
    )
  if (head.names === undefined) notes.push('It has no heading, so its columns are numbered.')
  const data = all.slice(head.skipped + head.rows)
  const width = Math.min(
    MAX_COLUMNS,
    data.reduce((max, { cells }) => Math.max(max, cells.length), head.names?.length ?? 0),
  )
  const rows = withoutFooter(data, { width, notes, names: head.names ?? [] })
  if (data.some(({ cells }) => cells.length > MAX_COLUMNS))
    notes.push(`Only its first ${MAX_COLUMNS} columns are loaded.`)
  const textsOf = (i: number, some: readonly NumberedRow[] = rows) => some.map(({ cells }) => cells[i] ?? '')
  const first = Array.from({ length: width }, (_, i) => textsOf(i, rows.slice(0, LOOKED_THROUGH)))
  const conventions = conventionsOf(first, isWorkbook === true)
  const names = uniqueNames(Array.from({ length: width }, (_, i) => head.names?.[i] ?? ''))
  const typed = names.flatMap((column, i) => typedColumns(column, textsOf(i), conventions))
  const named = uniqueNames(typed.map((column) => column.name))
  const row: TypedColumn = {
    name: ROW,
    type: 'whole',
    cells: rows.map(({ at }) => at),
    digits: 0,
    empty: 0,
    misfits: 0,
    notes: [],
  }
  return {
    name,
    rows: rows.length,
    columns: [...typed.map((column, i) => ({ ...column, name: named[i] ?? column.name })), row],
    notes,
  }
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

function headingOf(rows: readonly NumberedRow[], isCertain: boolean): TableHeading {
  if (isCertain) return { skipped: 0, rows: 1, names: rows[0]?.cells ?? [] }
  const widths = rows
    .slice(0, 60)
    .map(({ cells }) => filledIn(cells))
    .sort((a, b) => a - b)
  const usual = widths[Math.floor(widths.length / 2)] ?? 1
  const found = rows.slice(0, LOOKED_AT).findIndex(({ cells }) => filledIn(cells) >= Math.max(1, 0.6 * usual))
  const { cells } = rows[found] ?? { cells: [] }
  const isText =
    cells.some((cell) => cell !== '' && !isValue(cell)) &&
    cells.every((cell) => cell === '' || isYear(cell) || !isValue(cell))
  if (!isText) return { skipped: Math.max(0, found), rows: 0 }
  const next = rows[found + 1]?.cells ?? []
  const third = rows[found + 2]?.cells ?? []
  const isMerged = cells.slice(1).some((cell, i) => cell === '' && (next[i + 1] ?? '') !== '')
  const isSecond =
    isMerged && next.every((cell) => cell === '' || isYear(cell) || !isValue(cell)) && third.some(isValue)
  if (!isSecond) return { skipped: found, rows: 1, names: cells }
  return { skipped: found, rows: 2, names: mergedNames(cells, next) }
}

/** `Q1` over `Revenue` and `Cost` becomes `Q1 Revenue` and `Q1 Cost`. */
function mergedNames(upper: readonly string[], lower: readonly string[]): string[] {
  let above = ''
  return Array.from({ length: Math.max(upper.length, lower.length) }, (_, i) => {
    above = upper[i] || above
    const below = lower[i] ?? ''
    return below === '' ? (upper[i] ?? '') : `${above} ${below}`.trim()
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
  width: number
  names: readonly string[]
  notes: string[]
}

/** Leaves out rows of totals, which would be added twice, a repeated heading, and footnotes below the last row. */
function withoutFooter(rows: readonly NumberedRow[], { width, names, notes }: Footer): NumberedRow[] {
  const heading = said(names)
  const isTotal = ({ cells }: NumberedRow) =>
    TOTAL.test(cells.find((cell) => cell !== '') ?? '') && (cells.some(isValue) || width === 1)
  const isRepeated = ({ cells }: NumberedRow) => heading !== '' && filledIn(cells) > 1 && said(cells) === heading
  const totals = rows.filter(isTotal)
  const repeated = rows.filter(isRepeated)
  const left = new Set(totals)
  const kept = rows.filter((row) => !left.has(row) && !isRepeated(row))
  let last = kept.length
  const isNote = ({ cells }: NumberedRow) =>
    width >= 3 && filledIn(cells) === 1 && cells[0] !== '' && !isValue(cells[0] ?? '') && /[ :*]/.test(cells[0] ?? '')
  while (last > 0 && isNote(kept[last - 1] ?? { at: 0, cells: [] })) last -= 1
  if (totals.length > 0)
    notes.push(
      `Rows of totals are left out (${totals
        .slice(0, 3)
        .map(({ at, cells }) => `row ${at}: ${said(cells).slice(0, 60)}`)
        .join('; ')}${totals.length > 3 ? ` and ${totals.length - 3} more` : ''}).`,
    )
  if (repeated.length > 0) notes.push(`${repeated.length} repeated headings are left out.`)
  if (last < kept.length)
    notes.push(
      `Below the table: ${kept
        .slice(last)
        .map(({ cells }) => said(cells))
        .join(' / ')
        .slice(0, 200)}.`,
    )
  return kept.slice(0, last)
}
