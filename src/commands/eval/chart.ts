/** Draws the comparison as SVG: a panel per measure, and a bar per side with its name and value. */
import type { Summary } from './eval-summary.ts'
import { costCell, isLive, percent, tokensText } from './table.ts'

interface Measure {
  title: string
  /** The value of the bar's length; undefined if it is unknown. */
  value(summary: Summary): number | undefined
  text(summary: Summary): string
  /** The value of a full bar. Without it, the longest bar is full. */
  whole?: number
}

/** These also apply to a replay. */
const MEASURES: Measure[] = [
  { title: 'Exact match', value: (s) => s.em, text: (s) => percent(s.em), whole: 1 },
  { title: 'F1', value: (s) => s.f1, text: (s) => percent(s.f1), whole: 1 },
  { title: 'Steps a question', value: (s) => s.steps, text: (s) => s.steps.toFixed(1) },
]
const LIVE_MEASURES: Measure[] = [
  { title: 'Seconds a question (median)', value: (s) => s.seconds.median, text: (s) => s.seconds.median.toFixed(1) },
  { title: 'Tokens a question', value: tokensOf, text: (s) => tokensText(tokensOf(s), s.tokens) },
  { title: 'Cost a question', value: (s) => s.costUsd, text: (s) => costCell(s.costUsd) },
]

const COLORS = ['#3b6fb6', '#d9822b', '#3f8f5b', '#8a5bb0', '#b8483f', '#5f6b7a']
const PANEL_WIDTH = 400
const GAP = 32
const TOP = 64
const ROW = 40
const PANEL_HEAD = 30
const BAR_WIDTH = 300

export function chart(title: string, summaries: Summary[]): string {
  const measures = summaries.some(isLive) ? [...MEASURES, ...LIVE_MEASURES] : MEASURES
  const panelHeight = PANEL_HEAD + ROW * summaries.length + GAP
  const width = 2 * PANEL_WIDTH + 3 * GAP
  const height = TOP + panelHeight * Math.ceil(measures.length / 2)
  const panels = measures.map((measure, i) => {
    const x = GAP + (i % 2) * (PANEL_WIDTH + GAP)
    return `<g transform="translate(${x} ${TOP + Math.floor(i / 2) * panelHeight})">${panel(measure, summaries)}</g>`
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`,
    ` font-family="system-ui, sans-serif" font-size="13" fill="#1f2933" role="img" aria-label="${escape(title)}">`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    `<text x="${GAP}" y="36" font-size="20" font-weight="600">${escape(title)}</text>`,
    ...panels,
    '</svg>\n',
  ].join('\n')
}

function panel(measure: Measure, summaries: Summary[]): string {
  const values = summaries.map(measure.value)
  const whole = measure.whole ?? Math.max(...values.map((value) => value ?? 0))
  const rows = summaries.map((summary, i) => {
    const length = whole > 0 ? (BAR_WIDTH * (values[i] ?? 0)) / whole : 0
    return row({ y: PANEL_HEAD + i * ROW, name: summary.name, text: measure.text(summary), length, color: colorOf(i) })
  })
  return [`<text y="14" font-size="15" font-weight="600">${escape(measure.title)}</text>`, ...rows].join('\n')
}

/** The name is above its bar, so that long model names fit. The value is at the bar's end. */
function row(bar: { y: number; name: string; text: string; length: number; color: string }): string {
  const { y, name, text, length, color } = bar
  return [
    `<text y="${y + 8}" fill="#52606d">${escape(name)}</text>`,
    `<rect y="${y + 14}" width="${BAR_WIDTH}" height="14" rx="2" fill="#eef1f4"/>`,
    `<rect y="${y + 14}" width="${length.toFixed(1)}" height="14" rx="2" fill="${color}"/>`,
    `<text x="${BAR_WIDTH + 8}" y="${y + 26}" font-weight="600">${escape(text)}</text>`,
  ].join('\n')
}

function colorOf(i: number): string {
  return COLORS[i % COLORS.length] ?? '#5f6b7a'
}

function tokensOf({ tokens }: Summary): number {
  return tokens.in + tokens.out
}

function escape(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;')
}
