import { expiringCache } from '../../base/expiring-cache.ts'
import { admit } from '../../question/usage-admission.ts'
import type { HandleOutcome } from '../../queue/types.ts'
import { noticeDenial, notifyRefusal } from './refusal-notice.ts'
import { denialOf } from '../intake/access.ts'
import type { QuestionWork } from '../question-work.ts'

/** How long an admitted person is not looked up again. Milliseconds. */
const ADMITTED_MS = 10 * 60_000
const MAX_ADMITTED = 10_000

export function admittedPeople(now: () => number): QuestionWork['admitted'] {
  return expiringCache<true>({ ttlMs: ADMITTED_MS, max: MAX_ADMITTED, now })
}

/**
 * Refuses a person who may not ask, or not now, with a message. @returns undefined for a question that will be answered
 */
export async function refuse(
  work: QuestionWork,
  beforeLookUp: () => void,
): Promise<{ end: HandleOutcome } | undefined> {
  if (await isDenied(work, beforeLookUp)) return { end: 'refused' }
  return (await isOverLimit(work, admit)) ? { end: 'limited' } : undefined
}

/** Returns whether the question exceeds a limit now. The asker has got a message then. */
export async function isOverLimit(work: QuestionWork, count: typeof admit): Promise<boolean> {
  const refusal = await count(work.question, work.services)
  if (refusal) await notifyRefusal(refusal, work)
  return refusal !== undefined
}

/** Returns whether the asker may not ask. They have got a message then. */
export async function isDenied(work: QuestionWork, beforeLookUp = () => {}): Promise<boolean> {
  const { question, admitted } = work
  const who = `${question.team}:${question.channel}:${question.user}`
  if (admitted.has(who)) return false
  const denial = await denialOf(work, beforeLookUp)
  if (denial) await noticeDenial(denial, work)
  else if (question.kind !== 'bot') admitted.set(who, true)
  return denial !== undefined
}
