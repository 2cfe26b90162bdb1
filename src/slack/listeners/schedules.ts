import { z } from 'zod'
import { messageOf } from '../../base/errors.ts'
import { parseJson } from '../../base/parse-json.ts'
import { isAtWork } from '../../question/occurrence.ts'
import { occurrenceOf } from '../../question/scheduler.ts'
import { isSamePerson } from '../../stores/runs/audience.ts'
import { nextTimes } from '../../schedules/when.ts'
import { activated, pausedSchedule, refOf, type Schedule, type ScheduleRef } from '../../stores/schedules/types.ts'
import { SCHEDULE, SCHEDULE_FORM, SCHEDULE_PRESSES } from '../format/action-ids.ts'
import { noteContent, type Content } from '../format/blocks.ts'
import { SCHEDULES, nextText, savedText } from '../format/schedule-words.ts'
import {
  inBackground,
  openModal,
  pressedOn,
  SAME_PRESS_MS,
  typedIn,
  updateModal,
  type ButtonPress,
} from '../presses/button-press.ts'
import { isAdmin } from '../intake/may-set.ts'
import { openedBy, readMetadata, signMetadata } from '../presses/signed-metadata.ts'
import { enqueue } from '../intake/to-question.ts'
import { cardOf, changedDraft, noRoomFor, scheduledPlace } from '../schedules/schedule-request.ts'
import { shownSchedules } from '../schedules/schedules-command.ts'
import { areSchedulesOff, type Services, type WorkspaceServices } from '../services.ts'
import { noteModal } from '../views/plain-blocks.ts'
import {
  CHANGE,
  MAX_TEXT,
  SCHEDULE_TEXT,
  scheduleCardModal,
  scheduleForm,
  scheduleList,
} from '../views/schedule-blocks.ts'
import { onButton, onForm } from './listener.ts'

/** A press on a schedule's button. */
interface SchedulePress {
  action: string
  ref: ScheduleRef
  pressed: ButtonPress
  /** The direct message of the Home on which it, or what led to it, was pressed. */
  home: string | undefined
  /** The modal with the button. */
  modal: string | undefined
}

interface PressOn extends SchedulePress {
  schedule: Schedule
}

/** The reply to the user; undefined if something else is shown. */
type ButtonReply = string | undefined

/** The buttons below the card of a draft, in the list, on the Home and on the note about a paused schedule. */
export const scheduleButton = onButton(
  SCHEDULE_PRESSES,
  (services, publishHome) =>
    async ({ ack, action, body, context }) => {
      await ack()
      const value = action.value ?? ''
      const ref = refOf(value)
      const pressed = ref && (await pressedOn(value, { body, context, isAnywhere: true }, services))
      if (!pressed) return
      const { user, installation } = pressed
      const press = {
        action: action.action_id,
        ref,
        pressed,
        home: (body.view && readMetadata(body.view.private_metadata, pressed)) || undefined,
        modal: body.view?.type === 'modal' ? body.view.id : undefined,
      }
      inBackground(action.action_id, services, async () => {
        const outcome = await outcomeOf(press, services).catch((error: unknown) => {
          services.log.error({ schedule: ref.id, error: messageOf(error) }, 'a schedule could not be changed')
          return SCHEDULES.failed
        })
        const { home, modal } = press
        if (modal !== undefined && outcome !== undefined)
          await updateModal(installation, modal, noteModal(CHANGE, outcome.replaceAll('`', '')))
        const note = modal ? undefined : outcome
        if (home !== undefined) return publishHome({ team: pressed.team, user, channel: home, installation, note })
        if (modal === undefined && outcome !== undefined)
          await show(outcome, pressed, isList(body, action.action_id), services)
      })
    },
)

const OF_CARD = [SCHEDULE.save, SCHEDULE.try, SCHEDULE.answer, SCHEDULE.cancel]

/**
 * Returns whether the button is in a list, which is shown again. The note about a paused schedule is a separate
 * message.
 */
function isList({ container }: { container?: object }, action: string): boolean {
  return (
    !OF_CARD.includes(action) &&
    container !== undefined &&
    'is_ephemeral' in container &&
    container.is_ephemeral === true
  )
}

