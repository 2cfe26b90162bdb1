import { withoutAnswers } from '../agent/run-progress.ts'
import type { RunEnding, RunRecord } from '../stores/archive/types.ts'
import { endOf, type Question, type SavedRun } from '../stores/runs/types.ts'

/** Returns what the archive keeps of a run that has ended, without what was only valid while it was asked. */
export function recordOf(
  { responseUrl: _, traceparent: __, ...question }: Question,
  saved: SavedRun,
  { hasFailed, ...ending }: RunEnding,
): RunRecord {
  const { standalone, steps, usage, answer, posts, startedAt } = saved
  return {
    ...{ question, steps: steps.map(withoutAnswers), usage, posts, startedAt, ...ending },
    ...(standalone === undefined ? {} : { standalone }),
    ...(answer ? { answer } : {}),
    end: hasFailed ? 'failed' : endOf(answer),
    feedback: [],
  }
}
