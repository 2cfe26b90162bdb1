/** Reads endpoints' responses, whole or streamed, and tolerates their differences. */
import type { OpenAI } from 'openai'
import { APIError } from 'openai/core/error'
import type { ChatCompletion, ChatCompletionChunk } from 'openai/resources/chat/completions'
import type { ModelEvent, ModelRequest, ToolCall, Usage } from '../agent/types.ts'
import { BrokenStream, declined, filtered } from './failures.ts'
import { estimateUsage } from './tokens.ts'

/**
 * Reads a whole response.
 * @throws BrokenStream for a response without a message, APIError for an error with status 200, KnownFailure for a
 *   refusal by a filter or the model itself
 */
export async function* wholeAnswer(
  answer: ChatCompletion & { error?: object },
  model: string,
  request: ModelRequest,
): AsyncGenerator<ModelEvent> {
  const choice = answer.choices?.[0]
  const message: ChatCompletion.Choice['message'] | undefined = choice?.message
  if (!message && answer.error) throw new APIError(undefined, answer.error, undefined, undefined)
  const written = new Written()
  const events = message ? written.take(message) : []
  const usage = usageOf(answer.usage, model)
  if (usage || message) request.onUsage?.(usage ?? (await estimateUsage(model, request.messages, written.all())))
  if (!message) throw new BrokenStream('the answer holds no message')
  yield* events
  written.finish(choice?.finish_reason)
  written.check()
  if (written.isCutOff) yield cutOffOf(written)
  const calls = written.calls()
  if (calls.length > 0) yield { type: 'tool_calls', calls }
}

export interface StreamEnd {
  /** Whether the endpoint said that it was done, rather than falling silent. */
  isDone: boolean
  hasText: boolean
  calls: ToolCall[]
}

/**
 * Yields events as they arrive. The caller yields the tool calls once it accepts the end. Leaving early aborts the
 * request (`batches` does so on return) and reports estimated tokens.
 */
export async function* streamedAnswer(
  batches: AsyncIterable<ChatCompletionChunk[]>,
  model: string,
  request: ModelRequest,
): AsyncGenerator<ModelEvent, StreamEnd> {
  const written = new Written()
  let isDone = false
  let isBilled = false
  let usage: Usage | undefined
  try {
    for await (const batch of batches) {
      request.onSign?.()
      const events: ModelEvent[] = []
      for (const chunk of batch) {
        isBilled ||= Boolean(chunk.usage)
        usage = usageOf(chunk.usage, model) ?? usage
        const choice = chunk.choices?.[0]
        for (const event of choice?.delta ? written.take(choice.delta) : []) addTo(events, event)
        written.finish(choice?.finish_reason)
        isDone ||= Boolean(choice?.finish_reason) || written.isFull
        if (written.isFull) break
      }
      for (const event of events) yield event
      if (written.isFull) break
    }
    if (request.signal.aborted) throw request.signal.reason
    if (isDone) written.check()
    if (written.isCutOff) yield cutOffOf(written)
    return { isDone, hasText: written.hasText, calls: written.calls() }
  } finally {
    const all = written.all()
    if (all !== '' || isBilled) request.onUsage?.(usage ?? (await estimateUsage(model, request.messages, all)))
  }
}

function cutOffOf({ isFull }: Written): ModelEvent {
  return { type: 'cut_off', ...(isFull ? { isEndless: true } : {}) }
}

/** Merges consecutive pieces of the same kind into one event. */
function addTo(events: ModelEvent[], event: ModelEvent): void {
  const last = events.at(-1)
  if (last?.type === 'text' && event.type === 'text') last.text += event.text
  else if (last?.type === 'reasoning' && event.type === 'reasoning') last.text += event.text
  else events.push(event)
}

/** More tokens than any model accepts. A larger count is invalid. */
const MAX_TOKENS = 20_000_000

/** The endpoint's reported usage, or undefined if it is missing or implausible. */
function usageOf(usage: OpenAI.CompletionUsage | null | undefined, model: string): Usage | undefined {
  const [inputTokens, outputTokens] = [usage?.prompt_tokens, usage?.completion_tokens]
  if (!isCount(inputTokens) || !isCount(outputTokens)) return undefined
  const cached = usage?.prompt_tokens_details?.cached_tokens
  const cachedTokens = isCount(cached) ? Math.min(cached, inputTokens) : 0
  return { model, inputTokens, outputTokens, ...(cachedTokens > 0 ? { cachedTokens } : {}), estimated: false }
}

function isCount(count: unknown): count is number {
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 && count <= MAX_TOKENS
}

