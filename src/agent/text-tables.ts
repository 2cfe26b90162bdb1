/** Finds tables in a text: rows in JSON, and the tables of Markdown. Linear in the length of the text. */
import { digitsOf, isRecord, parseExact } from '../base/parse-json.ts'
import type { OutputTable } from './contracts/evidence.ts'

const MAX_TEXT = 4_000_000
const MAX_TABLES = 20
const MAX_COLUMNS = 200
/** Cells that are left out in the text are filled in, so a short text may have very many. */
const MAX_CELLS = 400_000
const TOO_LARGE = 'it is too large to keep whole'
/** Rows lie at most this deep in JSON; this many values are looked at; a row's values become columns to this depth. */
const MAX_DEPTH = 5
const MAX_LOOKED_AT = 10_000
const MAX_FLAT = 3

export function tablesInText(text: string): OutputTable[] {
  if (text.length > MAX_TEXT) return []
  const fromJson = jsonTables(text)
  return (fromJson.length > 0 ? fromJson : markdownTables(text)).slice(0, MAX_TABLES)
}

/** Divides cells by tabs and rows by line breaks, as in the sheets of files. */
export function rowsText(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => row.map((cell) => cell.replace(/\s+/g, ' ').trim()).join('\t')).join('\n')
}

function jsonTables(text: string): OutputTable[] {
  const value = jsonIn(text)
  if (value === undefined) return []
  const tables: OutputTable[] = []
  let looked = 0
  const look = (one: unknown, name: string, depth: number): void => {
    if ((looked += 1) > MAX_LOOKED_AT || tables.length >= MAX_TABLES) return
    const rows = Array.isArray(one) ? recordRows(one) : isRecord(one) ? listedRows(one) : undefined
    if (rows === TOO_LARGE) return void tables.push({ name, text: '', refused: TOO_LARGE })
    if (rows) return void tables.push({ name, text: rowsText(rows), hasHeading: true, isExact: true })
    if (depth >= MAX_DEPTH) return
    if (Array.isArray(one)) for (const inner of one) look(inner, name, depth + 1)
    else if (isRecord(one)) for (const [key, inner] of Object.entries(one)) look(inner, key, depth + 1)
  }
  look(value, '', 0)
  return tables
}

