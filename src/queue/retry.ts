import type { StoreLog } from '../history/log.ts'
import { findRuns, type RunsPlace } from '../run/inspect.ts'
import { conversationOf } from '../run/types.ts'
import { QUEUE_DEFAULTS } from './defaults.ts'
import { faultLine } from './faults.ts'
import { TurnJobs } from './jobs.ts'
import { ThreadStore } from './store.ts'

/**
 * Puts a given-up question back into its thread's queue, behind whatever waits there. It goes on from its last checkpoint,
 * and its losses and failures are counted from zero.
 * @returns whether a given-up question with this id was found.
 */
export async function retryRun(place: RunsPlace & { log: StoreLog }, id: string): Promise<boolean> {
  const store = new ThreadStore({ ...QUEUE_DEFAULTS, ...place })
  const jobs = new TurnJobs({ ...place, onFault: faultLine(place.log, Date.now) })
  let isRetried = false
  for (const { question, state } of await findRuns(place, id)) {
    if (state !== 'given-up') continue
    const gen = await store.retry(question)
    if (gen === '') continue
    await jobs.ensure(conversationOf(question), gen, question)
    isRetried = true
  }
  return isRetried
}