/** One message from an endpoint, or a piece of one. The first two fields are a model's thinking. */
interface CompletionDelta {
  reasoning_content?: unknown
  reasoning?: unknown
  content?: unknown
  refusal?: unknown
  tool_calls?: CallPart[] | null
}

/** A tool call or a piece of one. Every field is missing at some endpoint. */
interface CallPart {
  index?: number
  id?: unknown
  function?: { name?: unknown; arguments?: unknown }
}

/**
 * Maximum characters read: of the text (slightly less than MAX_CHARS of observation-cut.ts, the loop's limit), and of
 * everything beside it.
 */
const MAX_TEXT = 99_000
const MAX_BESIDE = 500_000
const MAX_CALLS = 1_000

/** The finish_reason values of various endpoints. */
const AT_LENGTH = new Set(['length', 'max_tokens', 'model_length'])
const FILTERED = new Set(['content_filter', 'safety', 'sensitive', 'prohibited_content', 'blocklist', 'recitation'])

/** Everything that a model has written in one answer, up to the limits. */
class Written {
  #text = 0
  #beside = 0
  #words = ''
  #reason = ''
  #hasDeclined = false
  #hasTooManyCalls = false
  readonly #calls: { index: number | undefined; id: string; name: string; arguments: string }[] = []

  get hasText(): boolean {
    return this.#text > 0
  }

  /** Whether a limit is reached. Nothing more is read then, and the model may be stopped. */
  get isFull(): boolean {
    return this.#text >= MAX_TEXT || this.#beside >= MAX_BESIDE || this.#hasTooManyCalls
  }

  get isCutOff(): boolean {
    return this.isFull || AT_LENGTH.has(this.#reason)
  }

  /** The tool calls. Empty if they are too long, since the last one would be incomplete. */
  calls(): ToolCall[] {
    if (this.#beside >= MAX_BESIDE) return []
    return this.#calls.map(({ id, name, arguments: args }, i) => ({ id: id || `call_${i}`, name, arguments: args }))
  }

  take(said: CompletionDelta): ModelEvent[] {
    const thinking = this.#takeBeside(textOf(said.reasoning_content ?? said.reasoning))
    const text = textOf(said.content).slice(0, MAX_TEXT - this.#text)
    this.#text += text.length
    this.#words += thinking + text
    if (this.#takeBeside(textOf(said.refusal)) !== '') this.#hasDeclined = true
    for (const part of said.tool_calls ?? []) this.#takeCall(part)
    const events: ModelEvent[] = thinking === '' ? [] : [{ type: 'reasoning', text: thinking }]
    if (text !== '') events.push({ type: 'text', text })
    return events
  }

  finish(reason: unknown): void {
    if (typeof reason === 'string' && reason !== '') this.#reason = reason.toLowerCase()
  }

  /** @throws KnownFailure for an answer that was withheld */
  check(): void {
    if (FILTERED.has(this.#reason)) throw filtered()
    const hasDeclined = this.#hasDeclined || this.#reason === 'refusal'
    if (hasDeclined && !this.hasText && this.#calls.length === 0) throw declined()
  }

  /** All text, for counting tokens. */
  all(): string {
    return this.#words + this.#calls.map((call) => call.name + call.arguments).join('')
  }

  #takeBeside(text: string): string {
    const taken = text.slice(0, MAX_BESIDE - this.#beside)
    this.#beside += taken.length
    return taken
  }

  /** Adds a piece to the call with its index, unless its id differs (Gemini numbers all calls 0). */
  #takeCall({ index, id: said, function: made }: CallPart): void {
    const id = textOf(said)
    const name = textOf(made?.name)
    const isOf = (call: { index: number | undefined; id: string }) =>
      index !== undefined && call.index === index && (!id || call.id === '' || call.id === id)
    const known = this.#calls.findLast(isOf)
    const call = known ?? { index, id: '', name: '', arguments: '' }
    if (!known && this.#calls.length === MAX_CALLS) this.#hasTooManyCalls = true
    if (this.#hasTooManyCalls) return
    if (!known) this.#calls.push(call)
    // Some endpoints repeat id and name with every piece.
    if (id && id !== call.id) call.id = this.#takeBeside(id)
    if (name !== call.name) call.name += this.#takeBeside(name)
    const args = made?.arguments ?? ''
    call.arguments += this.#takeBeside(typeof args === 'string' ? args : JSON.stringify(args))
  }
}

/** The text of a content, which is text, null, or a list of parts. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part: { text?: unknown } | null) => (typeof part?.text === 'string' ? part.text : '')).join('')
}
