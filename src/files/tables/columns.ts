/** Gives the columns of a table their types, and their cells SQL's form. Every cell that does not fit is counted. */
import { dates, numbers, orderIn, reading, type ColumnReading, type Conventions } from './column-reading.ts'
import { isoTime, writtenDate } from './dates.ts'
import { decimalOf, writtenNumber, type Decimal } from './numbers.ts'
import type { SqlCell, TypedColumn, ColumnType } from './types.ts'

/** Words for nothing, in columns of numbers, dates and booleans. */
const NOTHING = /^(?:[-–—.?]+|n\/?a|#n\/a|nan|none|null|nil|k\.? ?a\.?|tbd|unknown|unbekannt|keine|leer)$/i
/** The share of cells that must fit a type. */
const FITTING = 0.8
const MAX_EXAMPLES = 3

/** Returns what the unambiguous cells of all columns say. */
export function conventionsOf(columns: readonly (readonly string[])[], isExact = false): Conventions {
  const all = columns.map((cells) => cells.slice(0, 2000))
  const votes = all.map((cells) => decimalIn(cells)).filter((one) => one !== undefined)
  const orders = all.map((cells) => orderIn(cells)).filter((one) => one !== undefined)
  const decimal = mostOf(votes)
  return { decimal, order: mostOf(orders) ?? (decimal === 'comma' ? 'day' : undefined), isExact }
}

function mostOf<T>(votes: readonly T[]): T | undefined {
  const counts = new Map<T, number>()
  for (const vote of votes) counts.set(vote, (counts.get(vote) ?? 0) + 1)
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0]
}

function decimalIn(cells: readonly string[]): Decimal | undefined {
  return mostOf(
    cells.flatMap((cell) => (/[.,]\d/.test(cell) ? (decimalOf(writtenNumber(cell)?.digits ?? '') ?? []) : [])),
  )
}

/** Returns the column, and a second one for its units if they differ. */
export function typedColumns(name: string, cells: readonly string[], conventions: Conventions): TypedColumn[] {
  const filled = cells.filter((cell) => !isNothing(cell))
  const base: TypedColumn = { name, type: 'text', cells: [], empty: 0, misfits: 0, notes: [] }
  if (cells.every((cell) => cell === ''))
    return [{ ...base, type: 'empty', cells: cells.map(() => null), empty: cells.length }]
  const best = bestReading(filled, conventions)
  if (!best || best.fits < FITTING * filled.length || best.asText !== undefined)
    return [textColumn(base, cells, best, filled.length)]
  return converted(base, cells, best)
}

/** Words for nothing do not begin with a digit, as most cells of numbers and dates do. */
function isNothing(cell: string): boolean {
  const first = cell.charCodeAt(0)
  return cell === '' || (!(first >= 48 && first <= 57) && NOTHING.test(cell))
}

/** The reading that most cells fit, the earlier of equal ones. One that all fit ends the search. */
function bestReading(filled: readonly string[], conventions: Conventions): ColumnReading | undefined {
  const sample = sampleOf(filled)
  let best: ColumnReading | undefined
  for (const { looksLike, read } of READINGS) {
    // Most columns are text, and a reading that a fifth of the cells fit is found among hundreds of them.
    if (sample && !sample.some((cell) => looksLike(cell))) continue
    const reading = read(filled, conventions)
    if (reading.fits > (best?.fits ?? 0)) best = reading
    if (best?.fits === filled.length) break
  }
  return best
}

const READINGS: {
  looksLike(cell: string): unknown
  read(filled: readonly string[], conventions: Conventions): ColumnReading
}[] = [
  { looksLike: (cell) => asBoolean(cell) !== undefined, read: (filled) => reading('boolean', filled, asBoolean) },
  { looksLike: writtenNumber, read: numbers },
  { looksLike: writtenDate, read: dates },
  { looksLike: isoTime, read: (filled) => reading('time', filled, isoTime) },
]

const SAMPLE = 500

/** Cells at places that look random, but are the same each time. Undefined for a short column. */
function sampleOf(filled: readonly string[]): string[] | undefined {
  if (filled.length < 4 * SAMPLE) return undefined
  let at = 1
  return Array.from({ length: SAMPLE }, () => {
    at = (at * 48_271) % 2_147_483_647
    return filled[at % filled.length] ?? ''
  })
}

function textColumn(
  base: TypedColumn,
  cells: readonly string[],
  best: ColumnReading | undefined,
  filled: number,
): TypedColumn {
  const empty = cells.filter((cell) => cell === '').length
  const notes: string[] = []
  if (best && best.asText === undefined && best.fits >= 0.2 * filled)
    notes.push(`"${base.name}" is mixed and stays text: ${best.fits} of ${filled} cells are ${WORD[best.type]}.`)
  if (best?.asText !== undefined && best.fits >= FITTING * filled)
    notes.push(`"${base.name}" stays text: ${best.asText}.`)
  return { ...base, cells: cells.map((cell) => (cell === '' ? null : cell)), empty, notes }
}

export const WORD: Record<ColumnType, string> = {
  text: 'text',
  whole: 'whole numbers',
  decimal: 'numbers',
  date: 'dates',
  time: 'times',
  boolean: 'yes or no (1 or 0)',
  empty: 'empty',
}

function converted(base: TypedColumn, cells: readonly string[], reading: ColumnReading): TypedColumn[] {
  const bad = new Set<string>()
  let [empty, misfits, at] = [0, 0, 0]
  let isWhole = true
  const values = cells.map((cell): SqlCell => {
    if (isNothing(cell)) {
      empty += 1
      return null
    }
    const value = reading.values[at++]
    if (value !== undefined) {
      if (typeof value === 'number' && !Number.isInteger(value)) isWhole = false
      return value
    }
    misfits += 1
    if (bad.size < MAX_EXAMPLES) bad.add(cell.slice(0, 30))
    return null
  })
  const type = reading.type === 'decimal' && isWhole ? 'whole' : reading.type
  const notes = [...reading.notes]
  const said = [...bad].map((cell) => JSON.stringify(cell)).join(', ')
  if (misfits > 0)
    notes.push(`${misfits} ${misfits === 1 ? 'cell is' : 'cells are'} no ${WORD[type]} and count as empty: ${said}.`)
  const named = notes.map((note) => `"${base.name}": ${note}`)
  const column = { ...base, type, cells: values, empty, misfits, notes: named }
  return reading.units ? [column, unitColumn(base, cells)] : [column]
}

function unitColumn(base: TypedColumn, cells: readonly string[]): TypedColumn {
  const units = cells.map((cell) => writtenNumber(cell)?.unit || null)
  return { ...base, name: `${base.name} unit`, cells: units, empty: units.filter((unit) => unit === null).length }
}

const YES = /^(?:true|yes|y|ja|j|wahr|oui|vrai|sí|si)$/i
const NO = /^(?:false|no|n|nein|falsch|non|faux)$/i

/** The longest word. */
const MAX_BOOLEAN = 6

function asBoolean(cell: string): number | undefined {
  return cell.length > MAX_BOOLEAN ? undefined : YES.test(cell) ? 1 : NO.test(cell) ? 0 : undefined
}
