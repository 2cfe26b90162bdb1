import type { Model, ModelEvent, ModelRequest, Usage } from '../../src/agent/contracts/model.ts'
import { loadConfig, type Env } from '../../src/config.ts'
import { createLog } from '../../src/base/log.ts'
import { createModels } from '../../src/model/choose-model.ts'

/** The result of one call of a model. */
export interface ModelCall {
  events: ModelEvent[]
  /** Returns the events that count. A restart discards the earlier ones. */
  text: string
  usage: Usage[]
  error?: unknown
}

/** Calls a model to the end, or until the call fails. `onEvent` gets each event, and the text so far. */
export async function callModel(
  model: Model,
  request: Partial<ModelRequest> = {},
  onEvent: (call: ModelCall) => void = () => {},
): Promise<ModelCall> {
  const call: ModelCall = { events: [], text: '', usage: [] }
  const onUsage = (usage: Usage) => void call.usage.push(usage)
  const messages = [{ role: 'user' as const, content: 'Hello?' }]
  try {
    for await (const event of model.stream({ messages, signal: AbortSignal.timeout(60_000), onUsage, ...request })) {
      call.events.push(event)
      if (event.type === 'restart') call.text = ''
      if (event.type === 'text') call.text += event.text
      onEvent(call)
    }
  } catch (error) {
    call.error = error
  }
  return call
}

/** Creates the models as the bot does from its settings. `logs` collects all log lines. */
export function modelsOf(env: Env, logs: string[] = []): { model: Model; condenseModel: Model } {
  const log = createLog('debug', { write: (line) => void logs.push(line) })
  return createModels({ config: loadConfig({ OPENAI_MODEL: 'played-model', ...env }), log, net: {}, now: Date.now })
}
