/**
 * What people, models and tools wrote, in the forms that the GenAI conventions give messages. A span takes no nested values,
 * so they go in as JSON text.
 */
import type { Message, ToolCall } from '../agent/types.ts'

export function inputMessages(messages: Message[]): string {
  return JSON.stringify(messages.map((message) => ({ role: message.role, parts: partsOf(message) })))
}

export function outputMessages(text: string, calls: ToolCall[] = []): string {
  const parts = [...textPart(text), ...calls.map(callPart)]
  return JSON.stringify([{ role: 'assistant', parts, finish_reason: calls.length > 0 ? 'tool_call' : 'stop' }])
}

function partsOf({ content, toolCalls = [], toolCallId }: Message): object[] {
  if (toolCallId !== undefined) return [{ type: 'tool_call_response', id: toolCallId, response: content }]
  return [...textPart(content), ...toolCalls.map(callPart)]
}

function textPart(content: string): object[] {
  return content === '' ? [] : [{ type: 'text', content }]
}

function callPart({ id, name, arguments: written }: ToolCall): object {
  return { type: 'tool_call', id, name, arguments: written }
}
