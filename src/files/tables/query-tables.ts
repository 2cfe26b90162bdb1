/** Answers one SQL question over tables. Runs in the reader's process, because SQL of a model may take any time. */
import { messageOf } from '../../base/errors.ts'
import { WORD } from './columns.ts'
import { quoted, TableDatabase, type Guard, type RawResult } from './database.ts'
import { loadTable } from './load-table.ts'
import { notOneSelect, tokensOf, withExactDivision, wrongUse } from './sql-tokens.ts'
import type { SqlCell, TypedColumn, LoadedTable, QueryOutcome, TableQuery } from './types.ts'

const MAX_SQL = 10_000

export async function queryTables({ sql, tables, timeoutMs }: TableQuery, now: () => number): Promise<QueryOutcome> {
  if (sql === undefined) return { described: tables.map((table) => describeTable(loadTable(table))).join('\n\n') }
  if (sql.length > MAX_SQL) return { fault: `The SQL is too long: at most ${MAX_SQL} characters.` }
  const tokens = tokensOf(sql)
  const refused = notOneSelect(tokens)
  if (refused !== undefined) return { fault: refused }
  const named = new Set(tokens.filter(({ kind }) => kind === 'name').map(({ value }) => value.toLowerCase()))
  const loaded = tables.filter(({ name }) => named.has(name.toLowerCase())).map(loadTable)
  if (loaded.length === 0)
    return { fault: `The SQL names none of the tables: ${tables.map(({ name }) => quoted(name)).join(', ')}.` }
  const wrong = wrongUse(tokens, loaded)
  if (wrong !== undefined) return { fault: wrong }
  return runSql(withExactDivision(tokens), loaded, { now, timeoutMs })
}

async function runSql(sql: string, tables: readonly LoadedTable[], guard: Guard): Promise<QueryOutcome> {
  try {
    const database = await TableDatabase.open(tables)
    const raw = database.select(sql, guard)
    const notes = notesOn(tables, database.read)
    const order = orderNotes(raw, reversed(database, sql, tables, guard), sql)
    const columns = raw.columns.map((name) => name.replaceAll('*1.0/', '/'))
    const rows = raw.rows.map((row) => row.map(forPeople))
    return { result: { columns, rows, count: rows.length, isMore: raw.isMore, notes: [...order, ...notes] } }
  } catch (error) {
    return { fault: faultOf(error, tables, guard) }
  }
}

function reversed(
  database: TableDatabase,
  sql: string,
  tables: readonly LoadedTable[],
  guard: Guard,
): RawResult | undefined {
  try {
    database.reverse(tables)
    return database.select(sql, guard)
  } catch {
    return undefined
  }
}

/** Says what of a result depends on the order of the rows in the table. */
function orderNotes(raw: RawResult, other: RawResult | undefined, sql: string): string[] {
  if (!other) return ['Whether the result depends on the order of rows was not checked: it took too long.']
  const [one, two] = [raw, other].map(({ rows }) => rows.map((row) => JSON.stringify(row.map(forComparison))))
  const same = (a: string[] = [], b: string[] = []) => a.length === b.length && a.every((row, i) => row === b[i])
  if (same(one, two)) return []
  if (raw.isMore ? /\border\s+by\b/i.test(sql) : same(one?.toSorted(), two?.toSorted())) return []
  return [
    'CAUTION: this result depends on the order of the rows in the table, so it is not determined: rows that tie, LIMIT without a full ORDER BY, or a column that is neither grouped nor aggregated. Order by more columns, such as _row, or group by the column.',
  ]
}

const forComparison = (cell: SqlCell) => (typeof cell === 'number' ? cell.toPrecision(10) : String(cell ?? '\0'))

