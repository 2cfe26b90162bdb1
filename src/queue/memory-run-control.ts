/** How people reach the runs in this process's memory. */
import { expiringCache, type ExpiringCache } from '../base/expiring-cache.ts'
import {
  MAX_SIGNALS,
  runKey,
  type LoadedRun,
  type RunControl,
  type RunRef,
  type SignalOutcome,
  type Signal,
  type ResumeOutcome,
} from '../stores/runs/run-control.ts'
import { freshRun, type Decision, type Question, type SavedRun } from '../stores/runs/types.ts'
import type { QueueSettings } from './queue-settings.ts'
import { undecidedSteps, waitsUntil } from '../stores/runs/wait-keys.ts'

/** The maximum number of suspended runs whose end is remembered. */
const MAX_EVER_SUSPENDED = 1_000

/** The part of a run in memory that its control needs. */
export interface ControlledRun {
  saved: SavedRun
  signals: Signal[]
  /** The processes' listeners that work on the run. */
  listeners: Set<(signal: Signal) => void>
  /** It was resumed before it was suspended, so it will not be. */
  isWoken: boolean
}

/** Returns the state of a run that nobody has worked on or sent anything to. `at`: milliseconds since the epoch. */
export function freshControlled(at: number): ControlledRun {
  return { saved: freshRun(at), signals: [], listeners: new Set(), isWoken: false }
}

export interface ControlledQuestion extends ControlledRun {
  question: Question
}

/** `maxClaims`: of how many runs decisions are remembered. */
interface MemoryRunSettings extends Pick<QueueSettings, 'now' | 'suspendedMs' | 'doneTtlMs'> {
  maxClaims: number
}

/** Stores a signal for a run, and sends it to the run's process. */
export function sendToRun({ signals, listeners }: Pick<ControlledRun, 'signals' | 'listeners'>, signal: Signal): void {
  signals.push({ ...signal })
  for (const heard of listeners) heard({ ...signal })
}

/**
 * Reaches runs in this process's memory, and keeps the suspended ones. Nothing in here awaits, so each method is one
 * atomic step.
 */
export class MemoryRunControl<Item extends ControlledQuestion> implements RunControl {
  readonly #settings: MemoryRunSettings
  readonly #findQueued: (run: RunRef) => Item | undefined
  readonly #toQueue: (run: RunRef, item: Item) => void
  readonly #suspended = new Map<string, { run: RunRef; item: Item; until: number }>()
  /** The decision about each wait, including those of runs that have ended since. */
  readonly #decided: ExpiringCache<Decision['outcome']>
  /** The runs that were suspended, including those that have ended since. */
  readonly #everSuspended: ExpiringCache<Item>

  /**
   * `find` returns a run that waits for its turn or is at work; `requeue` puts a run at the head of its thread, behind
   * the question that is at work there.
   */
  constructor(
    settings: MemoryRunSettings,
    find: (run: RunRef) => Item | undefined,
    requeue: (run: RunRef, item: Item) => void,
  ) {
    this.#settings = settings
    this.#findQueued = find
    this.#toQueue = requeue
    const { now, doneTtlMs: ttlMs, maxClaims: max } = settings
    this.#decided = expiringCache({ now, ttlMs, max })
    this.#everSuspended = expiringCache({ now, ttlMs: ttlMs + settings.suspendedMs, max: MAX_EVER_SUSPENDED })
  }

  async send(run: RunRef, signal: Signal): Promise<SignalOutcome> {
    const item = this.#find(run)
    if (!item || item.saved.answer) return 'not_running'
    const text = JSON.stringify(signal)
    if (item.signals.some((sent) => JSON.stringify(sent) === text)) return 'sent'
    const isStop = signal.type === 'stop'
    if (item.signals.length >= MAX_SIGNALS && !isStop) return 'full'
    sendToRun(item, signal)
    if (isStop) this.#requeue(run, item)
    return 'sent'
  }

