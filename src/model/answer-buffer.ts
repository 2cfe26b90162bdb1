/** Collects a model's output of one answer, within limits, and tolerates endpoints' differences. */
import type { ModelEvent, ToolCall, Usage } from '../agent/contracts/model.ts'
import { isRecord, stringifyExact } from '../base/parse-json.ts'
import { argumentsOf, MAX_CALLS, ObjectScan, wholeObjects, type MadeCall } from './call-pieces.ts'
import { BrokenStream, declined, filtered } from './failures.ts'

/** A piece of a message in the form of chat completions. `reasoning` is the model's thinking. */
export interface MessagePiece {
  reasoning?: unknown
  content?: unknown
  refusal?: unknown
  tool_calls?: CallPart | (CallPart | null)[] | null
  /** The older form of one call. */
  function_call?: CalledFunction | null
}

/** A tool call or a piece of one. Every field is missing at some endpoint. */
interface CallPart extends CalledFunction {
  index?: unknown
  id?: unknown
  function?: CalledFunction | null
}

interface CalledFunction {
  name?: unknown
  arguments?: unknown
}

/** A piece of a call as it was read. */
interface CallPiece {
  index: number | undefined
  id: string
  name: string
  args: string
}

/**
 * Maximum characters of the text that are read (slightly less than MAX_CHARS of observation-cut.ts, the loop's limit),
 * and of everything else.
 */
const MAX_TEXT_CHARS = 99_000
export const MAX_OTHER_CHARS = 500_000

/** The finish_reason values of various endpoints. A whole answer ends with one of these, or without any. */
const WHOLE =
  /^(?:|refusal|stop(?:ped)?|stop_?(?:sequence|token|str)|eos(?:_token)?|end(?:(?:_?of)?_?(?:turn|text))?|(?:tool|function)_?(?:calls?|use)|completed?|done|finish(?:ed)?)$/
/** The answer was cut off. `rate_limit` is a failure. */
const AT_LENGTH = /length|max_|tokens|context|(?<!rate_)limit|truncat/
/** The endpoint failed while it wrote. */
const BROKEN =
  /error|abort|cancel|interrupt|fail|time_?d?_?out|unavailable|insufficient|overload|rate_limit|malformed|disconnect|preempt|evict|exception|fatal|killed|crash|out_of_memory|^oom$/
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

  get hasCalls(): boolean {
    return this.#calls.length > 0
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
    // Some endpoints send a whole call twice.
    const once = new Map(calls.map((call, i) => [call.id ? `${call.id} ${call.name} ${call.args}` : i, call]))
    return [...once.values()].map(({ id, name, args }, i) => ({
      id: id || `call_${i}`,
      name: name.replace(/(?<=.)<\|[^]*$/, '').trim(),
      arguments: args || none,
    }))
  }

  take(piece: MessagePiece): ModelEvent[] {
    const thinking = this.#takeOther(partsText(piece.reasoning))
    const text = partsText(piece.content).slice(0, MAX_TEXT_CHARS - this.#textChars)
    this.#textChars += text.length
    this.#words += thinking + text
    if (this.#takeOther(partsText(piece.refusal)) !== '') this.#hasDeclined = true
    for (const part of [piece.tool_calls ?? []].flat()) if (isRecord(part)) this.#takeCall(part)
    if (piece.function_call) this.#takeCall({ index: 0, function: piece.function_call })
    const events: ModelEvent[] = thinking === '' ? [] : [{ type: 'reasoning', text: thinking }]
    if (text !== '') events.push({ type: 'text', text })
    return events
  }

  finish(reason: unknown): void {
    this.#reason = plainReason(reason) || this.#reason
  }

  /** Takes a provider's own reason behind a gateway, if it says that the answer is not whole. */
  finishNatively(reason: unknown): void {
    const own = plainReason(reason)
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
  #takeCall(part: CallPart): void {
    const made = part.function ?? part
    const index = part.index === null || part.index === undefined ? undefined : Number(part.index)
    const [id, name] = [partsText(part.id), partsText(made.name)]
    const given = made.arguments ?? ''
    const args = typeof given === 'string' ? given : stringifyExact(given)
    const known = this.#callOf({ index, id, name, args })
    const call = known ?? { index, id: '', name: '', arguments: '', first: '', last: '', scan: new ObjectScan() }
    if (!known && this.#calls.length === MAX_CALLS) this.#hasTooManyCalls = true
    if (this.#hasTooManyCalls) return
    if (!known) this.#calls.push(call)
    // Some endpoints repeat id and name with every piece, or send a new id with each.
    if (id && call.id === '') call.id = this.#takeOther(id)
    if (name.startsWith(call.name)) call.name += this.#takeOther(name.slice(call.name.length))
    else call.name += this.#takeOther(name)
    const taken = this.#takeOther(args)
    if (taken === '') return
    if (call.arguments === '') call.first = taken
    call.last = taken
    call.arguments += taken
    call.scan.take(taken)
  }

  /**
   * The call that a piece continues: the last one of its index, or the last one if it has no index. A name begins
   * another call if the id is new (Gemini numbers all calls 0), or if there is neither index nor id. Some send a new id
   * and the name again with each piece of one call, or a new index.
   */
  #callOf({ index, id, name, args }: CallPiece): MadeCall | undefined {
    if (index === undefined && id === '' && name !== '') return undefined
    const last = this.#calls.at(-1)
    const call = this.#calls.findLast((one) => index === undefined || one.index === index)
    if (call === undefined) return name === '' && id === '' && args !== '' && !last?.scan.isWhole ? last : undefined
    const isBegun = name === call.name && call.last !== '' && !call.scan.isWhole
    const isOther = id !== '' && call.id !== '' && call.id !== id && !isBegun
    if (index === undefined && isOther) return this.#calls.findLast((one) => one.id === id) ?? (name ? undefined : call)
    const isNext = name !== '' && name !== call.name && call.arguments !== ''
    return name !== '' && (isOther || isNext) ? undefined : call
  }
}

/** A finish_reason without case, prefix and dashes: `FinishReason.STOP`, `tool-calls`. Empty for none. */
export function plainReason(reason: unknown): string {
  const written = typeof reason === 'string' ? reason.toLowerCase().replaceAll('-', '_') : ''
  return written.replace(/^finish_?reason[._]/, '').replace(/^(?:null|none)$/, '')
}

/** The text of a content, which is text, null, or a list of parts. */
export function partsText(content: unknown): string {
  if (typeof content === 'string') return content
  if (isRecord(content)) return partsText([content])
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
