/** Runs in this process's memory, and how people reach them. */
import { LeaseLost } from '../../base/errors.ts'
import { ExpiringMap } from '../../base/expiring-map.ts'
import {
  MAX_SIGNALS,
  type LoadedRun,
  type RunControl,
  type RunRef,
  type Sent,
  type Signal,
  type ResumeOutcome,
} from './control.ts'
import {
  applyPart,
  freshRun,
  undecidedSteps,
  waitsUntil,
  type Decision,
  type Question,
  type Run,
  type SavedRun,
} from './types.ts'

/**
 * A run in this process's memory. It changes `saved` in place, so whoever keeps that object can resume the run.
 * `isHeld` is the lease: once it says no, every method throws LeaseLost.
 */
export function embeddedRun(saved: SavedRun, isHeld: () => boolean): Run {
  const insist = () => {
    if (!isHeld()) throw new LeaseLost('This run was handed over.')
  }
  return {
    saved,
    async save(...parts) {
      insist()
      // A copy, as a store on a disk would make: what the caller changes later is not saved by that.
      for (const part of structuredClone(parts)) applyPart(saved, part)
    },
    async claimPost(key) {
      insist()
      const ts = saved.posts[key]
      if (ts) return { ts }
      saved.posts[key] = ''
      return ts === undefined ? 'fresh' : 'unsure'
    },
    async posted(key, ts) {
      insist()
      saved.posts[key] = ts
    },
    async checkLease() {
      insist()
    },
  }
}

/** Of as many runs that have waited for a person it is known how they ended. */
const MAX_WAITED = 1_000

/** What the control of a run in memory needs of it. */
export interface ControlledRun {
  saved: SavedRun
  signals: Signal[]
  /** Who works on it, and wants to hear. */
  listeners: Set<(signal: Signal) => void>
  /** It was resumed before it was suspended: it will not be. */
  isWoken: boolean
}

/** A run that nobody has worked on and that nobody has told anything. `at`: milliseconds since the epoch. */
export function freshControlled(at: number): ControlledRun {
  return { saved: freshRun(at), signals: [], listeners: new Set(), isWoken: false }
}

export interface MemoryRunControlOptions<Item> {
  /** A run that waits for its turn or is worked on. */
  find(run: RunRef): Item | undefined
  /** Puts a run at the head of its thread, behind the question that is at work there. */
  goOn(run: RunRef, item: Item): void
  now: () => number
  /** How long a run may wait for a person, in ms. */
  suspendedMs: number
  /** How long, and of how many runs, it is known what was decided. */
  doneTtlMs: number
  maxClaims: number
}

/** Stores a signal for a run, and calls it out to whoever works on it. */
export function tellRun({ signals, listeners }: Pick<ControlledRun, 'signals' | 'listeners'>, signal: Signal): void {
  signals.push({ ...signal })
  for (const heard of listeners) heard({ ...signal })
}

/**
 * Reaches runs in this process's memory, and keeps those that wait for a person. Nothing in here awaits, so each method is
 * one atomic step.
 */
export class MemoryRunControl<Item extends ControlledRun & { question: Question }> implements RunControl {
  readonly #options: MemoryRunControlOptions<Item>
  readonly #parked = new Map<string, { run: RunRef; item: Item; until: number }>()
  /** What was decided about a wait, also of a run that has ended since. */
  readonly #decided: ExpiringMap<Decision['outcome']>
  /** The runs that have waited for a person, also those that have ended since. */
  readonly #waited: ExpiringMap<Item>

  constructor(options: MemoryRunControlOptions<Item>) {
    this.#options = options
    const { now, doneTtlMs: ttlMs, maxClaims: maxSize } = options
    this.#decided = new ExpiringMap({ now, ttlMs, maxSize })
    this.#waited = new ExpiringMap({ now, ttlMs: ttlMs + options.suspendedMs, maxSize: MAX_WAITED })
  }

