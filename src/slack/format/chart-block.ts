import type { ChartKind, Series } from '../../agent/contracts/evidence.ts'
import { cutText } from '../../base/cut-text.ts'
import { isPie, MAX_SERIES, CHART_POINTS } from '../../files/chart-series.ts'
import { isBlank, plainLine } from './escape.ts'

interface ChartPoint {
  label: string
  value: number
}

/**
 * A block that Slack's SDK has no type for yet.
 * https://docs.slack.dev/reference/block-kit/blocks/data-visualization-block
 */
export interface ChartBlock {
  type: 'data_visualization'
  title: string
  chart:
    | { type: 'pie'; segments: ChartPoint[] }
    | {
        type: Exclude<ChartKind, 'pie'>
        series: { name: string; data: ChartPoint[] }[]
        axis_config: { categories: string[]; x_label?: string; y_label?: string }
      }
}

/** Slack's limits. */
export const CHARTS_A_MESSAGE = 2
const TITLE_CHARS = 50
const NAME_CHARS = 50
const LABEL_CHARS = 20

/** Builds a chart from a series; undefined if Slack would refuse it or there is nothing to compare. */
export function chartBlock({ title, points, kind, name, more = [], axes }: Series): ChartBlock | undefined {
  const labels = points.map(({ label }) => label)
  const named = [{ name: name ?? title, values: points.map(({ value }) => value) }, ...more]
  const isDrawable =
    labels.length >= CHART_POINTS.min &&
    labels.length <= CHART_POINTS.max &&
    named.length <= MAX_SERIES &&
    new Set(labels).size === labels.length &&
    named.every(({ values }) => values.length === labels.length && values.every(Number.isFinite))
  if (!isDrawable) return undefined
  const categories = distinct(labels, LABEL_CHARS)
  const names = distinct(
    named.map((one) => one.name),
    NAME_CHARS,
  )
  const series = named.map(({ values }, i) => ({
    name: names[i] ?? '',
    data: categories.map((label, at) => ({ label, value: values[at] ?? 0 })),
  }))
  const block = { type: 'data_visualization' as const, title: cut(title, TITLE_CHARS) }
  if (kind === 'pie' && isPie(named)) return { ...block, chart: { type: 'pie', segments: series[0]?.data ?? [] } }
  const isInTime = categories.every((label) => IN_TIME.test(label))
  const type = kind === undefined || kind === 'pie' ? (isInTime && kind !== 'pie' ? 'line' : 'bar') : kind
  const axis_config = { categories, ...axisLabels(axes) }
  return { ...block, chart: { type, series, axis_config } }
}

function axisLabels({ x = '', y = '' }: Series['axes'] = {}) {
  return { ...(x && { x_label: cut(x, TITLE_CHARS) }), ...(y && { y_label: cut(y, TITLE_CHARS) }) }
}

/** A year, a month or a day. */
const IN_TIME = /^\d{4}(?:-\d{2}(?:-\d{2})?)?$/

/** The chart as text for a code block: a line for each label, a column for each series. */
export function chartText({ title, chart }: ChartBlock): string {
  const series = chart.type === 'pie' ? [{ name: '', data: chart.segments }] : chart.series
  const labels = series[0]?.data.map(({ label }) => label) ?? []
  const head = series.length > 1 ? [['', ...series.map(({ name }) => name)]] : []
  const rows = [
    ...head,
    ...labels.map((label, at) => [label, ...series.map(({ data }) => shown(data[at]?.value ?? 0))]),
  ]
  const widths = rows.reduce<number[]>((all, row) => row.map((cell, i) => Math.max(all[i] ?? 0, cell.length)), [])
  const line = (row: readonly string[]) => row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ')
  return cutText([title, ...rows.map((row) => line(row).trimEnd())].join('\n'), MAX_TEXT)
}

/** Two charts fit into the texts of a message. Characters. */
const MAX_TEXT = 4000

/** Adding 0 makes -0 a 0. */
const shown = (value: number) => (value + 0).toLocaleString('en-US', { maximumFractionDigits: 10 })

/** Cuts texts, and numbers those that are the same when they are cut. */
function distinct(texts: readonly string[], max: number): string[] {
  const taken = new Set<string>()
  return texts.map((text) => {
    let free = cut(text, max)
    for (let n = 2; taken.has(free); n += 1) free = `${cut(text, max - 3)} ${n}`
    taken.add(free)
    return free
  })
}

/** One line of plain text, never empty. Slack does not format it, and nothing in it can ping. */
function cut(text: string, max: number): string {
  const line = plainLine(text).trim()
  const shown = line.length <= max ? line : `${cutText(line, max - 1).trimEnd()}…`
  return isBlank(shown) ? '–' : shown
}
