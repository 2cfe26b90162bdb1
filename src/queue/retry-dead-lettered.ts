import type { StoreLog } from '../base/store-log.ts'
import type { RedisKeyspace } from '../base/redis/redis-keys.ts'
import { findRuns } from '../stores/runs/list-runs.ts'
import { conversationOf } from '../stores/runs/types.ts'
import { logThrottle, ThreadJobs, waitingEntry } from './thread-jobs.ts'
import { queueSettings, type QueueSettings } from './queue-settings.ts'
import { ThreadScripts } from './thread-scripts.ts'

export interface RetryPlace extends RedisKeyspace, Pick<QueueSettings, 'knownTtlMs' | 'now'> {
  log: StoreLog
}

/**
 * Retries a dead-lettered question (`npm run runs -- retry`): puts it at the end of its thread's queue. The run
 * continues from its last checkpoint, and its losses and failures are counted from zero.
 * @returns whether a dead-lettered question with this id was found
 */
export async function retryDeadLettered(place: RetryPlace, id: string): Promise<boolean> {
  const { redis, log, prefix, knownTtlMs, now } = place
  const settings = queueSettings({ prefix, knownTtlMs, now })
  const store = new ThreadScripts(redis, log, settings)
  const jobs = new ThreadJobs(redis, prefix, logThrottle(log, now))
  let isRetried = false
  for (const { question, state } of await findRuns(place, id)) {
    if (state !== 'dead-lettered') continue
    const gen = await store.retry(question)
    if (gen === '') continue
    await jobs.ensure(conversationOf(question), gen, waitingEntry(question))
    isRetried = true
  }
  return isRetried
}
