import type { Series } from '../../agent/contracts/tool.ts'
import { cutText } from '../../base/cut-text.ts'
import { isBlank, plainLine } from './escape.ts'

/**
 * A block that Slack's SDK has no type for yet.
 * https://docs.slack.dev/reference/block-kit/blocks/data-visualization-block
 */
export interface ChartBlock {
  type: 'data_visualization'
  title: string
  chart: {
    type: 'bar' | 'line'
    series: { name: string; data: { label: string; value: number }[] }[]
    axis_config: { categories: string[] }
  }
}

/** Slack's limits. */
export const CHARTS_A_MESSAGE = 2
const TITLE_CHARS = 50
const LABEL_CHARS = 20
const POINTS = { min: 2, max: 20 }

/** Builds a chart from a series; undefined if Slack would refuse it or there is nothing to compare. */
export function chartBlock({ title, points }: Series): ChartBlock | undefined {
  const data = points.map(({ label, value }) => ({ label: cut(label, LABEL_CHARS), value }))
  const categories = data.map(({ label }) => label)
  const isDrawable =
    data.length >= POINTS.min &&
    data.length <= POINTS.max &&
    new Set(categories).size === data.length &&
    data.every(({ value }) => Number.isFinite(value))
  if (!isDrawable) return undefined
  const type = categories.every((label) => IN_TIME.test(label)) ? 'line' : 'bar'
  const name = cut(title, TITLE_CHARS)
  return {
    type: 'data_visualization',
    title: name,
    chart: { type, series: [{ name, data }], axis_config: { categories } },
  }
}

/** A year, a month or a day. */
const IN_TIME = /^\d{4}(?:-\d{2}(?:-\d{2})?)?$/

/** The chart as text for a code block. */
export function chartText({ title, chart }: ChartBlock): string {
  const data = chart.series[0]?.data ?? []
  const width = Math.max(...data.map(({ label }) => label.length))
  return [title, ...data.map(({ label, value }) => `${label.padEnd(width)}  ${value.toLocaleString('en-US')}`)].join(
    '\n',
  )
}

/** One line of plain text, never empty. Slack does not format it, and nothing in it can ping. */
function cut(text: string, max: number): string {
  const line = plainLine(text).trim()
  const shown = line.length <= max ? line : `${cutText(line, max - 1).trimEnd()}…`
  return isBlank(shown) ? '–' : shown
}
