import type { Model, ModelEvent, ModelRequest, ToolCall, Usage } from '../agent/types.ts'
import { messageOf } from '../base/errors.ts'
import type { TracedModelCall, TracedToolCall } from '../stores/runs/run-trace.ts'
import type { Recording } from './recording.ts'

/** The run that the code now running belongs to, and the tool that it runs in. */
export interface Here {
  recording: Recording
  tool?: TracedToolCall
}

/** The same model; each of its calls is recorded in the run that makes it. */
export function tracedModel(model: Model, here: () => Here | undefined): Model {
  return { name: model.name, stream: (request) => traced(model, request, here) }
}

async function* traced(model: Model, request: ModelRequest, here: () => Here | undefined): AsyncGenerator<ModelEvent> {
  const at = here()
  if (!at) return yield* model.stream(request)
  const call = at.recording.beginModel(model.name, request, at.tool)
  const heard = new Heard(call.at)
  const usage: Usage[] = []
  const onUsage = (one: Usage) => {
    usage.push(one)
    request.onUsage?.(one)
  }
  let rest: Partial<TracedModelCall> = { isCut: true }
  try {
    for await (const event of model.stream({ ...request, onUsage })) {
      heard.take(event)
      yield event
    }
    rest = {}
  } catch (error) {
    rest = { error: messageOf(error) }
    throw error
  } finally {
    // A caller that has read enough returns early: no line after the loop is reached then.
    at.recording.endModel(call, { ...heard.parts, usage, ...rest })
  }
}

/** What has come of a call so far. */
class Heard {
  readonly #from: number
  #text = ''
  #reasoning = ''
  #toolCalls: ToolCall[] | undefined
  #firstMs: number | undefined
  #retries = 0

  constructor(from: number) {
    this.#from = from
  }

  take(event: ModelEvent): void {
    if (event.type === 'restart') {
      ;[this.#text, this.#reasoning, this.#toolCalls] = ['', '', undefined]
      this.#retries += 1
    } else if (event.type !== 'unseen') this.#firstMs ??= Math.max(0, Date.now() - this.#from)
    if (event.type === 'text') this.#text += event.text
    if (event.type === 'reasoning') this.#reasoning += event.text
    if (event.type === 'tool_calls') this.#toolCalls = event.calls
  }

  get parts(): Partial<TracedModelCall> {
    return {
      output: {
        text: this.#text,
        ...(this.#reasoning ? { reasoning: this.#reasoning } : {}),
        ...(this.#toolCalls ? { toolCalls: this.#toolCalls } : {}),
      },
      ...(this.#firstMs === undefined ? {} : { firstMs: this.#firstMs }),
      ...(this.#retries ? { retries: this.#retries } : {}),
    }
  }
}
