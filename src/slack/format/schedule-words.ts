import { describeTime, describeWhen } from '../../schedules/describe-when.ts'
import {
  endedARun,
  spentIn30Days,
  type Cost,
  type PauseReason,
  type Schedule,
  type ScheduleRun,
} from '../../stores/schedules/types.ts'
import { occurrenceIn, type Question } from '../../stores/runs/types.ts'
import { ROOT_QUESTION } from './blocks.ts'
import { escapeText, quote, shorten } from './escape.ts'
import { COMMAND, count } from './messages.ts'

/** The bot's sentences about schedules, as mrkdwn. */

export const SCHEDULES = {
  off: 'Schedules are turned off here. The person who runs me can turn them on (SCHEDULES_PER_USER).',
  notMember: 'Only full members of this workspace can make schedules.',
  untold: 'Slack did not tell me who you are, so I made no schedule. Please try again in a minute.',
  cancelled: 'Cancelled. Nothing was saved.',
  answering: 'I am answering it now, as a question. Nothing was saved.',
  trying: 'I am trying it now. Only you will see the answer.',
  tryingThere:
    'I am trying it now. Only you will see the answer, in the channel of this schedule. You can save the schedule there.',
  tooLong:
    'The text of this schedule is too long for a Slack form. Please send the new version as a message, then delete this schedule.',
  gone: `This schedule no longer exists. \`${COMMAND} schedules\` lists yours.`,
  tooLongToSave: 'A schedule can have at most 4,000 characters, and this text has more. Please write it shorter.',
  past: 'Its time has passed, so there is nothing to save. Please write it again with a new time.',
  notYours: 'Only the person who made this schedule can do that.',
  running: 'I am running it now. The answer goes to the usual place.',
  atWork: 'Its last run is still going, so I did not start another one.',
  deleted: 'Deleted.',
  none: `You have no schedules here. Make one with \`${COMMAND} every Monday at 9 what is new in our wiki?\``,
  failed: 'Something went wrong, and nothing was changed. Please try again in a minute.',
}

export function tooManySchedules(max: number): string {
  return `You have ${count(max, 'schedule')}, which is the maximum here. Delete one first: \`${COMMAND} schedules\`.`
}

/** Replaces NOTHING where people expect a reply: after a trial run, or one that waited for a person. */
export function nothingText(question: Question): string {
  const nothing = 'There is nothing to report'
  return occurrenceIn(question)?.kind === 'try' ? `${nothing}, so a scheduled run would post nothing.` : `${nothing}.`
}

export function savedText(schedule: Schedule): string {
  if (schedule.state === 'paused') return 'Saved. It is paused, and does not run until you resume it.'
  return `Saved. Next: ${nextText(schedule)}. \`${COMMAND} schedules\` lists your schedules.`
}

const REASONS: Record<PauseReason, string> = {
  person: 'somebody paused it',
  failures: 'three runs in a row failed or found no answer',
  makerGone: 'the account of the person who made it is deactivated',
  makerGuest: 'guests and people of connected workspaces cannot have schedules',
  notAllowed: 'you are not allowed to ask me there any more',
  makerLeft: 'you are no longer a member of the channel',
  archived: 'the channel is archived',
  botLeft: 'I am no longer in the channel',
  becamePrivate: 'the channel was made private after you made the schedule',
  becameShared:
    'the channel was shared with another company after you made the schedule, or Slack no longer tells me whether it is shared',
  budget: 'your budget, or that of your workspace, is used up',
}

/** The reasons that name the creator, for other people. */
const REASONS_TO_OTHERS: Partial<Record<PauseReason, string>> = {
  notAllowed: 'the person who made it is not allowed to ask me there any more',
  makerLeft: 'the person who made it is no longer a member of the channel',
  becamePrivate: 'the channel was made private after the schedule was made',
  becameShared: 'the channel was shared with another company after the schedule was made',
  budget: 'the budget of the person who made it, or of the workspace, is used up',
}

