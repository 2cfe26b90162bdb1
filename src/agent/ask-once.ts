import type { KeptReasoning, Model, ModelRequest, ToolCall } from './contracts/model.ts'

interface ModelReply {
  text: string
  calls: ToolCall[]
  kept?: KeptReasoning
  /** Whether the model could not see the pictures. */
  isUnseen: boolean
}

/** Reads one model call to its end. @throws what the model throws */
export async function readReply(model: Model, request: ModelRequest): Promise<ModelReply> {
  let read: ModelReply = { text: '', calls: [], isUnseen: false }
  for await (const event of model.stream(request)) {
    if (event.type === 'restart') read = { text: '', calls: [], isUnseen: false }
    if (event.type === 'text') read.text += event.text
    if (event.type === 'tool_calls') read.calls = event.calls
    if (event.type === 'kept') read.kept = event.kept
    if (event.type === 'unseen') read.isUnseen = true
  }
  return read
}

/** Asks a model one question, in one message without tools, and returns its answer. @throws what the model throws */
export async function askOnce(model: Model, prompt: string, call: Omit<ModelRequest, 'messages'>): Promise<string> {
  return (await readReply(model, { ...call, messages: [{ role: 'user', content: prompt }] })).text
}
