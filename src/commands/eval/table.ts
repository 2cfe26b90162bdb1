import type { Summary } from './eval-summary.ts'

interface Column {
  head: string
  cell(summary: Summary): string
  /** Only meaningful if a real model was asked. */
  live?: boolean
}

/** Tokens and cost are means per question; `~` marks estimates. */
const COLUMNS: Column[] = [
  { head: '', cell: ({ name }) => name.replaceAll('|', '\\|') },
  { head: 'right', cell: ({ right, questions }) => `${right} of ${questions}` },
  { head: 'EM', cell: ({ em }) => percent(em) },
  { head: 'F1', cell: ({ f1 }) => percent(f1) },
  { head: 'steps', cell: ({ steps }) => steps.toFixed(1) },
  {
    head: 'seconds (median, p95)',
    cell: ({ seconds: { median, p95 } }) => `${median.toFixed(1)}, ${p95.toFixed(1)}`,
    live: true,
  },
  {
    head: 'tokens in / out',
    cell: ({ tokens }) => `${tokensText(tokens.in, tokens)} / ${tokensText(tokens.out, tokens)}`,
    live: true,
  },
  { head: 'cost', cell: ({ costUsd }) => costCell(costUsd), live: true },
  { head: 'ends', cell: ({ ends }) => endsText(ends) },
  { head: 'unsupported figures', cell: ({ figures }) => `${figures.unsupported} of ${figures.total}` },
]

/** Returns the summaries as a Markdown table, a row per side. */
export function markdownTable(summaries: Summary[]): string {
  const columns = COLUMNS.filter(({ live }) => !live || summaries.some(isLive))
  const rows = [
    columns.map(({ head }) => head),
    ...summaries.map((summary) => columns.map(({ cell }) => cell(summary))),
  ]
  const widths = columns.map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)))
  const [head = '', ...lines] = rows.map(
    (row) => `| ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`,
  )
  return [head, `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...lines].join('\n')
}

/** False for a replay, which has no real cost or latency. */
export function isLive({ tokens }: Summary): boolean {
  return tokens.in + tokens.out > 0
}

export function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`
}

export function tokensText(count: number, { estimated }: { estimated: boolean }): string {
  return `${estimated ? '~' : ''}${Math.round(count)}`
}

/** Returns dollars with three significant digits, or `unknown`. */
export function costCell(costUsd: number | undefined): string {
  if (costUsd === undefined) return 'unknown'
  return costUsd === 0 ? '$0' : `$${Number(costUsd.toPrecision(3))}`
}

function endsText(ends: Record<string, number>): string {
  const sorted = Object.entries(ends).sort(([, a], [, b]) => b - a)
  return sorted.map(([end, count]) => `${end} ${count}`).join(', ')
}
