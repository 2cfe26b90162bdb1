/** Reads what an endpoint answers, whole or streamed, as tolerantly as endpoints differ. */
import type { OpenAI } from 'openai'
import { APIError } from 'openai/core/error'
import type { ChatCompletion, ChatCompletionChunk } from 'openai/resources/chat/completions'
import type { ModelEvent, ModelRequest, ToolCall, Usage } from '../agent/types.ts'
import { BrokenStream } from './failures.ts'
import { estimateUsage } from './tokens.ts'

/** What some endpoints tell of a model's thinking, in one of two places that OpenAI's own types lack. */
interface Thinking {
  reasoning_content?: unknown
  reasoning?: unknown
}

/** @throws BrokenStream for an answer without a message, APIError for an error that came with status 200. */
export async function* wholeAnswer(
  answer: ChatCompletion & { error?: object },
  model: string,
  request: ModelRequest,
): AsyncGenerator<ModelEvent> {
  const message: (ChatCompletion.Choice['message'] & Thinking) | undefined = answer.choices?.[0]?.message
  if (!message && answer.error) throw new APIError(undefined, answer.error, undefined, undefined)
  if (answer.usage) request.onUsage?.(usageOf(answer.usage, model))
  if (!message) throw new BrokenStream('the answer holds no message')
  const written = new Written()
  for (const event of written.take(message)) yield event
  const calls = written.calls()
  if (!answer.usage) request.onUsage?.(await estimateUsage(model, request.messages, written.all()))
  if (calls.length > 0) yield { type: 'tool_calls', calls }
}

export interface StreamEnd {
  /** The endpoint said that it was done, rather than falling silent. */
  isDone: boolean
  hasText: boolean
  calls: ToolCall[]
}

/**
 * Yields what is said as it comes in; the tool calls are the caller's to yield, once it believes the end. Left early, it
 * aborts the request (the batches do so on return) and reports estimated tokens.
 */
export async function* streamedAnswer(
  batches: AsyncIterable<ChatCompletionChunk[]>,
  model: string,
  request: ModelRequest,
): AsyncGenerator<ModelEvent, StreamEnd> {
  const written = new Written()
  let isDone = false
  let usage: Usage | undefined
  try {
    for await (const batch of batches) {
      request.onSign?.()
      const events: ModelEvent[] = []
      for (const chunk of batch) {
        if (chunk.usage) usage = usageOf(chunk.usage, model)
        const choice = chunk.choices?.[0]
        for (const event of choice?.delta ? written.take(choice.delta) : []) addTo(events, event)
        isDone ||= Boolean(choice?.finish_reason)
      }
      for (const event of events) yield event
    }
    if (request.signal.aborted) throw request.signal.reason
    return { isDone, hasText: written.hasText, calls: written.calls() }
  } finally {
    const all = written.all()
    if (all !== '' || usage) request.onUsage?.(usage ?? (await estimateUsage(model, request.messages, all)))
  }
}

/** Pieces of the same kind that came in together are one event. */
function addTo(events: ModelEvent[], event: ModelEvent): void {
  const last = events.at(-1)
  if (last?.type === 'text' && event.type === 'text') last.text += event.text
  else if (last?.type === 'reasoning' && event.type === 'reasoning') last.text += event.text
  else events.push(event)
}

type Said = Thinking & { content?: unknown; tool_calls?: CallPart[] | null }

/** A tool call or a piece of one, with all that some endpoint or other leaves out. */
interface CallPart {
  index?: number
  id?: string
  function?: { name?: string; arguments?: unknown }
}

/** All that a model has written in one answer. */
class Written {
  hasText = false
  #words = ''
  readonly #calls: { index: number | undefined; id: string; name: string; arguments: string }[] = []

  calls(): ToolCall[] {
    return this.#calls.map(({ id, name, arguments: args }, i) => ({ id: id || `call_${i}`, name, arguments: args }))
  }

  take(said: Said): ModelEvent[] {
    const thinking = textOf(said.reasoning_content ?? said.reasoning)
    const text = textOf(said.content)
    this.#words += thinking + text
    this.hasText ||= text !== ''
    for (const part of said.tool_calls ?? []) this.#takeCall(part)
    const events: ModelEvent[] = thinking === '' ? [] : [{ type: 'reasoning', text: thinking }]
    if (text !== '') events.push({ type: 'text', text })
    return events
  }

  /** For counting tokens. */
  all(): string {
    return this.#words + this.#calls.map((call) => call.name + call.arguments).join('')
  }

  /** A piece goes to the call of its index, unless its id says that it is another (Gemini numbers them all 0). */
  #takeCall({ index, id, function: made }: CallPart): void {
    const isOf = (call: { index: number | undefined; id: string }) =>
      index !== undefined && call.index === index && (!id || call.id === '' || call.id === id)
    const known = this.#calls.findLast(isOf)
    const call = known ?? { index, id: '', name: '', arguments: '' }
    if (!known) this.#calls.push(call)
    if (id) call.id = id
    // A few repeat the whole name with every piece.
    if (made?.name !== call.name) call.name += made?.name ?? ''
    const args = made?.arguments ?? ''
    call.arguments += typeof args === 'string' ? args : JSON.stringify(args)
  }
}

/** Content is text, null, or a list of parts of which some are text. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part: { text?: unknown } | null) => (typeof part?.text === 'string' ? part.text : '')).join('')
}

function usageOf(usage: OpenAI.CompletionUsage, model: string): Usage {
  const cached = usage.prompt_tokens_details?.cached_tokens
  const counts = { inputTokens: usage.prompt_tokens ?? 0, outputTokens: usage.completion_tokens ?? 0 }
  return { model, ...counts, ...(cached ? { cachedTokens: cached } : {}), estimated: false }
}