  async send(run: RunRef, signal: Signal): Promise<Sent> {
    const item = this.#find(run)
    if (!item || item.saved.answer) return 'not_running'
    const text = JSON.stringify(signal)
    if (item.signals.some((sent) => JSON.stringify(sent) === text)) return 'sent'
    const isStop = signal.type === 'stop'
    if (item.signals.length >= MAX_SIGNALS && !isStop) return 'full'
    tellRun(item, signal)
    if (isStop) this.#requeue(run, item)
    return 'sent'
  }

  async resume(run: RunRef, key: string, decision: Decision): Promise<ResumeOutcome> {
    const before = this.#decided.get(decidedKey(run, key))
    if (before) return before === 'expired' ? 'expired' : 'decided'
    const item = this.#find(run)
    if (!item || item.saved.answer) return 'not_running'
    if ((this.#parked.get(keyOf(run))?.until ?? Infinity) <= this.#options.now()) {
      this.#expire(run, item)
      // Another step of it may have waited for longer than this one.
      if (this.#decided.get(decidedKey(run, key))) return 'expired'
    }
    this.#decide(run, item, { key, decision })
    this.#requeue(run, item)
    return 'woken'
  }

  async load(run: RunRef): Promise<LoadedRun | undefined> {
    const item = this.#find(run) ?? this.#waited.get(keyOf(run))
    return item && structuredClone({ question: item.question, saved: item.saved })
  }

  async listen(run: RunRef, heard: (signal: Signal) => void): Promise<() => void> {
    const item = this.#find(run)
    for (const signal of item?.signals ?? []) heard({ ...signal })
    item?.listeners.add(heard)
    return () => void item?.listeners.delete(heard)
  }

  suspend(run: RunRef, item: Item): void {
    this.#waited.set(keyOf(run), item)
    const { now, suspendedMs: suspendedMs } = this.#options
    this.#parked.set(keyOf(run), { run, item, until: waitsUntil(item.saved, suspendedMs) ?? now() + suspendedMs })
  }

  /** The runs that wait for a person. */
  get suspended(): Item[] {
    return [...this.#parked.values()].map(({ item }) => item)
  }

  /** Forgets such runs, if they have ended: nothing but `load` knows of them any more. */
  forgetWaited(isMeant: (question: Question) => boolean): void {
    for (const key of this.#waited.keys()) {
      const item = this.#waited.get(key)
      if (item && isMeant(item.question)) this.#waited.delete(key)
    }
  }

  /** Drops the runs of such threads that wait for a person. */
  dropSuspended(isMeant: (thread: RunRef['thread']) => boolean): void {
    for (const [key, { run }] of this.#parked) if (isMeant(run.thread)) this.#parked.delete(key)
  }

  /** Lets those go on that have waited for too long. */
  expireDue(): void {
    const now = this.#options.now()
    for (const { run, item, until } of this.#parked.values()) if (until <= now) this.#expire(run, item)
  }

  /** All steps whose time is over hear the same: nobody decided in time. */
  #expire(run: RunRef, item: Item): void {
    const { now, suspendedMs: suspendedMs } = this.#options
    for (const key of undecidedSteps(item.saved, now() - suspendedMs))
      this.#decide(run, item, { key, decision: { outcome: 'expired' } })
    this.#requeue(run, item)
  }

  #decide(run: RunRef, { saved }: Item, { key, decision }: { key: string; decision: Decision }): void {
    this.#decided.set(decidedKey(run, key), decision.outcome)
    saved.decisions[key] = structuredClone(decision)
  }

  #requeue(run: RunRef, item: Item): void {
    if (this.#parked.delete(keyOf(run))) this.#options.goOn(run, item)
    else item.isWoken = true
  }

  #find(run: RunRef): Item | undefined {
    return this.#parked.get(keyOf(run))?.item ?? this.#options.find(run)
  }
}

function keyOf({ thread, id }: RunRef): string {
  return `${thread} ${id}`
}

function decidedKey(run: RunRef, key: string): string {
  return `${keyOf(run)} ${key}`
}
