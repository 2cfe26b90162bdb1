/**
 * Decides which failed model calls are retried, how often and after what wait. The loop is in `openAiModel`
 * (openai.ts). failures.ts decides which failures are retryable. Related:
 * - fallback.ts: after the last retry, OPENAI_FALLBACK_MODEL is called, with as many tries of its own.
 * - circuit-breaker.ts: a call counts as one failure after its retries. After four in a row, the model is not called
 *   for 20 s.
 * - The queue does not retry a run after a `ModelError` (question/failure-outcome.ts): the person is told.
 * - Refused parameters (openai.ts) and pictures (picture-refusals.ts) are dropped at once and cost no try.
 *   AGENT_TIMEOUT_MS ends all of it.
 */
import { backoffMs } from '../base/backoff.ts'
import type { Log } from '../base/log.ts'
import { failureOf, retryAfterMs } from './failures.ts'

/** Retries after the first call. The run's time may end them earlier. */
export const RETRIES = 3

/** The waits before retries, in ms: at most 500, 1,000 and 2,000, and at least half of that (the rest is random). */
const WAITS = { base: 500, max: 2_000 }

/** The longest Retry-After that is waited for. If it is longer, the person gets a message at once. */
const PATIENCE_MS = 30_000

/**
 * Returns the wait before the next try, in ms. `attempt` counts from 0.
 * @throws ModelError if a retry is pointless
 */
export function retryDelay(
  error: unknown,
  attempt: number,
  { model, log, now }: { model: string; log: Log; now: () => number },
): number {
  const failure = failureOf(error, model)
  const requestedMs = retryAfterMs(error, now) ?? 0
  if (!failure.retryable || attempt >= RETRIES || requestedMs > PATIENCE_MS) throw failure
  const ms = Math.max(requestedMs, backoffMs(attempt, WAITS))
  log.warn({ model, attempt: attempt + 1, ms: Math.round(ms), error: failure.message }, 'model call failed, retrying')
  return ms
}
