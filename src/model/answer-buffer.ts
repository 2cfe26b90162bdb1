/** Collects a model's output of one answer, within limits, and tolerates endpoints' differences. */
import type { ModelEvent, ToolCall, Usage } from '../agent/contracts/model.ts'
import { isRecord, parseJson, stringifyExact } from '../base/parse-json.ts'
import { readLoose } from '../agent/parser/loose-json.ts'
import { BrokenStream, declined, filtered } from './failures.ts'

/** A piece of a message in the form of chat completions. `reasoning` is the model's thinking. */
export interface MessagePiece {
  reasoning?: unknown
  content?: unknown
  refusal?: unknown
  tool_calls?: CallPart[] | null
  /** The older form of one call. */
  function_call?: CallPart['function'] | null
}

/** A tool call or a piece of one. Every field is missing at some endpoint. */
interface CallPart {
  index?: number
  id?: unknown
  function?: { name?: unknown; arguments?: unknown } | null
}

/**
 * Maximum characters of the text that are read (slightly less than MAX_CHARS of observation-cut.ts, the loop's limit),
 * and of everything else.
 */
const MAX_TEXT_CHARS = 99_000
export const MAX_OTHER_CHARS = 500_000
const MAX_CALLS = 1_000

/** The finish_reason values of various endpoints. A whole answer ends with one of these, or without any. */
const WHOLE =
  /^(?:|refusal|stop(?:ped)?|(?:finish_reason_)?stop|stop_?(?:sequence|token|str)|eos(?:_token)?|end(?:_?of_?(?:turn|text))?|end_turn|(?:tool|function)_?(?:calls?|use)|completed?|done|finish(?:ed)?)$/
/** The answer was cut off. `rate_limit` is a failure. */
const AT_LENGTH = /length|max_|tokens|context|(?<!rate_)limit|truncat/
/** The endpoint failed while it wrote. */
const BROKEN =
  /error|abort|cancel|interrupt|fail|time_?d?_?out|unavailable|insufficient|overload|rate_limit|malformed|disconnect/
const FILTERED = /content_?filter|safety|^sensitive|prohibited|blocklist|recitation|^spii|guardrail|toxic|moderation/

