/** The result of a query as a chart: labels in its first column, series in the others or by the second one. */
import type { ChartKind, Series } from '../agent/contracts/evidence.ts'
import type { SqlResult } from './tables/types.ts'

/** Slack's limits of a chart. */
export const CHART_POINTS = { min: 2, max: 20 }
export const MAX_SERIES = 12
const MAX_SEGMENTS = 12
const EMPTY = '(empty)'

/** `note`: what is not as it was wanted, or why nothing is drawn. */
interface ChartOf {
  series?: Series
  note?: string
}

interface NamedValues {
  name: string
  values: (number | undefined)[]
}

export function chartOf({ columns, rows, count, isMore }: SqlResult, kind: ChartKind | undefined): ChartOf {
  if (columns.length < 2) return undrawn('a chart needs labels in the first column and a number behind each')
  if (count > MAX_SERIES * CHART_POINTS.max || isMore) return undrawn('a chart has at most 12 series of 20 points')
  const second = rows.map((row) => row[1]).filter((cell) => cell !== null)
  const words = second.filter((cell) => numberOf(cell) === undefined)
  const isLong = columns.length === 3 && words.length > second.length / 2
  const { labels, named } = isLong ? byName(rows) : byColumn(columns, rows)
  const fault = faultIn(labels, named, isLong)
  if (fault !== undefined) return undrawn(fault)
  const missing = named.flatMap(({ values }) => values).filter((value) => value === undefined).length
  const drawn = named.map(({ name, values }) => ({ name, values: values.map((value) => value ?? 0) }))
  const [first, ...more] = drawn
  if (!first) return undrawn('there is no number to draw')
  const notes = [
    ...(missing > 0 ? [`${missing} of ${labels.length * named.length} points have no row and are drawn as 0.`] : []),
    ...(kind === 'pie' && !isPie(drawn) ? ['Bars are drawn: a pie has one series of 1 to 12 positive numbers.'] : []),
  ]
  const value = isLong ? (columns[2] ?? '') : named.map(({ name }) => name).join(', ')
  const series: Series = {
    title: value,
    points: labels.map((label, i) => ({ label, value: first.values[i] ?? 0 })),
    kind,
    ...((more.length > 0 || isLong) && { name: first.name, more }),
    axes: { x: columns[0] ?? '', ...(named.length === 1 && { y: value }) },
  }
  return { series, ...(notes.length > 0 && { note: notes.join(' ') }) }
}

/** Returns whether series can be drawn as a pie: one of positive numbers. */
export function isPie([first, ...more]: readonly { values: readonly number[] }[]): boolean {
  if (!first || more.length > 0) return false
  return first.values.length <= MAX_SEGMENTS && first.values.every((value) => value > 0)
}

const undrawn = (why: string): ChartOf => ({ note: `It is not drawn: ${why}.` })

function faultIn(labels: readonly string[], named: readonly NamedValues[], isLong: boolean): string | undefined {
  if (labels.length < CHART_POINTS.min || labels.length > CHART_POINTS.max || named.length > MAX_SERIES)
    return 'a chart has 2 to 20 different labels in the first column, and at most 12 series'
  if (new Set(labels).size < labels.length) return 'labels repeat in the first column, so group by it'
  const bad = isLong ? undefined : named.find(({ values }) => values.includes(undefined))
  if (bad) return `"${bad.name}" has a cell that is no number; coalesce() fills empty ones`
  return undefined
}

/** A column for each series. */
function byColumn(columns: readonly string[], rows: SqlResult['rows']) {
  const labels = rows.map(([label]) => label ?? EMPTY)
  const named = columns.slice(1).map((name, i) => ({ name, values: rows.map((row) => numberOf(row[i + 1])) }))
  return { labels, named }
}

/** Three columns: the label, the name of the series, the number. */
function byName(rows: SqlResult['rows']) {
  const labels = [...new Set(rows.map(([label]) => label ?? EMPTY))]
  const names = [...new Set(rows.map(([, name]) => name ?? EMPTY))]
  const key = (label: string | null | undefined, name: string | null | undefined) =>
    JSON.stringify([label ?? EMPTY, name ?? EMPTY])
  const values = new Map(rows.map(([label, name, value]) => [key(label, name), numberOf(value)]))
  const isOnce = values.size === rows.length
  const named = names.map((name) => ({ name, values: labels.map((label) => values.get(key(label, name))) }))
  return { labels: isOnce ? labels : [...labels, ...labels], named }
}

function numberOf(cell: string | null | undefined): number | undefined {
  const value = cell === null || cell === undefined || cell.trim() === '' ? NaN : Number(cell)
  return Number.isFinite(value) ? value : undefined
}
