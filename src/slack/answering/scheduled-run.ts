/** One occurrence of a schedule: checks it, answers it like any other question, and notes its end with the schedule. */
import { totalOf } from '../../agent/run-progress.ts'
import { messageOf } from '../../base/errors.ts'
import { withInstructions } from '../../agent/dialects/instructions.ts'
import { admit } from '../../question/admission.ts'
import type { Handled } from '../../queue/types.ts'
import type { LimitRefusal } from '../../stores/limits/usage-limits.ts'
import { fieldOf, parseFields } from '../../stores/runs/stored-run.ts'
import { endOf, type Question, type RunPart, type SavedRun } from '../../stores/runs/types.ts'
import type { Settings } from '../../stores/settings/settings.ts'
import {
  beginsAt,
  hasRun,
  latestMs,
  withRun,
  type Cost,
  type PauseReason,
  type Schedule,
  type ScheduleRef,
  type ScheduleRun,
} from '../../stores/schedules/types.ts'
import { UNPARSED } from '../client/response-url.ts'
import { isAnswer, SlackRefusal } from '../client/slack-errors.ts'
import { noticeFailure, noticeRefusal } from './failure-notice.ts'
import { noteContent, type Content } from '../format/blocks.ts'
import { notRunText, pausedText, scheduledRoot } from '../format/schedule-words.ts'
import { openCommandThread } from './command-thread.ts'
import type { QuestionWork } from '../question-work.ts'
import type { Services } from '../services.ts'
import { pausedContent } from '../views/schedule-blocks.ts'
import { whyPaused } from './check-maker.ts'
import { cardOf } from '../schedules/schedule-request.ts'

/** Failures in a row after which a schedule is paused. */
const MAX_FAILURES = 3

/** Returns whether the model may decide that there is nothing to say. */
export function isConditional({ text, schedule }: Pick<Question, 'text' | 'schedule'>): boolean {
  return schedule !== undefined && /\bonly\s+(?:if|when)\b/i.test(text)
}

/** Returns whether the model has answered that there is nothing to say. */
export function isNothing(answer: { text: string } | undefined): boolean {
  return /^[\s\p{P}\p{S}]*nothing[\s\p{P}\p{S}]*$/iu.test(answer?.text ?? '')
}

/**
 * The settings of a scheduled run: each write waits for approval, and there is no permission to search the workspace.
 */
export function scheduledSettings(question: Question, settings: Settings, quietWords: () => string): Settings {
  if (!question.schedule) return settings
  const tools = settings.tools
    .filter((tool) => !tool.needsSearch)
    .map((tool) => (tool.effects === 'write' ? { ...tool, needsApproval: true } : tool))
  const dialect = isConditional(question) ? withInstructions(settings.dialect, quietWords()) : settings.dialect
  return { ...settings, tools, dialect }
}

/**
 * Handles an occurrence before it has a thread. It opens one, in which the question is then answered. A conditional
 * question is answered first, by `answerQuietly`, and has a thread only if there is something to show.
 */
export async function handleOccurrence(work: QuestionWork, answerQuietly: () => Promise<void>): Promise<Handled> {
  const { question, run } = work
  try {
    if (!(await begin(work))) return
    const isQuiet = isConditional(question)
    if (isQuiet) await answerQuietly()
    if (!isQuiet || !isNothing(run.saved.answer)) return await openRoot(work)
    await endScheduled(work, 'quiet')
  } catch (error) {
    await noticeFailure(error, work)
    await endScheduled(work, 'failed')
  }
}

async function openRoot({ question, run, outbox, mentions, services }: QuestionWork): Promise<void> {
  const text = await mentions.withNames(question.text)
  const whose = (await mentions.withNames(`<@${question.user}>`)).replace(/^@/, '')
  const root = noteContent(scheduledRoot({ whose, when: question.schedule?.when ?? '', question: text }))
  const parts = partsOf(run.saved)
  const prior = parts.length > 0 ? { prior: Object.fromEntries(parts.map(fieldOf)) } : {}
  await openCommandThread({ ...question, text, ...prior }, root, { queue: services.queue, outbox })
}

/** Takes over the work that was done before the thread was open. */
export async function restorePrior({ question, run }: QuestionWork): Promise<void> {
  if (!question.prior || run.saved.usage.length > 0 || run.saved.steps.length > 0) return
  await run.save(...partsOf(parseFields(question.prior)))
}

