/** One way to read all cells of a column: as numbers, dates, times, or yes and no. */
import type { DateOrder } from './dates.ts'
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
