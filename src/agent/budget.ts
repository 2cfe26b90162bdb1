/**
 * Enforces a run's budget: steps, attempts, time, tokens, dollars. A run over budget must answer or is cut off. The
 * limits are `RunLimits` (run-state.ts), from AGENT_MAX_STEPS, AGENT_TIMEOUT_MS, RUN_MAX_TOKENS and RUN_MAX_USD
 * (config.ts).
 */
import { stepCount, totalOf } from './run-progress.ts'
import { isLooping } from './repeated-actions.ts'
import type { RunState } from './run-state.ts'
import type { Step, StopReason } from './contracts/run-events.ts'

/** After this many unreadable completions in a row, the model must answer. */
const MAX_UNREADABLE = 3
/** How many tool calls of one turn are run. The others are dropped. */
const MAX_AT_ONCE = 5

/** Returns why the next model call must be the last. Undefined if there is budget left. */
export function whyLastTurn(run: RunState): StopReason | undefined {
  const { limits } = run
  const { steps } = run.progress
  if (limits.breakLoops !== false && isUnreadable(steps)) return 'unreadable'
  if (limits.breakLoops !== false && isLooping(run)) return 'loop'
  if (stepCount(run.progress.steps) >= limits.maxSteps) return 'steps'
  if (thinkingMs(run) <= 0) return 'time'
  return overspent(run)
}

/** The number of a turn's actions that become steps: at most five, and at most what the run has left. */
export function roomForActions(run: RunState): number {
  return Math.max(1, Math.min(MAX_AT_ONCE, run.limits.maxSteps - stepCount(run.progress.steps)))
}

function overspent({ progress, limits }: RunState): StopReason | undefined {
  const { tokens, costUsd } = totalOf(progress.usage)
  if (limits.maxTokens !== undefined && tokens >= limits.maxTokens) return 'tokens'
  return limits.maxCostUsd !== undefined && costUsd >= limits.maxCostUsd ? 'cost' : undefined
}

function isUnreadable(steps: readonly Step[]): boolean {
  const last = steps.slice(-MAX_UNREADABLE)
  return last.length === MAX_UNREADABLE && last.every((step) => step.kind === 'unreadable')
}

/** Milliseconds left for turns with tools and for the tools. Part of the run's time is reserved for the final turn. */
export function thinkingMs(run: RunState): number {
  const reserve = Math.min(20_000, run.limits.timeoutMs * 0.25)
  return run.startedAt + run.limits.timeoutMs - reserve - run.now().getTime()
}

/** The deadline of a model call: the thinking time, or on the final turn everything that is left. */
export function callDeadline(run: RunState, isFinal: boolean): Deadline {
  const total = run.startedAt + run.limits.timeoutMs - run.now().getTime()
  const ms = isFinal ? Math.max(total, Math.min(5_000, run.limits.timeoutMs)) : thinkingMs(run)
  return new Deadline(run.signal, Math.max(1, Math.ceil(ms)))
}

/**
 * A time limit within a run. It ends when the run is aborted or when its milliseconds are over. Call `release` when the
 * work is done, also after a failure. Written by hand, because AbortSignal.any over AbortSignal.timeout costs twice the
 * CPU and leaves its timer and weak references to the garbage collector: a third of the loop's own work.
 */
export class Deadline {
  /** The total duration in milliseconds. */
  readonly ms: number
  readonly #run: AbortSignal
  readonly #timer: NodeJS.Timeout
  readonly #stop = () => this.#end(this.#run.reason)
  #controller: AbortController | undefined
  #ended: { reason: unknown } | undefined
  #hasPassed = false
  #giveUp = (_reason: unknown): void => {}

  constructor(run: AbortSignal, ms: number) {
    this.#run = run
    this.ms = ms
    this.#timer = setTimeout(() => this.#pass(), ms)
    if (run.aborted) this.#stop()
    else run.addEventListener('abort', this.#stop)
  }

  /** Created on first use: most tools that only calculate never need it. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#ended) this.#controller.abort(this.#ended.reason)
    return this.#controller.signal
  }

  /** Whether the time ended before the run was stopped. */
  get hasPassed(): boolean {
    return this.#hasPassed
  }

  /** Waits for work, at most until the deadline. @throws the reason for the end */
  wait<Result>(work: Promise<Result>): Promise<Result> {
    const over = new Promise<never>((_, reject) => (this.#giveUp = reject))
    if (this.#ended) this.#giveUp(this.#ended.reason)
    return Promise.race([work, over])
  }

  release(): void {
    clearTimeout(this.#timer)
    this.#run.removeEventListener('abort', this.#stop)
  }

  #pass(): void {
    this.#hasPassed = this.#ended === undefined
    this.#end(new DOMException('The time is up.', 'TimeoutError'))
  }

  #end(reason: unknown): void {
    if (this.#ended) return
    this.#ended = { reason }
    this.#controller?.abort(reason)
    this.#giveUp(reason)
  }
}

/** A signal that is aborted when either is. Written by hand, for the same reasons. `release` removes the listeners. */
export function eitherOf(one: AbortSignal, other: AbortSignal | undefined): { signal: AbortSignal; release(): void } {
  if (!other) return { signal: one, release: () => {} }
  const controller = new AbortController()
  const both = [one, other].map((signal) => {
    const abort = () => controller.abort(signal.reason)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort)
    return () => signal.removeEventListener('abort', abort)
  })
  return { signal: controller.signal, release: () => both.forEach((release) => release()) }
}
