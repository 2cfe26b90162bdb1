import type { Usage } from '../agent/contracts/model.ts'
import { messageOf } from '../base/errors.ts'
import type { RunEnd, RunRecord } from '../stores/archive/types.ts'
import { callsOf, costCounts, endCounts, ratedCounts } from '../stores/use/use-counts.ts'
import type { AnswerServices, RunWork } from './services.ts'

type BookedWork = Pick<RunWork, 'question' | 'run' | 'settings' | 'services'>

/** Books the cost of a question so far, replacing what was booked before. A failure is only logged. */
export async function recordCost({ question, run, settings, services }: BookedWork, usage: Usage[]): Promise<void> {
  const counts = costCounts(question, usage, callsOf(run.saved.steps, settings.tools))
  await orLogged(question.id, services, services.usage.records.book(question, counts, { grows: true }))
}

/** Books the end of a question. Its cost is booked already. */
export async function recordEnd({ question, run, services }: BookedWork, end: RunEnd): Promise<void> {
  const { id, team, at } = question
  const booked = services.usage.records.book({ team, id: `${id} end`, at }, endCounts(question, end))
  const isUnanswered = UNANSWERED.has(end)
  const { unanswered } = services.usage
  const listed = isUnanswered
    ? unanswered.add(team, id, at)
    : run.saved.retries > 0
      ? unanswered.remove(team, id)
      : undefined
  await orLogged(id, services, Promise.all([booked, listed]))
}

/** The ends after which a question is listed as unanswered. */
const UNANSWERED = new Set<RunEnd>(['gave_up', 'failed'])

/** Books the current ratings of an answer. */
export async function recordRating({ question, end, feedback }: RunRecord, services: AnswerServices): Promise<void> {
  const { id, team, at } = question
  const isDown = feedback.some(({ rating }) => rating === 'down')
  const { usage } = services
  const booked = usage.records.book({ team, id: `${id} rating`, at }, ratedCounts(isDown))
  const isListed = isDown || UNANSWERED.has(end)
  const listed = isListed ? usage.unanswered.add(team, id, at) : usage.unanswered.remove(team, id)
  await orLogged(id, services, Promise.all([booked, listed]))
}

async function orLogged(question: string, { log }: AnswerServices, work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    log.warn({ question, error: messageOf(error) }, 'the use of a question could not be booked')
  })
}
