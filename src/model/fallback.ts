import type { Model, ModelEvent, ModelRequest } from '../agent/contracts/model.ts'
import { ModelError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import { StallTimer } from './stall-timer.ts'

/**
 * Falls back to a second model if the first has failed after all its retries, or was silent for half of the remaining
 * time. Each call starts with the first model again; one whose breaker is open (circuit-breaker.ts) fails at once.
 */
export function withFallback(first: Model, second: Model, log: Log, now: () => number): Model {
  return { name: first.name, stream: (request) => fallingBack(first, second, request, log, now) }
}

async function* fallingBack(
  first: Model,
  second: Model,
  request: ModelRequest,
  log: Log,
  now: () => number,
): AsyncGenerator<ModelEvent> {
  const { timeMs } = request
  const silence = timeMs === undefined ? undefined : new StallTimer(first.name, { ...request, timeMs }, now)
  const from = now()
  try {
    return yield* first.stream(silence?.request ?? request)
  } catch (error) {
    if (!(error instanceof ModelError) || !error.retryable || request.signal.aborted) throw error
    log.warn(
      { model: first.name, fallback: second.name, error: error.message },
      'falling back to OPENAI_FALLBACK_MODEL',
    )
  } finally {
    silence?.release()
  }
  yield { type: 'restart' }
  yield* second.stream(later(request, now() - from))
}

/** The same request with `ms` less time. */
function later(request: ModelRequest, ms: number): ModelRequest {
  return request.timeMs === undefined ? request : { ...request, timeMs: Math.max(0, request.timeMs - ms) }
}