async function outcomeOf(press: SchedulePress, services: Services): Promise<ButtonReply> {
  const { action, ref, pressed } = press
  const { user } = pressed
  const isCreator = isSamePerson(pressed, ref)
  if (!isCreator && !(FOR_ADMINS.includes(action) && (await isAdminHere(pressed)))) return SCHEDULES.notYours
  const schedule = await services.schedules.load(ref)
  const act = ACTIONS[action]
  if (!schedule || !act) return SCHEDULES.gone
  if (areSchedulesOff(services) && RUNNING.includes(action)) return SCHEDULES.off
  services.log.info({ schedule: ref.id, action, by: user }, 'a button of a schedule was pressed')
  return act({ ...press, schedule }, services)
}

/** An admin may stop a schedule in a channel, but not change its question, because it asks on behalf of its creator. */
const FOR_ADMINS = [SCHEDULE.run, SCHEDULE.pause, SCHEDULE.delete]

/** The buttons that let a schedule run, at once or later. */
const RUNNING = [SCHEDULE.try, SCHEDULE.run, SCHEDULE.resume]

async function isAdminHere({ team, user, userTeam, installation }: ButtonPress): Promise<boolean> {
  return userTeam === undefined && isAdmin(await installation.directory.factsOf(team, user, { isFresh: true }))
}

const ACTIONS: Record<string, (press: PressOn, services: Services) => Promise<ButtonReply>> = {
  [SCHEDULE.save]: save,
  [SCHEDULE.resume]: resume,
  [SCHEDULE.change]: change,
  async [SCHEDULE.try](press, services) {
    if (press.schedule.state !== 'draft') return SCHEDULES.gone
    await begin('try', press, services)
    if (press.modal !== undefined) return SCHEDULES.tryingThere
    await press.pressed.tell(SCHEDULES.trying)
    return undefined
  },
  async [SCHEDULE.answer]({ schedule }, services) {
    if (schedule.state !== 'draft') return SCHEDULES.gone
    const { id, team, channel, user, text, app } = schedule
    const thread = `ask-schedule-${id}`
    const at = services.now().getTime()
    const place = { id: `${team}:${channel}:${thread}`, team, channel, thread, user, ...(app ? { app } : {}) }
    await enqueue({ kind: 'asked', ...place, text, surface: 'ask', at, isNoSchedule: true }, services)
    // The draft stays until it expires, so that a second press says the same.
    return SCHEDULES.answering
  },
  async [SCHEDULE.cancel]({ ref, schedule }, { schedules }) {
    if (schedule.state === 'draft') await schedules.remove(ref)
    return SCHEDULES.cancelled
  },
  async [SCHEDULE.run](press, services) {
    if (isAtWork(press.schedule, services)) return SCHEDULES.atWork
    await begin('now', press, services)
    return SCHEDULES.running
  },
  async [SCHEDULE.pause]({ ref }, { schedules, now }) {
    const at = now().getTime()
    const pause = (one: Schedule) => (one.state === 'active' ? pausedSchedule(one, { why: 'person', at }) : undefined)
    await schedules.update(ref, pause)
    return 'Paused. The person who made it can resume it.'
  },
  async [SCHEDULE.delete]({ ref }, { schedules }) {
    await schedules.remove(ref)
    return SCHEDULES.deleted
  },
}

/** The time that one press may take, in milliseconds. */
const SAVE_MS = 10_000

/** A person's presses are handled one after another, so that the limit holds for all of them together. */
function save(press: PressOn, services: Services): Promise<ButtonReply> {
  const { team, user } = press.ref
  return services.people.shared.lock(`schedules:${team}:${user}`, SAVE_MS, () => saveOne(press, services))
}

async function saveOne({ ref, schedule }: PressOn, services: Services): Promise<ButtonReply> {
  if (schedule.state !== 'draft') return savedText(schedule)
  const full = await noRoomFor(schedule, services)
  if (full !== undefined) return full
  const { schedules } = services
  const now = services.now().getTime()
  if (nextTimes(schedule.when, now, 1).length === 0) return SCHEDULES.past
  const saved =
    schedule.replaces === undefined
      ? await schedules.update(ref, (one) => (one.state === 'draft' ? activated(one, now) : one))
      : await saveChange(schedule, schedule.replaces, services)
  return saved ? savedText(saved) : SCHEDULES.gone
}

