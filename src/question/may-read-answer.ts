import type { RunRecord } from '../stores/archive/types.ts'
import { sleep } from '../base/backoff.ts'
import { isSamePerson, type Presser } from '../stores/runs/audience.ts'
import { isPrivate } from '../stores/runs/types.ts'

/**
 * Returns the record if this person may read it: private answers belong only to their asker. `isElsewhere`: the person
 * asks for it outside its channel, so their right to read that channel is unknown.
 */
export function readableBy(
  presser: Presser,
  record: RunRecord | undefined,
  { isElsewhere = false } = {},
): RunRecord | undefined {
  const isOwn = record !== undefined && isSamePerson(presser, record.question)
  return record && (isElsewhere || isPrivate(record.question)) && !isOwn ? undefined : record
}

/**
 * How long an answer's record may be missing after the answer was posted, in ms. Slack waits three seconds for an ack.
 */
const RECORD_MS = 1_000

/** Runs `work` on an answer's record, twice if needed: the answer is posted shortly before its record is stored. */
export async function withRecord<T>(work: () => Promise<T>): Promise<T> {
  const done = await work()
  if (done) return done
  await sleep(RECORD_MS)
  return work()
}
