/**
 * The rules by which a worker holds a question, loses it, and dead-letters it. How long a lease is held
 * (WORKER_LOCK_MS) and after how many losses or failures a question is dead-lettered: queue-settings.ts.
 */
import { DelayedError, type Job } from 'bullmq'
import { LeaseLost, messageOf } from '../base/errors.ts'
import { systemNow } from '../base/system-clock.ts'
import type { StoreLog } from '../base/store-log.ts'
import { isTransient } from '../base/redis/redis-errors.ts'
import { redisRun, type RedisRun } from '../stores/runs/redis-run.ts'
import type { QueueSettings } from './queue-settings.ts'
import { bullPrefix, QUEUE_NAME, type QueueConnection, type ThreadJob } from './thread-jobs.ts'
import { settledWithin } from '../base/async.ts'
import type { LeasedQuestion } from './thread-scripts.ts'
import { isJobLost, ThreadJobWorker } from './bullmq-worker.ts'
import type { HandleOutcome, Handler } from './types.ts'

interface QuestionWorkerParts extends QueueConnection {
  log: StoreLog
  settings: QueueSettings
  /** Called with the errors of BullMQ's own loops. */
  onFault: (error: Error) => void
  handler: Handler
  deadLetter: Handler | undefined
}

/** A question in progress. `isSuspect`: its run is dead-lettered if its worker is lost again. */
interface RunningQuestion {
  abort: AbortController
  done: Promise<unknown>
  isSuspect: boolean
}

/** How long a suspect question waits for another one to end before it is tried again. Milliseconds. */
const SUSPECT_PAUSE_MS = 200

/** Takes jobs from BullMQ and runs the handler on their questions: one job is one question's turn in its thread. */
export class QuestionWorker {
  readonly #parts: QuestionWorkerParts
  readonly #settings: QueueSettings
  readonly #worker: ThreadJobWorker
  readonly #running = new Map<string, RunningQuestion>()
  #isStopping = false

