import type { WorkOutcome } from './ask-work.ts'
import { WORK_QUESTIONS, type WorkKind } from './work-questions.ts'

/** One side of a comparison: a dialect on a model. */
export interface WorkSide {
  name: string
  outcomes: WorkOutcome[]
  followUps: { right: number; of: number; misses: { message: string; got: string }[] }
}

const KINDS = [...new Set(WORK_QUESTIONS.map(({ kind }) => kind))]
const KIND_OF = new Map(WORK_QUESTIONS.map(({ id, kind }) => [id, kind]))

/** Returns the comparison as a Markdown table, a row for each side. */
export function workTable(sides: WorkSide[]): string {
  const head = [
    ...['', 'right', ...KINDS, 'broken turns', 'loops', 'leaks', 'asked again', 'seconds', 'tokens in / out'],
    'follow-ups',
  ]
  const rows = [head, head.map(() => '---'), ...sides.map(rowOf)]
  return rows.map((row) => `| ${row.join(' | ')} |`).join('\n')
}

function rowOf({ name, outcomes, followUps }: WorkSide): string[] {
  const sum = (part: (one: WorkOutcome) => number) => outcomes.reduce((total, one) => total + part(one), 0)
  const mean = (part: (one: WorkOutcome) => number) => sum(part) / Math.max(1, outcomes.length)
  return [
    name,
    share(outcomes),
    ...KINDS.map((kind) => share(ofKind(outcomes, kind))),
    ...[sum((one) => one.broken), sum((one) => Number(one.isLoop)), sum((one) => Number(one.isLeak))].map(String),
    String(sum((one) => one.askedAgain)),
    (mean((one) => one.ms) / 1000).toFixed(1),
    `${Math.round(mean((one) => one.tokens.in))} / ${Math.round(mean((one) => one.tokens.out))}`,
    `${followUps.right} of ${followUps.of}`,
  ]
}

function ofKind(outcomes: WorkOutcome[], kind: WorkKind): WorkOutcome[] {
  return outcomes.filter(({ id }) => KIND_OF.get(id) === kind)
}

function share(outcomes: WorkOutcome[]): string {
  return `${outcomes.filter(({ isRight }) => isRight).length} of ${outcomes.length}`
}