/** Everything that a model has written in one answer, up to the limits. */
export class AnswerBuffer {
  #textChars = 0
  #pending = ''
  #otherChars = 0
  #words = ''
  #reason = ''
  #hasDeclined = false
  #hasTooManyCalls = false
  readonly #calls: MadeCall[] = []

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
    return this.isFull || !(WHOLE.test(this.#reason) || FILTERED.test(this.#reason))
  }

  /** The tool calls. Empty if they are too long, since the last one would be incomplete. */
  calls(): ToolCall[] {
    if (this.#otherChars >= MAX_OTHER_CHARS) return []
    // A call that was cut before its arguments is not a call without arguments.
    const none = this.isCutOff ? '{' : ''
    const calls = this.#calls.flatMap((call) =>
      wholeObjects(argumentsOf(call)).map((args, i) => ({
        ...call,
        id: call.id && i > 0 ? `${call.id}_${i}` : call.id,
        args,
      })),
    )
    return calls.map(({ id, name, args }, i) => ({
      id: id || `call_${i}`,
      name: name.replace(/(?<=.)<\|[^]*$/, ''),
      arguments: args || none,
    }))
  }

  take(piece: MessagePiece): ModelEvent[] {
    const thinking = this.#takeOther(partsText(piece.reasoning))
    const text = partsText(piece.content).slice(0, MAX_TEXT_CHARS - this.#textChars)
    this.#textChars += text.length
    this.#words += thinking + text
    if (this.#takeOther(partsText(piece.refusal)) !== '') this.#hasDeclined = true
    for (const part of piece.tool_calls ?? []) this.#takeCall(part)
    if (piece.function_call) this.#takeCall({ index: 0, function: piece.function_call })
    const events: ModelEvent[] = thinking === '' ? [] : [{ type: 'reasoning', text: thinking }]
    if (text !== '') events.push({ type: 'text', text })
    return events
  }

  finish(reason: unknown): void {
    if (typeof reason === 'string' && reason !== '') this.#reason = reason.toLowerCase()
  }

  /** Takes a provider's own reason behind a gateway, if it says that the answer is not whole. */
  finishNatively(reason: unknown): void {
    if (typeof reason !== 'string') return
    const own = reason.toLowerCase()
    const isNotWhole = [AT_LENGTH, BROKEN, FILTERED].some((kind) => kind.test(own))
    if (!WHOLE.test(own) && isNotWhole) this.#reason = own
  }

  /** @throws KnownFailure for an answer that was withheld, BrokenStream for one that the endpoint did not finish */
  check(): void {
    if (FILTERED.test(this.#reason)) throw filtered()
    const isEmpty = !this.hasText && this.#calls.length === 0
    const isUnknown = this.isCutOff && !this.isFull && !AT_LENGTH.test(this.#reason)
    if (isEmpty && isUnknown) throw new BrokenStream('the endpoint ended without an answer')
    if (BROKEN.test(this.#reason) && !AT_LENGTH.test(this.#reason)) throw new BrokenStream('the endpoint broke off')
    const hasDeclined = this.#hasDeclined || this.#reason === 'refusal'
    if (hasDeclined && isEmpty) throw declined()
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

  /** Adds a piece to its call, or begins a call with it. */
  #takeCall({ index: at, id: said, function: made }: CallPart): void {
    const [index, id, name] = [at ?? undefined, partsText(said), partsText(made?.name)]
    const known = this.#callOf({ index, id, name })
    const call = known ?? { index, id: '', name: '', arguments: '', first: '', last: '' }
    if (!known && this.#calls.length === MAX_CALLS) this.#hasTooManyCalls = true
    if (this.#hasTooManyCalls) return
    if (!known) this.#calls.push(call)
    // Some endpoints repeat id and name with every piece, or send a new id with each.
    if (id && call.id === '') call.id = this.#takeOther(id)
    if (name !== call.name) call.name += this.#takeOther(name)
    const args = made?.arguments ?? ''
    const taken = this.#takeOther(typeof args === 'string' ? args : stringifyExact(args))
    if (taken === '') return
    if (call.arguments === '') call.first = taken
    call.last = taken
    call.arguments += taken
  }

  /**
   * The call that a piece continues: the last one of its index, or the last one if it has no index. A name begins
   * another call if the id is new (Gemini numbers all calls 0), or if there is neither index nor id. Some send a new id
   * and the name again with each piece of one call.
   */
  #callOf({ index, id, name }: { index: number | undefined; id: string; name: string }): MadeCall | undefined {
    if (index === undefined && id === '' && name !== '') return undefined
    const call = this.#calls.findLast((one) => index === undefined || one.index === index)
    if (call === undefined) return undefined
    const isBegun = name === call.name && call.last !== '' && !call.last.trimEnd().endsWith('}')
    const isOther = id !== '' && call.id !== '' && call.id !== id && !isBegun
    if (index === undefined && isOther) return this.#calls.findLast((one) => one.id === id) ?? (name ? undefined : call)
    const isNext = name !== '' && name !== call.name && call.arguments !== ''
    return name !== '' && (isOther || isNext) ? undefined : call
  }
}

interface MadeCall {
  index: number | undefined
  id: string
  name: string
  arguments: string
  /** The first and the last piece of the arguments. */
  first: string
  last: string
}

/** A few endpoints repeat everything so far with each piece, or begin with `null`. */
function argumentsOf({ arguments: all, first, last }: MadeCall): string {
  const isRepeated = last.length > first.length && last.startsWith(first) && parseJson(first) === undefined
  if (isRepeated && isRecord(parseJson(last)) && parseJson(all) === undefined) return last
  return all.replace(/^null(?=\s{0,9}\{)/, '')
}

/** The objects of arguments that were glued to each other, each once. Empty objects are dropped if there is another. */
function wholeObjects(text: string): string[] {
  if (!text.includes('}{') && !/\}\s+\{/.test(text)) return [text]
  if (parseJson(text) !== undefined) return [text]
  const found: string[] = []
  for (let at = 0; at < text.length && found.length < MAX_CALLS;) {
    const loose = text[at] === '{' ? readLoose(text, at) : undefined
    if (!loose?.ok) return [text]
    found.push(text.slice(at, loose.end))
    at = loose.end + (/^\s*/.exec(text.slice(loose.end, loose.end + 100))?.[0].length ?? 0)
  }
  const full = [...new Set(found)].filter((one) => !/^\{\s*\}$/.test(one))
  return full.length > 0 ? full : ['{}']
}

/** The text of a content, which is text, null, or a list of parts. */
export function partsText(content: unknown): string {
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
