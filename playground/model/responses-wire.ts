/** OpenAI's Responses API: reads it into pieces, and writes it from pieces, streamed or whole. */
import { isObject } from '../slack/args.ts'
import type { ModelPiece, ModelCompletion } from './model-pieces.ts'
import type { Json } from '../slack/types.ts'

/** Returns the request as a chat completion's, which simulated models understand. */
export function asChatBody({ input, tools, ...body }: Json): Json {
  const items = Array.isArray(input) ? input.filter(isObject) : []
  const functions = Array.isArray(tools) ? tools.filter(isObject).map((fn) => ({ type: 'function', function: fn })) : []
  return { ...body, messages: items.flatMap(messageOf), ...(functions.length > 0 && { tools: functions }) }
}

function messageOf(item: Json): Json[] {
  const { type, call_id: id } = item
  if (type === 'function_call_output') return [{ role: 'tool', content: item['output'], tool_call_id: id }]
  if (type === 'function_call') {
    const made = { name: item['name'], arguments: item['arguments'] }
    return [{ role: 'assistant', content: null, tool_calls: [{ id, type: 'function', function: made }] }]
  }
  if (type === 'reasoning') return []
  const { role, content } = item
  const parts = Array.isArray(content) ? content.filter(isObject) : undefined
  return [{ role, content: parts ? parts.map((part) => part['text'] ?? '').join('') : content }]
}

/** Returns whether a chunk of a stream or a whole answer is of this API. */
export function isResponse(chunk: Json): boolean {
  return String(chunk['type'] ?? '').startsWith('response.') || chunk['object'] === 'response'
}

/** Returns the pieces of an event or of a whole response. The pieces of a text precede its item. */
export function piecesOfEvent(event: Json): ModelPiece[] {
  const { type, delta, item, response } = event
  if (type === undefined) return [...itemsOf(event).flatMap((one) => piecesOfItem(one, true)), ...endOf(event)]
  if (typeof delta === 'string' && /^response\.(?:output_text|refusal)\.delta$/.test(String(type)))
    return [{ text: delta }]
  if (typeof delta === 'string' && /^response\.reasoning\w*\.delta$/.test(String(type))) return [{ reasoning: delta }]
  if (type === 'response.output_item.done' && isObject(item)) return piecesOfItem(item, false)
  return isObject(response) && response['status'] !== 'in_progress' ? endOf(response) : []
}

function itemsOf({ output }: Json): Json[] {
  return Array.isArray(output) ? output.filter(isObject) : []
}

function piecesOfItem(item: Json, isWhole: boolean): ModelPiece[] {
  const { type, call_id: id, name, arguments: written } = item
  if (type === 'function_call')
    return [{ toolCalls: [{ id: String(id), name: String(name), arguments: String(written ?? '') }] }]
  if (!isWhole) return []
  const words = (parts: unknown) =>
    (Array.isArray(parts) ? parts.filter(isObject) : [])
      .map((part) => part['text'] ?? part['refusal'] ?? '')
      .join('\n\n')
  if (type === 'reasoning') return [{ reasoning: words(item['summary']) || words(item['content']) }]
  return type === 'message' ? [{ text: words(item['content']) }] : []
}

function endOf({ status, incomplete_details: why, usage }: Json): ModelPiece[] {
  const reason = isObject(why) ? why['reason'] : undefined
  return [
    ...(status === undefined ? [] : [{ finish: String(reason ?? status) }]),
    ...(isObject(usage) ? [{ usage }] : []),
  ]
}

/** Returns a whole response. */
export function responseOf(model: string, written: ModelCompletion): Json {
  const { text, reasoning, toolCalls, usage = {} } = written
  const part = { type: 'output_text', text, annotations: [] }
  const thought = { type: 'reasoning', id: 'rs_0', summary: [{ type: 'summary_text', text: reasoning }] }
  const said = { type: 'message', id: 'msg_0', role: 'assistant', status: 'completed', content: [part] }
  const calls = toolCalls.map(({ id, name, arguments: made }, i) => ({
    ...{ type: 'function_call', id: `fc_${i}`, call_id: id, name, arguments: made, status: 'completed' },
  }))
  const tokens = {
    input_tokens: usage['input_tokens'] ?? usage['prompt_tokens'],
    output_tokens: usage['output_tokens'] ?? usage['completion_tokens'],
  }
  return {
    ...{ id: 'resp_playground', object: 'response', created_at: 0, model, status: 'completed', error: null },
    output: [...(reasoning ? [thought] : []), ...(text ? [said] : []), ...calls],
    ...(written.usage && { usage: tokens }),
  }
}

/** Returns the event of a piece while it is streamed. */
export function eventOf(piece: ModelPiece): Json | undefined {
  if ('text' in piece)
    return {
      type: 'response.output_text.delta',
      item_id: 'msg_0',
      output_index: 0,
      content_index: 0,
      delta: piece.text,
    }
  if (!('reasoning' in piece)) return undefined
  const at = { item_id: 'rs_0', output_index: 0, summary_index: 0 }
  return { type: 'response.reasoning_summary_text.delta', ...at, delta: piece.reasoning }
}

/** Returns the events at the end: each item whole, then the response. */
export function lastEvents(model: string, written: ModelCompletion): Json[] {
  const response = responseOf(model, written)
  const items = itemsOf(response).map((item, output_index) => ({
    type: 'response.output_item.done',
    output_index,
    item,
  }))
  return [...items, { type: 'response.completed', response }]
}
