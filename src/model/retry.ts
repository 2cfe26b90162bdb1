/**
 * Which failed call of a model is tried again, how often and after what wait. The loop is that of `openAiModel` (openai.ts);
 * failures.ts says which failures are worth a try. What stands around it:
 * - fallback.ts: where the retries have failed, OPENAI_FALLBACK_MODEL is called, with as many tries of its own.
 * - circuit-breaker.ts: a call counts as one failure after its retries; after four in a row the model is spared for 20 s.
 * - The queue does not try the run again after a `ModelError` (slack/failure-outcome.ts): the person is told.
 * - A parameter that an endpoint refuses is left out at once and costs no try (openai.ts), and so are pictures
 *   (picture-refusals.ts); AGENT_TIMEOUT_MS ends all of it.
 */
import { backoffMs } from '../base/backoff.ts'
import type { Log } from '../base/log.ts'
import { failureOf } from './failures.ts'

/** Calls made besides the first before a failing model is given up; the run's time may end it earlier. */
export const RETRIES = 3

/** The waits before them, in ms: at most 500, 1,000 and 2,000, and at least half of that (the rest is chance). */
const WAITS = { base: 500, max: 2_000 }

/** Where an endpoint's Retry-After asks for longer it is waited for as long; beyond this, the person is told at once. */
const PATIENCE_MS = 30_000

/** A call that failed; `attempt` counts from 0. */
export interface FailedCall {
  error: unknown
  attempt: number
}

/** How long to wait before another try, in ms. @throws ModelError when there is no point in one. */
export function patienceFor({ error, attempt }: FailedCall, { model, log }: { model: string; log: Log }): number {
  const failure = failureOf(error, model)
  const isTooLong = (failure.retryAfterMs ?? 0) > PATIENCE_MS
  if (!failure.retryable || attempt >= RETRIES || isTooLong) throw failure.error
  const ms = Math.max(failure.retryAfterMs ?? 0, backoffMs(attempt, WAITS))
  log.warn(
    { model, attempt: attempt + 1, ms: Math.round(ms), error: failure.error.message },
    'model call failed, retrying',
  )
  return ms
}
