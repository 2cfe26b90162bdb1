/** One way to read all cells of a column: as numbers, dates, times, or yes and no. */
import { isIsoDay, isoDate, orderOf, writtenDate, type DateOrder } from './dates.ts'
import type { Decimal } from './numbers.ts'
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
