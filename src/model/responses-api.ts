/**
 * OpenAI's Responses API, stateless: nothing is stored there, and a model's reasoning comes back encrypted, to be sent
 * again with its tool calls. https://platform.openai.com/docs/api-reference/responses
 */
import { APIError } from 'openai/core/error'
import type { ResponseCreateParams } from 'openai/resources/responses/responses'
import type { KeptReasoning, Message, ModelEvent, ModelRequest, Usage } from '../agent/contracts/model.ts'
import { formatOf, withSchemaOrChoice, type CompletionReader, type BodyOptions, type Wire } from './api-format.ts'
import { MAX_OTHER_CHARS, partsText, usageOf, AnswerBuffer } from './answer-buffer.ts'

export const responsesWire: Wire = {
  optional: [
    'temperature',
    'tool_choice',
    'include',
    'reasoning',
    'reasoning.effort',
    'reasoning.summary',
    'text.format',
  ],
  body: bodyOf,
  send: (client, body, signal) => client.responses.create(body as ResponseCreateParams, { signal }),
  reader: (model) => new ResponseReader(model),
}

/** This API has no `stop`: the caller cuts the stream. */
function bodyOf(given: ModelRequest, { model, stream, effort, learnt }: BodyOptions): object {
  const { refused } = learnt
  const request = withSchemaOrChoice(given, refused.has('text.format'))
  const { tools = [], toolChoice } = request
  const reasoning = {
    ...(effort === undefined || refused.has('reasoning.effort') ? {} : { effort }),
    ...(refused.has('reasoning.summary') ? {} : { summary: 'auto' }),
  }
  return {
    model,
    input: request.messages.flatMap((message) => toInput(message, model)),
    stream,
    store: false,
    ...(refused.has('include') ? {} : { include: ['reasoning.encrypted_content'] }),
    ...(refused.has('reasoning') || Object.keys(reasoning).length === 0 ? {} : { reasoning }),
    ...(refused.has('temperature') ? {} : { temperature: 0 }),
    ...(request.schema ? { text: { format: { type: 'json_schema', ...formatOf(request.schema) } } } : {}),
    // Without `strict: false`, this API demands schemas in a strict form that MCP servers do not write.
    ...(tools.length > 0 ? { tools: tools.map((tool) => ({ type: 'function', ...tool, strict: false })) } : {}),
    ...(tools.length > 0 && toolChoice && !refused.has('tool_choice') ? { tool_choice: toolChoice } : {}),
  }
}

type ResponsesItem = Record<string, unknown>

function toInput(message: Message, model: string): ResponsesItem[] {
  const { role, content, images, toolCalls = [], toolCallId } = message
  if (role === 'tool') return [{ type: 'function_call_output', call_id: toolCallId ?? '', output: content }]
  if (role === 'user' && images?.length) {
    const pictures = images.map(({ mime, base64 }) => ({
      type: 'input_image',
      detail: 'auto',
      image_url: `data:${mime};base64,${base64}`,
    }))
    return [{ type: 'message', role, content: [{ type: 'input_text', text: content }, ...pictures] }]
  }
  const messageItems = content === '' && toolCalls.length > 0 ? [] : [{ type: 'message', role, content }]
  const calls = toolCalls.map(({ id, name, arguments: written }) => callItem(id, name, written))
  return keptItems(message, model) ?? [...messageItems, ...calls]
}

function callItem(call_id: string, name: unknown, written: unknown): ResponsesItem {
  return { type: 'function_call', call_id, name, arguments: written }
}

/**
 * The model's reasoning, words and calls in the order in which it wrote them. Calls that were not made are left out,
 * with the reasoning before them. Undefined if another model wrote them.
 */
function keptItems({ kept, toolCalls = [] }: Message, model: string): ResponsesItem[] | undefined {
  if (kept?.model !== model || !kept.items) return undefined
  const made = new Set<unknown>(toolCalls.map(({ id }) => id))
  const isDropped = (item: ResponsesItem | undefined) =>
    item?.['type'] === 'function_call' && !made.has(item['call_id'])
  const { items } = kept
  const sent = items.filter((item, i) => {
    const next = item['type'] === 'reasoning' ? items.slice(i).find(({ type }) => type !== 'reasoning') : item
    return next !== undefined && !isDropped(next)
  })
  const known = sent.filter(({ type }) => type === 'function_call')
  return known.length === toolCalls.length ? sent : undefined
}

