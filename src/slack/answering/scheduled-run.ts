/** A scheduled question before it has a thread: whether it may run. */
import { TransientError } from '../../base/errors.ts'
import { admit } from '../../question/usage-admission.ts'
import { askAgainLater, isNothing, pauseSchedule, takeTurn } from '../../question/occurrence.ts'
import { isConditional } from '../../question/scheduled-settings.ts'
import { withPrior } from '../../question/work-before-thread.ts'
import type { HandleOutcome } from '../../queue/types.ts'
import { occurrenceIn, type OccurrenceQuestion } from '../../stores/runs/types.ts'
import type { PauseReason, Schedule } from '../../stores/schedules/types.ts'
import { factsOfPlace } from '../client/place-facts.ts'
import { noteContent } from '../format/blocks.ts'
import { scheduledRoot } from '../format/schedule-words.ts'
import { denialNow } from '../intake/access.ts'
import { ALL_PAGES, isMember } from '../client/channel-members.ts'
import type { QuestionWork } from '../question-work.ts'
import { answerUnseen } from './answer-in-thread.ts'
import { openCommandThread } from './command-thread.ts'
import { endScheduled, tellPaused } from './end-scheduled.ts'
import { notifyFailure } from './failure-notice.ts'
import { notifyRefusal } from './refusal-notice.ts'

/**
 * Handles an occurrence before it has a thread. It opens one, in which the question is then answered. A conditional
 * question is answered first, and has a thread only if there is something to show.
 */
export async function handleOccurrence(question: OccurrenceQuestion, work: QuestionWork): Promise<HandleOutcome> {
  const { run } = work
  try {
    if (!(await begin(work))) return
    const isQuiet = isConditional(question)
    if (isQuiet) await answerUnseen(work)
    if (!isQuiet || !isNothing(run.saved.answer)) return await openRoot(question, work)
    await endScheduled(work, 'quiet')
  } catch (error) {
    await notifyFailure(error, work)
    await endScheduled(work, 'failed')
  }
}

async function openRoot(question: OccurrenceQuestion, work: QuestionWork): Promise<void> {
  const { run, outbox, mentions, services } = work
  const text = await mentions.withNames(question.text)
  const whose = (await mentions.withNames(`<@${question.user}>`)).replace(/^@/, '')
  const root = noteContent(scheduledRoot({ whose, when: question.schedule.when, question: text }))
  await openCommandThread({ ...withPrior(question, run.saved), text }, root, outbox, services.queue)
}

/**
 * @returns the schedule, or undefined if this occurrence is over: the schedule is gone or paused, or it is not its turn
 */
async function begin(work: QuestionWork): Promise<Schedule | undefined> {
  const { question, services } = work
  const schedule = await takeTurn(work)
  if (typeof schedule === 'string') return endScheduled(work, schedule)
  if (!schedule) return undefined
  if (schedule.paused?.by === question.id) return tellPaused(work, schedule)
  const why = await whyPaused(work, schedule)
  if (why) return pause(work, why)
  const refusal = await admit(question, services)
  if (!refusal) return schedule
  const isBudget = refusal.limit.includes('Day')
  const occurrence = occurrenceIn(question)
  if (!isBudget && occurrence?.kind === 'now' && !occurrence.by) await notifyRefusal(refusal, work)
  else services.telemetry.watch?.refused(question, refusal.limit)
  if (isBudget) return pause(work, 'budget')
  return (await askAgainLater(work, schedule, refusal)) ? undefined : endScheduled(work, 'limited')
}

/**
 * Returns why a schedule may not run now on behalf of its creator, in its channel. Undefined if it may. Asks Slack each
 * time.
 * @throws TransientError if Slack does not say enough
 */
async function whyPaused(work: QuestionWork, schedule: Schedule): Promise<PauseReason | undefined> {
  const { question, installation, settings, signal } = work
  const { team, channel, user } = schedule
  const facts = await installation.directory.factsOf(team, user, { isFresh: true })
  if (facts === 'hidden') return 'makerGone'
  if (typeof facts === 'string') throw new TransientError('Slack did not tell who made the schedule.')
  if (facts.isGone) return 'makerGone'
  if (facts.isGuest || facts.isExternal) return 'makerGuest'
  if (await denialNow({ question, settings, installation, signal })) return 'notAllowed'
  return channel.startsWith('D') ? undefined : whyNotIn(work, schedule)
}

async function whyNotIn({ installation }: QuestionWork, schedule: Schedule): Promise<PauseReason | undefined> {
  const { team, channel, user, place, runs } = schedule
  const now = await factsOfPlace(channel, installation)
  if (now.isHidden) return 'botLeft'
  if (now.isArchived) return 'archived'
  // The bot joins a public channel to post, but not again after it was removed.
  const wasIn = place.isMember || runs.some(({ end }) => end === 'answered')
  if (!now.isMember && (wasIn || now.isPrivate)) return 'botLeft'
  if (now.isShared && !place.isShared) return 'becameShared'
  if (now.isPrivate && !place.isPrivate) return 'becamePrivate'
  const isIn = await isMember({ team, channel, user }, installation.client, ALL_PAGES)
  if (isIn === false) return 'makerLeft'
  if (isIn === undefined && now.isPrivate) throw new TransientError('Slack did not tell who is in the channel.')
  return undefined
}

async function pause(work: QuestionWork, why: PauseReason): Promise<undefined> {
  const schedule = await pauseSchedule(work, why)
  return schedule?.paused?.by === work.question.id ? tellPaused(work, schedule) : undefined
}