  constructor(parts: QuestionWorkerParts) {
    this.#parts = parts
    this.#settings = parts.settings
    const { prefix, concurrency, lockMs, stalledMs } = parts.settings
    this.#worker = new ThreadJobWorker(QUEUE_NAME, (job, token) => this.#process(job, token ?? ''), {
      connection: parts.redis,
      prefix: bullPrefix(prefix),
      concurrency,
      lockDuration: lockMs,
      stalledInterval: stalledMs,
      // The number of allowed losses depends on checkpoints, so it is checked with the run and not by BullMQ.
      maxStalledCount: 1_000_000_000,
      drainDelay: 5,
      runRetryDelay: 1_000,
    })
    this.#worker.on('lockRenewalFailed', (ids) => {
      for (const id of ids) this.#running.get(id)?.abort.abort(new LeaseLost('The lease ran out.'))
    })
    this.#worker.on('error', (error) => this.#onError(error))
  }

  /**
   * Takes no new job, lets running questions finish, and shortly before `ms` aborts and releases the rest. Never
   * rejects.
   */
  async stop(ms: number): Promise<void> {
    this.#isStopping = true
    const closing = this.#worker.close()
    const working = () => [...this.#running.values()].map(({ done }) => done)
    const handingOverMs = Math.min(this.#settings.graceMs + 1_000, ms / 2)
    if (!(await settledWithin(ms - handingOverMs, working()))) {
      this.#parts.log.info(
        { questions: this.#running.size },
        'shutdown timeout: the questions still running are released',
      )
      for (const { abort } of this.#running.values()) abort.abort(new LeaseLost('The bot is stopping.'))
      await settledWithin(this.#settings.graceMs + 1_000, working())
    }
    // Only BullMQ's own cleanup is left, which waits for ever while Redis is away.
    if (!(await settledWithin(1_000, [closing]))) await settledWithin(1_000, [this.#worker.getBackend().close(true)])
  }

  async #process(job: Job<ThreadJob>, token: string): Promise<void> {
    const abort = new AbortController()
    const isSuspect = job.stalledCounter >= this.#settings.maxLosses - 1
    const pause = this.#pauseBefore(isSuspect)
    const entry: RunningQuestion = { abort, done: Promise.resolve(), isSuspect: isSuspect && pause === undefined }
    entry.done = pause === undefined ? this.#answer(job, token, entry) : this.#delay(job, token, pause)
    const id = job.id ?? ''
    this.#running.set(id, entry)
    try {
      await entry.done
    } finally {
      // A job whose lease was lost may already be back in this same worker, while its first attempt is still ending.
      if (this.#running.get(id) === entry) this.#running.delete(id)
    }
  }

  /**
   * Two suspect questions never run side by side. If one of several kills its worker, all of them lose it, and only
   * that one should be dead-lettered. @returns ms until the question may be tried again, or undefined if it may begin
   * now.
   */
  #pauseBefore(isSuspect: boolean): number | undefined {
    if (this.#isStopping) return 0
    const isBeside = isSuspect && [...this.#running.values()].some((other) => other.isSuspect)
    return isBeside ? SUSPECT_PAUSE_MS : undefined
  }

  async #answer(job: Job<ThreadJob>, token: string, entry: RunningQuestion): Promise<void> {
    const { signal } = entry.abort
    const { store, jobs } = this.#parts
    const { thread, gen } = job.data
    const leased = await store.begin(thread, gen, job.attemptsStarted)
    if (!('lease' in leased)) {
      // The process may have crashed after the end of the last question and before adding this one's job.
      if (leased.gen !== '') await jobs.ensure(thread, leased.gen)
      return
    }
    const { question } = leased.stored
    // A failure does no harm: a tag is off by one, and stats() later drops the stale entry.
    jobs.begin(question, job.priority).catch(() => {})
    // The job's losses were not consecutive, because there were checkpoints in between.
    if (leased.stored.losses < this.#settings.maxLosses - 1) entry.isSuspect = false
    const run = redisRun({ redis: this.#parts.redis, ...this.#settings }, leased.lease, leased.stored.saved)
    let result: HandleOutcome
    try {
      result = await this.#work(leased, run, signal)
    } catch (error) {
      await run.flush().catch(() => undefined)
      const delay = await this.#release(leased, error, signal)
      if (delay === undefined) return
      await jobs.waiting.add(leased.thread, question)
      return this.#delay(job, token, delay)
    }
    await this.#finish(leased, run, result)
  }

  async #work(leased: LeasedQuestion, run: RedisRun, signal: AbortSignal): Promise<HandleOutcome> {
    const { handler, deadLetter, log } = this.#parts
    const { question, losses, failures } = leased.stored
    if (leased.verdict === 'drop') return
    if (leased.verdict === 'give-up') log.error({ question: leased.id, losses, failures }, 'question dead-lettered')
    const work = leased.verdict === 'give-up' ? deadLetter : handler
    return endsInTime(work?.(question, run, signal), signal, this.#settings.graceMs)
  }

  async #finish(leased: LeasedQuestion, run: RedisRun, result: HandleOutcome): Promise<void> {
    const { store, jobs, log } = this.#parts
    const done = result === 'refused' || result === 'limited' ? result : 'done'
    const state = leased.verdict === 'work' ? done : 'dead-lettered'
    const isSuspended = state === 'done' && result === 'waiting'
    const records = run.takeRecords()
    const suspended = isSuspended ? await store.suspend(leased, records) : undefined
    const { held, gen, followUps } = suspended
      ? { ...suspended, followUps: 0 }
      : await store.finish(leased, state, records)
    if (!held) log.info({ question: leased.id }, 'lease lost: another worker has the question')
    if (gen !== '') await jobs.ensure(leased.thread, gen)
    if (followUps > 0) await this.#noteFollowUps(leased, followUps)
  }

  /** From now on counts messages that were added too late for the run as waiting. A failure affects only `stats`. */
  async #noteFollowUps({ id, thread }: LeasedQuestion, questions: number): Promise<void> {
    this.#parts.log.info({ question: id, questions }, 'messages that came too late for the run are new questions now')
    await this.#parts.jobs.waiting.recount(thread).catch(() => {})
  }

  /**
   * Releases a question that was not finished. @returns ms until it is tried again, or undefined if another worker has
   * it.
   */
  async #release(leased: LeasedQuestion, error: unknown, signal: AbortSignal): Promise<number | undefined> {
    const { store, log } = this.#parts
    const { backoffMs } = this.#settings
    if (signal.aborted || error instanceof LeaseLost) {
      const isHeld = (await store.release(leased)) !== undefined
      log.info(
        { question: leased.id },
        isHeld ? 'question released for another worker' : 'lease lost: another worker has the question',
      )
      return isHeld ? 0 : undefined
    }
    if (isTransient(error)) {
      log.warn(
        { question: leased.id, error: messageOf(error) },
        'Redis failed while a question was running; it will be tried again',
      )
      return (await store.release(leased)) === undefined ? undefined : backoffMs
    }
    const failures = await store.release(leased, messageOf(error).slice(0, 500) || 'unknown')
    log.error({ question: leased.id, failures, error: messageOf(error).slice(0, 500) }, 'question failed')
    return failures === undefined ? undefined : backoffMs * 2 ** (failures - 1)
  }

  /**
   * Returns the job to BullMQ, for any worker after `delay` ms. @throws DelayedError always: BullMQ's way to say so.
   */
  async #delay(job: Job<ThreadJob>, token: string, delay: number): Promise<never> {
    await job.moveToDelayed(systemNow() + delay, token)
    throw new DelayedError()
  }

  #onError(error: Error): void {
    const { log, onFault } = this.#parts
    if (this.#isStopping) return
    // A missing lock means that another worker has the job; the run's own lease has already stopped the work here.
    if (isJobLost(error)) log.info({ error: error.message }, 'lease lost')
    else onFault(error)
  }
}

/**
 * Waits for the work, but no longer than `graceMs` once the signal is aborted. @throws LeaseLost when that time is
 * over.
 */
async function endsInTime<T>(
  work: Promise<T> | undefined,
  signal: AbortSignal,
  graceMs: number,
): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  let onAbort = () => {}
  const abandoned = new Promise<never>((_, reject) => {
    onAbort = () => {
      timer = setTimeout(() => reject(new LeaseLost('The handler did not end in time.')), graceMs)
    }
  })
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort)
  try {
    return await Promise.race([work, abandoned])
  } finally {
    signal.removeEventListener('abort', onAbort)
    clearTimeout(timer)
  }
}
