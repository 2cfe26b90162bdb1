/** The record of the answer below which a button was pressed. */
import type { RunRecord } from '../../stores/archive/types.ts'
import { sleep } from '../../base/backoff.ts'
import { isPrivate } from '../../stores/runs/types.ts'

/** What is said where the record of an answer is not kept any more. */
export const GONE =
  'This answer is not kept any more: it was forgotten, or its time is over. Please ask in your own words.'

/** The record, if this person may see anything of it: what somebody asked in private is theirs alone. */
export function readableBy(user: string, record: RunRecord | undefined): RunRecord | undefined {
  return record && isPrivate(record.question) && record.question.user !== user ? undefined : record
}

/** How long after an answer its record may still be missing, in ms. Slack waits three seconds for an ack. */
const RECORD_MS = 1_000

/** What is done with the record of an answer. An answer stands in Slack a little before its record is kept: it is tried twice. */
export async function withRecord<T>(work: () => Promise<T>): Promise<T> {
  const done = await work()
  if (done) return done
  await sleep(RECORD_MS)
  return work()
}