/** An event of a stream, or a whole response. Any field may be missing. */
interface ResponsesEvent extends ResponsesReply {
  type?: string
  delta?: unknown
  output_index?: unknown
  summary_index?: unknown
  item?: ResponsesItem
  response?: ResponsesReply
  code?: unknown
  message?: unknown
}

interface ResponsesReply {
  status?: unknown
  output?: (ResponsesItem | null)[]
  error?: object | null
  incomplete_details?: { reason?: unknown } | null
  usage?: {
    input_tokens?: unknown
    output_tokens?: unknown
    input_tokens_details?: { cached_tokens?: unknown } | null
    output_tokens_details?: { reasoning_tokens?: unknown } | null
  } | null
}

class ResponseReader implements CompletionReader {
  readonly model: string
  readonly written = new AnswerBuffer()
  usage: Usage | undefined
  isBilled = false
  isDone = false
  /** The items to send again with the tool calls. */
  readonly #items: ResponsesItem[] = []
  readonly #callIds = new Set<unknown>()
  /** How many output items of each type have begun to arrive, and have arrived whole. */
  readonly #begun = new Tally()
  readonly #whole = new Tally()
  /** The position in the output of the item whose pieces are arriving, by type. */
  readonly #open = new Map<unknown, unknown>()
  /** The item and the part of it that the last text belongs to, by type. */
  readonly #last = new Map<unknown, string>()

  constructor(model: string) {
    this.model = model
  }

  take(event: ResponsesEvent): ModelEvent[] {
    const { type, delta } = event
    if (type === undefined) return this.#end(event)
    if (type === 'response.output_text.delta') return this.#piece('message', event)
    if (type === 'response.refusal.delta') return asRefusal(this.#piece('message', event))
    if (type === 'response.reasoning_summary_text.delta' || type === 'response.reasoning_text.delta')
      return this.#piece('reasoning', event)
    if (type === 'response.function_call_arguments.delta') return this.written.pend(delta)
    if (type === 'response.output_item.done') this.written.pend()
    if (type === 'response.output_item.done') return this.#item(event.item ?? {})
    if (ENDS.has(type)) return this.#end(event.response ?? {})
    if (type === 'error') throw failed(event.error ?? { code: event.code, message: event.message })
    return []
  }

  kept(): KeptReasoning | undefined {
    const items = this.#items
    const isWanted = items.some(({ type }) => type === 'reasoning') && JSON.stringify(items).length <= MAX_OTHER_CHARS
    return isWanted ? { model: this.model, items } : undefined
  }

  #piece(type: 'message' | 'reasoning', { output_index, summary_index, delta }: ResponsesEvent): ModelEvent[] {
    if (!this.#open.has(type) || this.#open.get(type) !== output_index) this.#begun.add(type)
    this.#open.set(type, output_index)
    return this.#write(type, delta, summary_index)
  }

  /** The words of two items, or of two parts of a summary, stay apart. */
  #write(type: 'message' | 'reasoning', words: unknown, part: unknown = 0): ModelEvent[] {
    const text = partsText(words)
    if (text === '') return []
    const place = `${this.#begun.of(type)} ${String(part)}`
    const gap = (this.#last.get(type) ?? place) === place ? '' : '\n\n'
    this.#last.set(type, place)
    return this.written.take(type === 'message' ? { content: gap + text } : { reasoning: gap + text })
  }

  /** Reads a whole output item, except for pieces that were already read. */
  #item(item: ResponsesItem): ModelEvent[] {
    const { type } = item
    const isNew = this.#begun.of(type) <= this.#whole.of(type)
    if (isNew) this.#begun.add(type)
    this.#whole.add(type)
    this.#open.delete(type)
    if (type === 'function_call') return this.#call(item)
    if (type === 'reasoning') return this.#reasoning(item, isNew)
    return type === 'message' ? this.#message(item, isNew) : []
  }

