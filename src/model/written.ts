import type { ModelEvent, ToolCall } from '../agent/types.ts'
import { declined, filtered } from './failures.ts'

/** What an endpoint says at once: a whole message, or a piece of one. The first two are a model's thinking. */
export interface Said {
  reasoning_content?: unknown
  reasoning?: unknown
  content?: unknown
  refusal?: unknown
  tool_calls?: CallPart[] | null
}

/** A tool call or a piece of one, with all that some endpoint or other leaves out. */
interface CallPart {
  index?: number
  id?: unknown
  function?: { name?: unknown; arguments?: unknown }
}

/** As many characters are read, of the text (a little less than the loop takes: MOST_CHARS of observation-cut.ts) and of all that comes beside it. */
const MOST_TEXT = 99_000
const MOST_BESIDE = 500_000
const MOST_CALLS = 1_000

/** Why an answer ended, as the finish_reason of one endpoint or another has it. */
const AT_LENGTH = new Set(['length', 'max_tokens', 'model_length'])
const FILTERED = new Set(['content_filter', 'safety', 'sensitive', 'prohibited_content', 'blocklist', 'recitation'])

/** All that a model has written in one answer, up to the longest that is read. */
export class Written {
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

  /** Nothing more is read: the model may be told to stop. */
  get isFull(): boolean {
    return this.#text >= MOST_TEXT || this.#beside >= MOST_BESIDE || this.#hasTooManyCalls
  }

  get isCutOff(): boolean {
    return this.isFull || AT_LENGTH.has(this.#reason)
  }

  /** The tool calls; none of them where they are too long, since the last would be half of one. */
  calls(): ToolCall[] {
    if (this.#beside >= MOST_BESIDE) return []
    return this.#calls.map(({ id, name, arguments: args }, i) => ({ id: id || `call_${i}`, name, arguments: args }))
  }

  take(said: Said): ModelEvent[] {
    const thinking = this.#takeBeside(textOf(said.reasoning_content ?? said.reasoning))
    const text = textOf(said.content).slice(0, MOST_TEXT - this.#text)
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

  /** @throws KnownFailure for an answer that was kept back. */
  check(): void {
    if (FILTERED.has(this.#reason)) throw filtered()
    const hasDeclined = this.#hasDeclined || this.#reason === 'refusal'
    if (hasDeclined && !this.hasText && this.#calls.length === 0) throw declined()
  }

  /** For counting tokens. */
  all(): string {
    return this.#words + this.#calls.map((call) => call.name + call.arguments).join('')
  }

  #takeBeside(text: string): string {
    const taken = text.slice(0, MOST_BESIDE - this.#beside)
    this.#beside += taken.length
    return taken
  }

  /** A piece goes to the call of its index, unless its id says that it is another (Gemini numbers them all 0). */
  #takeCall({ index, id: said, function: made }: CallPart): void {
    const id = textOf(said)
    const name = textOf(made?.name)
    const isOf = (call: { index: number | undefined; id: string }) =>
      index !== undefined && call.index === index && (!id || call.id === '' || call.id === id)
    const known = this.#calls.findLast(isOf)
    const call = known ?? { index, id: '', name: '', arguments: '' }
    if (!known && this.#calls.length === MOST_CALLS) this.#hasTooManyCalls = true
    if (this.#hasTooManyCalls) return
    if (!known) this.#calls.push(call)
    // A few repeat id and name with every piece.
    if (id && id !== call.id) call.id = this.#takeBeside(id)
    if (name !== call.name) call.name += this.#takeBeside(name)
    const args = made?.arguments ?? ''
    call.arguments += this.#takeBeside(typeof args === 'string' ? args : JSON.stringify(args))
  }
}

/** Content is text, null, or a list of parts of which some are text. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part: { text?: unknown } | null) => (typeof part?.text === 'string' ? part.text : '')).join('')
}
