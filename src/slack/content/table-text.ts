import { escapeText } from '../format/escape.ts'
import { listOf, objectOf, textOf, type SlackObject } from './json.ts'
import { plainText } from './plain-text.ts'
import type { ReadBudget } from './read-budget.ts'

/** The rows of a table, each cell as plain text. Ids of people and channels stay. */
export type MessageTable = string[][]

/** What a reading of blocks needs: its limits, and where the tables go. */
export interface BlockReading {
  budget: ReadBudget
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
    [...listOf(objectOf(axis).categories), ...columns.flat().map(({ label }) => label)].map((one) => textOf(one)),
  )
  const values = columns.map((points) => new Map(points.map(({ label, value }) => [textOf(label), textOf(value)])))
  const take = (words: string) => budget.element(() => escapeText(budget.take(words)))
  return [
    ['', ...all.map(({ name }) => take(textOf(name)))],
    ...[...labels].map((label) => [take(label), ...values.map((of) => take(of.get(label) ?? ''))]),
  ]
}

/** Keeps the rows that have words as a table of the message, and returns them as lines. */
export function rowsText(rows: string[][], { tables }: BlockReading): string {
  const kept = rows.map((row) => row.map(oneLine)).filter((row) => row.some((cell) => cell !== ''))
  if (kept.length > 0) tables.push(kept.map((row) => row.map((cell) => plainText(cell, ''))))
  return kept.map((row) => row.join(' | ')).join('\n')
}

function oneLine(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .join(' ')
    .trim()
}
