/** The time for which an endpoint reads before its first word, so that its silence meanwhile is no stall. */
import type { ModelRequest, Usage } from '../agent/contracts/model.ts'
import type { RecentPrompts } from './recent-prompts.ts'

/** The last calls that are remembered, and the shortest prompt that says something about the speed, in tokens. */
const CALLS = 5
const MIN_TOKENS = 200
/** Fewer than any tokenizer makes of a word: an estimate that is rather too high. */
const CHARS_A_TOKEN = 3
/** How much longer than before reading may take. */
const PATIENCE = 1.5
/** The share of the caller's time that is left for another model. */
const REST = 0.2

/** A call that the endpoint is working on. */
interface CallAtWork {
  /** Until when it may be reading, in ms since the epoch. */
  readsUntil: number
}

export class ReadingSpeed {
  readonly #now: () => number
  /** Milliseconds a token in the last calls. */
  #perToken: number[] = []
  readonly #recent: RecentPrompts
  readonly #atWork = new Set<CallAtWork>()

  constructor(now: () => number, recent: RecentPrompts) {
    this.#now = now
    this.#recent = recent
  }

  /**
   * Watches one call. While the endpoint may still be reading, by what is known of it, the request gets signs of life.
   * Call `release` at the end.
   */
  watch(request: ModelRequest): { request: ModelRequest; release(): void } {
    const from = this.#now()
    const { chars, fresh } = this.#recent.add(request)
    // The wait for another call says nothing about the speed.
    const isAlone = this.#atWork.size === 0
    const readsUntil = this.#readsUntil(chars, from, request.timeMs)
    const call = { readsUntil }
    this.#atWork.add(call)
    let firstMs: number | undefined
    let timer: NodeJS.Timeout | undefined
    const onSign = () => {
      clearInterval(timer)
      firstMs ??= this.#now() - from
      request.onSign?.()
    }
    const onUsage = (usage: Usage) => {
      const share = fresh === undefined ? 1 : fresh.length / chars
      if (firstMs !== undefined && isAlone) this.#note(usage, { ms: firstMs, share })
      request.onUsage?.(usage)
    }
    const signOfReading = () => {
      if (this.#now() > readsUntil) clearInterval(timer)
      else request.onSign?.()
    }
    const release = () => {
      clearInterval(timer)
      this.#atWork.delete(call)
    }
    if (readsUntil > from) timer = setInterval(signOfReading, Math.max(20, (readsUntil - from) / 20))
    return { request: { ...request, onSign, onUsage }, release }
  }

  /**
   * `from` before the first call that says something. The slowest call counts. A small server reads one prompt after
   * the other.
   */
  #readsUntil(chars: number, from: number, timeMs = Infinity): number {
    const ms = Math.max(0, ...this.#perToken) * (chars / CHARS_A_TOKEN) * PATIENCE
    if (ms === 0) return from
    const begins = Math.max(from, ...[...this.#atWork].map(({ readsUntil }) => readsUntil))
    return Math.min(begins + ms, from + timeMs * (1 - REST))
  }

  /** `share`: how much of the prompt no recent one has begun with. An endpoint's cache has the rest. */
  #note({ inputTokens, cachedTokens, estimated }: Usage, { ms, share }: { ms: number; share: number }): void {
    const read = cachedTokens ? inputTokens - cachedTokens : inputTokens * share
    if (estimated || read < MIN_TOKENS) return
    this.#perToken = [ms / read, ...this.#perToken].slice(0, CALLS)
  }
}