function reasonText(why: PauseReason, { isCreator }: { isCreator: boolean }): string {
  return (isCreator ? undefined : REASONS_TO_OTHERS[why]) ?? REASONS[why]
}

/** Notifies a person privately and once that a schedule was paused: its creator, or anyone else who had it run. */
export function pausedText(schedule: Schedule, why: PauseReason, { isCreator } = { isCreator: true }): string {
  const [whose, who] = isCreator ? ['your', 'you resume'] : ['the', 'the person who made it resumes']
  return `I paused ${whose} schedule ${nameText(schedule)}, because ${reasonText(why, { isCreator })}. It does not run until ${who} it.`
}

/** Notifies the person who had it run that it did not. */
export function notRunText(schedule: Schedule, why: keyof typeof NOT_RUN): string {
  return `I did not run the schedule ${nameText(schedule)}, because ${NOT_RUN[why]}.`
}

function nameText(schedule: Schedule): string {
  return `“${scheduledQuestion(schedule)}” (${whenText(schedule)})`
}

const NOT_RUN = {
  skipped: 'its last run was still going',
  limited: 'the question limit was reached',
}

const ENDS: Record<ScheduleRun['end'], string> = {
  answered: 'answered',
  gave_up: 'no answer',
  stopped: 'stopped',
  failed: 'failed',
  quiet: 'ran, nothing to report',
  missed: 'missed, because I was not running',
  late: 'missed, because I was busy or not running until it was too late',
  skipped: `skipped, because ${NOT_RUN.skipped}`,
  limited: `not run, because ${NOT_RUN.limited}`,
}

/** Returns a line each for a schedule's state, its last runs, its next time and its cost. Not escaped. */
export function stateLines(schedule: Schedule, now: number, isCreator: boolean): string[] {
  const { runs, paused, when } = schedule
  const [last, ...earlier] = runs
  const unusual = earlier.filter((run) => !endedARun(run)).slice(0, 1)
  const lines = [...(last ? [last] : []), ...unusual].map((run, i) => {
    const times = run.count === undefined ? '' : ` (${run.count} times)`
    const cost = run.cost ? ` · ${costText(run.cost)}` : ''
    return `${i === 0 ? 'Last' : 'Earlier'}: ${describeTime(run.due, when.zone)}: ${ENDS[run.end]}${times}${cost}`
  })
  const next = paused ? pausedLine(paused.why, { isCreator }) : `Next: ${nextText(schedule)}`
  const spent = spentIn30Days(schedule, now)
  return [next, ...(lines.length > 0 ? lines : ['Last: has not run yet']), `Cost in 30 days: ${costText(spent)}`]
}

function pausedLine(why: PauseReason, viewer: { isCreator: boolean }): string {
  return why === 'person' ? 'Paused' : `Paused, because ${reasonText(why, viewer)}`
}

export function nextText({ due, when }: Schedule): string {
  return due === undefined ? 'never' : describeTime(due, when.zone)
}

export function costText({ usd, tokens }: Cost): string {
  if (usd === undefined) return tokens === 0 ? 'nothing' : `${tokens.toLocaleString('en-US')} tokens`
  return usd < 0.000_001 ? '$0' : `$${Number(usd.toPrecision(2))}`
}

/** The question on one line, escaped. */
export function scheduledQuestion({ question }: Pick<Schedule, 'question'>): string {
  return escapeText(shorten(withChannelNames(question).replace(/\s+/g, ' ').trim(), 150))
}

/** A channel's mention, in which Slack writes its name, as people write it: `#general`. */
export function withChannelNames(text: string): string {
  return text.replace(/<#[A-Z0-9]+\|([^<>|]+)>/g, '#$1')
}

export function whenText({ when }: Pick<Schedule, 'when'>): string {
  return escapeText(describeWhen(when))
}

/** The first message of an occurrence's thread. It pings nobody. `whose`: the creator's name. */
export function scheduledRoot({ whose, when, question }: { whose: string; when: string; question: string }): string {
  return `⏰ *${escapeText(whose)}’s schedule* · ${escapeText(when)}\n${quote(question, ROOT_QUESTION)}`
}
