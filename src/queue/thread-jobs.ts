/**
 * Ensures that a thread answers one question at a time: accept-question.lua opens a generation of the thread,
 * begin-question.lua gives it the lease and turns away all others, and each generation has one BullMQ job. The keys:
 * stores/runs/thread-keys.ts.
 */
import { conversationOf, isBackground, type Question } from '../stores/runs/types.ts'
import { Queue as BullQueue } from 'bullmq'
import type { ThreadKey } from '../base/place.ts'
import type { RedisClient } from '../base/redis/redis.ts'
import {
  advanceVirtualTime,
  BACKGROUND_OFFSET,
  fairPriority,
  LAST_TAG,
  TAGS_TTL_MS,
  WAITING_TTL_MS,
} from './redis-fair-order.ts'
import type { QueueStats } from './types.ts'
import type { ThreadScripts } from './thread-scripts.ts'
import { WaitingQuestions } from './waiting-questions.ts'
import { runKey } from '../stores/runs/run-control.ts'
import { messageOf } from '../base/errors.ts'
import type { StoreLog } from '../base/store-log.ts'
import { oncePerMinute } from '../base/log.ts'

/** The content of a job: the thread, and the generation. The questions themselves are in the thread's inbox. */
export interface ThreadJob {
  thread: ThreadKey
  gen: string
}

export const QUEUE_NAME = 'turns'

/**
 * Prefix of BullMQ's own keys. The braces keep them on one node of a Cluster; the word `bull` distinguishes them from
 * ours.
 */
export function bullPrefix(prefix: string): string {
  return `{${prefix}:bull}`
}

/** The parts that intake and work both need, each over its own kind of connection (see `Purpose`). */
export interface QueueConnection {
  redis: RedisClient
  store: ThreadScripts
  jobs: ThreadJobs
}

/** A question that starts to wait. `isBackground`: nobody waits for its answer. */
interface WaitingEntry {
  id: string
  at: number
  isBackground?: boolean
}

/** Returns the entry of a question that waits. */
export function waitingEntry(question: Question): WaitingEntry {
  return { id: question.id, at: question.at, isBackground: isBackground(question) }
}

/** The BullMQ jobs that give threads their turns: one job for each generation of a thread. */
export class ThreadJobs {
  readonly #redis: RedisClient
  readonly #queue: BullQueue<ThreadJob>
  /** The questions without a worker. `ensure` and `begin` keep it up to date for the usual course of a question. */
  readonly waiting: WaitingQuestions
  /** Under BullMQ's hash tag, so that one script can read both. */
  readonly #tags: string

