/** Tells people that their question is refused, and why, not more often than is useful. */
import type { LimitRefusal } from '../../stores/limits/usage-limits.ts'
import { noteContent } from '../format/blocks.ts'
import { denialText, newReference, refusalText, withReference, type Denial } from '../format/messages.ts'
import type { QuestionWork } from '../question-work.ts'

/** Refusals that are not the asker's fault: Slack did not say who they are, so they ask again and must get a reply. */
const OURS = new Set<Denial>(['personUnreachable', 'personUntold', 'emailUntold', 'groupUntold'])

/**
 * Tells only the asker that they may not ask, or not there: once a day per reason, place and person. Users of a command
 * or a menu, and people who could not be looked up, get the message each time, because they wait for a reply. Bots get
 * none.
 */
export async function noticeDenial(denial: Denial, work: QuestionWork): Promise<void> {
  const { question, services } = work
  const { log, telemetry, oncePerDay } = services
  const { kind, team, channel, user, responseUrl } = question
  const reference = newReference()
  telemetry.watch?.refused(question, denial)
  log.info({ question: question.id, reference, denial }, 'question refused: this person may not ask here')
  if (kind === 'bot') return
  const mustHear = OURS.has(denial) || responseUrl !== undefined
  const isNew = mustHear || (await oncePerDay.isFirst(team, `${denial}:${channel}:${user}`))
  if (isNew) await work.outbox.tellAsker(noteContent(withReference(denialText(denial), reference)))
}

/** Tells only the asker which limit the question exceeds. */
export async function notifyRefusal(refusal: LimitRefusal, work: QuestionWork): Promise<void> {
  const { question, services } = work
  const { log, telemetry } = services
  const reference = newReference()
  telemetry.watch?.refused(question, refusal.limit)
  log.info({ question: question.id, reference, limit: refusal.limit }, 'question refused by a limit')
  await work.outbox.tellAsker(noteContent(withReference(refusalText(refusal), reference)))
}
