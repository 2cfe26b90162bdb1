import type { MessageTable } from '../../agent/contracts/evidence.ts'
import { cutMiddle } from '../../agent/observation.ts'
import { escapeText } from '../format/escape.ts'
import { lines, listOf, objectOf, asText, type SlackObject } from './unsure-json.ts'
import { plainText } from './plain-text.ts'
import type { ReadBudget } from './read-budget.ts'

/** What a reading of blocks needs: its limits, and where the tables go. */
export interface BlockReading {
  budget: ReadBudget
  /** Ids of people and channels stay in the cells. */
  tables: MessageTable[]
}

/** Returns the cells of a table as mrkdwn. They may be null, and rows of different lengths. */
export function tableRows({ rows }: SlackObject, budget: ReadBudget, cellText: (cell: unknown) => string): string[][] {
  return listOf(rows).map((row) =>
    listOf(Array.isArray(row) ? row : (objectOf(row).cells ?? objectOf(row).elements)).map((cell) =>
      budget.element(() => cellText(cell)),
    ),
  )
}

/** Slack allows six. */
const MAX_SERIES = 20

/** Returns the figures of a chart as a table: a row for each label, a column for each series. */
export function chartRows({ segments, series, axis_config: axis }: SlackObject, budget: ReadBudget): string[][] {
  const all = series === undefined ? [{ name: '', data: segments }] : listOf(series).slice(0, MAX_SERIES).map(objectOf)
  const columns = all.map(({ data }) => listOf(data).map(objectOf))
  const labels = new Set(
    [...listOf(objectOf(axis).categories), ...columns.flat().map(({ label }) => label)].map((one) => asText(one)),
  )
  const values = columns.map((points) => new Map(points.map(({ label, value }) => [asText(label), asText(value)])))
  const take = (words: string) => budget.element(() => escapeText(budget.take(words)))
  return [
    ['', ...all.map(({ name }) => take(asText(name)))],
    ...[...labels].map((label) => [take(label), ...values.map((of) => take(of.get(label) ?? ''))]),
  ]
}

/** Keeps the rows that have words as a table of the message, and returns them as lines below its caption. */
export function tableText(rows: string[][], { tables }: BlockReading, ...caption: string[]): string {
  const kept = rows.map((row) => row.map(oneLine)).filter((row) => row.some((cell) => cell !== ''))
  const name = plainText(oneLine(lines(caption)), '')
  if (kept.length > 0)
    tables.push(
      dataTable(
        name,
        kept.map((row) => row.map((cell) => plainText(cell, ''))),
      ),
    )
  return lines([...caption, kept.map((row) => row.join(' | ')).join('\n')])
}

/** The first row names the columns, unless it has numbers or is the only one. */
function dataTable(name: string, all: string[][]): MessageTable {
  const width = Math.max(...all.map((row) => row.length))
  const [first = [], ...others] = all
  const hasHeader = others.length > 0 && !first.some((cell) => NUMBER.test(cell) && !YEAR.test(cell))
  const columns = Array.from({ length: width }, (_, i) => (hasHeader && first[i]) || `column ${i + 1}`)
  const rows = (hasHeader ? others : all).map((row) => columns.map((_column, i) => row[i] ?? ''))
  return { name, columns, rows }
}

const NUMBER = /^[^\p{L}\d]{0,4}\d[\d.,'\s]{0,40}[^\p{L}\d]{0,4}$/u
const YEAR = /^(?:19|20)\d\d$/

function oneLine(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .join(' ')
    .trim()
}

/**
 * Cuts the middle out of a text longer than `max` characters. Rows of its tables stay whole, and those cut are counted.
 */
export function cutBetweenRows(text: string, max: number, tables: readonly MessageTable[]): string {
  if (text.length <= max || tables.length === 0) return cutMiddle(text, max)
  const all = text.split('\n')
  const head = fitting(all, max * 0.7)
  const tail = fitting(all.slice(head).reverse(), max * 0.3)
  const cut = all.slice(head, all.length - tail)
  const rows = new Set(tables.flatMap((table) => [table.columns, ...table.rows]).map((row) => rowKey(row.join(' | '))))
  const others = cut.filter((line) => !rows.has(rowKey(line)))
  if (head === 0 || others.length === cut.length) return cutMiddle(text, max)
  const count = cut.length - others.length
  const chars = lines(others).length
  const more = chars > 0 ? ` and ${chars} characters` : ''
  const mark = `… (${count} ${count === 1 ? 'row' : 'rows'} of the table${more} cut) …`
  return lines([...all.slice(0, head), mark, ...all.slice(all.length - tail)])
}

function fitting(all: readonly string[], max: number): number {
  let left = max
  const end = all.findIndex((line) => (left -= line.length + 1) < 0)
  return end < 0 ? all.length : end
}

/** Cells without words at the end of a row are not in its line. */
function rowKey(line: string): string {
  let end = line.length
  while (end > 0 && ' |'.includes(line[end - 1] ?? '')) end -= 1
  return line.slice(0, end).trim()
}