/** The text may be JSON, JSON lines, or have words before and behind its JSON. */
function jsonIn(text: string): unknown {
  const whole = text.trim()
  if (!/[[{]/.test(whole)) return undefined
  const from = /^(?:```\w*\n)?[ \t]*[[{]/m.exec(whole)
  if (!from) return undefined
  const begin = whole.slice(from.index + from[0].length - 1)
  const end = Math.max(begin.lastIndexOf(']'), begin.lastIndexOf('}')) + 1
  const value = parseExact(begin.slice(0, end))
  if (value !== undefined) return value
  const lines = begin.slice(0, end).split('\n')
  if (!lines.every((line) => line.trim() === '' || /^\s*\{.*\}\s*$/.test(line))) return undefined
  const records = lines.filter((line) => line.trim() !== '').map(parseExact)
  return records.every(isRecord) ? records : undefined
}

/** Rows of objects, or rows of cells under a first row of names. */
function recordRows(list: readonly unknown[]): string[][] | typeof TOO_LARGE | undefined {
  if (list.length < 2) return undefined
  if (list.every(isRecord)) {
    const columns = new Set<string>()
    const records = list.map((record) => flat(record, columns))
    if (columns.size === 0 || columns.size > MAX_COLUMNS) return undefined
    if (columns.size * records.length > MAX_CELLS) return TOO_LARGE
    const names = [...columns]
    return [names, ...records.map((record) => names.map((name) => record.get(name) ?? ''))]
  }
  const lists = list.every(Array.isArray) ? (list as unknown[][]) : undefined
  const [head, ...rows] = lists ?? []
  const isNamed = head !== undefined && head.length > 1 && head.every((cell) => typeof cell === 'string' && cell !== '')
  return isNamed && rows.every((row) => row.length === head.length) ? [head, ...rows].map(cellsOf) : undefined
}

/** `{"columns": ["a", "b"], "rows": [[1, 2]]}`, whatever the two are called. */
function listedRows(record: Record<string, unknown>): string[][] | undefined {
  const lists = Object.values(record).filter((value): value is unknown[] => Array.isArray(value) && value.length > 0)
  const rows = lists.find((list): list is unknown[][] => list.every(Array.isArray))
  const width = rows?.[0]?.length ?? 0
  if (!rows || width === 0 || width > MAX_COLUMNS || !rows.every((row) => row.length === width)) return undefined
  const names = lists.filter((list) => list !== rows && list.length === width).map((list) => list.map(nameIn))
  const columns = names.find((list): list is string[] => list.every((name) => name !== undefined))
  return columns && [columns, ...rows.map(cellsOf)]
}

function nameIn(value: unknown): string | undefined {
  const name = isRecord(value) ? (value.name ?? value.title ?? value.label) : value
  return typeof name === 'string' ? name : undefined
}

/** The values of an object by the names of their columns: `owner.name` for those inside. */
function flat(record: Record<string, unknown>, columns: Set<string>): Map<string, string> {
  const cells = new Map<string, string>()
  const put = (one: Record<string, unknown>, before: string, depth: number): void => {
    for (const [key, value] of Object.entries(one)) {
      const name = before + key.replace(/\s+/g, ' ').trim()
      if (isRecord(value) && depth < MAX_FLAT) put(value, `${name}.`, depth + 1)
      else {
        columns.add(name)
        cells.set(name, cellOf(value))
      }
    }
  }
  put(record, '', 1)
  return cells
}

const cellsOf = (row: readonly unknown[]) => row.map(cellOf)

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  const digits = digitsOf(value)
  if (digits !== undefined) return digits
  if (typeof value !== 'object') return String(value)
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object')) return value.map(cellOf).join(', ')
  return JSON.stringify(value)
}

const RULE = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/

/** The name of a table is the heading above it. */
function markdownTables(text: string): OutputTable[] {
  const lines = text.split('\n')
  const tables: OutputTable[] = []
  let name = ''
  for (let at = 0; at < lines.length && tables.length < MAX_TABLES; at += 1) {
    const line = lines[at] ?? ''
    const [, heading] = /^ {0,3}#{1,6}[ \t]+(.{1,200})/.exec(line) ?? []
    if (heading) name = heading.replace(/[ \t#]+$/, '')
    const rule = lines[at + 1] ?? ''
    if (!line.includes('|') || !rule.includes('-') || rule.length > 5000 || !RULE.test(rule)) continue
    const head = markdownCells(line)
    if (head.length !== markdownCells(rule).length || head.length > MAX_COLUMNS) continue
    const rows = [head]
    const from = at + 2
    for (at = from; at < lines.length && (lines[at] ?? '').includes('|'); at += 1) {
      if (head.length * (at - from) > MAX_CELLS) continue
      const cells = markdownCells(lines[at] ?? '')
      rows.push(head.map((_, i) => cells[i] ?? ''))
    }
    const isTooLarge = head.length * (at - from) > MAX_CELLS
    at -= 1
    if (isTooLarge) tables.push({ name, text: '', refused: TOO_LARGE })
    else if (rows.length > 1) tables.push({ name, text: rowsText(rows), hasHeading: true })
  }
  return tables
}

/** Emphasis, code marks and the addresses of links are no part of a cell. */
function markdownCells(line: string): string[] {
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
  return inner.split(/(?<!\\)\|/).map((cell) => plainCell(cell.replaceAll('\\|', '|').trim()))
}

function plainCell(cell: string): string {
  return cell
    .replace(/\[([^\][]{1,300})\]\([^\s()]{1,2000}\)/g, '$1')
    .replace(/^(\*\*|__|[*_`])(.+)\1$/, '$2')
    .trim()
}