function partsOf({ standalone, remembered, steps, memory, usage, answer }: SavedRun): RunPart[] {
  if (usage.length === 0) return []
  return [
    ...(standalone === undefined ? [] : [{ part: 'standalone' as const, value: standalone }]),
    ...(remembered ? [{ part: 'remembered' as const, value: remembered }] : []),
    ...steps.map((value, i) => ({ part: 'step' as const, n: i + 1, value })),
    { part: 'memory', value: memory },
    ...usage.map((value, i) => ({ part: 'usage' as const, n: i + 1, value })),
    ...(answer ? [{ part: 'answer' as const, value: answer }] : []),
  ]
}

/**
 * @returns the schedule, or undefined if this occurrence is over: the schedule is gone or paused, or it is not its turn
 */
async function begin(work: QuestionWork): Promise<Schedule | undefined> {
  const { question, services } = work
  const schedule = await services.schedules.load(refIn(question))
  if (!schedule || schedule.state === 'draft') return undefined
  if (schedule.paused?.by === question.id) return tellPaused(work, schedule)
  if (schedule.state === 'paused' && question.schedule?.kind === 'due') return undefined
  if (isHandedOn(question, schedule)) return undefined
  const now = services.now().getTime()
  if (schedule.running?.occurrence !== question.id) {
    if (isTooLate(question, schedule, now))
      return endScheduled(work, question.schedule?.again === undefined ? 'late' : 'limited')
    if (!(await takeTurn(work, now))) return endScheduled(work, 'skipped')
  }
  const why = await whyPaused(work, schedule)
  if (why) return pause(work, why)
  const refusal = await admit(question, services.limits)
  if (!refusal) return schedule
  services.watch?.refused(question, refusal.limit)
  if (refusal.limit.includes('Day')) return pause(work, 'budget')
  return (await waitForRoom(work, schedule, refusal)) ? undefined : endScheduled(work, 'limited')
}

function isTooLate({ schedule: occurrence }: Question, schedule: Schedule, now: number): boolean {
  if (occurrence?.kind !== 'due') return false
  return now - beginsAt(schedule, occurrence.at) > latestMs(schedule)
}

/** Returns whether a later try of the occurrence takes its place. */
function isHandedOn({ schedule: occurrence }: Question, { again }: Schedule): boolean {
  return occurrence?.kind === 'due' && again?.at === occurrence.at && again.n > (occurrence.again ?? 0)
}

/** How long a run waits for one of the workspace's others to end. Milliseconds. */
const ROOM_MS = 30_000

/**
 * If a limit is reached, the scheduler asks again later. @returns false if that would be too late, or a person is
 * waiting
 */
async function waitForRoom(work: QuestionWork, schedule: Schedule, refusal: LimitRefusal): Promise<boolean> {
  const { question, services } = work
  const { kind, at, again = 0 } = question.schedule ?? { kind: 'now', at: 0 }
  const from = services.now().getTime() + (refusal.resetsInMs ?? ROOM_MS)
  if (kind === 'now' && question.schedule?.by === undefined) await noticeRefusal(refusal, work)
  if (kind === 'now' || isTooLate(question, schedule, from)) return false
  await services.schedules.update(refIn(question), (before) => {
    const after = withoutTurn(before, question)
    return before.state === 'paused' ? after : { ...after, again: { at, n: again + 1, from } }
  })
  services.log.info({ question: question.id, schedule: schedule.id, limit: refusal.limit }, 'a scheduled run waits')
  return true
}

/** Marks the occurrence as the one at work. @returns false if the one before is still at work */
async function takeTurn({ question, services }: QuestionWork, now: number): Promise<boolean> {
  const taken = await services.schedules.update(refIn(question), (schedule) =>
    schedule.running?.occurrence !== question.id && isAtWork(schedule, services)
      ? undefined
      : { ...schedule, running: { occurrence: question.id, since: now } },
  )
  return taken !== undefined
}

/**
 * Returns whether an occurrence of the schedule is at work. One that is at work for longer than any run takes was lost.
 */
export function isAtWork({ running }: Schedule, { agent, now }: Pick<Services, 'agent' | 'now'>): boolean {
  const longestMs = 2 * agent.answer.agent.limits.timeoutMs + 120_000
  return running !== undefined && now().getTime() - running.since < longestMs
}

/** A run that waits for a person does not hold up the next one. */
export async function endTurn({ question, services }: QuestionWork): Promise<void> {
  if (question.schedule) await services.schedules.update(refIn(question), (schedule) => withoutTurn(schedule, question))
}

function withoutTurn(schedule: Schedule, { id }: Question): Schedule {
  const { running, ...others } = schedule
  return running?.occurrence === id ? others : schedule
}

