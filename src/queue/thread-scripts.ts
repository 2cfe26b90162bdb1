import type { StoreLog } from '../base/store-log.ts'
import type { ThreadKey } from '../base/place.ts'
import type { RedisClient } from '../base/redis/redis.ts'
import { MAX_SIGNALS, type Signal } from '../stores/runs/run-control.ts'
import { signalChannel, threadKeys } from '../stores/runs/thread-keys.ts'
import type { RunLease } from '../stores/runs/redis-run.ts'
import { parseRun, type StoredRun } from '../stores/runs/stored-run.ts'
import { conversationOf, type Question } from '../stores/runs/types.ts'
import { waitsUntil } from '../stores/runs/wait-keys.ts'
import type { QueueSettings } from './queue-settings.ts'
import {
  acceptQuestion,
  beginQuestion,
  finishQuestion,
  suspendQuestion,
  releaseQuestion,
  retryQuestion,
  reviveThread,
  strings,
} from './lua-scripts.ts'
import type { AcceptOutcome, AcceptOptions } from './types.ts'

/** A question of a thread whose lease this process holds; `id` is the question's. */
interface QuestionLease {
  thread: ThreadKey
  id: string
  lease: RunLease
}

interface EndedQuestion extends QuestionLease {
  /** Absent if it cannot be read. */
  stored?: StoredRun
}

/** A leased question, and what to do with it. */
export interface LeasedQuestion extends QuestionLease {
  stored: StoredRun
  /** `give-up`: it failed too often, so dead-letter it and say so. `drop`: saying so failed too often as well. */
  verdict: 'work' | 'give-up' | 'drop'
}

/** The Redis scripts as typed methods. A returned generation (`gen`) must get a job; '' means none. */
export class ThreadScripts {
  readonly #redis: RedisClient
  readonly #log: StoreLog
  readonly #settings: QueueSettings

  constructor(redis: RedisClient, log: StoreLog, settings: QueueSettings) {
    this.#redis = redis
    this.#log = log
    this.#settings = settings
  }