  #call({ call_id, id, name, arguments: written }: ResponsesItem): ModelEvent[] {
    const called = String(call_id ?? id ?? `call_${this.#items.length}`)
    this.#callIds.add(call_id ?? id)
    this.#items.push(callItem(called, name, written))
    return this.written.take({
      tool_calls: [{ index: this.#items.length, id: called, function: { name, arguments: written } }],
    })
  }

  #reasoning(item: ResponsesItem, isNew: boolean): ModelEvent[] {
    // Without its content, an item is a reference to something that was not stored.
    if (item['encrypted_content'] || partsText(item['content']) !== '') this.#items.push(item)
    const parts = Array.isArray(item['summary']) ? item['summary'].map((part: unknown) => partsText([part])) : []
    return isNew ? this.#write('reasoning', parts.join('\n\n') || partsText(item['content'])) : []
  }

  #message({ content, phase }: ResponsesItem, isNew: boolean): ModelEvent[] {
    const parts = Array.isArray(content) ? (content as (ResponsesItem | null)[]) : []
    const text = partsText(content)
    if (text !== '')
      this.#items.push({ type: 'message', role: 'assistant', content: text, ...(phase ? { phase } : {}) })
    if (!isNew) return []
    return parts.flatMap((part) =>
      part?.['type'] === 'refusal'
        ? asRefusal(this.#write('message', part['refusal']))
        : this.#write('message', part?.['text']),
    )
  }

  /** The end of a stream, or a whole response: reads what the stream did not contain. */
  #end({ status = 'completed', output, error, incomplete_details, usage }: ResponsesReply): ModelEvent[] {
    this.isBilled ||= Boolean(usage ?? output?.length)
    this.usage = usageOf(this.model, {
      input: usage?.input_tokens,
      output: usage?.output_tokens,
      cached: usage?.input_tokens_details?.cached_tokens,
      reasoning: usage?.output_tokens_details?.reasoning_tokens,
    })
    if (error || status === 'failed') throw failed(error ?? {})
    this.isDone = Array.isArray(output) && (status === 'completed' || status === 'incomplete')
    const items = Array.isArray(output) ? output.filter((item) => typeof item === 'object' && item !== null) : []
    const listed = new Tally()
    const missed = items.filter((item) => this.#isMissed(item, listed.add(item['type'])))
    const events = missed.flatMap((item) => this.#item(item))
    this.written.finish(status === 'incomplete' ? (incomplete_details?.reason ?? 'length') : 'stop')
    return events
  }

  /** Returns whether the item, the `nth` of its type, has not arrived whole. A call is recognised by its id. */
  #isMissed({ type, call_id, id }: ResponsesItem, nth: number): boolean {
    const isKnown = type === 'function_call' && (call_id ?? id) !== undefined
    return isKnown ? !this.#callIds.has(call_id ?? id) : nth > this.#whole.of(type)
  }
}

class Tally {
  readonly #counts = new Map<unknown, number>()

  of(key: unknown): number {
    return this.#counts.get(key) ?? 0
  }

  /** @returns the new count */
  add(key: unknown): number {
    const count = this.of(key) + 1
    this.#counts.set(key, count)
    return count
  }
}

const ENDS = new Set(['response.completed', 'response.incomplete', 'response.failed', 'response.cancelled'])

/** The model's refusal is the answer, in any dialect. */
function asRefusal(events: ModelEvent[]): ModelEvent[] {
  return events.map((event) => (event.type === 'text' ? { type: 'refusal', text: event.text } : event))
}

/** An error that came with status 200, with the status that a chat completion would have had. */
function failed(error: { code?: unknown }): APIError {
  const code = String(error.code)
  const given = Number(error.code)
  const status =
    given >= 400 && given < 600 ? given : code === 'rate_limit_exceeded' ? 429 : OF_THE_REQUEST.test(code) ? 400 : 500
  return new APIError(status, error, undefined, undefined)
}

/** The codes of errors that the same request would cause again. */
const OF_THE_REQUEST =
  /^(?:invalid|unsupported|image|empty_image|failed_to_download|context|content|data_residency|insufficient)|policy|filter/
