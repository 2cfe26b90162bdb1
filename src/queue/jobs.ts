import { Queue as BullQueue, type Job, type JobType } from 'bullmq'
import type { ThreadKey } from '../history/types.ts'
import type { StoreLog } from '../history/log.ts'
import { messageOf } from '../errors.ts'
import type { RedisClient } from '../redis.ts'
import type { QueueStats } from './types.ts'

/** What a job says: this thread, in this generation, has a turn. The questions themselves are in the thread's inbox. */
export interface TurnJob {
  thread: ThreadKey
  gen: string
}

export const QUEUE_NAME = 'turns'

/** BullMQ's own keys: all on one node of a Cluster (the braces), and told from ours by the word `bull`. */
export function bullPrefix(prefix: string): string {
  return `{${prefix}:bull}`
}

/** What BullMQ calls jobs that nobody works on: in their order, paused after a failure, or without a priority. */
const WAITING = ['prioritized', 'delayed', 'waiting'] satisfies JobType[]
const LOOK_AHEAD = 100

/** BullMQ's highest priority number, which is its least urgent. */
const LEAST_URGENT = 2 ** 21

/** The jobs of the threads, one a generation. Adding one that is there already changes nothing. */
export class TurnJobs {
  readonly #queue: BullQueue<TurnJob>

  constructor(options: { redis: RedisClient; prefix: string; log: StoreLog }) {
    this.#queue = new BullQueue<TurnJob>(QUEUE_NAME, {
      connection: options.redis,
      prefix: bullPrefix(options.prefix),
      // Nobody reads the stream of events; BullMQ writes it nevertheless.
      streams: { events: { maxLen: 100 } },
      // The check asks INFO once, and a front that starts while Redis is away would never recover from its failure.
      skipVersionCheck: true,
    })
    this.#queue.on('error', (error) => options.log.warn({ error: messageOf(error) }, 'the queue had an error'))
  }

  /** `others`: how many questions of the channel wait or are worked on; the more, the later the turn. */
  async ensure(thread: ThreadKey, gen: string, others: number): Promise<void> {
    await this.#queue.add(
      'turn',
      { thread, gen },
      {
        jobId: jobIdOf(thread, gen),
        priority: Math.min(1 + others, LEAST_URGENT),
        removeOnComplete: true,
        removeOnFail: true,
        // A job fails only when Redis does: questions that fail are counted with their runs, not here.
        attempts: 1_000_000_000,
        backoff: { type: 'fixed', delay: 1_000 },
      },
    )
  }

  async has(thread: ThreadKey, gen: string): Promise<boolean> {
    return (await this.#queue.getJob(jobIdOf(thread, gen))) !== undefined
  }

  /**
   * Turns that wait and that are worked on; what waits behind the first question of a thread has no job yet. The age is that
   * of the oldest among the next turns: no more than `LOOK_AHEAD` are looked at.
   */
  async stats(now: number): Promise<QueueStats> {
    const [counts, next] = await Promise.all([
      this.#queue.getJobCounts('active', ...WAITING),
      this.#queue.getJobs(WAITING, 0, LOOK_AHEAD - 1, true),
    ])
    // A job may have gone between the two commands that find it.
    const oldest = Math.min(now, ...next.flatMap((job: Job | undefined) => job?.timestamp ?? []))
    const waiting = WAITING.reduce((sum, state) => sum + (counts[state] ?? 0), 0)
    return { waiting, active: counts['active'] ?? 0, oldestMs: now - oldest }
  }

  async close(): Promise<void> {
    await this.#queue.close()
  }
}

/** BullMQ refuses colons in ids. */
function jobIdOf(thread: ThreadKey, gen: string): string {
  return `${thread.replaceAll(':', '|')}#${gen}`
}
