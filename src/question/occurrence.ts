/** An occurrence of a schedule at work: its turn among the others, and its end. */
import { totalOf } from '../agent/run-progress.ts'
import type { LimitRefusal } from '../stores/limits/usage-limits.ts'
import { occurrenceIn, endOf, type Question, type SavedRun } from '../stores/runs/types.ts'
import {
  beginsAt,
  endedARun,
  pausedSchedule,
  withRun,
  type Cost,
  type PauseReason,
  type Schedule,
  type ScheduleRef,
  type ScheduleRun,
} from '../stores/schedules/types.ts'
import { latestMs } from './scheduler.ts'
import type { AnswerServices, RunWork } from './services.ts'

/** Returns whether the model has answered that there is nothing to say. */
export function isNothing(answer: { text: string } | undefined): boolean {
  return /^[\s\p{P}\p{S}]*nothing[\s\p{P}\p{S}]*$/iu.test(answer?.text ?? '')
}

/** The end of an occurrence. `over`: its answer says how. */
export type OccurrenceEnd = ScheduleRun['end'] | 'over'

/**
 * Marks an occurrence as the running one.
 * @returns its schedule, its end if it does not run, or undefined if it is over: the schedule is gone or paused, or a
 * later try replaces it. A schedule that this occurrence has paused is returned as it is.
 */
export async function takeTurn({
  question,
  services,
}: RunWork): Promise<Schedule | 'late' | 'limited' | 'skipped' | undefined> {
  const schedule = await services.schedules.load(refIn(question))
  if (!schedule || schedule.state === 'draft') return undefined
  if (schedule.paused?.by === question.id) return schedule
  if (schedule.state === 'paused' && occurrenceIn(question)?.kind === 'due') return undefined
  if (isReplaced(question, schedule)) return undefined
  if (schedule.running?.occurrence === question.id) return schedule
  const now = services.now().getTime()
  if (isTooLate(question, schedule, now)) return occurrenceIn(question)?.again === undefined ? 'late' : 'limited'
  const updated = await services.schedules.update(refIn(question), (before) =>
    before.running?.occurrence !== question.id && isAtWork(before, services)
      ? undefined
      : { ...before, running: { occurrence: question.id, since: now } },
  )
  return updated ?? 'skipped'
}

function isTooLate(question: Question, schedule: Schedule, now: number): boolean {
  const occurrence = occurrenceIn(question)
  if (occurrence?.kind !== 'due') return false
  return now - beginsAt(schedule, occurrence.at) > latestMs(schedule)
}

/** Returns whether a later try of the occurrence takes its place. */
function isReplaced(question: Question, { again }: Schedule): boolean {
  const occurrence = occurrenceIn(question)
  return occurrence?.kind === 'due' && again?.at === occurrence.at && again.n > (occurrence.again ?? 0)
}

/** How long a run waits for another run of the workspace to end. Milliseconds. */
const ROOM_MS = 30_000

/**
 * Lets the scheduler ask again when the limit allows it. @returns false if that would be too late, or a person is
 * waiting
 */
export async function askAgainLater(work: RunWork, schedule: Schedule, refusal: LimitRefusal): Promise<boolean> {
  const { question, services } = work
  const { kind, at, again = 0 } = occurrenceIn(question) ?? { kind: 'now', at: 0 }
  const from = services.now().getTime() + (refusal.resetsInMs ?? ROOM_MS)
  if (kind === 'now' || isTooLate(question, schedule, from)) return false
  await services.schedules.update(refIn(question), (before) => {
    const after = withoutTurn(before, question)
    return before.state === 'paused' ? after : { ...after, again: { at, n: again + 1, from } }
  })
  services.log.info({ question: question.id, schedule: schedule.id, limit: refusal.limit }, 'a scheduled run waits')
  return true
}

/**
 * Returns whether an occurrence of the schedule is at work. One that is at work for longer than any run takes was lost.
 */
export function isAtWork({ running }: Schedule, { agent, now }: Pick<AnswerServices, 'agent' | 'now'>): boolean {
  const longestMs = 2 * agent.defaults.limits.timeoutMs + 120_000
  return running !== undefined && now().getTime() - running.since < longestMs
}

/** A run that waits for a person does not hold up the next one. */
export async function endTurn({ question, services }: RunWork): Promise<void> {
  if (occurrenceIn(question))
    await services.schedules.update(refIn(question), (schedule) => withoutTurn(schedule, question))
}

function withoutTurn(schedule: Schedule, { id }: Question): Schedule {
  const { running, ...others } = schedule
  return running?.occurrence === id ? others : schedule
}

/** Failures in a row after which a schedule is paused. */
const MAX_FAILURES = 3

/**
 * Notes the end of an occurrence with its schedule. After the third failure in a row, the schedule is paused. May be
 * called again. @returns the changed schedule, or undefined if the question has none
 */
export async function noteEnd({ question, run, services }: RunWork, end: OccurrenceEnd): Promise<Schedule | undefined> {
  const occurrence = occurrenceIn(question)
  if (!occurrence) return undefined
  const cost = costOf(run.saved)
  if (occurrence.kind === 'try')
    return services.schedules.update(refIn(question), (before) => ({ ...before, ...(cost ? { tried: cost } : {}) }))
  const at = services.now().getTime()
  const how = end === 'over' ? endOf(run.saved.answer) : end
  const noted = { occurrence: question.id, due: occurrence.at, at, end: how, cost }
  const schedule = await services.schedules.update(refIn(question), (before) => {
    const isNoted = before.runs.some((one) => one.occurrence === question.id)
    const hasFailed = how === 'failed' || how === 'gave_up'
    const failures = isNoted || !endedARun(noted) ? before.failures : hasFailed ? before.failures + 1 : 0
    const after = { ...withRun(withoutTurn(before, question), noted), failures }
    return failures >= MAX_FAILURES && !isNoted && before.state === 'active'
      ? pausedSchedule(after, { why: 'failures', at, by: question.id })
      : after
  })
  services.log.info({ question: question.id, schedule: occurrence.id, end: how }, 'a scheduled run has ended')
  return schedule
}

function costOf({ usage }: SavedRun): Cost | undefined {
  if (usage.length === 0) return undefined
  const { tokens, costUsd } = totalOf(usage)
  const isPriced = usage.every((one) => one.costUsd !== undefined)
  return { tokens, ...(isPriced ? { usd: costUsd } : {}) }
}

/** Pauses the schedule of an occurrence, unless it is paused already. @returns the schedule */
export async function pauseSchedule({ question, services }: RunWork, why: PauseReason): Promise<Schedule | undefined> {
  const at = services.now().getTime()
  const schedule = await services.schedules.update(refIn(question), (before) => {
    const after = withoutTurn(before, question)
    const isPausedAlready = before.state === 'paused' && occurrenceIn(question)?.kind === 'due'
    return isPausedAlready ? after : pausedSchedule(after, { why, at, by: question.id })
  })
  services.log.info({ question: question.id, schedule: occurrenceIn(question)?.id, why }, 'a schedule was paused')
  return schedule
}

function refIn(question: Question): ScheduleRef {
  const { team, channel, user } = question
  return { team, channel, user, id: occurrenceIn(question)?.id ?? '' }
}
