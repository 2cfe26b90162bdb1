import type { RunRecord } from '../stores/archive/types.ts'
import { sleep } from '../base/backoff.ts'
import { isPrivate } from '../stores/runs/types.ts'

/**
 * Returns the record if this person may read it: private answers belong only to their asker. `isElsewhere`: the person
 * asks for it outside its channel, so their right to read that channel is unknown.
 */
export function readableBy(
  user: string,
  record: RunRecord | undefined,
  { isElsewhere = false } = {},
): RunRecord | undefined {
  const isOwn = record?.question.user === user
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
