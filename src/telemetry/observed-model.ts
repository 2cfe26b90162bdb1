import type { Model, ModelEvent, ModelRequest, Usage } from '../agent/contracts/model.ts'
import { isTimeUp } from '../base/errors.ts'
import type { MeasuredCall, ModelCallEvent } from './telemetry-event.ts'

/** How a call ended. `isCut`: its caller had read enough. */
export interface CallEnd {
  ms: number
  thrown?: { error: unknown }
  isCut: boolean
}

/**
 * Called when a call begins. @returns a function to call when it is over, or undefined if the call is of no interest
 */
export type ModelObserver = (call: MeasuredCall) => ((end: CallEnd) => void) | undefined

/** Returns the same model, with observers of each call. */
export function observedModel(model: Model, observers: ModelObserver[], now: () => number): Model {
  return { name: model.name, stream: (request) => measured(model, request, observers, now) }
}

async function* measured(
  model: Model,
  request: ModelRequest,
  observers: ModelObserver[],
  now: () => number,
): AsyncGenerator<ModelEvent> {
  const call: MeasuredCall = { model: model.name, request, from: now(), retries: 0, usages: [], ...EMPTY_OUTPUT }
  const onEnds = observers.map((observer) => observer(call))
  const onUsage = (usage: Usage) => {
    call.usages.push(usage)
    request.onUsage?.(usage)
  }
  let end: Omit<CallEnd, 'ms'> = { isCut: true }
  try {
    for await (const event of model.stream({ ...request, onUsage })) {
      take(call, event, now)
      yield event
    }
    end = { isCut: false }
  } catch (error) {
    end = { isCut: false, thrown: { error } }
    throw error
  } finally {
    // A caller that has read enough returns early, and no line after the loop is reached.
    const ms = now() - call.from
    for (const onEnd of onEnds) onEnd?.({ ...end, ms })
  }
}

const EMPTY_OUTPUT = { text: '', reasoning: '', toolCalls: [] }

function take(call: MeasuredCall, event: ModelEvent, now: () => number): void {
  if (event.type === 'restart') Object.assign(call, EMPTY_OUTPUT, { retries: call.retries + 1 })
  else if (event.type !== 'unseen') call.firstMs ??= Math.max(0, now() - call.from)
  if (event.type === 'text' || event.type === 'refusal') call.text += event.text
  if (event.type === 'reasoning') call.reasoning += event.text
  if (event.type === 'tool_calls') call.toolCalls = event.calls
}

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