/** Notes the end of an occurrence. After the third failure in a row, the schedule is paused. May be called again. */
export async function endScheduled(work: QuestionWork, end: ScheduleRun['end'] | 'over'): Promise<undefined> {
  const { question, run, services } = work
  const occurrence = question.schedule
  if (!occurrence) return undefined
  if (occurrence.kind === 'try') return showTried(work)
  const at = services.now().getTime()
  const how = end === 'over' ? endOf(run.saved.answer) : end
  const noted = { occurrence: question.id, due: occurrence.at, at, end: how, ...costOf(run.saved) }
  const schedule = await services.schedules.update(refIn(question), (before) => {
    const isNoted = before.runs.some((one) => one.occurrence === question.id)
    const hasFailed = how === 'failed' || how === 'gave_up'
    const failures = isNoted || !hasRun(noted) ? before.failures : hasFailed ? before.failures + 1 : 0
    const after = { ...withRun(withoutTurn(before, question), noted), failures }
    return failures >= MAX_FAILURES && !isNoted && before.state === 'active'
      ? pausedSchedule(after, { why: 'failures', at, by: question.id })
      : after
  })
  services.log.info({ question: question.id, schedule: occurrence.id, end: how }, 'a scheduled run has ended')
  if (schedule?.paused?.by === question.id) return tellPaused(work, schedule)
  if (schedule && occurrence.kind === 'now' && (how === 'skipped' || (how === 'limited' && occurrence.by)))
    await tellAlone(work, occurrence.by ?? question.user, noteContent(notRunText(schedule, how)))
}

function costOf({ usage }: SavedRun): { cost?: Cost } {
  if (usage.length === 0) return {}
  const { tokens, costUsd } = totalOf(usage)
  const isPriced = usage.every((one) => one.costUsd !== undefined)
  return { cost: { tokens, ...(isPriced ? { usd: costUsd } : {}) } }
}

async function pause(work: QuestionWork, why: PauseReason): Promise<undefined> {
  const { question, services } = work
  const at = services.now().getTime()
  const schedule = await services.schedules.update(refIn(question), (before) => {
    const after = withoutTurn(before, question)
    const isSaid = before.state === 'paused' && question.schedule?.kind === 'due'
    return isSaid ? after : pausedSchedule(after, { why, at, by: question.id })
  })
  services.log.info({ question: question.id, schedule: question.schedule?.id, why }, 'a schedule was paused')
  return schedule?.paused?.by === question.id ? tellPaused(work, schedule) : undefined
}

export function pausedSchedule(
  { due: _, again: __, ...schedule }: Schedule,
  paused: NonNullable<Schedule['paused']>,
): Schedule {
  return { ...schedule, state: 'paused', paused }
}

/** Tells the maker once, and whoever else pressed *Run now*. */
async function tellPaused(work: QuestionWork, schedule: Schedule): Promise<undefined> {
  const { user, schedule: occurrence } = work.question
  const why = schedule.paused?.why ?? 'person'
  await tellAlone(work, user, pausedContent(pausedText(schedule, why), schedule))
  if (occurrence?.by) await tellAlone(work, occurrence.by, noteContent(pausedText(schedule, why, { isMaker: false })))
}

/** Tells a person once, in their direct messages. */
async function tellAlone(work: QuestionWork, user: string, { text, blocks }: Content): Promise<void> {
  const { question, outbox, services } = work
  const args = { channel: user, text, blocks, ...UNPARSED, unfurl_links: false, unfurl_media: false }
  // Whether it is there cannot be looked up: nobody tells the bot which direct messages are whose.
  const lookUp = async (error: unknown) => (isAnswer(error) ? undefined : { ts: 'unsure' })
  const send = async () => String((await outbox.call('chat.postMessage', args, { effort: 'patient', lookUp })).ts)
  await outbox
    .once(user === question.user ? 'paused' : 'paused-presser', {
      find: async (isUnsure) => (isUnsure ? 'unsure' : undefined),
      send,
    })
    .catch((error: unknown) => {
      if (!(error instanceof SlackRefusal)) throw error
      services.log.warn(
        { question: question.id, user, error: messageOf(error) },
        'a person could not be told about a schedule',
      )
    })
}

/** After a trial run, shows its maker the card again, with the run's cost. */
async function showTried(work: QuestionWork): Promise<undefined> {
  const { question, run, services, outbox } = work
  const { cost } = costOf(run.saved)
  const draft = await services.schedules.update(refIn(question), (before) => ({
    ...before,
    ...(cost ? { tried: cost } : {}),
  }))
  if (draft?.state === 'draft') await outbox.sendEphemeral('schedule', await cardOf(draft, work))
  return undefined
}

function refIn({ team, channel, user, schedule }: Question): ScheduleRef {
  return { team, channel, user, id: schedule?.id ?? '' }
}
