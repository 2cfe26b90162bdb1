/** Collects a model's output of one answer, within limits, and tolerates endpoints' differences. */
import type { ModelEvent, ToolCall, Usage } from '../agent/contracts/model.ts'
import { declined, filtered } from './failures.ts'

/** A piece of a message in the form of chat completions. `reasoning` is the model's thinking. */
export interface MessagePiece {
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
 * Maximum characters of the text that are read (slightly less than MAX_CHARS of observation-cut.ts, the loop's limit),
 * and of everything else.
 */
const MAX_TEXT_CHARS = 99_000
export const MAX_OTHER_CHARS = 500_000
const MAX_CALLS = 1_000

/** The finish_reason values of various endpoints. */
const AT_LENGTH = new Set(['length', 'max_tokens', 'model_length', 'max_output_tokens'])
const FILTERED = new Set(['content_filter', 'safety', 'sensitive', 'prohibited_content', 'blocklist', 'recitation'])

/** Everything that a model has written in one answer, up to the limits. */
export class AnswerBuffer {
  #textChars = 0
  #pending = ''
  #otherChars = 0
  #words = ''
  #reason = ''
  #hasDeclined = false
  #hasTooManyCalls = false
  readonly #calls: { index: number | undefined; id: string; name: string; arguments: string }[] = []

  get hasText(): boolean {
    return this.#textChars > 0
  }

  /** Whether a limit is reached. Nothing more is read then, and the model may be stopped. */
  get isFull(): boolean {
    return (
      this.#textChars >= MAX_TEXT_CHARS ||
      this.#otherChars >= MAX_OTHER_CHARS ||
      this.#pending.length >= MAX_OTHER_CHARS ||
      this.#hasTooManyCalls
    )
  }

  get isCutOff(): boolean {
    return this.isFull || AT_LENGTH.has(this.#reason)
  }

  /** The tool calls. Empty if they are too long, since the last one would be incomplete. */
  calls(): ToolCall[] {
    if (this.#otherChars >= MAX_OTHER_CHARS) return []
    return this.#calls.map(({ id, name, arguments: args }, i) => ({ id: id || `call_${i}`, name, arguments: args }))
  }

  take(piece: MessagePiece): ModelEvent[] {
    const thinking = this.#takeOther(textOf(piece.reasoning))
    const text = textOf(piece.content).slice(0, MAX_TEXT_CHARS - this.#textChars)
    this.#textChars += text.length
    this.#words += thinking + text
    if (this.#takeOther(textOf(piece.refusal)) !== '') this.#hasDeclined = true
    for (const part of piece.tool_calls ?? []) this.#takeCall(part)
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

  /**
   * Takes a piece of a call that comes whole later; it counts for the limit and the tokens until then. Without a piece,
   * forgets it.
   */
  pend(piece?: unknown): [] {
    this.#pending = typeof piece === 'string' ? (this.#pending + piece).slice(0, MAX_OTHER_CHARS) : ''
    return []
  }

  /** All text, for counting tokens. */
  all(): string {
    return this.#words + this.#pending + this.#calls.map((call) => call.name + call.arguments).join('')
  }

  #takeOther(text: string): string {
    const taken = text.slice(0, MAX_OTHER_CHARS - this.#otherChars)
    this.#otherChars += taken.length
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
    if (id && id !== call.id) call.id = this.#takeOther(id)
    if (name !== call.name) call.name += this.#takeOther(name)
    const args = made?.arguments ?? ''
    call.arguments += this.#takeOther(typeof args === 'string' ? args : JSON.stringify(args))
  }
}

/** The text of a content, which is text, null, or a list of parts. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part: { text?: unknown } | null) => (typeof part?.text === 'string' ? part.text : '')).join('')
}

/** More tokens than any model accepts. A larger count is invalid. */
const MAX_TOKENS = 20_000_000

/** The token counts that an endpoint reported. */
interface ReportedTokens {
  input: unknown
  output: unknown
  cached: unknown
  reasoning: unknown
}

/** The endpoint's reported usage, or undefined if it is missing or implausible. */
export function usageOf(model: string, { input, output, cached, reasoning }: ReportedTokens): Usage | undefined {
  if (!isCount(input) || !isCount(output)) return undefined
  const cachedTokens = isCount(cached) ? Math.min(cached, input) : 0
  const reasoningTokens = isCount(reasoning) ? Math.min(reasoning, output) : 0
  return {
    model,
    inputTokens: input,
    outputTokens: output,
    ...(cachedTokens > 0 ? { cachedTokens } : {}),
    ...(reasoningTokens > 0 ? { reasoningTokens } : {}),
    estimated: false,
  }
}

function isCount(count: unknown): count is number {
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 && count <= MAX_TOKENS
}
