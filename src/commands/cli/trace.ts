import type { Model, ModelEvent, ModelRequest } from '../../agent/contracts/model.ts'

/** Shows each model call: the exact messages sent, then the exact text received. */
export function traced(model: Model, show: (title: string, text: string) => void): Model {
  return { name: model.name, stream: (request) => watched(model, request, show) }
}

async function* watched(
  model: Model,
  request: ModelRequest,
  show: (title: string, text: string) => void,
): AsyncGenerator<ModelEvent> {
  const { messages, stop, tools } = request
  const tags = messages.map(
    ({ role, content, toolCalls }) => `[${role}]\n${content}${toolCalls ? `\n${JSON.stringify(toolCalls)}` : ''}`,
  )
  const more = { ...(stop?.length ? { stop } : {}), ...(tools ? { tools } : {}) }
  show(`sent to ${model.name}`, [...tags, ...(Object.keys(more).length > 0 ? [JSON.stringify(more)] : [])].join('\n'))
  let received = ''
  try {
    for await (const event of model.stream(request)) {
      if (event.type === 'restart') received += '\n(the call failed and is repeated)\n'
      if (event.type === 'text' || event.type === 'reasoning' || event.type === 'refusal') received += event.text
      if (event.type === 'tool_calls') received += `\n${JSON.stringify(event.calls)}`
      yield event
    }
  } finally {
    show('received', received)
  }
}
