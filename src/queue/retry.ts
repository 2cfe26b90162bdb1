import type { StoreLog } from '../history/log.ts'
import { findRuns, type RunsPlace } from '../run/inspect.ts'
import { threadOf } from '../run/types.ts'
import { QUEUE_DEFAULTS } from './defaults.ts'
import { TurnJobs } from './jobs.ts'
import { ThreadStore } from './store.ts'

/**
 * Hands a given-up question out again, behind whatever its thread has waiting. It goes on at its last checkpoint, with all
 * its tries anew.
 * @returns whether there was one with this id.
 */
export async function retryRun(place: RunsPlace & { log: StoreLog }, id: string): Promise<boolean> {
  const store = new ThreadStore({ ...QUEUE_DEFAULTS, ...place })
  const jobs = new TurnJobs(place)
  let isRetried = false
  for (const { question, state } of await findRuns(place, id)) {
    if (state !== 'given-up') continue
    const gen = await store.retry(question)
    if (gen === '') continue
    await jobs.ensure(threadOf(question), gen, question)
    isRetried = true
  }
  return isRetried
}
