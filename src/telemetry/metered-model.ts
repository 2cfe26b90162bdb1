import type { Model, ModelEvent, ModelRequest, ToolCall, Usage } from '../agent/types.ts'
import { isTimeUp } from '../base/errors.ts'
import type { ModelCallEvent } from './telemetry-event.ts'

/** The same model; each of its calls is reported when it is over, also when the caller ends it early. */
export function meteredModel(model: Model, note: (event: ModelCallEvent) => void, now: () => number = Date.now): Model {
  return { name: model.name, stream: (request) => metered({ model, note, now }, request) }
}

type Meter = { model: Model; note: (event: ModelCallEvent) => void; now: () => number }

/** The note is made in `finally`: a caller that has read enough returns early, and no line after the loop is reached. */
async function* metered({ model, note, now }: Meter, request: ModelRequest): AsyncGenerator<ModelEvent> {
  const call = {
    from: now(),
    firstMs: undefined as number | undefined,
    retries: 0,
    text: '',
    toolCalls: [] as ToolCall[],
  }
  const usages: Usage[] = []
  const onUsage = (usage: Usage) => {
    usages.push(usage)
    request.onUsage?.(usage)
  }
  let thrown: { error: unknown } | undefined
  try {
    for await (const event of model.stream({ ...request, onUsage })) {
      if (event.type === 'restart') Object.assign(call, { retries: call.retries + 1, text: '' })
      else if (event.type !== 'unseen') call.firstMs ??= now() - call.from
      if (event.type === 'text') call.text += event.text
      if (event.type === 'tool_calls') call.toolCalls = event.calls
      yield event
    }
  } catch (error) {
    thrown = { error }
    throw error
  } finally {
    const { firstMs, ...rest } = call
    const ms = now() - call.from
    note({
      kind: 'model',
      model: model.name,
      ...rest,
      ...(firstMs === undefined ? {} : { firstMs }),
      ms,
      usages,
      request,
      ...endOf(thrown, request),
    })
  }
}

/** How a call ended. An abort is recognised by its signal, because each client throws an error of its own for it. */
function endOf(
  thrown: { error: unknown } | undefined,
  { signal }: ModelRequest,
): Pick<ModelCallEvent, 'outcome' | 'error'> {
  if (!thrown) return { outcome: 'ok' }
  if (!signal.aborted) return { outcome: 'failed', error: errorType(thrown.error) }
  return isTimeUp(signal) ? { outcome: 'timeout', error: 'timeout' } : { outcome: 'aborted', error: 'aborted' }
}

/** A class of errors, never a message: the HTTP status where there was one, else the name of what was thrown. */
export function errorType(error: unknown): string {
  if (!(error instanceof Error)) return '_OTHER'
  const cause = error.cause instanceof Error ? error.cause : error
  if ('status' in cause && typeof cause.status === 'number') return String(cause.status)
  return cause.constructor.name
}
