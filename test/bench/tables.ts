/**
 * `npm run bench -- tables`: loads a table of 10,000 and 100,000 rows and answers one query, beside SQLite alone, which
 * only splits the rows, binds numbers and texts and runs the same SQL. Each measure is a new process. Ours does more: it
 * finds the heading, types and exact numbers, adds exactly, and runs the query twice to see whether the order of the
 * rows matters. The memory is that of the process which answers a question, as people get it.
 */
import { execFile, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type InitSqlite from '@sqlite.org/sqlite-wasm'
import type * as Parsing from '../../src/files/parse-file.ts'
import type * as Querying from '../../src/files/tables/query-tables.ts'
import { ROOT } from '../../src/base/package-root.ts'
import { treeMemory } from '../harness/process-tree.ts'
import { atMost } from './targets.ts'

const MAX_RATIO = 1.3
const SIZES = [10_000, 100_000]
/** The number of measures, of which the best counts. The machine may have other load. */
const TURNS = 3
const TIMEOUT_MS = 60_000
const SQL = `SELECT region, substr(day, 1, 7) AS month, sum(revenue) AS total, count(*) AS orders
  FROM sales GROUP BY region, month ORDER BY total DESC, region, month`

/** The built output, as in production. */
const QUERYING = join(ROOT, 'dist/src/files/tables/query-tables.js')
const PARSING = join(ROOT, 'dist/src/files/parse-file.js')

type Way = 'ours' | 'bare' | 'whole'

interface TableMeasure {
  /** The CPU time of the process, which other load changes less than the time on the clock; of `whole`, the latter. */
  ms: number
  mebibytes: number
}

export async function run([rows, way]: string[]): Promise<void> {
  if (rows !== undefined) return measure(Number(rows), way as Way)
  if (spawnSync('npm', ['run', '--silent', 'build'], { cwd: ROOT, stdio: 'inherit' }).status !== 0)
    throw new Error('the build failed')
  const table: Record<string, object> = {}
  const lines: string[] = []
  for (const size of SIZES) {
    const [ours, bare, whole] = [await best(size, 'ours'), await best(size, 'bare'), await best(size, 'whole')]
    const name = `${size.toLocaleString('en-US')} rows`
    table[name] = {
      'CPU ms': Math.round(ours.ms),
      bare: Math.round(bare.ms),
      'with its process, ms': Math.round(whole.ms),
      MiB: Math.round(whole.mebibytes),
    }
    lines.push(`Beside SQLite alone, ${name}: ${atMost(Number((ours.ms / bare.ms).toFixed(2)), MAX_RATIO)}`)
  }
  console.table(table)
  for (const line of lines) console.log(line)
}

async function best(rows: number, way: Way): Promise<TableMeasure> {
  const [main = ''] = process.argv.slice(1)
  const all: TableMeasure[] = []
  for (let turn = 0; turn < TURNS; turn += 1) {
    const args = [...process.execArgv, main, 'tables', String(rows), way]
    all.push(JSON.parse((await promisify(execFile)(process.execPath, args)).stdout) as TableMeasure)
  }
  return all.reduce((one, other) => (other.ms < one.ms ? other : one))
}

/** In the child: prints a `TableMeasure`. */
async function measure(count: number, way: Way): Promise<void> {
  const text = salesText(count)
  const measured = way === 'whole' ? await wholeQuery(text) : await inThisProcess(text, way)
  console.log(JSON.stringify(measured))
}

/** The modules are loaded before, because tsx reads them here, and in production nothing does. */
async function inThisProcess(text: string, way: Way): Promise<TableMeasure> {
  const { default: init } = await import('@sqlite.org/sqlite-wasm')
  const { queryTables } = (await import(QUERYING)) as typeof Querying
  const before = process.cpuUsage()
  if (way === 'bare') await bareQuery(text, init)
  else {
    const query = { sql: SQL, tables: [{ name: 'sales', text }], timeoutMs: TIMEOUT_MS }
    const { fault } = await queryTables(query, Date.now)
    if (fault !== undefined) throw new Error(fault)
  }
  const { user, system } = process.cpuUsage(before)
  return { ms: (user + system) / 1000, mebibytes: 0 }
}

async function bareQuery(text: string, init: typeof InitSqlite): Promise<void> {
  const { oo1, capi, wasm } = await init()
  const db = new oo1.DB(':memory:')
  const [head = '', ...lines] = text.split('\n')
  const names = head.split('\t')
  db.exec(`CREATE TABLE sales (${names.join(', ')})`)
  const statement = db.prepare(`INSERT INTO sales VALUES (${names.map(() => '?').join(', ')})`)
  const pointer = statement.pointer!
  db.exec('BEGIN')
  for (const line of lines) {
    for (const [i, cell] of line.split('\t').entries()) {
      if (/^-?\d+(?:\.\d+)?$/.test(cell)) capi.sqlite3_bind_double(pointer, i + 1, Number(cell))
      else {
        const [at, length] = wasm.allocCString(cell, true) as unknown as [number, number]
        capi.sqlite3_bind_text(pointer, i + 1, at as never, length, capi.SQLITE_WASM_DEALLOC as never)
      }
    }
    capi.sqlite3_step(pointer)
    capi.sqlite3_reset(pointer)
  }
  db.exec('COMMIT')
  statement.finalize()
  db.selectArrays(SQL)
}

/** From the question to the result, with the start of the reader's process, and its memory. */
async function wholeQuery(text: string): Promise<TableMeasure> {
  const { createFileParsers } = (await import(PARSING)) as typeof Parsing
  const before = treeMemory(process.pid)
  let most = before
  const look = setInterval(() => (most = Math.max(most, treeMemory(process.pid))), 10)
  const from = performance.now()
  const query = { sql: SQL, tables: [{ name: 'sales', text }], timeoutMs: TIMEOUT_MS }
  const { fault } = await createFileParsers().forQuestion('U0', Date.now).query(query)
  const ms = performance.now() - from
  clearInterval(look)
  if (fault !== undefined) throw new Error(fault)
  return { ms, mebibytes: most - before }
}

const REGIONS = ['North', 'South', 'East', 'West', 'Überlingen']

/** Nine columns of text, dates and numbers, the same each time. */
function salesText(count: number): string {
  let state = 1
  const below = (limit: number) => (state = (state * 48_271) % 2_147_483_647) % limit
  const two = (number: number) => String(number).padStart(2, '0')
  const lines = Array.from({ length: count }, (_, i) =>
    [
      i + 1,
      `Customer ${below(5000)}`,
      REGIONS[below(REGIONS.length)],
      `2024-${two(1 + below(12))}-${two(1 + below(28))}`,
      (below(100_000) / 100).toFixed(2),
      below(50),
      below(2) === 0 ? 'yes' : 'no',
      `A note "${below(1000)}" here`,
      `SKU-${below(900)}`,
    ].join('\t'),
  )
  return ['id\tcustomer\tregion\tday\trevenue\tunits\tpaid\tnote\tsku', ...lines].join('\n')
}
