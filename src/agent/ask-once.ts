import type { Model, ModelRequest, ToolCall } from './types.ts'

/** What a model wrote, in words and in native tool calls, and whether it had to do without the pictures that it was sent. */
interface ModelReply {
  text: string
  calls: ToolCall[]
  isUnseen: boolean
}

/** One call of a model, read to its end. @throws what the model throws */
export async function readReply(model: Model, request: ModelRequest): Promise<ModelReply> {
  let read: ModelReply = { text: '', calls: [], isUnseen: false }
  for await (const event of model.stream(request)) {
    if (event.type === 'restart') read = { text: '', calls: [], isUnseen: false }
    if (event.type === 'text') read.text += event.text
    if (event.type === 'tool_calls') read.calls = event.calls
    if (event.type === 'unseen') read.isUnseen = true
  }
  return read
}

/** Asks a model one thing, in one message without tools, and returns its whole answer. @throws what the model throws */
export async function askOnce(model: Model, prompt: string, call: Omit<ModelRequest, 'messages'>): Promise<string> {
  return (await readReply(model, { ...call, messages: [{ role: 'user', content: prompt }] })).text
}
