/** Runs a query over the tables of a conversation, and words its result for the model. */
import type { ToolOutput, WantedRows } from '../agent/contracts/tool.ts'
import type { OutputTable, Source } from '../agent/contracts/evidence.ts'
import { rowsText } from '../agent/text-tables.ts'
import { ToolError } from '../base/errors.ts'
import type { FileParser } from './parse-file.ts'
import { chartOf } from './chart-series.ts'
import { addressOf } from './store/types.ts'
import { tableParts, type RunTable } from './run-tables.ts'
import type { SqlResult } from './tables/types.ts'

/** How long SQL may take, in ms, and how many rows are shown. */
const QUERY_MS = 5000
const SHOWN_ROWS = 50
const CELL_CHARS = 200
const CSV_CHARS = 1_000_000

export async function queryFiles(
  { sql, file, chart }: WantedRows,
  tables: readonly RunTable[],
  parser: FileParser,
  maxChars: number,
  signal: AbortSignal,
): Promise<ToolOutput> {
  const usable = tables.filter(({ refused }) => refused === undefined)
  const refused = tables
    .filter((table) => table.refused !== undefined)
    .map((table) => `${table.from} cannot be queried: ${table.refused}.`)
  if (usable.length === 0) throw new ToolError(refused.join(' ') || 'There are no tables in this conversation.')
  const named = sql === undefined ? usable : namedIn(sql, tables)
  const bad = named.find((table) => table.refused !== undefined)
  if (bad) throw new ToolError(`${bad.from} cannot be queried: ${bad.refused}. Part of it must not pass for all of it.`)
  const sources = named.length > 0 ? named : usable
  const asked = sources.map((table) => ({ name: table.name, ...tableParts(table) }))
  const outcome = await parser.query({ sql, tables: asked, timeoutMs: QUERY_MS }, signal)
  if (outcome.fault !== undefined) throw new ToolError(outcome.fault)
  if (outcome.described !== undefined)
    return { text: describedText([...outcome.described.split('\n\n'), ...refused], sources, maxChars), tables: [] }
  const { result } = outcome
  const text = resultText(result, maxChars)
  const made = file === undefined ? undefined : { name: csvName(file), text: csvOf(result) }
  const { series, note } = chart ? chartOf(result, chart === true ? undefined : chart) : {}
  const drawn = note === undefined ? '' : `\n(${note})`
  const forAsker = named.some((table) => table.forAsker) || undefined
  const found = { sources: sourcesOf(named, sql ?? ''), tables: resultTables(result) }
  return { text: text + drawn, ...found, file: made, series, forAsker }
}

/** Returns as many descriptions as fit, and the names of the other tables. */
function describedText(parts: readonly string[], tables: readonly RunTable[], maxChars: number): string {
  let left = maxChars - 100 - tables.reduce((sum, { name }) => sum + name.length + 4, 0)
  const fitting = parts.findIndex((part) => (left -= part.length + 2) < 0)
  const shown = parts.slice(0, fitting < 0 ? parts.length : Math.max(1, fitting))
  const others = tables.slice(shown.length).map(({ name }) => `"${name}"`)
  const more = others.length > 0 ? [`Other tables, not described here: ${others.join(', ')}.`] : []
  return [...shown, ...more].join('\n\n').slice(0, maxChars)
}

/** A result of several rows is a table for further questions, if all its rows are there. */
function resultTables({ columns, rows, isMore }: SqlResult): OutputTable[] {
  if (rows.length < 2) return []
  const text = rowsText([columns, ...rows.map((row) => row.map((cell) => cell ?? ''))])
  const whole = { name: '', text, hasHeading: true as const, isExact: true as const }
  return [isMore ? { ...whole, text: '', refused: 'it has too many rows to keep' } : whole]
}

/** Returns the tables whose names stand in the SQL. */
function namedIn(sql: string, tables: readonly RunTable[]): RunTable[] {
  const words = new Set(sql.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [])
  return tables.filter(({ name }) => words.has(name))
}

/** Returns the rows as a table, as many as fit, below what was counted. */
function resultText({ columns, rows, count, isMore, notes }: SqlResult, maxChars: number): string {
  const head = columns.map(cellText).join(' | ')
  const noted = notes.map((note) => `- ${note}`).join('\n')
  const below = noted.slice(0, Math.floor(maxChars / 3))
  let left = maxChars - below.length - head.length - 200
  const lines = rows.slice(0, SHOWN_ROWS).map((row) => row.map(cellText).join(' | '))
  const shown = lines.filter((line) => (left -= line.length + 1) >= 0)
  const all = `${isMore ? 'more than ' : ''}${count.toLocaleString('en-US')}`
  const counted =
    count === 0
      ? 'No row matches.'
      : shown.length < count
        ? `The first ${shown.length} of ${all} rows:`
        : `${all} ${count === 1 ? 'row' : 'rows'}:`
  return [counted, ...(count === 0 ? [] : [head, ...shown]), ...(below === '' ? [] : ['', below])].join('\n')
}

function cellText(cell: string | null): string {
  return (cell ?? '(empty)').replace(/\s+/g, ' ').slice(0, CELL_CHARS)
}

/** The file, its sheet and the query are the source. */
function sourcesOf(tables: readonly RunTable[], sql: string): Source[] {
  const query = sql.replace(/\s+/g, ' ').trim().slice(0, 120)
  return tables.flatMap(({ source }) => {
    return source ? [{ title: `${source.title}, query: ${query}`, url: addressOf(source.url, `query=${query}`) }] : []
  })
}

function csvName(name: string): string {
  const plain = name.replace(/\.\w+$/, '').replace(/[^\p{L}\p{N}_ -]+/gu, '-')
  return `${plain.slice(0, 60) || 'result'}.csv`
}

/** Cells that a spreadsheet would run as formulas begin with `'`. */
function csvOf({ columns, rows }: SqlResult): string {
  const cell = (text: string | null) => {
    const plain = text ?? ''
    const safe = /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/.test(plain) && !/^-?\d[\d.]*$/.test(plain) ? `'${plain}` : plain
    return /[",\n\r;]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
  }
  let chars = 0
  const lines = [columns, ...rows].map((row) => row.map(cell).join(','))
  return `${lines.filter((line) => (chars += line.length + 1) <= CSV_CHARS).join('\n')}\n`
}