/** Says how many rows the columns of the SQL have a value for. */
function notesOn(tables: readonly LoadedTable[], read: ReadonlySet<string>): string[] {
  return tables.flatMap(({ name, rows, columns, notes }) => {
    const used = columns.filter((column) => read.has(`${name}\0${column.name}`.toLowerCase()))
    const gaps = used.filter(({ empty, misfits }) => empty + misfits > 0)
    const counts = gaps.map(({ name: column, empty, misfits }) => {
      const filled = rows - empty - misfits
      return `${filled.toLocaleString('en-US')} of ${rows.toLocaleString('en-US')} rows of ${name} have a value in "${column}"`
    })
    if (counts.length === 0)
      counts.push(`${name} has ${rows.toLocaleString('en-US')} rows; no cell that was used is empty`)
    return [
      ...counts.map((count) => `${count}.`),
      ...notes.map((note) => `${name}: ${note}`),
      ...used.flatMap((column) => column.notes),
    ]
  })
}

function forPeople(cell: SqlCell): string | null {
  if (typeof cell !== 'number') return cell === null ? null : String(cell)
  const shown = String(Number(cell.toPrecision(15)))
  return Math.abs(cell) > Number.MAX_SAFE_INTEGER ? `about ${shown}` : shown
}

function faultOf(error: unknown, tables: readonly LoadedTable[], { timeoutMs }: Guard): string {
  const said = messageOf(error).replace(/^SQLITE_\w+: sqlite3 result code \d+: /, '')
  if (/interrupt/i.test(said))
    return `The query took more than ${Math.ceil(timeoutMs / 1000)} seconds, so it was stopped. Make it simpler: join on equal columns, or filter first.`
  if (/not authorized|prohibited/i.test(said))
    return 'Only SELECT over these tables is allowed, with the usual functions.'
  if (/NOMEM|out of memory|TOOBIG|too big/i.test(said))
    return 'The query needs too much memory. Make it simpler: filter or aggregate first.'
  const columns = tables.map((table) => {
    const names = table.columns.map(({ name }) => quoted(name)).join(', ')
    return `${quoted(table.name)} (${names.slice(0, 1500)})`
  })
  const isName = /no such (?:column|table)/i.test(said)
  return `SQLite: ${said.slice(0, 300)}.${isName ? ` The tables are ${columns.join('; ')}. Text stands in 'single quotes'.` : ''}`
}

const SAMPLES = 3
const DISTINCT = 8
const MAX_DESCRIBED = 60

/** Describes a table for the model: its rows, its columns with their types, and three of its rows. */
function describeTable({ name, rows, columns, notes }: LoadedTable): string {
  const own = columns.slice(0, -1)
  const shown = own.slice(0, MAX_DESCRIBED)
  const lines = shown.map(describeColumn)
  const more = own.length > MAX_DESCRIBED ? [`(${own.length - MAX_DESCRIBED} more columns)`] : []
  const rowOf = (i: number) => shown.map(({ cells }) => (forPeople(cells[i] ?? null) ?? '').slice(0, 60)).join(' | ')
  const samples = Array.from({ length: Math.min(SAMPLES, rows) }, (_, i) => rowOf(i))
  const said = [...notes, ...own.flatMap((column) => column.notes)].slice(0, 20)
  const head = `Table ${quoted(name)}, ${rows.toLocaleString('en-US')} rows:`
  return [head, ...lines, ...more, ...(samples.length > 0 ? ['First rows:', ...samples] : []), ...said].join('\n')
}

function describeColumn({ name, type, cells, empty, misfits }: TypedColumn): string {
  const gaps = empty + misfits > 0 && type !== 'empty' ? `, ${empty + misfits} without` : ''
  const distinct = new Set<SqlCell>()
  if (type === 'text') for (const cell of cells) if (cell !== null && distinct.add(cell).size > DISTINCT) break
  const values =
    distinct.size > 0 && distinct.size <= DISTINCT && cells.length > DISTINCT
      ? `: ${[...distinct].map((one) => `'${String(one).slice(0, 30)}'`).join(', ')}`
      : ''
  return `- ${quoted(name)} ${WORD[type]}${type === 'date' ? " as '2024-01-31'" : ''}${gaps}${values}`
}
