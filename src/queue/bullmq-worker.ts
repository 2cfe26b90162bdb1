import { ErrorCode, Worker, type Job, type JobJson } from 'bullmq'
import type { ThreadJob } from './thread-jobs.ts'

/**
 * BullMQ's worker without its second look for a job. When a job ends after the last look found none, the blocking wait
 * of the main loop is already under way and brings the next one (read in BullMQ 6.7.0). If that is wrong it costs one
 * more command, and never a job: an added job leaves a marker, which ends the wait. A job that begins leaves a marker
 * too, whether or not another one waits, which wakes one more worker. With several idle workers, one of them looks in
 * vain, which costs seven or eight commands a question. BullMQ has no option against that.
 */
export class ThreadJobWorker extends Worker<ThreadJob> {
  #isDrained = false

  protected override async nextJobFromJobData(data?: JobJson, id?: string, token?: string): Promise<Job<ThreadJob>> {
    this.#isDrained = !data
    return super.nextJobFromJobData(data, id, token)
  }

  /**
   * BullMQ's main loop retries at once after an error that is not the connection's, such as a missing permission. If
   * the connection itself failed to initialize, the error comes without any I/O, and the loop would never yield to the
   * event loop.
   */
  protected override async moveToActive(token: string, name?: string): Promise<Job<ThreadJob>> {
    try {
      return await super.moveToActive(token, name)
    } catch (error) {
      if (!this.closing) await this.delay(this.opts.runRetryDelay)
      throw error
    }
  }

  override async processJob(
    job: Job<ThreadJob>,
    token: string,
    mayFetchNext: () => boolean = () => true,
  ): Promise<void | Job<ThreadJob>> {
    return super.processJob(job, token, () => !this.#isDrained && mayFetchNext())
  }
}

const LOST: unknown[] = [ErrorCode.JobNotExist, ErrorCode.JobLockNotExist, ErrorCode.JobLockMismatch]

/**
 * Returns whether BullMQ reports that another worker has the job: its lock is gone or belongs to another, or the job is
 * gone. A lock that could not be renewed in time is recognised by its text (BullMQ 6.7.0, lock-manager.js).
 */
export function isJobLost(error: Error): boolean {
  return ('code' in error && LOST.includes(error.code)) || error.message.startsWith('could not renew lock')
}
