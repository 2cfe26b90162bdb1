import type { ThreadKey } from '../base/place.ts'
import { parseJson } from '../base/parse-json.ts'
import type { RedisClient } from '../base/redis/redis.ts'
import { scanKeys, threadKey } from '../base/redis/redis-keys.ts'
import {
  MAX_SIGNALS,
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
import { SignalSubscriber } from './signal-subscriber.ts'
import type { ThreadJobs } from './thread-jobs.ts'

interface RedisRunControlOptions {
  prefix: string
  now: () => number
  /** How long a step may wait for a person. Milliseconds. */
  suspendedMs: number
  /** How long a run's keys live after their last use. Milliseconds. */
  ttlMs: number
  /** For senders: fails at once while Redis is away. */
  intake: { redis: RedisClient; jobs: ThreadJobs }
  /** For listeners: waits until Redis is back. */
  work: () => { redis: RedisClient; jobs: ThreadJobs }
}

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
  readonly #options: RedisRunControlOptions
  readonly #listeners = new Map<string, Set<Listener>>()
  #subscriber: SignalSubscriber | undefined

  constructor(options: RedisRunControlOptions) {
    this.#options = options
  }

  async send(run: RunRef, signal: Signal): Promise<SignalOutcome> {
    const { intake, ttlMs } = this.#options
    const { thread, inbox, runs, suspended, signals } = this.#keys(run.thread)
    const reply = await sendSignal(intake.redis, {
      thread,
      inbox,
      run: runs + run.id,
      suspended,
      signals: signals + run.id,
      id: run.id,
      signal: JSON.stringify(signal),
      stops: signal.type === 'stop' ? 1 : 0,
      max: MAX_SIGNALS,
      ttlMs,
      channel: this.#channel,
      notice: JSON.stringify({ ...run, signal }),
    })
    const [sent, gen] = strings(reply)
    await this.#ensureJob(run, gen, intake.jobs)
    return sent as SignalOutcome
  }

  async resume(run: RunRef, key: string, decision: Decision): Promise<ResumeOutcome> {
    const { intake } = this.#options
    const [outcome, before] = await this.#resumeRun(run, { keys: [key], decision, from: intake })
    if (outcome === 'due') {
      const { keys } = await this.#expire(run, intake)
      // Another of its steps may have waited longer than this one; then the run is no longer suspended.
      return keys.includes(key) ? 'expired' : this.resume(run, key, decision)
    }
    if (outcome !== 'decided') return outcome as ResumeOutcome
    return /"outcome":"expired"/.test(before) ? 'expired' : 'decided'
  }

  async load(run: RunRef): Promise<LoadedRun | undefined> {
    const stored = parseRun(await this.#options.intake.redis.hgetall(this.#keys(run.thread).runs + run.id))
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
    this.#subscriber ??= this.#subscribe()
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
    const { prefix, now } = this.#options
    const connection = this.#options.work()
    let count = 0
    for await (const keys of scanKeys(connection.redis, threadKey(prefix, '*', 'parked')))
      for (const key of keys)
        for (const id of await connection.redis.zrangebyscore(key, '-inf', now()))
          if ((await this.#expire({ thread: threadInKey(key), id }, connection)).isWoken) count += 1
    return count
  }

  close(): void {
    this.#subscriber?.close()
  }

  /** Expires every overdue step of a run. `keys`: the keys of their waits. */
  async #expire(
    run: RunRef,
    from: { redis: RedisClient; jobs: ThreadJobs },
  ): Promise<{ keys: string[]; isWoken: boolean }> {
    const { now, suspendedMs } = this.#options
    const stored = parseRun(await from.redis.hgetall(this.#keys(run.thread).runs + run.id))
    const keys = stored ? undecidedSteps(stored.saved, now() - suspendedMs) : []
    const [outcome] = await this.#resumeRun(run, { keys, decision: { outcome: 'expired' }, from })
    return { keys, isWoken: outcome === 'woken' }
  }

  async #resumeRun(
    run: RunRef,
    { keys, decision, from }: { keys: string[]; decision: Decision; from: { redis: RedisClient; jobs: ThreadJobs } },
  ): Promise<[outcome: string, before: string]> {
    const { now, ttlMs } = this.#options
    const { thread, inbox, runs, suspended } = this.#keys(run.thread)
    const isExpiry = decision.outcome === 'expired' ? 1 : 0
    const reply = await resumeRun(
      from.redis,
      {
        thread,
        inbox,
        run: runs + run.id,
        suspended,
        id: run.id,
        decision: JSON.stringify(decision),
        now: now(),
        ttlMs,
        isExpiry,
      },
      { args: keys.map(decisionField) },
    )
    const [outcome = '', gen, before = ''] = strings(reply)
    await this.#ensureJob(run, gen, from.jobs)
    return [outcome, before]
  }

  /** Makes sure that the run's thread has a job. After a crash before that, the sweeper does it. */
  async #ensureJob({ thread, id }: RunRef, gen: string | undefined, jobs: ThreadJobs): Promise<void> {
    if (gen) await jobs.ensure(thread, gen, { id, at: this.#options.now() })
  }

  #subscribe(): SignalSubscriber {
    return new SignalSubscriber({
      redis: this.#options.work().redis,
      channel: this.#channel,
      onMessage: (text) => void this.#onNotice(text),
      onSubscribed: () => void this.#readAllSignals(),
    })
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
    const stored = await this.#options.work().redis.lrange(this.#keys(run.thread).signals + run.id, 0, -1)
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
    return signalChannel(this.#options.prefix)
  }

  #keys(thread: ThreadKey) {
    return threadKeys(this.#options.prefix, thread)
  }
}

/** Neither part contains a space. */
function runKey({ thread, id }: RunRef): string {
  return `${thread} ${id}`
}

function runOf(key: string): RunRef {
  const [thread = '', id = ''] = key.split(' ')
  return { thread, id }
}
