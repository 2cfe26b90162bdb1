/**
 * How many tokens a model takes at once, and requests that fit. The window is learnt from a refusal or from an endpoint
 * that cuts in silence, else it is OPENAI_CONTEXT_TOKENS or what the endpoint lists. Without any, nothing is shortened.
 */
import type { FittedRequest, ModelRequest, Usage } from '../agent/contracts/model.ts'
import { cutMiddle } from '../agent/observation.ts'
import type { Log } from '../base/log.ts'
import { longConversation, tooLong } from './failures.ts'
import { BLOCK_CHARS, type RecentPrompts } from './recent-prompts.ts'
import { charsIn, promptCounter, messageWords, type CountedPrompt } from './tokens.ts'
import { MIN_WINDOW, sizesIn } from './window-refusals.ts'

interface WindowOptions {
  model: string
  /** The window that the settings give or the endpoint lists. Not asked for short requests. */
  known?: (() => Promise<number | undefined>) | undefined
  log: Log
  recent: RecentPrompts
}

/** A request as it is sent. */
export interface FittingRequest extends ModelRequest {
  /** The parts that lost text, in words for people. */
  leftOut?: string[]
}

/** A shorter request fits into every window. In characters. */
const SHORT = 1_500
/** The share of a window that is kept for the answer, and its minimum in tokens. */
const FOR_ANSWER = 0.2
const MIN_FOR_ANSWER = 500
/** A request that cannot be shorter is still sent if it leaves this share for the answer. */
const LEAST_FOR_ANSWER = 0.05

export class ContextWindow {
  readonly #options: WindowOptions
  /** What a refusal or a silent cut has shown. */
  #learnt: number | undefined
  /** The model's tokens per token of our estimate. */
  #scale = 1
  readonly #estimates = new WeakMap<ModelRequest['messages'], number>()

  constructor(options: WindowOptions) {
    this.#options = options
  }

  async tokens(): Promise<number | undefined> {
    return this.#learnt ?? (await this.#options.known?.())
  }

  /**
   * Returns the request, shortened if it would not fit. `limit`: the most tokens, by our estimate, if the endpoint has
   * refused more without naming a number.
   * @throws KnownFailure with both sizes, if it cannot be short enough
   */
  async fit(request: ModelRequest, limit?: number): Promise<FittingRequest> {
    if (charsOf(request) <= SHORT && limit === undefined) return request
    const window = limit ?? (await this.tokens())
    if (window === undefined) return request
    const count = await this.#counter()
    const max = Math.floor(limit ?? window - Math.min(window / 2, Math.max(window * FOR_ANSWER, MIN_FOR_ANSWER)))
    const size = count(request)
    if (size <= max) return this.#noted(request, size)
    const { question, ...fitted } = request.fit?.(max, count) ?? withoutMiddle(request, max, count)
    const left = count(fitted)
    if (left > Math.max(max, window * (1 - LEAST_FOR_ANSWER)))
      throw limit === undefined ? tooLong({ window, left, question }) : longConversation()
    this.#options.log.info({ model: this.#options.model, window, tokens: size, left }, 'the prompt was shortened')
    return this.#noted({ ...request, ...fitted }, left)
  }

