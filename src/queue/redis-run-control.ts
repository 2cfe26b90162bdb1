import type { ThreadKey } from '../base/place.ts'
import { parseJson } from '../base/parse-json.ts'
import { scanKeys, threadKey } from '../base/redis/redis-keys.ts'
import {
  MAX_SIGNALS,
  runKey,
  runOf,
  signalSchema,
  type LoadedRun,
  type RunControl,
  type RunRef,
  type SignalOutcome,
  type Signal,
  type ResumeOutcome,
} from '../stores/runs/run-control.ts'
import type { Decision } from '../stores/runs/types.ts'
import { undecidedSteps } from '../stores/runs/wait-keys.ts'
import { decisionField, parseRun } from '../stores/runs/stored-run.ts'
import { signalChannel, threadInKey, threadKeys } from '../stores/runs/thread-keys.ts'
import { z } from 'zod'
import { sendSignal, strings, resumeRun } from './lua-scripts.ts'
import type { QueueSettings } from './queue-settings.ts'
import { subscribeToSignals } from './signal-subscriber.ts'
import type { QueueConnection, ThreadJobs } from './thread-jobs.ts'

const noticeSchema = z.object({ thread: z.string(), id: z.string(), signal: signalSchema })

/** `delivered`: the signals that `onSignal` was called with, as JSON. */
interface Listener {
  onSignal: (signal: Signal) => void
  delivered: Set<string>
}

/**
 * Reaches runs through Redis. Signals are stored in a list of the run's thread and also published on one channel, which
 * every process with a running question subscribes to. The list defines the order: a listener reads it first at each
 * call, and so gets signals from before its subscription, or during a disconnection, before later ones.
 */
export class RedisRunControl implements RunControl {
  readonly #settings: QueueSettings
  readonly #intake: QueueConnection
  readonly #work: () => QueueConnection
  readonly #listeners = new Map<string, Set<Listener>>()
  #unsubscribe: (() => void) | undefined

  /**
   * `intake` is for senders, and fails at once while Redis is away; `work` for listeners, and waits until it is back.
   */
  constructor(settings: QueueSettings, intake: QueueConnection, work: () => QueueConnection) {
    this.#settings = settings
    this.#intake = intake
    this.#work = work
  }

  async send(run: RunRef, signal: Signal): Promise<SignalOutcome> {
    const { redis, store, jobs } = this.#intake
    const { thread, inbox, runs, suspended, signals } = this.#keys(run.thread)
    const reply = await sendSignal(redis, {
      thread,
      inbox,
      run: runs + run.id,
      suspended,
      signals: signals + run.id,
      id: run.id,
      signal: JSON.stringify(signal),
      stops: signal.type === 'stop' ? 1 : 0,
      max: MAX_SIGNALS,
      ttlMs: store.ttlMs,
      channel: this.#channel,
      notice: JSON.stringify({ ...run, signal }),
    })
    const [sent, gen] = strings(reply)
    await this.#ensureJob(run, gen, jobs)
    return sent as SignalOutcome
  }

  async resume(run: RunRef, key: string, decision: Decision): Promise<ResumeOutcome> {
    const [outcome, before] = await this.#resumeRun(run, [key], decision, this.#intake)
    if (outcome === 'due') {
      const { keys } = await this.#expire(run, this.#intake)
      // Another of its steps may have waited longer than this one; then the run is no longer suspended.
      return keys.includes(key) ? 'expired' : this.resume(run, key, decision)
    }
    if (outcome !== 'decided') return outcome as ResumeOutcome
    return /"outcome":"expired"/.test(before) ? 'expired' : 'decided'
  }

