import { Queue as BullQueue } from 'bullmq'
import type { ThreadKey } from '../history/types.ts'
import type { StoreLog } from '../history/log.ts'
import { messageOf } from '../errors.ts'
import type { RedisClient } from '../redis.ts'
import { threadOf, type Question } from '../run/types.ts'
import { begunScript, placeScript } from './fair.ts'
import type { QueueStats } from './types.ts'
import { entryOf, WaitingQuestions } from './waiting.ts'

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

/** The jobs of the threads, one a generation. Adding one that is there already changes nothing. */
export class TurnJobs {
  readonly #redis: RedisClient
  readonly #queue: BullQueue<TurnJob>
  readonly #waiting: WaitingQuestions
  /** Under BullMQ's hash tag, so that a script may look at both. */
  readonly #tags: string

  constructor(options: { redis: RedisClient; prefix: string; log: StoreLog }) {
    const { redis, prefix } = options
    this.#redis = redis
    this.#tags = `${bullPrefix(prefix)}:fair`
    this.#waiting = new WaitingQuestions({ redis, prefix, key: `${bullPrefix(prefix)}:waiting` })
    this.#queue = new BullQueue<TurnJob>(QUEUE_NAME, {
      connection: redis,
      prefix: bullPrefix(prefix),
      // Nobody reads the stream of events; BullMQ writes it nevertheless.
      streams: { events: { maxLen: 100 } },
      // The check asks INFO once, and a front that starts while Redis is away would never recover from its failure.
      skipVersionCheck: true,
    })
    this.#queue.on('error', (error) => options.log.warn({ error: messageOf(error) }, 'the queue had an error'))
  }

  /** Makes sure of a turn's job, at its fair place. `accepted`: the question that came in with it, and waits from now on. */
  async ensure(thread: ThreadKey, gen: string, accepted?: Question): Promise<void> {
    const job = jobIdOf(thread, gen)
    const lists = ['prioritized', 'active', 'wait', 'delayed']
    const keys = [this.#tags, this.#waiting.key, ...[job, ...lists].map((name) => this.#queue.toKey(name))]
    const counted = accepted ? [entryOf(thread, accepted.id), accepted.at] : []
    const priority = Number(await placeScript(this.#redis, keys, [channelOf(thread), ...counted]))
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

  /** A turn with this priority has begun, and this question of it is worked on. */
  async begun(question: Question, priority: number): Promise<void> {
    const entry = entryOf(threadOf(question), question.id)
    await begunScript(this.#redis, [this.#tags, this.#waiting.key], [priority, entry])
  }

  /** A question was put down, and waits again. Its job keeps its place, which by now is before all others. */
  async putDown(question: Question): Promise<void> {
    await this.#waiting.add(threadOf(question), question)
  }

  async has(thread: ThreadKey, gen: string): Promise<boolean> {
    return (await this.#queue.getJob(jobIdOf(thread, gen))) !== undefined
  }

  /** Counts what a thread has waiting anew, where a crash may have left it out. */
  async recount(thread: ThreadKey): Promise<void> {
    await this.#waiting.recount(thread)
  }

  async stats(now: number): Promise<QueueStats> {
    // The oldest first: that also clears away what does not wait any more.
    const oldest = await this.#waiting.oldest()
    const [waiting, active] = await Promise.all([this.#waiting.count(), this.#queue.getActiveCount()])
    return { waiting, active, oldestMs: Math.max(0, now - (oldest ?? now)) }
  }

  async close(): Promise<void> {
    await this.#queue.close()
  }
}

/** BullMQ refuses colons in ids. */
function jobIdOf(thread: ThreadKey, gen: string): string {
  return `${thread.replaceAll(':', '|')}#${gen}`
}

/** A thread is `team:channel:ts`; channels of different teams are different ones. */
function channelOf(thread: ThreadKey): string {
  return thread.split(':', 2).join(':')
}
