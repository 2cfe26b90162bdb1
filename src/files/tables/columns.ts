/** Gives the columns of a table their types, and their cells SQL's form. Every cell that does not fit is counted. */
import { isoDate, isoTime, orderOf, writtenDate, type DateOrder } from './dates.ts'
import { decimalOf, exactNumber, isEitherWay, plainDigits, writtenNumber, type Decimal } from './numbers.ts'
import type { SqlCell, TypedColumn, ColumnType } from './types.ts'

/** Words for nothing, in columns of numbers, dates and booleans. */
const NOTHING = /^(?:[-–—.?]+|n\/?a|#n\/a|nan|none|null|nil|k\.? ?a\.?|tbd|unknown|unbekannt|keine|leer)$/i
/** The share of cells that must fit a type. */
const FITTING = 0.8
const MAX_EXAMPLES = 3

/** What the columns of a table have in common. */
interface Conventions {
  decimal?: Decimal | undefined
  order?: DateOrder | undefined
  isWorkbook?: boolean | undefined
}

/** Returns what the unambiguous cells of all columns say. */
export function conventionsOf(columns: readonly (readonly string[])[], isWorkbook = false): Conventions {
  const all = columns.map((cells) => cells.slice(0, 2000))
  const votes = all.map((cells) => decimalIn(cells)).filter((one) => one !== undefined)
  const orders = all.map((cells) => orderIn(cells)).filter((one) => one !== undefined)
  const decimal = mostOf(votes)
  return { decimal, order: mostOf(orders) ?? (decimal === 'comma' ? 'day' : undefined), isWorkbook }
}

function mostOf<T>(votes: readonly T[]): T | undefined {
  const counts = new Map<T, number>()
  for (const vote of votes) counts.set(vote, (counts.get(vote) ?? 0) + 1)
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0]
}

function decimalIn(cells: readonly string[]): Decimal | undefined {
  return mostOf(cells.flatMap((cell) => decimalOf(writtenNumber(cell)?.digits ?? '') ?? []))
}

function orderIn(cells: readonly string[]): DateOrder | undefined {
  return mostOf(
    cells.flatMap((cell) => {
      const date = writtenDate(cell)
      return date ? (orderOf(date) ?? []) : []
    }),
  )
}

/** Returns the column, and a second one for its units if they differ. */
export function typedColumns(name: string, cells: readonly string[], conventions: Conventions): TypedColumn[] {
  const filled = cells.filter((cell) => cell !== '' && !NOTHING.test(cell))
  const base: TypedColumn = { name, type: 'text', cells: [], empty: 0, misfits: 0, notes: [] }
  if (cells.every((cell) => cell === ''))
    return [{ ...base, type: 'empty', cells: cells.map(() => null), empty: cells.length }]
  const best = bestReader(filled, conventions)
  if (!best || best.fits < FITTING * filled.length || best.asText !== undefined)
    return [textColumn(base, cells, { best, filled: filled.length })]
  return converted(base, cells, best)
}

/** The reader that most cells fit, the earlier of equal ones. One that all fit ends the search. */
function bestReader(filled: readonly string[], conventions: Conventions): Reader | undefined {
  let best: Reader | undefined
  for (const read of [booleans, numbers, dates, times]) {
    const reader = read(filled, conventions)
    if (reader.fits > (best?.fits ?? 0)) best = reader
    if (best?.fits === filled.length) break
  }
  return best
}

interface Reader {
  type: ColumnType
  fits: number
  /** @returns undefined for a cell that does not fit */
  read(cell: string): SqlCell | undefined
  notes: string[]
  /** Why the column stays text, though its cells fit: leading zeros, more digits than a number keeps. */
  asText?: string | undefined
  units?: boolean | undefined
}

