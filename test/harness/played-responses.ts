/** The simulated model's side of OpenAI's Responses API: the same scripts, in its stream's events. */
import type { ServerResponse } from 'node:http'
import type { Body, TurnParts } from './played-model.ts'

type Json = Record<string, unknown>

/** An output item of a response, or an input item of a request. */
export interface ResponseItem extends Json {
  type?: string
  id?: string
}

interface ResponsesBody extends Json {
  model: string
  input: ResponseItem[]
  tools?: { name: string; parameters: unknown }[]
}

/** Returns a request in the form of chat completions, which the scripts read. `input` is kept. */
export function asChat(raw: string): Body {
  const { input, tools, ...body } = JSON.parse(raw) as ResponsesBody
  const messages = input.flatMap((item) => asMessage(item))
  return { ...body, input, messages, ...(tools ? { tools: tools.map((tool) => ({ function: tool })) } : {}) }
}

function asMessage(item: ResponseItem): Body['messages'] {
  if (item.type === 'function_call_output')
    return [{ role: 'tool', content: String(item['output']), tool_call_id: String(item['call_id']) }]
  if (item.type === 'function_call') {
    const { call_id: id, name, arguments: written } = item
    return [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id, type: 'function', function: { name, arguments: written } }],
      },
    ]
  }
  if (item.type === 'reasoning') return []
  const parts = item['content']
  const content = Array.isArray(parts) ? parts.map((part: Json) => part['text'] ?? '').join('') : String(parts)
  const images = Array.isArray(parts) ? parts.flatMap((part: Json) => (part['image_url'] as string) ?? []) : []
  return [{ role: String(item['role']), content, ...(images.length > 0 ? { images } : {}) }]
}

/**
 * Returns the fault of a request in OpenAI's words, or undefined. Nothing is stored, so a request cannot refer to
 * earlier ones.
 */
export function wrongWith(body: Body): string | undefined {
  const input = body['input'] as ResponseItem[]
  const calls = input.filter(({ type }) => type === 'function_call')
  const outputs = new Set(input.filter(({ type }) => type === 'function_call_output').map((item) => item['call_id']))
  const open = calls.find((item) => !outputs.has(item['call_id']))
  if (open) return `No tool output found for function call ${String(open['call_id'])}.`
  for (const [i, item] of input.entries()) {
    if (item.type !== 'reasoning') continue
    if (!item['encrypted_content'])
      return `Item with id '${item.id}' not found. Items are not persisted when \`store\` is set to false.`
    const next = input.slice(i).find(({ type }) => type !== 'reasoning')
    if (next?.type !== 'function_call' && next?.['role'] !== 'assistant')
      return `Item '${item.id}' of type 'reasoning' was provided without its required following item.`
  }
  return undefined
}

/** Returns the output items of a turn: reasoning, text, calls. `output` of a turn replaces them. */
export function outputOf(
  { text = '', reasoning, refusal, toolCalls = [], output }: TurnParts,
  n: number,
): ResponseItem[] {
  if (output) return output
  const thought = {
    ...{ type: 'reasoning', id: `rs_${n}`, summary: [{ type: 'summary_text', text: reasoning }] },
    encrypted_content: `gAAAA-${n}-${reasoning}`,
  }
  const part = refusal ? { type: 'refusal', refusal } : { type: 'output_text', text, annotations: [] }
  const message = { type: 'message', id: `msg_${n}`, role: 'assistant', status: 'completed', content: [part] }
  const calls = toolCalls.map(({ name, arguments: written, id: given }, i) => ({
    ...{
      type: 'function_call',
      id: `fc_${n}_${i}`,
      call_id: given ?? `call_${n}_${i}`,
      name,
      arguments: written,
      status: 'completed',
    },
  }))
  return [...(reasoning ? [thought] : []), ...(text || refusal ? [message] : []), ...calls]
}

/** Returns the response at the end. */
export function responseOf(body: Body, output: ResponseItem[], { finish, usage, failure }: TurnParts): Json {
  const isIncomplete = finish === 'max_output_tokens' || finish === 'content_filter'
  const input_tokens = Math.ceil(JSON.stringify(body['input']).length / 4)
  const output_tokens = Math.ceil(JSON.stringify(output).length / 4)
  return {
    ...{ id: 'resp_played', object: 'response', created_at: 1, model: body.model, store: false, output },
    status: failure ? 'failed' : isIncomplete ? 'incomplete' : 'completed',
    error: failure ?? null,
    incomplete_details: isIncomplete ? { reason: finish } : null,
    ...(usage === false ? {} : { usage: usage ?? { input_tokens, output_tokens } }),
  }
}

/** Returns the events of one output item, in order. A text comes in the given pieces. */
export function eventsOf(item: ResponseItem, output_index: number, pieces: (text: string) => string[]): Json[] {
  const at = { item_id: item.id, output_index }
  const deltas = (type: string, text: unknown, more: Json) =>
    pieces(String(text)).map((delta) => ({ type: `response.${type}.delta`, ...at, ...more, delta }))
  const begun = { ...item, ...(item.type === 'function_call' ? { arguments: '' } : { content: [], summary: [] }) }
  const events: Json[] = [{ type: 'response.output_item.added', output_index, item: begun }]
  for (const [summary_index, part] of ((item['summary'] ?? []) as Json[]).entries()) {
    events.push({ type: 'response.reasoning_summary_part.added', ...at, summary_index, part: { ...part, text: '' } })
    events.push(...deltas('reasoning_summary_text', part['text'], { summary_index }))
    events.push({ type: 'response.reasoning_summary_text.done', ...at, summary_index, text: part['text'] })
  }
  for (const [content_index, part] of ((item['content'] ?? []) as Json[]).entries()) {
    events.push({ type: 'response.content_part.added', ...at, content_index, part: { ...part, text: '' } })
    if (part['type'] === 'refusal') events.push(...deltas('refusal', part['refusal'], { content_index }))
    if (part['type'] === 'output_text') events.push(...deltas('output_text', part['text'], { content_index }))
    events.push({ type: 'response.content_part.done', ...at, content_index, part })
  }
  if (item.type === 'function_call') events.push(...deltas('function_call_arguments', item['arguments'], {}))
  return [...events, { type: 'response.output_item.done', output_index, item }]
}

/** Writes an event as the API does, with its name and number. */
export function writeEvent(response: ServerResponse, event: Json, sequence_number: number): void {
  response.write(`event: ${String(event['type'])}\ndata: ${JSON.stringify({ ...event, sequence_number })}\n\n`)
}
