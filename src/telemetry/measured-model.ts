import type { Model, ModelEvent, ModelRequest, ToolCall, Usage } from '../agent/contracts/model.ts'

/** The current state of one model call. */
export interface MeasuredCall {
  model: string
  request: ModelRequest
  /** The start, in milliseconds since the epoch. */
  from: number
  /** Milliseconds until the first piece of the stream; absent if none came. */
  firstMs?: number
  retries: number
  text: string
  reasoning: string
  toolCalls: ToolCall[]
  /** One for each try that used tokens. */
  usages: Usage[]
}

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
export function measuredModel(model: Model, observers: ModelObserver[], now: () => number): Model {
  return { name: model.name, stream: (request) => measured(model, request, { observers, now }) }
}

async function* measured(
  model: Model,
  request: ModelRequest,
  { observers, now }: { observers: ModelObserver[]; now: () => number },
): AsyncGenerator<ModelEvent> {
  const call: MeasuredCall = { model: model.name, request, from: now(), retries: 0, usages: [], ...NOTHING_YET }
  const ended = observers.map((observer) => observer(call))
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
    for (const tell of ended) tell?.({ ...end, ms })
  }
}

const NOTHING_YET = { text: '', reasoning: '', toolCalls: [] }

function take(call: MeasuredCall, event: ModelEvent, now: () => number): void {
  if (event.type === 'restart') Object.assign(call, NOTHING_YET, { retries: call.retries + 1 })
  else if (event.type !== 'unseen') call.firstMs ??= Math.max(0, now() - call.from)
  if (event.type === 'text' || event.type === 'refusal') call.text += event.text
  if (event.type === 'reasoning') call.reasoning += event.text
  if (event.type === 'tool_calls') call.toolCalls = event.calls
}
