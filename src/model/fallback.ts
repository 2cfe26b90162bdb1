import type { Model, ModelEvent, ModelRequest } from '../agent/types.ts'
import { ModelError } from '../errors.ts'
import type { Log } from '../log.ts'

/** A second model takes over where the first has failed after all its retries; each call begins with the first again. */
export function withFallback(first: Model, second: Model, log: Log): Model {
  return { name: first.name, stream: (request) => fallingBack({ first, second, log }, request) }
}

async function* fallingBack(
  { first, second, log }: { first: Model; second: Model; log: Log },
  request: ModelRequest,
): AsyncGenerator<ModelEvent> {
  try {
    return yield* first.stream(request)
  } catch (error) {
    if (!(error instanceof ModelError) || !error.retryable || request.signal.aborted) throw error
    log.warn({ model: first.name, fallback: second.name, error: error.message }, 'falling back to the second model')
  }
  yield { type: 'restart' }
  yield* second.stream(request)
}
