/**
 * What people, models and tools wrote, in the forms that the GenAI conventions give messages. A span takes no nested values,
 * so they are written as JSON text.
 */
import type { Message, Picture, ToolCall } from '../agent/types.ts'

/** What was sent to a model: `gen_ai.input.messages`. */
export function inputMessages(messages: Message[]): string {
  return JSON.stringify(messages.map((message) => ({ role: message.role, parts: partsOf(message) })))
}

/**
 * What came back: `gen_ai.output.messages`. The schema wants a reason why the model stopped; beyond tool calls it is not told
 * here, and a text that we cut ourselves has stopped where we wanted it to.
 */
export function outputMessages(text: string, calls: ToolCall[] = []): string {
  const parts = [...textPart(text), ...calls.map(callPart)]
  return JSON.stringify([{ role: 'assistant', parts, finish_reason: calls.length > 0 ? 'tool_call' : 'stop' }])
}

function partsOf({ content, images = [], toolCalls = [], toolCallId }: Message): object[] {
  if (toolCallId !== undefined) return [{ type: 'tool_call_response', id: toolCallId, response: content }]
  return [...textPart(content), ...images.map(picturePart), ...toolCalls.map(callPart)]
}

/** A picture itself is never traced. */
function picturePart({ name, mime, base64 }: Picture): object {
  return { type: 'image', name, mime_type: mime, bytes: Buffer.byteLength(base64, 'base64') }
}

function textPart(content: string): object[] {
  return content === '' ? [] : [{ type: 'text', content }]
}

function callPart({ id, name, arguments: written }: ToolCall): object {
  return { type: 'tool_call', id, name, arguments: written }
}
