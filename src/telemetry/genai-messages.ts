/**
 * Converts the texts of people, models and tools to the message forms of the GenAI conventions. A span takes no nested
 * values, so they are JSON text.
 */
import type { Message, Picture, ToolCall } from '../agent/contracts/model.ts'

/** Returns the messages to a model: `gen_ai.input.messages`. */
export function inputMessages(messages: Message[]): string {
  return JSON.stringify(messages.map((message) => ({ role: message.role, parts: partsOf(message) })))
}

/**
 * Returns the model's output: `gen_ai.output.messages`. The schema requires a finish reason. It is unknown here except
 * for tool calls; a text that we cut ourselves counts as stopped.
 */
export function outputMessages(text: string, calls: ToolCall[] = []): string {
  const parts = [...textPart(text), ...calls.map(callPart)]
  return JSON.stringify([{ role: 'assistant', parts, finish_reason: calls.length > 0 ? 'tool_call' : 'stop' }])
}

function partsOf({ content, images = [], toolCalls = [], toolCallId }: Message): object[] {
  if (toolCallId !== undefined) return [{ type: 'tool_call_response', id: toolCallId, response: content }]
  return [...textPart(content), ...images.map(picturePart), ...toolCalls.map(callPart)]
}

/** Pictures themselves are never traced. */
function picturePart({ name, mime, base64 }: Picture): object {
  return { type: 'image', name, mime_type: mime, bytes: Buffer.byteLength(base64, 'base64') }
}

function textPart(content: string): object[] {
  return content === '' ? [] : [{ type: 'text', content }]
}

function callPart({ id, name, arguments: written }: ToolCall): object {
  return { type: 'tool_call', id, name, arguments: written }
}