  constructor(redis: RedisClient, prefix: string, onFault: (error: Error) => void) {
    this.#redis = redis
    this.#tags = `${bullPrefix(prefix)}:fair`
    this.waiting = new WaitingQuestions(`${bullPrefix(prefix)}:waiting`, { redis, prefix })
    this.#queue = new BullQueue<ThreadJob>(QUEUE_NAME, {
      connection: redis,
      prefix: bullPrefix(prefix),
      // Nobody reads the stream of events; BullMQ writes it nevertheless.
      streams: { events: { maxLen: 100 } },
      // The check asks INFO once, and a front that starts while Redis is away would never recover from its failure.
      skipVersionCheck: true,
    })
    this.#queue.on('error', onFault)
  }

  /** Adds a thread's job, at its fair place, unless it is there. `waits`: the question that starts to wait. */
  async ensure(thread: ThreadKey, gen: string, waiting?: WaitingEntry): Promise<void> {
    const job = jobIdOf(thread, gen)
    const key = (name: string) => this.#queue.toKey(name)
    const tag = await fairPriority(this.#redis, {
      tags: this.#tags,
      waiting: this.waiting.key,
      job: key(job),
      active: key('active'),
      prioritized: key('prioritized'),
      wait: key('wait'),
      delayed: key('delayed'),
      channel: channelOf(thread),
      lastTag: LAST_TAG,
      tagsTtlMs: TAGS_TTL_MS,
      waitingTtlMs: WAITING_TTL_MS,
      behind: waiting?.isBackground ? BACKGROUND_OFFSET : 0,
      ...(waiting ? { entry: runKey({ thread, id: waiting.id }), askedAt: waiting.at } : { entry: '', askedAt: 0 }),
    })
    const priority = Number(tag)
    if (priority === 0) return
    await this.#queue.add(
      'turn',
      { thread, gen },
      {
        jobId: job,
        priority,
        removeOnComplete: true,
        removeOnFail: true,
        // A job fails only when Redis does: questions that fail are counted with their runs, not here.
        attempts: 1_000_000_000,
        backoff: { type: 'fixed', delay: 1_000 },
      },
    )
  }

  /** Notes that the job with this priority has begun, and that its question no longer waits. */
  async begin(question: Question, priority: number): Promise<void> {
    const entry = runKey({ thread: conversationOf(question), id: question.id })
    // The tag of a background job is far behind those of people, so it does not move the virtual time.
    const tag = isBackground(question) ? 0 : priority
    await advanceVirtualTime(this.#redis, { tags: this.#tags, waiting: this.waiting.key, tag, entry })
  }

  async has(thread: ThreadKey, gen: string): Promise<boolean> {
    return (await this.#queue.getJob(jobIdOf(thread, gen))) !== undefined
  }

  /**
   * Removes everything that names a team: its jobs except running ones, its channels' tags, its waiting questions, and
   * the stream of events.
   */
  async forgetTeam(team: string): Promise<void> {
    const jobs = await this.#queue.getJobs(['prioritized', 'delayed', 'wait'])
    for (const job of jobs) if (job?.data.thread.startsWith(`${team}:`)) await job.remove().catch(() => undefined)
    const fields = (await this.#redis.hkeys(this.#tags)).filter((channel) => channel.startsWith(`${team}:`))
    if (fields.length > 0) await this.#redis.hdel(this.#tags, ...fields)
    await this.waiting.forgetTeam(team)
    await this.clearEvents()
  }

  /** The threads of a team that are at work. */
  async activeOf(team: string): Promise<ThreadKey[]> {
    const jobs = await this.#queue.getActive()
    return jobs.flatMap((job) => (job?.data.thread.startsWith(`${team}:`) ? [job.data.thread] : []))
  }

  /** Deletes BullMQ's stream of events, which names threads, never expires and has no reader. */
  async clearEvents(): Promise<void> {
    await this.#redis.unlink(this.#queue.toKey('events'))
  }

  async stats(now: number): Promise<QueueStats> {
    // First, because it also removes stale entries, which must not be counted.
    const oldest = await this.waiting.oldest()
    const [waiting, active] = await Promise.all([this.waiting.count(), this.#queue.getActiveCount()])
    return { waiting, active, oldestMs: Math.max(0, now - (oldest ?? now)) }
  }
}

/** BullMQ refuses colons in ids. */
function jobIdOf(thread: ThreadKey, gen: string): string {
  return `${thread.replaceAll(':', '|')}#${gen}`
}

/** A thread is `team:channel:ts`. Equal channel ids of different teams are different channels. */
function channelOf(thread: ThreadKey): string {
  return thread.split(':', 2).join(':')
}

/**
 * Logs the errors of BullMQ's own loops. They retry several times a second for as long as Redis is away or full, so an
 * error is logged at once and then once a minute, with how often it occurred in between.
 */
export function logThrottle(log: StoreLog, now: () => number): (error: Error) => void {
  const isDue = oncePerMinute(now)
  return (fault) => {
    const error = messageOf(fault)
    const metBetween = isDue(error)
    if (metBetween === undefined) return
    log.warn({ error, ...(metBetween ? { metBetween } : {}) }, 'BullMQ reported an error')
  }
}
