/** How schedules look: the card before saving, the list, and the modal that changes one. */
import type { ConfirmationDialog, KnownBlock, ModalView } from '@slack/web-api'
import { describeTime } from '../../schedules/describe-when.ts'
import { nextTimes } from '../../schedules/when.ts'
import { refText, type Schedule } from '../../stores/schedules/types.ts'
import { SCHEDULE, SCHEDULE_FORM } from '../format/action-ids.ts'
import { cardContent, clipSection, section, type Content } from '../format/blocks.ts'
import { escapeText, escapeWithin, quote } from '../format/escape.ts'
import { COMMAND } from '../format/messages.ts'
import { button, plainContext, plainTextElement } from '../format/plain-elements.ts'
import {
  costText,
  scheduledQuestion,
  SCHEDULES,
  stateLines,
  whenText,
  withChannelNames,
} from '../format/schedule-words.ts'
import { formModal, modal, textInput } from './plain-blocks.ts'

const TIMES_SHOWN = 3
const TOOLS = { max: 600, maxEscaped: 900 }
const QUESTION = { max: 900, maxEscaped: 1500 }

/** Shows the creator what would be saved. `tools`: their titles; `question`: with names instead of ids. */
export function scheduleCard(
  draft: Schedule,
  { tools, question, now, note }: { tools: string[]; question: string; now: number; note?: string | undefined },
): Content {
  const times = nextTimes(draft.when, now, TIMES_SHOWN).map((at) => describeTime(at, draft.when.zone))
  const where = draft.channel.startsWith('D') ? 'this direct message' : 'this channel, visible to everyone'
  const lines = [
    ...(note === undefined ? [] : [note]),
    `*Your ${draft.replaces === undefined ? '' : 'changed '}schedule, not saved yet*`,
    quote(question, QUESTION),
    `*When:* ${whenText(draft)}`,
    `*Next:* ${escapeText(times.join(' · ')) || 'never'}`,
    `*Answers go to:* ${where}. Each starts its own thread.`,
    `*Tools:* ${tools.length === 0 ? 'none' : escapeWithin(tools.join(', '), TOOLS)}. Every change they make waits for your approval.`,
    `*Cost of a run:* ${draft.tried ? costText(draft.tried) : 'not known yet. Press Try now to see it.'}`,
  ]
  const value = refText(draft)
  const elements = [
    button(SCHEDULE.save, 'Save', { value, style: 'primary' }),
    button(SCHEDULE.try, 'Try now', { value }),
    ...(draft.replaces === undefined ? [button(SCHEDULE.answer, 'Just answer', { value })] : []),
    button(SCHEDULE.cancel, 'Cancel', { value }),
  ]
  return cardContent(lines.join('\n'), elements)
}

/** Slack accepts 50 blocks in a message, and a schedule takes three. */
const MAX_SHOWN = 15

export interface ShownSchedules {
  own: Schedule[]
  /** The schedules of other people in the channel; only for admins. */
  others: Schedule[]
  now: number
  nameOf(user: string): string
}

/** The list of `/ask schedules`. `note`: the result of the last press. */
export function scheduleList(shown: ShownSchedules, note?: string): Content {
  const { own, others } = shown
  const isEmpty = own.length + others.length === 0
  const blocks = [
    ...(note === undefined ? [] : [section(note)]),
    ...(isEmpty ? [section(SCHEDULES.none)] : scheduleBlocks(shown)),
  ]
  const text = [...own, ...others].map((one) => `${whenText(one)}: ${scheduledQuestion(one)}`).join('\n')
  return { text: clipSection([note, text || SCHEDULES.none].filter(Boolean).join('\n')), blocks }
}

/** Draws at most `max` schedules with their buttons, the viewer's own first. */
export function scheduleBlocks({ own, others, now, nameOf }: ShownSchedules, max = MAX_SHOWN): KnownBlock[] {
  const shown = [...own, ...others].slice(0, max)
  const left = own.length + others.length - shown.length
  return [
    ...shown.flatMap((one) => oneBlocks(one, now, own.includes(one) ? undefined : nameOf(one.user))),
    ...(left > 0 ? [plainContext(`and ${left} more`)] : []),
  ]
}

function oneBlocks(schedule: Schedule, now: number, whose: string | undefined): KnownBlock[] {
  // The outbox sends no mention of a channel, so the place is a link.
  const link = `<https://slack.com/app_redirect?channel=${schedule.channel}|its channel>`
  const place = schedule.channel.startsWith('D') ? 'in our direct messages' : `in ${link}`
  const by = whose === undefined ? '' : `, by ${escapeText(whose)}`
  const words = `*${whenText(schedule)}* ${place}${by}\n${scheduledQuestion(schedule)}`
  return [
    section(words),
    plainContext(escapeText(stateLines(schedule, now, whose === undefined).join('\n'))),
    { type: 'actions', elements: buttonsOf(schedule, whose === undefined) },
  ]
}

/** Another person who may manage a schedule may not change its question, because it asks on behalf of its creator. */
function buttonsOf(schedule: Schedule, isOwn: boolean) {
  const value = refText(schedule)
  const { state } = schedule
  return [
    button(SCHEDULE.run, 'Run now', { value }),
    ...(state === 'active' ? [button(SCHEDULE.pause, 'Pause', { value })] : []),
    ...(state === 'paused' && isOwn ? [button(SCHEDULE.resume, 'Resume', { value, style: 'primary' as const })] : []),
    ...(isOwn ? [button(SCHEDULE.change, 'Change', { value })] : []),
    { ...button(SCHEDULE.delete, 'Delete', { value, style: 'danger' as const }), confirm: SURE },
  ]
}

const SURE: ConfirmationDialog = {
  title: plainTextElement('Delete this schedule?'),
  text: plainTextElement('It will not run any more. Its answers so far stay.'),
  confirm: plainTextElement('Delete'),
  deny: plainTextElement('Keep'),
  style: 'danger',
}

/** A message to the creator alone, with a button to resume. */
export function pausedContent(text: string, schedule: Schedule): Content {
  const elements = [button(SCHEDULE.resume, 'Resume', { value: refText(schedule), style: 'primary' })]
  return cardContent(text, elements)
}

/** The `block_id` and `action_id` of the modal's input. */
export const SCHEDULE_TEXT = 'schedule_text'
export const MAX_TEXT = 2_900

/** The title of the modals behind *Change*. */
export const CHANGE = 'Change your schedule'

/** The modal after *Next*: the card of the changed schedule. */
export function scheduleCardModal({ blocks }: Content, metadata: string): ModalView {
  return modal(CHANGE, blocks as KnownBlock[], { private_metadata: metadata })
}

/** The modal behind *Change*: the schedule as its creator wrote it, which is at most `MAX_TEXT` long. */
export function scheduleForm(schedule: Schedule, metadata: string): ModalView {
  const hint = `As you would write it after ${COMMAND}: every Monday at 9 what is new in our wiki?`
  const written = { max_length: MAX_TEXT, initial_value: withChannelNames(schedule.text) }
  return formModal(CHANGE, ['Next', 'Cancel'], SCHEDULE_FORM, metadata, [
    textInput(SCHEDULE_TEXT, 'When, and what to answer', { hint, ...written }),
  ])
}
