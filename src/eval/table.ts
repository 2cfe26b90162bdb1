import type { Summary } from './summary.ts'

const HEAD = ['', 'right', 'EM', 'F1', 'steps', 'seconds (median, p95)', 'tokens in / out', 'cost', 'ends']

/** The summaries as a Markdown table, a row a side. Tokens and cost are means a question; `~` marks estimates. */
export function markdownTable(summaries: Summary[]): string {
  const rows = summaries.map(rowOf)
  const widths = HEAD.map((head, i) => Math.max(head.length, ...rows.map((row) => row[i]?.length ?? 0)))
  const line = (cells: string[]) => `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`
  return [line(HEAD), rule, ...rows.map(line)].join('\n')
}

function rowOf(summary: Summary): string[] {
  const { name, right, questions, em, f1, steps, seconds, tokens } = summary
  const mark = tokens.estimated ? '~' : ''
  return [
    name.replaceAll('|', '\\|'),
    `${right} of ${questions}`,
    percent(em),
    percent(f1),
    steps.toFixed(1),
    `${seconds.median.toFixed(1)}, ${seconds.p95.toFixed(1)}`,
    `${mark}${Math.round(tokens.in)} / ${mark}${Math.round(tokens.out)}`,
    costText(summary.costUsd),
    endsText(summary.ends),
  ]
}

export function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`
}

/** Dollars with three figures that count, or a word where the price is unknown. */
export function costText(costUsd: number | undefined): string {
  if (costUsd === undefined) return 'unknown'
  return costUsd === 0 ? '$0' : `$${Number(costUsd.toPrecision(3))}`
}

function endsText(ends: Record<string, number>): string {
  return Object.entries(ends)
    .sort(([, a], [, b]) => b - a)
    .map(([end, count]) => `${end} ${count}`)
    .join(', ')
}
