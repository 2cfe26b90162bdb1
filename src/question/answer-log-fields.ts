import { stepCount, totalOf } from '../agent/run-progress.ts'
import type { Question, SavedRun } from '../stores/runs/types.ts'

/**
 * Returns the fields of the log line of an answered question: ids and sizes, never a text. `ms` since the question came
 * in.
 */
export function answeredFields(question: Question, saved: SavedRun, now: number): Record<string, string | number> {
  const { id, team, channel, thread, surface, at, traceparent } = question
  const stopped = saved.answer?.stopped
  const { inputTokens, outputTokens, cachedTokens, reasoningTokens, costUsd } = totalOf(saved.usage)
  // If any model has no price, the cost is unknown, rather than zero.
  const hasCost = saved.usage.some((call) => call.costUsd !== undefined)
  return {
    question: id,
    team,
    channel,
    thread,
    surface,
    ...(stopped ? { outcome: 'stopped', stopped } : { outcome: 'answered' }),
    steps: stepCount(saved.steps),
    ms: Math.max(0, now - at),
    modelCalls: saved.usage.length,
    inputTokens,
    outputTokens,
    ...(cachedTokens > 0 ? { cachedTokens } : {}),
    ...(reasoningTokens > 0 ? { reasoningTokens } : {}),
    ...(hasCost ? { costUsd: Number(costUsd.toFixed(6)) } : {}),
    ...(saved.attempts > 1 ? { attempts: saved.attempts } : {}),
    ...(traceparent ? { trace: traceparent.split('-')[1]! } : {}),
  }
}
