import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chart } from './chart.ts'
import type { ScoredOutcome, Summary } from './eval-summary.ts'
import { markdownTable } from './table.ts'

/** The results of an evaluation. `details` are extra data of a kind of evaluation, for the JSON file. */
interface Report {
  title: string
  at: string
  sides: { summary: Summary; questions: ScoredOutcome[]; details?: object }[]
}

/** Writes `results.json`, `results.md` and `chart.svg` into the folder. Returns the text for stdout. */
export function writeReport(folder: string, report: Report): string {
  const summaries = report.sides.map((side) => side.summary)
  const table = markdownTable(summaries)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'results.json'), `${JSON.stringify(report, null, 2)}\n`)
  writeFileSync(
    join(folder, 'results.md'),
    `# ${report.title}\n\n${report.at}\n\n${table}\n\n![the same as a chart](chart.svg)\n`,
  )
  writeFileSync(join(folder, 'chart.svg'), chart(report.title, summaries))
  return [table, '', `Written to ${folder}: results.md, results.json, chart.svg`, lastLine(summaries)].join('\n')
}

/** Returns `N of M right`, over all sides. */
function lastLine(summaries: Summary[]): string {
  const sum = (part: (summary: Summary) => number) => summaries.reduce((total, summary) => total + part(summary), 0)
  return `${sum((summary) => summary.right)} of ${sum((summary) => summary.questions)} right`
}