function textColumn(
  base: TypedColumn,
  cells: readonly string[],
  { best, filled }: { best: Reader | undefined; filled: number },
): TypedColumn {
  const empty = cells.filter((cell) => cell === '').length
  const isMixed = best && best.asText === undefined && best.fits >= 0.2 * filled
  const mixed = isMixed
    ? [`"${base.name}" is mixed and stays text: ${best.fits} of ${filled} cells are ${WORD[best.type]}.`]
    : []
  const kept =
    best?.asText !== undefined && best.fits >= FITTING * filled ? [`"${base.name}" stays text: ${best.asText}.`] : []
  return { ...base, cells: cells.map((cell) => (cell === '' ? null : cell)), empty, notes: [...mixed, ...kept] }
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

function converted(base: TypedColumn, cells: readonly string[], reader: Reader): TypedColumn[] {
  const bad = new Set<string>()
  let [empty, misfits] = [0, 0]
  let isWhole = true
  const values = cells.map((cell): SqlCell => {
    if (cell === '' || NOTHING.test(cell)) empty += 1
    else {
      const value = reader.read(cell)
      if (value !== undefined) {
        if (typeof value === 'number' && !Number.isInteger(value)) isWhole = false
        return value
      }
      misfits += 1
      if (bad.size < MAX_EXAMPLES) bad.add(cell.slice(0, 30))
    }
    return null
  })
  const type = reader.type === 'decimal' && isWhole ? 'whole' : reader.type
  const said = [...bad].map((cell) => JSON.stringify(cell)).join(', ')
  const misfit =
    misfits > 0
      ? [
          `"${base.name}": ${misfits} ${misfits === 1 ? 'cell is' : 'cells are'} no ${WORD[type]} and count as empty: ${said}.`,
        ]
      : []
  const column = {
    ...base,
    type,
    cells: values,
    empty,
    misfits,
    notes: [...reader.notes.map((note) => `"${base.name}": ${note}`), ...misfit],
  }
  return reader.units ? [column, unitColumn(base, cells)] : [column]
}

function unitColumn(base: TypedColumn, cells: readonly string[]): TypedColumn {
  const units = cells.map((cell) => writtenNumber(cell)?.unit || null)
  return { ...base, name: `${base.name} unit`, cells: units, empty: units.filter((unit) => unit === null).length }
}

const YES = /^(?:true|yes|y|ja|j|wahr|oui|vrai|sí|si)$/i
const NO = /^(?:false|no|n|nein|falsch|non|faux)$/i

function booleans(filled: readonly string[]): Reader {
  const fits = filled.filter((cell) => YES.test(cell) || NO.test(cell)).length
  return { type: 'boolean', fits, read: (cell) => (YES.test(cell) ? 1 : NO.test(cell) ? 0 : undefined), notes: [] }
}

function times(filled: readonly string[]): Reader {
  return { type: 'time', fits: filled.filter((cell) => isoTime(cell) !== undefined).length, read: isoTime, notes: [] }
}

function dates(filled: readonly string[], { order: common }: Conventions): Reader {
  const own = orderIn(filled)
  const order = own ?? common ?? 'day'
  const read = (cell: string) => {
    const date = writtenDate(cell)
    return date && isoDate(date, order)
  }
  const open = filled.find((cell) => {
    const date = writtenDate(cell)
    return date && !date.isCertain && date.first !== date.second
  })
  const form = order === 'day' ? 'the day first' : 'the month first'
  const notes =
    open !== undefined && own === undefined
      ? [`a date such as ${open} could be read two ways; it is read with ${form}.`]
      : []
  const zone = filled.find((cell) => /\d(?: ?Z| ?[+-]\d{2}:?\d{2})$/.test(cell) && /:\d{2}/.test(cell))
  const zones = zone === undefined ? [] : [`times are kept as written, without their zone (${zone}).`]
  return {
    type: 'date',
    fits: filled.filter((cell) => read(cell) !== undefined).length,
    read,
    notes: [...notes, ...zones],
  }
}

function numbers(filled: readonly string[], conventions: Conventions): Reader {
  const facts = numberFacts(filled)
  const { decimal, note } = chosenDecimal(facts, conventions)
  let isLong = false
  const read = (cell: string) => {
    const one = writtenNumber(cell)
    const plain = one && plainDigits(one.digits, decimal)
    if (plain === undefined || !one) return undefined
    const value = exactNumber(plain, one)
    if (value === undefined) isLong = true
    return value
  }
  const named = [...facts.units.keys()].filter((unit) => unit !== '')
  const isUnitText = named.length > Math.max(8, facts.count / 10)
  let fits = 0
  for (const cell of isUnitText || facts.count === 0 ? [] : filled) if (read(cell) !== undefined) fits += 1
  const long = isLong ? 'its numbers have more digits than a number keeps' : undefined
  const asText = facts.hasZeros ? 'its numbers begin with zeros' : long
  const notes = [...note, ...unitNotes(facts.units, named)]
  return { type: 'decimal', fits: isLong ? facts.count : fits, read, notes, units: named.length > 1, asText }
}

function unitNotes(units: ReadonlyMap<string, number>, named: readonly string[]): string[] {
  if (named.length === 0) return []
  const counted = [...units].map(([unit, count]) => `${unit === '' ? 'no unit' : unit} ${count}`).slice(0, 6)
  if (named.length > 1)
    return [`its units differ (${counted.join(', ')}), so do not add them up; the column "… unit" has each cell's.`]
  return [`in ${named[0]}${units.has('') ? ` (${units.get('')} without it)` : ''}.`]
}

/** What the numbers of a column show together. A column may have a million cells, so none of them is kept. */
function numberFacts(cells: readonly string[]) {
  const units = new Map<string, number>()
  const votes = { point: 0, comma: 0 }
  const facts = { count: 0, units, votes, hasZeros: false, open: '', areThousands: true, hasPlainThousand: false }
  for (const cell of cells) {
    const written = writtenNumber(cell)
    if (!written) continue
    const { digits, unit } = written
    facts.count += 1
    if (units.size < MAX_UNITS || units.has(unit)) units.set(unit, (units.get(unit) ?? 0) + 1)
    if (/^0\d+$/.test(digits)) facts.hasZeros = true
    const decimal = decimalOf(digits)
    if (decimal) votes[decimal] += 1
    const isOpen = isEitherWay(digits)
    if (isOpen) facts.open ||= digits
    // `850` beside `1.200`: fractions do not all have three digits, and whole numbers under a thousand have no mark.
    const isShort = /^\d{1,3}$/.test(digits)
    if (!isOpen && !isShort) facts.areThousands = false
    if (isShort || (isOpen && digits.endsWith('000'))) facts.hasPlainThousand = true
  }
  return facts
}

const MAX_UNITS = 1000

/** Returns the decimal mark of a column, and a sentence if it is a guess. */
function chosenDecimal(
  { votes, open, areThousands, hasPlainThousand }: ReturnType<typeof numberFacts>,
  { decimal: common, isWorkbook }: Conventions,
): { decimal: Decimal; note: string[] } {
  if (votes.point + votes.comma > 0) return { decimal: votes.comma > votes.point ? 'comma' : 'point', note: [] }
  if (open === '') return { decimal: common ?? 'point', note: [] }
  const hasComma = open.includes(',')
  // A workbook stores numbers with a point. Elsewhere a lone `1,234` is likelier a thousand than a fraction.
  const isCanonical = isWorkbook && !hasComma
  const isThousand = hasComma || (areThousands && hasPlainThousand)
  const decimal: Decimal = isCanonical ? 'point' : (common ?? (isThousand ? other(hasComma) : 'point'))
  const as = plainDigits(open, decimal)
  return { decimal, note: isCanonical ? [] : [`a number such as ${open} could be read two ways; it is read as ${as}.`] }
}

const other = (hasComma: boolean): Decimal => (hasComma ? 'point' : 'comma')
