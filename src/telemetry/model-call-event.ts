import type { ModelRequest } from '../agent/contracts/model.ts'
import { isTimeUp } from '../base/errors.ts'
import type { CallEnd, MeasuredCall } from './measured-model.ts'
import type { ModelCallEvent } from './telemetry-event.ts'

/** Returns the event for metrics and traces about a finished call of a model. */
export function modelCallEvent(call: MeasuredCall, { ms, thrown }: CallEnd): ModelCallEvent {
  return { kind: 'model', ...call, ms, ...outcomeOf(thrown, call.request) }
}

/** An abort is recognised by its signal, because each client throws a different error for it. */
function outcomeOf(
  thrown: CallEnd['thrown'],
  { signal }: ModelRequest,
): { outcome: ModelCallEvent['outcome']; error?: string } {
  if (!thrown) return { outcome: 'ok' }
  if (!signal.aborted) return { outcome: 'failed', error: errorType(thrown.error) }
  return isTimeUp(signal) ? { outcome: 'timeout', error: 'timeout' } : { outcome: 'aborted', error: 'aborted' }
}

/** Returns a class of errors, never a message: the HTTP status if there was one, else the error's name. */
export function errorType(error: unknown): string {
  if (!(error instanceof Error)) return '_OTHER'
  const cause = error.cause instanceof Error ? error.cause : error
  if ('status' in cause && typeof cause.status === 'number') return String(cause.status)
  return cause.constructor.name
}
