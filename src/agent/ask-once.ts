import type { KeptReasoning, Model, ModelRequest, ToolCall } from './contracts/model.ts'

interface ModelReply {
  text: string
  calls: ToolCall[]
  /** The model's own reasoning, beside the text. */
  reasoning: string
  kept?: KeptReasoning
  /** Whether the model could not see the pictures. */
  isUnseen: boolean
}

const NOTHING: ModelReply = { text: '', calls: [], reasoning: '', isUnseen: false }

/** Reads one model call to its end. @throws what the model throws */
export async function readReply(model: Model, request: ModelRequest): Promise<ModelReply> {
  let read: ModelReply = { ...NOTHING }
  for await (const event of model.stream(request)) {
    if (event.type === 'restart') read = { ...NOTHING }
    if (event.type === 'reasoning') read.reasoning += event.text
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
