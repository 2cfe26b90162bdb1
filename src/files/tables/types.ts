/** Tables that SQL can ask, and what came of it. Plain JSON, because it goes to the reader's process and back. */

/** A table before it is loaded. `text`: rows divided by `\n`, cells by tabs, as in a `Section` of a sheet. */
export interface SourceTable {
  /** Its name in SQL. */
  name: string
  text: string
  /** Whether its first row is its heading for certain, as in Slack's tables. */
  hasHeading?: true
  /** Numbers are canonical, with a point, as in the cells of a workbook. */
  isExact?: true
  /** A merged cell of its heading may be repeated, as in the tables of documents and pages. */
  repeatsMerged?: true
  /** Sentences on what was guessed when it was found. */
  notes?: string[]
}

export interface TableQuery {
  /** Absent: the tables are described. */
  sql?: string | undefined
  tables: SourceTable[]
  /** How long SQL may take, in ms. */
  timeoutMs: number
}

export type ColumnType = 'text' | 'whole' | 'decimal' | 'date' | 'time' | 'boolean' | 'empty'

export type SqlCell = string | number | bigint | null

/** A column of a table with its cells in SQL's form. */
export interface TypedColumn {
  name: string
  type: ColumnType
  cells: SqlCell[]
  /** How many cells are empty, and how many did not fit the type and count as empty. */
  empty: number
  misfits: number
  /** Sentences: what is ambiguous, which cells did not fit. */
  notes: string[]
}

export interface LoadedTable {
  name: string
  rows: number
  columns: TypedColumn[]
  /** Sentences about the table: rows above its heading, totals that were left out. */
  notes: string[]
}

/** The result of SQL. Cells are text for people; null is an empty one. */
export interface SqlResult {
  columns: string[]
  rows: (string | null)[][]
  /** How many rows there are; `isMore` if there are more than were counted. */
  count: number
  isMore: boolean
  /** Sentences on what was counted, and on what may be wrong. */
  notes: string[]
}

/** `fault` is a sentence for the model. */
export type QueryOutcome =
  | { result: SqlResult; described?: undefined; fault?: undefined }
  | { described: string; result?: undefined; fault?: undefined }
  | { fault: string; result?: undefined; described?: undefined }