/** The draft stays until it expires, so that a second press saves the same. */
function saveChange(draft: Schedule, replaces: string, { schedules, now }: Services) {
  const { team, channel, user, text, question, when, gapMs } = draft
  return schedules.update({ team, channel, user, id: replaces }, ({ gapMs: _, tried: __, ...one }) => {
    const after = { ...one, text, question, when, gapMs }
    return one.state === 'paused' ? after : activated(after, now().getTime())
  })
}

/** The person who resumes it accepts the channel as it is now. */
async function resume({ ref, pressed }: SchedulePress, { schedules, now }: Services): Promise<ButtonReply> {
  const place = await scheduledPlace(ref.channel, pressed.installation)
  const resumed = await schedules.update(ref, (one) =>
    one.state === 'paused' ? activated({ ...one, place }, now().getTime()) : one,
  )
  return resumed?.state === 'active' ? `Resumed. Next: ${nextText(resumed)}.` : SCHEDULES.past
}

async function change({ ref, schedule, pressed, home }: PressOn): Promise<ButtonReply> {
  if (schedule.text.length > MAX_TEXT) return SCHEDULES.tooLong
  const metadata = signMetadata(JSON.stringify({ ref, home }), pressed)
  await openModal(pressed.installation, pressed.trigger, scheduleForm(schedule, metadata))
  return undefined
}

async function begin(
  kind: 'now' | 'try',
  { schedule, pressed: { user, responseUrl } }: PressOn,
  services: Services,
): Promise<void> {
  const now = services.now().getTime()
  const pressedBy = user === schedule.user ? {} : { by: user }
  const occurrence = occurrenceOf(schedule, { kind, at: now - (now % SAME_PRESS_MS), now, ...pressedBy })
  await enqueue({ ...occurrence, responseUrl: kind === 'try' ? responseUrl : undefined }, services)
}

async function show(words: string, pressed: ButtonPress, isInList: boolean, services: Services): Promise<void> {
  const { team, channel = '', user, installation } = pressed
  if (!isInList) return pressed.replace(noteContent(words))
  const shown = await shownSchedules({ team, channel, user }, installation, services)
  await pressed.replace(scheduleList(shown, words))
}

/** `home`: the direct message of the Home on which *Change* was pressed. */
const metadataSchema = z.object({
  ref: z.object({ team: z.string(), channel: z.string(), user: z.string(), id: z.string() }),
  home: z.string().optional(),
})

/**
 * The modal behind *Change* was submitted: the changed schedule is shown as a card, or the error is shown at the input.
 */
export const changedSchedule = onForm(SCHEDULE_FORM, (services) => async ({ ack, body, view, context }) => {
  const opened = await openedBy(view, body, context, services)
  const about = metadataSchema.safeParse(parseJson(opened?.metadata)).data
  const installation = about && (await services.installations.of(about.ref.team))
  if (!about || !installation) return ack()
  const text = typedIn(view.state, SCHEDULE_TEXT)
  const deps = { installation, services }
  const shown = await cardOfChange(about.ref, text, deps).catch((error: unknown) => {
    services.log.error({ schedule: about.ref.id, error: messageOf(error) }, 'a schedule could not be changed')
    return { problem: SCHEDULES.failed }
  })
  if ('problem' in shown)
    return ack({ response_action: 'errors', errors: { [SCHEDULE_TEXT]: shown.problem.replaceAll('`', '') } })
  const signed = signMetadata(about.home ?? '', { user: about.ref.user, installation })
  await ack({ response_action: 'update', view: scheduleCardModal(shown, signed) })
})

type Problem = { problem: string }

async function cardOfChange(ref: ScheduleRef, text: string, deps: WorkspaceServices): Promise<Content | Problem> {
  const draft = await changedDraft(ref, text, deps)
  return 'problem' in draft ? draft : cardOf(draft, { ...deps, settings: await deps.services.settingsFor(draft) })
}
