/** SQLite in WebAssembly: it has no files and no network. It may only read the tables that are loaded. */
import sqlite3InitModule, { type Database, type Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import { loadRows } from './load-rows.ts'
import { addFunctions, SQL_FUNCTIONS } from './sql-functions.ts'
import type { SqlCell, ColumnType, LoadedTable } from './types.ts'

/** The memory of SQLite, in bytes; the longest text or row; how many rows of a result are counted. */
const HEAP_BYTES = 80 * 1024 * 1024
const MAX_LENGTH = 1_000_000
const MAX_ROWS = 10_000
const MAX_RESULT_CHARS = 8_000_000
const OPERATIONS = 5_000

export interface RawResult {
  columns: string[]
  rows: SqlCell[][]
  isMore: boolean
}

export interface Guard {
  now(): number
  timeoutMs: number
}

const KIND: Record<ColumnType, string> = {
  text: 'TEXT',
  whole: 'INTEGER',
  decimal: 'REAL',
  date: 'TEXT',
  time: 'TEXT',
  boolean: 'INTEGER',
  empty: 'TEXT',
}

export const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

export class TableDatabase {
  readonly #sqlite: Sqlite3Static
  readonly #db: Database
  readonly #tables: Set<string>
  readonly #modules: Set<string>
  /** The columns that SQL has read, as `table\0column`. */
  readonly read = new Set<string>()

  private constructor(sqlite: Sqlite3Static, db: Database, tables: Set<string>) {
    this.#sqlite = sqlite
    this.#db = db
    this.#tables = tables
    const modules = db.selectValues('SELECT name FROM pragma_module_list') as string[]
    this.#modules = new Set(modules.map((name) => name.toLowerCase()))
  }

  static async open(tables: readonly LoadedTable[]): Promise<TableDatabase> {
    const quiet = { print: () => {}, printErr: () => {} }
    const sqlite = await (sqlite3InitModule as unknown as (options: typeof quiet) => Promise<Sqlite3Static>)(quiet)
    const db = new sqlite.oo1.DB(':memory:')
    addFunctions(sqlite, db)
    for (const table of tables) {
      const columns = table.columns.map(({ name, type }) => `${quoted(name)} ${KIND[type]}`)
      db.exec(`CREATE TABLE ${quoted(table.name)} (${columns.join(', ')})`)
      const sql = `INSERT INTO ${quoted(table.name)} VALUES (${columns.map(() => '?').join(', ')})`
      loadRows(sqlite, db, sql, table)
    }
    db.exec(`PRAGMA hard_heap_limit=${HEAP_BYTES}`)
    return new TableDatabase(sqlite, db, new Set(tables.map(({ name }) => name.toLowerCase())))
  }

  /** From now on the tables are read from their last row to their first, which shows what depends on their order. */
  reverse(tables: readonly LoadedTable[]): void {
    for (const { name } of tables)
      this.#db.exec(`CREATE TEMP TABLE ${quoted(name)} AS SELECT * FROM main.${quoted(name)} ORDER BY rowid DESC`)
  }

  /** @throws Error with SQLite's words */
  select(sql: string, { now, timeoutMs }: Guard): RawResult {
    const { capi } = this.#sqlite
    const pointer = this.#db.pointer!
    const until = now() + timeoutMs
    capi.sqlite3_limit(pointer, capi.SQLITE_LIMIT_LENGTH, MAX_LENGTH)
    capi.sqlite3_limit(pointer, capi.SQLITE_LIMIT_EXPR_DEPTH, 200)
    capi.sqlite3_limit(pointer, capi.SQLITE_LIMIT_COMPOUND_SELECT, 50)
    capi.sqlite3_limit(pointer, capi.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000)
    capi.sqlite3_progress_handler(pointer, OPERATIONS, () => (now() > until ? 1 : 0), 0 as never)
    capi.sqlite3_set_authorizer(pointer, (...[, action, one, two]) => this.#mayDo(action, one, two), 0 as never)
    try {
      return this.#rowsOf(sql)
    } finally {
      capi.sqlite3_set_authorizer(pointer, 0 as never, 0 as never)
      capi.sqlite3_progress_handler(pointer, 0, 0 as never, 0 as never)
    }
  }

  #mayDo(action: number, one: string | 0, two: string | 0): number {
    const { capi } = this.#sqlite
    if (action === capi.SQLITE_SELECT || action === capi.SQLITE_RECURSIVE) return capi.SQLITE_OK
    if (action === capi.SQLITE_FUNCTION && SQL_FUNCTIONS.has(String(two).toLowerCase())) return capi.SQLITE_OK
    if (action !== capi.SQLITE_READ) return capi.SQLITE_DENY
    const table = String(one).toLowerCase()
    // SQL may name its own subqueries. SQLite's tables and functions that are tables are refused.
    if (!this.#tables.has(table)) return this.#isOwn(table) ? capi.SQLITE_DENY : capi.SQLITE_OK
    this.read.add(`${String(one).toLowerCase()}\0${String(two).toLowerCase()}`)
    return capi.SQLITE_OK
  }

  #isOwn(table: string): boolean {
    return (
      /^(?:sqlite_|pragma_|json|generate_series$|dbstat$|bytecode$|tables_used$|fts)/.test(table) ||
      this.#modules.has(table)
    )
  }

  #rowsOf(sql: string): RawResult {
    const statement = this.#db.prepare(sql)
    try {
      const columns = statement.columnCount > 0 ? statement.getColumnNames() : []
      const rows: SqlCell[][] = []
      let chars = 0
      while (statement.step()) {
        if (rows.length >= MAX_ROWS || chars > MAX_RESULT_CHARS) return { columns, rows, isMore: true }
        const row = (statement.get([]) as unknown[]).map(cellOf)
        for (const cell of row) chars += typeof cell === 'string' ? cell.length : 8
        rows.push(row)
      }
      return { columns, rows, isMore: false }
    } finally {
      statement.finalize()
    }
  }
}

function cellOf(value: unknown): SqlCell {
  if (value === null || typeof value === 'string' || typeof value === 'bigint' || typeof value === 'number')
    return value
  return value === undefined ? null : '(bytes)'
}