  async accept(
    question: Question,
    { onlyKnownThread = false, addition, parts }: AcceptOptions,
  ): Promise<{ accepted: AcceptOutcome; gen: string; before: number }> {
    const { now, doneTtlMs, knownTtlMs, prefix } = this.#settings
    const threadName = conversationOf(question)
    const { thread, inbox, runs, events, signals } = this.#keys(threadName)
    const { id, eventId, user, text } = question
    const signal: Signal = { type: 'message', id, user, text }
    const reply = await acceptQuestion(this.#redis, {
      thread,
      inbox,
      runs,
      run: runs + id,
      event: events + (eventId ?? ''),
      hasEvent: eventId ? 1 : 0,
      id,
      question: JSON.stringify(question),
      now: now(),
      askedSince: onlyKnownThread ? now() - knownTtlMs : 0,
      ttlMs: this.ttlMs,
      eventTtlMs: doneTtlMs,
      signal: addition ? JSON.stringify(signal) : '',
      onlyAdds: addition === 'only' ? 1 : 0,
      user,
      root: question.thread,
      threadName,
      signals,
      channel: signalChannel(prefix),
      max: MAX_SIGNALS,
      parts: parts ? JSON.stringify({ type: 'parts', parts } satisfies Signal) : '',
    })
    const [accepted = '', gen = '', before = '0'] = strings(reply)
    return { accepted: accepted as AcceptOutcome, gen, before: Number(before) }
  }

  /** @returns the question, or the generation that has the thread instead, which is '' if nothing waits. */
  async begin(thread: ThreadKey, gen: string, starts: number): Promise<LeasedQuestion | { gen: string }> {
    const { now, maxLosses, maxFailures, maxDeadLetterTries } = this.#settings
    const keys = this.#keys(thread)
    const since = now()
    const reply = await beginQuestion(this.#redis, {
      thread: keys.thread,
      inbox: keys.inbox,
      runs: keys.runs,
      gen,
      starts,
      now: since,
      ttlMs: this.ttlMs,
      maxLosses,
      maxFailures,
      maxTries: maxDeadLetterTries,
    })
    const [verdict, id, fields]: unknown[] = Array.isArray(reply) ? reply : []
    if (verdict === 'stale' || verdict === 'empty') return { gen: String(id ?? '') }
    const lease = { threadKey: keys.thread, runKey: keys.runs + String(id), token: `${gen}.${starts}`, since }
    const held = { thread, id: String(id), lease }
    const stored = parseRun(hashOf(fields))
    if (stored) return { ...held, stored, verdict: verdict as LeasedQuestion['verdict'] }
    this.#log.error({ question: held.id }, 'a stored question cannot be read: dead-lettered')
    return this.finish(held, 'dead-lettered')
  }

  /**
   * Ends the work on a question. `records` are saved with its run: `field, value, field, value …`. Additions that no
   * step contains become questions in the thread.
   * @returns whether the lease still held, the generation that continues the thread, and the number of such questions.
   */
  async finish(
    leased: EndedQuestion,
    end: 'done' | 'refused' | 'limited' | 'dead-lettered',
    records: string[] = [],
  ): Promise<{ held: boolean; gen: string; followUps: number }> {
    const isRefused = end === 'refused' || end === 'limited'
    const state = isRefused ? 'done' : end
    const ttlMs = state === 'done' ? this.#settings.doneTtlMs : this.#settings.deadLetterTtlMs
    const { threadKey: thread, runKey: run, token } = leased.lease
    const { id } = leased
    const { inbox, runs, signals } = this.#keys(leased.thread)
    const heard = leased.stored?.saved.steps.flatMap((step) => (step.kind === 'message' ? [step.id] : [])) ?? []
    const keys = { thread, inbox, run, runs, signals: signals + id }
    const named = { ...keys, token, id, state, ttlMs, heard: ` ${heard.join(' ')} `, refused: isRefused ? end : '' }
    const reply = await finishQuestion(this.#redis, named, { args: records })
    const [held, gen = '', followUps] = strings(reply)
    return { held: held === 'ok', gen, followUps: Number(followUps) }
  }

  /** Suspends a run that waits for a person, until its first wait is over. @returns as `finish` does. */
  async suspend(leased: LeasedQuestion, records: string[]): Promise<{ held: boolean; gen: string }> {
    const { now, suspendedMs } = this.#settings
    const { threadKey: thread, runKey: run, token } = leased.lease
    const { inbox, suspended } = this.#keys(leased.thread)
    const deadline = waitsUntil(leased.stored.saved, suspendedMs) ?? now() + suspendedMs
    const [id, ttlMs] = [leased.id, this.ttlMs]
    const named = { thread, inbox, run, suspended, token, id, deadline, ttlMs }
    const reply = await suspendQuestion(this.#redis, named, { args: records })
    const [held, gen = ''] = strings(reply)
    return { held: held === 'ok', gen }
  }

  /**
   * Releases a question; an error counts as a failure. @returns failures so far, or undefined if the lease was lost.
   */
  async release(leased: QuestionLease, error = ''): Promise<number | undefined> {
    const { threadKey: thread, runKey: run, token } = leased.lease
    const failures = Number(await releaseQuestion(this.#redis, { thread, run, token, failure: error }))
    return failures < 0 ? undefined : failures
  }

  /** See revive-thread.lua. */
  async revive(key: ThreadKey, goneGen = ''): Promise<string> {
    const { thread, inbox } = this.#keys(key)
    return String(await reviveThread(this.#redis, { thread, inbox, goneGen, ttlMs: this.ttlMs }))
  }

  /** Puts a dead-lettered question back into its thread's inbox. @returns '' if it is not a dead-lettered one. */
  async retry(question: Question): Promise<string> {
    const { thread, inbox, runs } = this.#keys(conversationOf(question))
    const [id, ttlMs] = [question.id, this.ttlMs]
    return String(await retryQuestion(this.#redis, { thread, inbox, run: runs + id, id, ttlMs }))
  }

  /** How long a thread and its waiting questions live after their last touch. */
  get ttlMs(): number {
    const { knownTtlMs, deadLetterTtlMs, suspendedMs } = this.#settings
    return Math.max(knownTtlMs, deadLetterTtlMs, 2 * suspendedMs)
  }

  #keys(thread: ThreadKey) {
    return threadKeys(this.#settings.prefix, thread)
  }
}

/** A hash, which a script returns as a flat list: `field, value, field, value …`. */
function hashOf(reply: unknown): Record<string, string> {
  const flat = strings(reply)
  return Object.fromEntries(flat.flatMap((field, i) => (i % 2 === 0 ? [[field, flat[i + 1] ?? '']] : [])))
}
