import type { Question, SavedRun } from '../run/types.ts'

/** The fields of the log line of an answered question: ids and sizes, never a text. `ms` since the question came in. */
export function answeredFields(question: Question, saved: SavedRun, now: number): Record<string, string | number> {
  const { id, team, channel, thread, surface, at, traceparent } = question
  const stopped = saved.answer?.stopped
  const costs = saved.usage.flatMap(({ costUsd }) => costUsd ?? [])
  return {
    ...{ question: id, team, channel, thread, surface },
    ...(stopped ? { outcome: 'stopped', stopped } : { outcome: 'answered' }),
    steps: saved.steps.length,
    ms: Math.max(0, now - at),
    modelCalls: saved.usage.length,
    inputTokens: sum(saved.usage.map(({ inputTokens }) => inputTokens)),
    outputTokens: sum(saved.usage.map(({ outputTokens }) => outputTokens)),
    // What a table of prices lacks has no cost, rather than none.
    ...(costs.length > 0 ? { costUsd: Number(sum(costs).toFixed(6)) } : {}),
    ...(saved.attempts > 1 ? { attempts: saved.attempts } : {}),
    ...(traceparent ? { trace: traceparent.split('-')[1]! } : {}),
  }
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, n) => total + n, 0)
}