  async resume(run: RunRef, key: string, decision: Decision): Promise<ResumeOutcome> {
    const before = this.#decided.get(decidedKey(run, key))
    if (before) return before === 'expired' ? 'expired' : 'decided'
    const item = this.#find(run)
    if (!item || item.saved.answer) return 'not_running'
    if ((this.#suspended.get(runKey(run))?.until ?? Infinity) <= this.#settings.now()) {
      this.#expire(run, item)
      // Another of its steps may have waited longer.
      if (this.#decided.get(decidedKey(run, key))) return 'expired'
    }
    this.#decide(run, item, { key, decision })
    this.#requeue(run, item)
    return 'woken'
  }

  async load(run: RunRef): Promise<LoadedRun | undefined> {
    const item = this.#find(run) ?? this.#everSuspended.get(runKey(run))
    return item && structuredClone({ question: item.question, saved: item.saved })
  }

  async listen(run: RunRef, heard: (signal: Signal) => void): Promise<() => void> {
    const item = this.#find(run)
    for (const signal of item?.signals ?? []) heard({ ...signal })
    item?.listeners.add(heard)
    return () => void item?.listeners.delete(heard)
  }

  suspend(run: RunRef, item: Item): void {
    this.#everSuspended.set(runKey(run), item)
    const { now, suspendedMs } = this.#settings
    this.#suspended.set(runKey(run), { run, item, until: waitsUntil(item.saved, suspendedMs) ?? now() + suspendedMs })
  }

  /** The suspended runs. */
  get suspended(): Item[] {
    return [...this.#suspended.values()].map(({ item }) => item)
  }

  /** Forgets matching runs that were suspended and have ended: only `load` knows of them. */
  forgetEnded(isMeant: (question: Question) => boolean): void {
    for (const [key, item] of [...this.#everSuspended.entries()])
      if (isMeant(item.question)) this.#everSuspended.delete(key)
  }

  /** Drops the suspended runs of matching threads. */
  dropSuspended(isMeant: (thread: RunRef['thread']) => boolean): void {
    for (const [key, { run }] of this.#suspended) if (isMeant(run.thread)) this.#suspended.delete(key)
  }

  /** Moves the suspended runs of the threads that `move` gives another key, to another channel. */
  moveSuspended(move: (thread: RunRef['thread']) => RunRef['thread'] | undefined, channel: string): void {
    for (const [key, { run, item, until }] of [...this.#suspended]) {
      const thread = move(run.thread)
      if (thread === undefined) continue
      this.#suspended.delete(key)
      this.#everSuspended.delete(key)
      item.question.channel = channel
      const moved = { ...run, thread }
      this.#suspended.set(runKey(moved), { run: moved, item, until })
      this.#everSuspended.set(runKey(moved), item)
    }
  }

  /** Resumes the runs that have waited too long. */
  expireDue(): void {
    const now = this.#settings.now()
    for (const { run, item, until } of this.#suspended.values()) if (until <= now) this.#expire(run, item)
  }

  /** Expires every overdue step of a run. */
  #expire(run: RunRef, item: Item): void {
    const { now, suspendedMs } = this.#settings
    for (const key of undecidedSteps(item.saved, now() - suspendedMs))
      this.#decide(run, item, { key, decision: { outcome: 'expired' } })
    this.#requeue(run, item)
  }

  #decide(run: RunRef, { saved }: Item, { key, decision }: { key: string; decision: Decision }): void {
    this.#decided.set(decidedKey(run, key), decision.outcome)
    saved.decisions[key] = structuredClone(decision)
  }

  #requeue(run: RunRef, item: Item): void {
    if (this.#suspended.delete(runKey(run))) this.#toQueue(run, item)
    else item.isWoken = true
  }

  #find(run: RunRef): Item | undefined {
    return this.#suspended.get(runKey(run))?.item ?? this.#findQueued(run)
  }
}

function decidedKey(run: RunRef, key: string): string {
  return `${runKey(run)} ${key}`
}
