import { sleep } from '../base/backoff.ts'
import { messageOf, TransientError } from '../base/errors.ts'
import type { StoreLog } from '../base/store-log.ts'
import type { ThreadKey } from '../base/place.ts'
import { connectRedis, type Purpose, type RedisClient, type RedisSettings } from '../base/redis/redis.ts'
import { conversationOf, type Question } from '../stores/runs/types.ts'
import { placeInRedis } from './dm-conversations.ts'
import { logThrottle, bullPrefix, ThreadJobs, waitingEntry, type QueueConnection } from './thread-jobs.ts'
import { redisLine } from './redis-waiting-line.ts'
import { RedisRunControl } from './redis-run-control.ts'
import { queueSettings, type GivenQueueSettings, type QueueSettings } from './queue-settings.ts'
import { settledWithin } from '../base/async.ts'
import { ThreadScripts } from './thread-scripts.ts'
import { startSweeper } from './sweeper.ts'
import type { AcceptOutcome, AcceptOptions, ControlledQueue, Handler, Queue, QueueStats, WaitingLine } from './types.ts'
import { QuestionWorker } from './question-worker.ts'

export interface RedisQueueOptions extends GivenQueueSettings {
  redis: RedisSettings
  log: StoreLog
}

/**
 * A queue in Redis that any number of processes share. An accepted question is handed out until a handler has finished
 * it, whichever process dies. BullMQ only gives out the turns; the questions and their order are in the threads' own
 * keys (stores/runs/thread-keys.ts).
 */
export function redisQueue({ redis, log, ...given }: RedisQueueOptions): ControlledQueue {
  return new RedisQueue(redis, log, queueSettings(given))
}

/** The time in which stopped runs have to end, and the interval between two checks. Milliseconds. */
const ENDING_MS = 60_000
const ENDING_CHECK_MS = 250

class RedisQueue implements ControlledQueue {
  readonly #redis: RedisSettings
  readonly #log: StoreLog
  readonly #settings: QueueSettings
  readonly #connections: RedisClient[] = []
  readonly #onFault: (error: Error) => void
  readonly #intake: QueueConnection
  readonly #line: Omit<WaitingLine, 'place'>
  readonly control: RedisRunControl
  #work: QueueConnection | undefined
  #worker: QuestionWorker | undefined
  #stopSweeper: (() => void) | undefined
  #isStopped = false

  constructor(redis: RedisSettings, log: StoreLog, settings: QueueSettings) {
    this.#redis = redis
    this.#log = log
    this.#settings = settings
    this.#onFault = logThrottle(log, settings.now)
    // A worker accepts questions too: an `/ask` is accepted a second time, under the thread that its root message
    // opens.
    this.#intake = this.#connect('intake')
    this.#line = redisLine(this.#intake.redis, settings, this.#intake.jobs.waiting.key)
    this.control = new RedisRunControl(settings, this.#intake, () => (this.#work ??= this.#connect('work')))
  }

  async accept(question: Question, options: AcceptOptions = {}): Promise<AcceptOutcome> {
    // Accepts while stopping too: another process answers what is stored now, and a running `/ask` may be at its second
    // accept.
    return within(this.#settings.acceptMs, this.#accept(question, options))
  }

  async start(handler: Handler, deadLetter?: Handler): Promise<void> {
    const [log, settings] = [this.#log, this.#settings]
    if (settings.role === 'front' || this.#worker || this.#isStopped) return
    const connection = (this.#work ??= this.#connect('work'))
    this.#worker = new QuestionWorker({ ...connection, settings, log, onFault: this.#onFault, handler, deadLetter })
    this.#stopSweeper = startSweeper(connection, this.control, log, settings)
  }

  async stop(ms: number): Promise<void> {
    if (this.#isStopped) return
    this.#isStopped = true
    this.#stopSweeper?.()
    await this.#worker?.stop(ms)
    this.control.close()
    for (const connection of this.#connections) connection.disconnect()
  }

  /**
   * Tests with a write rather than a PING: a full Redis, or a replica, answers but stores nothing. In a Cluster the
   * write goes to the node of BullMQ's keys, which every question needs.
   */
  async ready(): Promise<boolean> {
    const { redis } = this.#intake
    if (this.#isStopped || redis.status !== 'ready') return false
    const write = redis.set(`${bullPrefix(this.#settings.prefix)}:ready`, 1, 'PX', 1_000)
    return (await settledWithin(1_000, [write])) && (await write.then(Boolean, () => false))
  }

  readonly place: Queue['place'] = (question) => placeInRedis(this.#intake.redis, this.#settings, question)
  readonly inThread: Queue['inThread'] = (thread) => this.#line.inThread(thread)
  readonly withdraw: Queue['withdraw'] = (...of) => this.#line.withdraw(...of)
  readonly forgetChannel: Queue['forgetChannel'] = (place) => this.#line.forgetChannel(place)
  readonly moveChannel: Queue['moveChannel'] = (...of) => this.#line.moveChannel(...of)
  readonly forgetUser: Queue['forgetUser'] = (person) => this.#line.forgetUser(person)
  readonly forgetTeam: Queue['forgetTeam'] = async (team, whenEnded) => {
    const threads = await this.#intake.jobs.activeOf(team)
    for (const thread of threads) await this.#stopRunning(thread)
    await this.#line.forgetTeam(team)
    await this.#intake.jobs.forgetTeam(team)
    if (threads.length > 0)
      this.#forgetOnceEnded(team, whenEnded).catch((error: unknown) =>
        this.#log.warn({ team, error: messageOf(error) }, 'the data of a team’s last runs could not be deleted'),
      )
  }

  async #stopRunning(thread: ThreadKey): Promise<void> {
    const { running } = await this.#line.inThread(thread)
    if (running) await this.control.send({ thread, id: running.id }, { type: 'stop', by: '', withdrawn: {} })
  }

  /** Deletes the keys that ending runs have written again: BullMQ's stream of events, and the tags of its channel. */
  async #forgetOnceEnded(team: string, whenEnded?: () => Promise<void>): Promise<void> {
    const { jobs } = this.#intake
    const { now } = this.#settings
    for (const until = now() + ENDING_MS; now() < until && !this.#isStopped; await sleep(ENDING_CHECK_MS))
      if ((await jobs.activeOf(team)).length === 0) break
    await jobs.forgetTeam(team)
    await whenEnded?.()
  }

  async stats(): Promise<QueueStats> {
    return this.#intake.jobs.stats(this.#settings.now())
  }

  #connect(purpose: Purpose): QueueConnection {
    const redis = connectRedis(this.#redis, { purpose, log: this.#log })
    this.#connections.push(redis)
    const store = new ThreadScripts(redis, this.#log, this.#settings)
    return { redis, store, jobs: new ThreadJobs(redis, this.#settings.prefix, this.#onFault) }
  }

  /**
   * Stores the question, then makes sure that its thread has a job. Duplicates are handled too, because the process
   * that took the first delivery may have died between the two steps.
   */
  async #accept(asked: Question, options: AcceptOptions): Promise<AcceptOutcome> {
    const { store, jobs } = this.#intake
    const question = await this.place(asked)
    const { accepted, gen, before } = await store.accept(question, options)
    if (before > 0) options.onQueued?.()
    if (gen === '') return accepted
    await jobs.ensure(conversationOf(question), gen, accepted === 'accepted' ? waitingEntry(question) : undefined)
    return accepted
  }
}

async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  if (await settledWithin(ms, [promise])) return promise
  // If it is stored after all, Slack's next delivery is a duplicate, which is harmless.
  throw new TransientError(`Redis did not take the question in within ${ms} ms.`)
}
