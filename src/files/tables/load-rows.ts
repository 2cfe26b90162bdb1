/**
 * Puts the cells of a table into SQLite. Most of the time of a query goes into this, so it calls SQLite's functions as
 * they are.
 */
import type { Database, Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import type { LoadedTable, SqlCell } from './types.ts'

/** SQLite's functions without the package's conversions. Texts are bound where they are until the row is written. */
interface RawFunctions {
  sqlite3_bind_null(statement: number, at: number): number
  sqlite3_bind_double(statement: number, at: number, value: number): number
  sqlite3_bind_int(statement: number, at: number, value: number): number
  sqlite3_bind_int64(statement: number, at: number, value: bigint): number
  sqlite3_bind_text(statement: number, at: number, text: number, bytes: number, destructor: number): number
  sqlite3_step(statement: number): number
  sqlite3_reset(statement: number): number
}

/** SQLITE_STATIC: SQLite neither copies the text when it is bound, nor frees it. */
const STATIC = 0
/** A UTF-16 unit of a text has at most three bytes in UTF-8. */
const BYTES = 3
const MAX_INT = 2 ** 31 - 1
const UTF8 = new TextEncoder()

/** @throws Error if the table does not fit into the memory */
export function loadRows(
  { capi, wasm }: Sqlite3Static,
  db: Database,
  sql: string,
  { rows, columns }: LoadedTable,
): void {
  const raw = wasm.exports as unknown as RawFunctions
  const statement = db.prepare(sql)
  const pointer = Number(statement.pointer)
  let [room, size] = [0, 0]
  const makeRoom = (bytes: number) => {
    if (bytes <= size) return
    if (room !== 0) wasm.dealloc(room as never)
    size = 2 * bytes
    room = Number(wasm.alloc(size))
  }
  db.exec('BEGIN')
  for (let row = 0; row < rows; row += 1) {
    makeRoom(BYTES * textLength(columns, row))
    // SQLite's memory may have grown with the last row, which empties the old view of it.
    const heap = wasm.heap8u()
    let end = room
    for (let i = 0; i < columns.length; i += 1) {
      const cell = columns[i]!.cells[row] ?? null
      if (typeof cell !== 'string') bindOther(raw, pointer, i + 1, cell)
      else {
        const from = end
        end = writeText(heap, cell, from)
        raw.sqlite3_bind_text(pointer, i + 1, from, end - from, STATIC)
      }
    }
    if (raw.sqlite3_step(pointer) !== capi.SQLITE_DONE) throw new Error('The table is too large to load')
    raw.sqlite3_reset(pointer)
  }
  db.exec('COMMIT')
  statement.finalize()
  if (room !== 0) wasm.dealloc(room as never)
}

function textLength(columns: LoadedTable['columns'], row: number): number {
  let length = 0
  for (let i = 0; i < columns.length; i += 1) {
    const cell = columns[i]!.cells[row]
    if (typeof cell === 'string') length += cell.length
  }
  return length
}

/**
 * Most texts are short and ASCII: writing them here is faster than a call of the encoder. @returns where the text ends
 */
function writeText(heap: Uint8Array, text: string, from: number): number {
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i)
    if (code > 127) return from + i + UTF8.encodeInto(text.slice(i), heap.subarray(from + i)).written
    heap[from + i] = code
  }
  return from + text.length
}

function bindOther(raw: RawFunctions, pointer: number, at: number, cell: Exclude<SqlCell, string>): void {
  if (cell === null) raw.sqlite3_bind_null(pointer, at)
  else if (typeof cell === 'bigint') raw.sqlite3_bind_int64(pointer, at, cell)
  else if (Number.isInteger(cell) && Math.abs(cell) <= MAX_INT) raw.sqlite3_bind_int(pointer, at, cell)
  else raw.sqlite3_bind_double(pointer, at, cell)
}
