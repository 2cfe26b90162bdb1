/** How long an endpoint reads before its first word, so that its silence meanwhile is no stall. */
import type { ModelRequest, Usage } from '../agent/contracts/model.ts'
import { wordsOf } from './tokens.ts'

/** The last calls that are remembered, and the shortest prompt that says something about the speed, in tokens. */
const CALLS = 5
const MIN_TOKENS = 200
/** Fewer than any tokenizer makes of a word: an estimate that is rather too high. */
const CHARS_A_TOKEN = 3
/** How much longer than before reading may take. */
const PATIENCE = 1.5
/** The share of the caller's time that is left for another model. */
const REST = 0.2

export class ReadingSpeed {
  readonly #now: () => number
  /** Milliseconds a token in the last calls. */
  #perToken: number[] = []

  constructor(now: () => number) {
    this.#now = now
  }

  /**
   * Watches one call. While the endpoint may still be reading, by what is known of it, the request gets signs of life.
   * Call `release` at the end.
   */
  watch(request: ModelRequest): { request: ModelRequest; release(): void } {
    const from = this.#now()
    const readsUntil = from + this.#expectedMs(request)
    let firstMs: number | undefined
    let timer: NodeJS.Timeout | undefined
    const release = () => clearInterval(timer)
    const onSign = () => {
      release()
      firstMs ??= this.#now() - from
      request.onSign?.()
    }
    const onUsage = (usage: Usage) => {
      if (firstMs !== undefined) this.#note(usage, firstMs)
      request.onUsage?.(usage)
    }
    const signOfReading = () => {
      if (this.#now() > readsUntil) release()
      else request.onSign?.()
    }
    if (readsUntil > from) timer = setInterval(signOfReading, Math.max(20, (readsUntil - from) / 20))
    return { request: { ...request, onSign, onUsage }, release }
  }

  /** Zero before the first call that says something. The slowest call counts, since caches make others faster. */
  #expectedMs({ messages, timeMs = Infinity }: ModelRequest): number {
    const chars = messages.reduce((sum, message) => sum + wordsOf(message).length, 0)
    const expected = Math.max(0, ...this.#perToken) * (chars / CHARS_A_TOKEN) * PATIENCE
    return Math.min(expected, timeMs * (1 - REST))
  }

  #note({ inputTokens, cachedTokens = 0, estimated }: Usage, ms: number): void {
    const read = inputTokens - cachedTokens
    if (estimated || read < MIN_TOKENS) return
    this.#perToken = [ms / read, ...this.#perToken].slice(0, CALLS)
  }
}
