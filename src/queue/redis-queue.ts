import { TransientError } from '../errors.ts'
import type { StoreLog } from '../history/store-log.ts'
import { connect, type Purpose, type RedisClient, type RedisSettings } from '../redis.ts'
import { conversationOf, type Question } from '../run/types.ts'
import { RedisConversations } from './dm-conversations.ts'
import { QUEUE_DEFAULTS } from './defaults.ts'
import { logThrottle } from './log-throttle.ts'
import { bullPrefix, ThreadJobs } from './thread-jobs.ts'
import { settledWithin } from '../async.ts'
import { ThreadStore } from './thread-store.ts'
import { Sweeper } from './sweeper.ts'
import type { Accepted, Handler, Queue, QueueStats } from './types.ts'
import { QuestionWorker } from './question-worker.ts'

export interface RedisQueueOptions {
  redis: RedisSettings
  log: StoreLog
  /** Before every key. */
  prefix?: string
  /** `front` only takes in, `worker` only answers. */
  role?: 'all' | 'front' | 'worker'
  /** Questions answered at once by this process. */
  concurrency?: number
  now?: () => number
  random?: () => number
  /** How long accept() may take before it gives up, so that Slack hears in time that it must deliver again. */
  acceptMs?: number
  knownTtlMs?: number
  /** Messages at a direct message's top level that are no further apart are one conversation; 0: each is its own. */
  dmMemoryMs?: number
  doneTtlMs?: number
  givenUpTtlMs?: number
  /** Workers lost without a new checkpoint between, and failures of the handler, after which a run is given up. */
  maxLosses?: number
  maxFailures?: number
  backoffMs?: number
  /** Another worker gets a dead one's job after `lockMs` plus at most twice `stalledMs`. */
  lockMs?: number
  stalledMs?: number
  sweepMs?: number
  graceMs?: number
}

/**
 * A queue in Redis that any number of processes share. An accepted question is handed out again and again until a handler
 * has finished with it, whichever process dies. BullMQ only gives out the turns; the questions and their order are in the
 * threads' own keys (run/keys.ts).
 */
export function redisQueue(options: RedisQueueOptions): Queue {
  return new RedisQueue({ ...QUEUE_DEFAULTS, ...options })
}

class RedisQueue implements Queue {
  readonly #options: Required<RedisQueueOptions>
  readonly #connections: RedisClient[] = []
  readonly #onFault: (error: Error) => void
  readonly #intake: QueueConnection
  #worker: QuestionWorker | undefined
  #sweeper: Sweeper | undefined
  #isStopped = false

  constructor(options: Required<RedisQueueOptions>) {
    this.#options = options
    this.#onFault = logThrottle(options.log, options.now)
    // A worker takes in too: a `/ask` question goes in a second time, under the thread that its root message opens.
    this.#intake = this.#half('intake')
  }

  async accept(question: Question, { onlyKnownThread = false } = {}): Promise<Accepted> {
    // Also while stopping: another process answers what is stored now, and a running `/ask` may be at its second accept.
    return within(this.#options.acceptMs, acceptDelivery(this.#intake, question, onlyKnownThread))
  }

  async start(handler: Handler, giveUp?: Handler): Promise<void> {
    if (this.#options.role === 'front' || this.#worker || this.#isStopped) return
    const { prefix, log, sweepMs, random } = this.#options
    const half = this.#half('work')
    this.#worker = new QuestionWorker({ ...this.#options, ...half, onFault: this.#onFault, handler, giveUp })
    this.#sweeper = new Sweeper({ ...half, prefix, log, everyMs: sweepMs, random })
    void this.#sweeper.run()
  }

  async stop(ms: number): Promise<void> {
    if (this.#isStopped) return
    this.#isStopped = true
    this.#sweeper?.stop()
    await this.#worker?.stop(ms)
    for (const connection of this.#connections) connection.disconnect()
  }

  /**
   * Tests with a write, not with a PING: a Redis that is full, or a replica, answers but stores nothing. In a Cluster it goes
   * where BullMQ's keys are, which every question needs.
   */
  async ready(): Promise<boolean> {
    const { redis } = this.#intake
    if (this.#isStopped || redis.status !== 'ready') return false
    const write = redis.set(`${bullPrefix(this.#options.prefix)}:ready`, 1, 'PX', 1_000)
    return (await settledWithin(1_000, [write])) && (await write.then(Boolean, () => false))
  }

  async stats(): Promise<QueueStats> {
    return this.#intake.jobs.stats(this.#options.now())
  }

  #half(purpose: Purpose): QueueConnection {
    const { prefix, log } = this.#options
    const redis = connect(this.#options.redis, { purpose, log })
    this.#connections.push(redis)
    return {
      redis,
      conversations: new RedisConversations({ ...this.#options, redis }),
      store: new ThreadStore({ ...this.#options, redis }),
      jobs: new ThreadJobs({ redis, prefix, onFault: this.#onFault }),
    }
  }
}

/** What intake and work both need, each over a connection of its own kind (see `Purpose`). */
interface QueueConnection {
  redis: RedisClient
  conversations: RedisConversations
  store: ThreadStore
  jobs: ThreadJobs
}

/**
 * Stores the question, then makes sure that its thread has a job: for a duplicate too, because the process that took the
 * first delivery may have died between the two.
 */
async function acceptDelivery(half: QueueConnection, asked: Question, onlyKnownThread: boolean): Promise<Accepted> {
  const { conversations, store, jobs } = half
  const question = await conversations.place(asked)
  const { accepted, gen } = await store.accept(question, onlyKnownThread)
  if (gen === '') return accepted
  await jobs.ensure(conversationOf(question), gen, accepted === 'accepted' ? question : undefined)
  return accepted
}

async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  if (await settledWithin(ms, [promise])) return promise
  // If it is stored after all, that is harmless: Slack's next delivery of it is then a duplicate.
  throw new TransientError(`Redis did not take the question in within ${ms} ms.`)
}
