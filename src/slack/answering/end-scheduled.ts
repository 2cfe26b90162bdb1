/** The end of a scheduled question: its record, and the messages about it. */
import { warnWith } from '../../base/log.ts'
import { noteEnd, type OccurrenceEnd } from '../../question/occurrence.ts'
import { occurrenceIn } from '../../stores/runs/types.ts'
import type { Schedule } from '../../stores/schedules/types.ts'
import { NOT_UNFURLED } from '../client/send-content.ts'
import { ifRefused, isAnswer } from '../client/slack-errors.ts'
import { noteContent, type Content } from '../format/blocks.ts'
import { notRunText, pausedText } from '../format/schedule-words.ts'
import type { QuestionWork } from '../question-work.ts'
import { cardOf } from '../schedules/schedule-request.ts'
import { pausedContent } from '../views/schedule-blocks.ts'

/** Records the end of an occurrence, and notifies those who wait for it. May be called again. */
export async function endScheduled(work: QuestionWork, end: OccurrenceEnd): Promise<undefined> {
  const { question, outbox } = work
  const schedule = await noteEnd(work, end)
  const { kind, by } = occurrenceIn(question) ?? {}
  if (!schedule) return undefined
  if (kind === 'try') {
    // Its creator sees the card again, with the run's cost.
    if (schedule.state === 'draft') await outbox.sendEphemeral('schedule', await cardOf(schedule, work))
    return undefined
  }
  if (schedule.paused?.by === question.id) return tellPaused(work, schedule)
  if (kind === 'now' && (end === 'skipped' || (end === 'limited' && by)))
    await tellAlone(work, by ?? question.user, noteContent(notRunText(schedule, end)))
  return undefined
}

/** Notifies the creator once, and anyone else who pressed *Run now*. */
export async function tellPaused(work: QuestionWork, schedule: Schedule): Promise<undefined> {
  const { user } = work.question
  const by = occurrenceIn(work.question)?.by
  const why = schedule.paused?.why ?? 'person'
  await tellAlone(work, user, pausedContent(pausedText(schedule, why), schedule))
  if (by) await tellAlone(work, by, noteContent(pausedText(schedule, why, { isCreator: false })))
}

/** Notifies a person once, in their direct messages. */
async function tellAlone(work: QuestionWork, user: string, { text, blocks }: Content): Promise<void> {
  const { question, outbox } = work
  const args = { channel: user, text, blocks, ...NOT_UNFURLED }
  // It cannot be looked up, because Slack does not say whose direct messages are whose.
  const lookUp = async (error: unknown) => (isAnswer(error) ? undefined : { ts: 'unsure' })
  const send = async () => String((await outbox.call('chat.postMessage', args, { effort: 'patient', lookUp })).ts)
  const find = async (isUnsure: boolean) => (isUnsure ? 'unsure' : undefined)
  await outbox
    .once(user === question.user ? 'paused' : 'paused-presser', send, find)
    .catch(ifRefused(warnWith(outbox.log, { user }, 'could not notify a person about a schedule')))
}