  /** Notes the estimate of a request, which its usage corrects. */
  #noted(request: FittingRequest, size: number): FittingRequest {
    this.#estimates.set(request.messages, size / this.#scale)
    return request
  }

  /**
   * Learns the window from a refusal of `sent`.
   * @returns the limit for a shorter request by our estimate, if the refusal names no number
   */
  async learnFromRefusal(error: unknown, sent: ModelRequest): Promise<number | undefined> {
    const { prompt, over = Infinity, ...sizes } = sizesIn(error)
    const estimate = (await promptCounter())(sent)
    const scaled = estimate * this.#scale
    const window = sizes.window ?? (over < scaled ? Math.ceil(Math.max(MIN_WINDOW, scaled - over)) : undefined)
    if (window === undefined) return Math.floor(estimate / 2)
    // A refused prompt has more tokens than the window, whatever we estimate. Fewer are those of a part of it.
    const told = prompt !== undefined && prompt > window ? prompt : undefined
    if (told !== undefined || window > scaled) this.#scale = Math.min(MAX_SCALE, (told ?? window) / estimate)
    this.#options.log.warn(
      { model: this.#options.model, window },
      'the endpoint has refused a long prompt: shortening it',
    )
    this.#learnt = window
    return undefined
  }

  /** Finds out whether the endpoint read only a part of what was sent. Then that many tokens are the window. */
  async check(usage: Usage, sent: ModelRequest): Promise<Usage> {
    const { inputTokens, cachedTokens = 0 } = usage
    if (charsOf(sent) <= SHORT) return usage
    const words = sent.messages.map(messageWords).join('\n')
    const { fresh } = this.#options.recent.add(sent)
    const estimate = this.#estimates.get(sent.messages)
    if (estimate !== undefined) this.#scale = Math.max(this.#scale, Math.min(MAX_SCALE, inputTokens / estimate))
    if (this.#learnt !== undefined && inputTokens > this.#learnt) this.#learnt = inputTokens
    // An endpoint that counts its cache apart says nothing about what it was sent.
    const isPartly = cachedTokens * 2 > inputTokens
    // The usual windows are powers of two, and hardly any prompt has just as many tokens by chance.
    const isUsual = Math.log2(inputTokens) % 1 === 0
    if (isPartly || inputTokens < MIN_READ || (inputTokens >= leastTokens(words) && !isUsual)) return usage
    const count = await promptCounter()
    const sentTokens = count(sent)
    // A few endpoints count only what their cache has not had.
    const isNewPart =
      fresh !== undefined && isClose(inputTokens, count({ messages: [{ role: 'user', content: fresh }] }))
    const isClear = isUsual
      ? inputTokens < sentTokens * OF_USUAL
      : inputTokens < sentTokens * CLEARLY && sentTokens - inputTokens >= MIN_FOR_ANSWER && !isNewPart
    if (!isClear) return usage
    this.#learnt = inputTokens
    const facts = { model: this.#options.model, read: inputTokens, sent: sentTokens }
    this.#options.log.warn(facts, 'the endpoint has cut the prompt without an error: prompts are shortened from now on')
    return { ...usage, sentTokens }
  }

  async #counter(): Promise<(prompt: CountedPrompt) => number> {
    const count = await promptCounter()
    return (prompt) => Math.ceil(count(prompt) * this.#scale)
  }
}

/** Our estimate is never corrected by a larger factor. */
const MAX_SCALE = 4
/** No window is smaller, in tokens. */
const MIN_READ = 4 * MIN_WINDOW
/** A prompt is cut if the endpoint has read less than this share of it. */
const CLEARLY = 0.7
/** The same if what it has read is just a usual window. */
const OF_USUAL = 0.87

/** The end of what two prompts share is known within a block. */
function isClose(one: number, other: number): boolean {
  return Math.abs(one - other) < 0.15 * other + BLOCK_CHARS / 3
}

export function isShorter(one: ModelRequest, other: ModelRequest): boolean {
  return charsOf(one) < charsOf(other)
}

function charsOf({ messages, tools = [] }: ModelRequest): number {
  const chars = charsIn(messages)
  return tools.length > 0 ? chars + JSON.stringify(tools).length : chars
}

/** Fewer tokens than any model makes of these words. Cheap, so that a normal answer costs no count. */
function leastTokens(words: string): number {
  const dense = words.match(DENSE)?.reduce((sum, run) => sum + run.length, 0) ?? 0
  return dense / 2 + (words.length - dense) / 5
}

/** Scripts whose letters are about a token each. */
const DENSE = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}]+/gu

/** The longest message loses its middle, until the prompt fits or is not worth sending. */
function withoutMiddle(request: ModelRequest, max: number, count: (prompt: CountedPrompt) => number): FittedRequest {
  const { tools } = request
  let messages = request.messages
  for (let tries = 0; tries < MAX_CUTS; tries += 1) {
    const over = count({ messages, ...(tools && { tools }) }) - max
    if (over <= 0) break
    const longest = messages.reduce((one, other) => (other.content.length > one.content.length ? other : one))
    const perToken = Math.max(1, longest.content.length / count({ messages: [longest] }))
    const room = Math.floor(longest.content.length - over * perToken * 1.1 - MARK_CHARS)
    const content = cutMiddle(longest.content, Math.max(MIN_CHARS, room))
    if (content.length >= longest.content.length) break
    messages = messages.map((message) => (message === longest ? { ...message, content } : message))
  }
  return { messages, ...(tools && { tools }), question: 0, leftOut: ['the middle of a long text'] }
}

const MAX_CUTS = 8
/** The note that `cutMiddle` leaves, and the least that it leaves of a message. */
const MARK_CHARS = 40
const MIN_CHARS = 400