  async load(run: RunRef): Promise<LoadedRun | undefined> {
    const stored = parseRun(await this.#intake.redis.hgetall(this.#keys(run.thread).runs + run.id))
    return stored && stored.state !== 'added' ? { question: stored.question, saved: stored.saved } : undefined
  }

  async listen(run: RunRef, onSignal: Listener['onSignal']): Promise<() => void> {
    const key = runKey(run)
    const listeners = this.#listeners.get(key) ?? new Set()
    const listener: Listener = { onSignal, delivered: new Set() }
    this.#listeners.set(key, listeners.add(listener))
    const end = () => {
      listeners.delete(listener)
      if (listeners.size === 0 && this.#listeners.get(key) === listeners) this.#listeners.delete(key)
    }
    // A signal that is published before the subscription exists is read from the list afterwards.
    this.#unsubscribe ??= subscribeToSignals(
      this.#work().redis,
      this.#channel,
      (text) => void this.#onNotice(text),
      () => void this.#readAllSignals(),
    )
    try {
      await this.#readSignals(run)
    } catch (error) {
      end()
      throw error
    }
    return end
  }

  /** Ends all waits whose time is over. @returns how many runs were resumed */
  async expireDue(): Promise<number> {
    const { prefix, now } = this.#settings
    const connection = this.#work()
    let count = 0
    for await (const keys of scanKeys(connection.redis, threadKey(prefix, '*', 'parked')))
      for (const key of keys)
        for (const id of await connection.redis.zrangebyscore(key, '-inf', now()))
          if ((await this.#expire({ thread: threadInKey(key), id }, connection)).isWoken) count += 1
    return count
  }

  close(): void {
    this.#unsubscribe?.()
  }

  /** Expires every overdue step of a run. `keys`: the keys of their waits. */
  async #expire(run: RunRef, from: QueueConnection): Promise<{ keys: string[]; isWoken: boolean }> {
    const { now, suspendedMs } = this.#settings
    const stored = parseRun(await from.redis.hgetall(this.#keys(run.thread).runs + run.id))
    const keys = stored ? undecidedSteps(stored.saved, now() - suspendedMs) : []
    const [outcome] = await this.#resumeRun(run, keys, { outcome: 'expired' }, from)
    return { keys, isWoken: outcome === 'woken' }
  }

  async #resumeRun(
    run: RunRef,
    waits: string[],
    decision: Decision,
    { redis, store, jobs }: QueueConnection,
  ): Promise<[outcome: string, before: string]> {
    const { thread, inbox, runs, suspended } = this.#keys(run.thread)
    const keys = { thread, inbox, run: runs + run.id, suspended }
    const isExpiry = decision.outcome === 'expired' ? 1 : 0
    const times = { now: this.#settings.now(), ttlMs: store.ttlMs, isExpiry }
    const named = { ...keys, id: run.id, decision: JSON.stringify(decision), ...times }
    const reply = await resumeRun(redis, named, { args: waits.map(decisionField) })
    const [outcome = '', gen, before = ''] = strings(reply)
    await this.#ensureJob(run, gen, jobs)
    return [outcome, before]
  }

  /** Makes sure that the run's thread has a job. After a crash before that, the sweeper does it. */
  async #ensureJob({ thread, id }: RunRef, gen: string | undefined, jobs: ThreadJobs): Promise<void> {
    if (gen) await jobs.ensure(thread, gen, { id, at: this.#settings.now() })
  }

  /**
   * Anybody may publish on the channel, so the form of a message is checked. A signal that is not in the list, because
   * Redis cannot be read or lost it in a failover, is delivered all the same.
   */
  async #onNotice(text: string): Promise<void> {
    const notice = noticeSchema.safeParse(parseJson(text)).data
    if (!notice || !this.#listeners.has(runKey(notice))) return
    await this.#readSignals(notice).catch(() => undefined)
    this.#deliver(notice, notice.signal)
  }

  async #readAllSignals(): Promise<void> {
    const runs = [...this.#listeners.keys()].map(runOf)
    await Promise.allSettled(runs.map((run) => this.#readSignals(run)))
  }

  async #readSignals(run: RunRef): Promise<void> {
    const stored = await this.#work().redis.lrange(this.#keys(run.thread).signals + run.id, 0, -1)
    for (const text of stored) {
      const signal = signalSchema.safeParse(parseJson(text)).data
      if (signal) this.#deliver(run, signal)
    }
  }

  /** Each listener gets a signal once, and no signal is stored twice. */
  #deliver(run: RunRef, signal: Signal): void {
    const text = JSON.stringify(signal)
    for (const { onSignal, delivered } of this.#listeners.get(runKey(run)) ?? []) {
      if (delivered.has(text)) continue
      delivered.add(text)
      onSignal(signal)
    }
  }

  get #channel(): string {
    return signalChannel(this.#settings.prefix)
  }

  #keys(thread: ThreadKey) {
    return threadKeys(this.#settings.prefix, thread)
  }
}
