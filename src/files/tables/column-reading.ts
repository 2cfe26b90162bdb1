/** One way to read all cells of a column: as numbers, dates, times, or yes and no. */
import { isIsoDay, isoDate, orderOf, writtenDate, type DateOrder } from './dates.ts'
import { decimalOf, sqlNumber, isEitherWay, PLAIN, plainDigits, writtenNumber, type Decimal } from './numbers.ts'
import type { ColumnType, SqlCell } from './types.ts'

/** What the columns of a table have in common. */
export interface Conventions {
  decimal?: Decimal | undefined
  order?: DateOrder | undefined
  isExact?: boolean | undefined
}

export interface ColumnReading {
  type: ColumnType
  /** One for each filled cell; undefined if it does not fit. `fits` counts the others. */
  values: (SqlCell | undefined)[]
  fits: number
  notes: string[]
  /** Why the column stays text, though its cells fit: leading zeros, more digits than a number keeps. */
  asText?: string | undefined
  units?: boolean | undefined
}

/** @param read returns undefined for a cell that does not fit */
export function reading(
  type: ColumnType,
  filled: readonly string[],
  read: (cell: string) => SqlCell | undefined,
): ColumnReading {
  let fits = 0
  const values = new Array<SqlCell | undefined>(filled.length)
  for (let i = 0; i < filled.length; i += 1) {
    const value = read(filled[i] ?? '')
    values[i] = value
    if (value !== undefined) fits += 1
  }
  return { type, values, fits, notes: [] }
}

/** Only dates in this form do not say which number is the month. */
const MAYBE_EITHER = /(?:^|[ ,])\d{1,2}[/-]\d/

/** Returns which number is the day, as most cells show. */
export function orderIn(cells: readonly string[]): DateOrder | undefined {
  const votes = { day: 0, month: 0 }
  for (const cell of cells) {
    const date = MAYBE_EITHER.test(cell) ? writtenDate(cell) : undefined
    const order = date && orderOf(date)
    if (order) votes[order] += 1
  }
  return votes.day + votes.month === 0 ? undefined : votes.month > votes.day ? 'month' : 'day'
}

/** Reads a column as dates, in ISO's form. */
export function dates(filled: readonly string[], { order: common }: Conventions): ColumnReading {
  const own = orderIn(filled)
  const order = own ?? common ?? 'day'
  let [open, zone] = ['', '']
  const column = reading('date', filled, (cell) => {
    if (isIsoDay(cell)) return cell
    const date = writtenDate(cell)
    if (!date) return undefined
    if (!date.isCertain && date.first !== date.second) open ||= cell
    if (date.time !== '' && ZONE.test(cell)) zone ||= cell
    return isoDate(date, order)
  })
  const form = order === 'day' ? 'the day first' : 'the month first'
  const isOpen = open !== '' && own === undefined
  const notes = [
    ...(isOpen ? [`a date such as ${open} could be read two ways; it is read with ${form}.`] : []),
    ...(zone === '' ? [] : [`times are kept as written, without their zone (${zone}).`]),
  ]
  return { ...column, notes }
}

const ZONE = /\d(?: ?Z| ?[+-]\d{2}:?\d{2})$/

/** A whole number from a thousand on, without marks and without zeros before it. */
const PLAIN_THOUSANDS = /^-?[1-9]\d{3,}$/
/** A fraction that can only have a point. */
const PLAIN_FRACTION = /^-?(?:0|[1-9]\d*)\.\d{1,2}$/

/** Reads a column as numbers: which decimal mark it has, its units, and what a number cannot keep. */
export function numbers(filled: readonly string[], conventions: Conventions): ColumnReading {
  const facts = numberFacts(filled)
  const { decimal, note } = chosenDecimal(facts, conventions)
  let isLong = false
  const read = (cell: string) => {
    // A double keeps 15 digits.
    if (cell.length <= 15 && PLAIN.test(cell) && (decimal === 'point' || !cell.includes('.'))) return Number(cell)
    const one = writtenNumber(cell)
    const plain = one && plainDigits(one.digits, decimal)
    if (plain === undefined || !one) return undefined
    const value = sqlNumber(plain, one)
    if (value === undefined) isLong = true
    return value
  }
  const named = [...facts.units.keys()].filter((unit) => unit !== '')
  const isUnitText = named.length > Math.max(8, facts.count / 10)
  const column = reading('decimal', isUnitText || facts.count === 0 ? [] : filled, read)
  const long = isLong ? 'its numbers have more digits than a number keeps' : undefined
  const asText = facts.hasZeros ? 'its numbers begin with zeros' : long
  const notes = [...note, ...unitNotes(facts.units, named)]
  return { ...column, fits: isLong ? facts.count : column.fits, notes, units: named.length > 1, asText }
}

function unitNotes(units: ReadonlyMap<string, number>, named: readonly string[]): string[] {
  if (named.length === 0) return []
  const counted = [...units].map(([unit, count]) => `${unit === '' ? 'no unit' : unit} ${count}`).slice(0, 6)
  if (named.length > 1)
    return [`its units differ (${counted.join(', ')}), so do not add them up; the column "… unit" has each cell's.`]
  return [`in ${named[0]}${units.has('') ? ` (${units.get('')} without it)` : ''}.`]
}

/** Collects facts about all numbers of a column. It may have a million cells, so none of them is kept. */
function numberFacts(cells: readonly string[]) {
  const units = new Map<string, number>()
  const votes = { point: 0, comma: 0 }
  const facts = { count: 0, units, votes, hasZeros: false, open: '', areThousands: true, hasPlainThousand: false }
  let plain = 0
  for (const cell of cells) {
    // Most numbers have no marks, and say nothing about them.
    if (PLAIN_THOUSANDS.test(cell)) {
      plain += 1
      continue
    }
    if (PLAIN_FRACTION.test(cell)) {
      votes.point += 1
      plain += 1
      continue
    }
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
  if (plain > 0) {
    facts.count += plain
    facts.areThousands = false
    units.set('', (units.get('') ?? 0) + plain)
  }
  return facts
}

const MAX_UNITS = 1000

/** Returns the decimal mark of a column, and a sentence if it is a guess. */
function chosenDecimal(
  { votes, open, areThousands, hasPlainThousand }: ReturnType<typeof numberFacts>,
  { decimal: common, isExact }: Conventions,
): { decimal: Decimal; note: string[] } {
  if (votes.point + votes.comma > 0) return { decimal: votes.comma > votes.point ? 'comma' : 'point', note: [] }
  if (open === '') return { decimal: common ?? 'point', note: [] }
  const hasComma = open.includes(',')
  // A workbook stores numbers with a point. Elsewhere a lone `1,234` is likelier a thousand than a fraction.
  const isCanonical = isExact && !hasComma
  const isThousand = hasComma || (areThousands && hasPlainThousand)
  const decimal: Decimal = isCanonical ? 'point' : (common ?? (isThousand ? other(hasComma) : 'point'))
  const as = plainDigits(open, decimal)
  return { decimal, note: isCanonical ? [] : [`a number such as ${open} could be read two ways; it is read as ${as}.`] }
}

const other = (hasComma: boolean): Decimal => (hasComma ? 'point' : 'comma')
