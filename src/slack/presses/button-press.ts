import type { AllMiddlewareArgs, ViewSubmitAction } from '@slack/bolt'
import type { View } from '@slack/web-api'
import { z } from 'zod'
import { warnWith } from '../../base/log.ts'
import { currentPlace } from '../../stores/threads/moved-channel.ts'
import { isForAskerAlone, isSamePerson } from '../../stores/runs/audience.ts'
import { isDirect, type Question, type SavedRun } from '../../stores/runs/types.ts'
import type { Installation } from '../client/installations.ts'
import { tellPerson } from '../client/ephemeral.ts'
import { isSeenByAll } from '../client/thread-messages.ts'
import { PRESS } from '../approvals/approval-words.ts'
import { noteContent, type Content } from '../format/blocks.ts'
import { cardKey, copyKey, savedCall, type AskedCall } from '../approvals/saved-call.ts'
import { waitRef, type WaitRef } from '../approvals/button-value.ts'
import { presserOf, recipientOf } from '../intake/find-recipient.ts'
import type { Services } from '../services.ts'

/** The fields of a press that are read here. */
interface PressBody {
  user: { id: string; team_id?: string }
  channel?: { id: string } | undefined
  /** The message or the view with the button. */
  container?: Record<string, unknown>
  trigger_id: string
  response_url?: string
}

/** A press on one of our buttons below an answer, in the channel of its question. */
export interface ButtonPress {
  /** The question's id. */
  id: string
  team: string
  /** The channel that the button was pressed in. */
  channel: string | undefined
  user: string
  /** The user's workspace, if it is another one. */
  userTeam?: string | undefined
  /** See `Presser`. */
  homes?: readonly string[] | undefined
  trigger: string
  /** Absent for a button on a view. */
  responseUrl: string | undefined
  /** The time at which the message with the button was shown, in milliseconds since the epoch. NaN for a view. */
  shownAt: number
  installation: Installation
  /** Sends an ephemeral message to the user. Never rejects. */
  tell(text: string): Promise<void>
  /** Replaces the message with the button. If that fails, sends an ephemeral message to the user. Never rejects. */
  replace(content: Content): Promise<void>
}

/**
 * Resolves a press to its question, which the button's value names. If the button is in another channel than its
 * question, somebody copied the message, and whoever presses it there may not be allowed to read the answer.
 * `isAnywhere` skips that check; the caller must make it.
 * @returns undefined if the bot is not installed, or if the channel is wrong (the user is told)
 */
export async function pressedOn(
  id: string,
  {
    body,
    context,
    isAnywhere = false,
  }: { body: PressBody; context: AllMiddlewareArgs['context']; isAnywhere?: boolean },
  services: Services,
): Promise<ButtonPress | undefined> {
  const recipient = await recipientOf({ context, isShared: true, id }, services)
  if (!recipient) return undefined
  const { team, installation } = recipient
  const press = { body, installation, services }
  const tell = (text: string) => answerPress(press, noteContent(text))
  const replace = (content: Content) => answerPress(press, content, { replaces: true })
  const { user, userTeam, homes } = await presserOf(body, installation, services)
  const person = { user, userTeam: userTeam === team ? undefined : userTeam, homes }
  const place = isAnywhere ? `${team}:` : `${team}:${body.channel?.id ?? ''}:`
  const channel = body.channel?.id
  if (await isIn(place, id, services)) {
    const shownAt = Number(body.container?.['message_ts'] ?? NaN) * 1000
    const shown = { trigger: body.trigger_id, responseUrl: body.response_url || undefined, shownAt }
    return { id, team, channel, ...person, ...shown, installation, tell, replace }
  }
  services.log.warn({ team, channel, user }, 'refused a button outside of its channel')
  await tell(ELSEWHERE)
  return undefined
}

async function isIn(place: string, id: string, services: Services): Promise<boolean> {
  return id.startsWith(place) || (await currentPlace(id, services)).startsWith(place)
}

const ELSEWHERE = 'This button only works in the channel of its answer.'

/**
 * Returns whether a button was pressed in direct messages, where a private answer goes if Slack refuses it in the
 * channel.
 */
export function isInDirect({ channel }: { channel?: { id: string } | undefined }): boolean {
  return channel?.id.startsWith('D') === true
}

/** A press on an approval card. */
export interface PressedCall extends ButtonPress {
  ref: WaitRef
  /** Undefined if the run is no longer stored. */
  run?: { question: Question; saved: SavedRun; call?: AskedCall | undefined } | undefined
}

/**
 * Resolves a press to its call. The card of a run that is for the asker alone works for the asker, also in their direct
 * messages, and for the approvers to whom the asker sent it (`askApprovers`), in theirs. A card that all could see
 * works in its channel, and a copy of it in the direct messages of the approver who got it.
 * @returns undefined if the press is not valid here; the user may have been told
 * @throws if the store fails; the user has been told
 */
export async function pressedCall(
  value: string,
  body: PressBody,
  context: AllMiddlewareArgs['context'],
  services: Services,
): Promise<PressedCall | undefined> {
  let ref = waitRef(value)
  const isAnywhere = isInDirect(body)
  const pressed = await pressedOn(ref?.id ?? '', { body, context, isAnywhere }, services)
  if (!pressed || !ref?.conversation.startsWith(`${pressed.team}:`)) return undefined
  const load = async ({ conversation, id }: WaitRef) =>
    services.control.load({ thread: conversation, id }).catch((error: unknown) => {
      void pressed.tell(PRESS.away)
      throw error
    })
  const moved = await movedWait(ref, body.channel?.id, services)
  let run = moved && (await load(moved))
  if (moved && run) ref = moved
  else run = await load(ref)
  const isAlone = run && isForAskerAlone(run.question, run.saved)
  const isItsAskers = run && isAlone && isSamePerson(pressed, run.question)
  const isForAll = run !== undefined && isSeenByAll(run, cardKey(ref.key))
  const isHere = (!isAlone || isForAll) && (await isIn(`${pressed.team}:${body.channel?.id}:`, ref.id, services))
  const hasCopy = run?.saved.posts[copyKey(ref.key, pressed.user)]?.startsWith(`${pressed.channel}:`) === true
  const isSent = isAnywhere && run !== undefined && (isDirect(run.question) || !isForAll || hasCopy)
  if (isItsAskers || isHere || isSent)
    return { ...pressed, ref, run: run && { ...run, call: savedCall(run.question, run.saved.steps, ref.key) } }
  await pressed.tell(ELSEWHERE)
  return undefined
}

/**
 * Returns the wait with the channel's current id, if the button was pressed there. Runs that were at work when the id
 * changed are moved now.
 */
async function movedWait(ref: WaitRef, channel: string | undefined, services: Services): Promise<WaitRef | undefined> {
  const [team = '', before = ''] = ref.conversation.split(':')
  if (channel === undefined || channel === before) return undefined
  const conversation = await currentPlace(ref.conversation, services)
  if (!conversation.startsWith(`${team}:${channel}:`)) return undefined
  await services.queue.moveChannel({ team, channel: before }, channel)
  return { ...ref, conversation }
}

interface AnsweredPress {
  body: Pick<PressBody, 'user' | 'channel' | 'container' | 'response_url'>
  installation: Installation
  services: Services
}

/**
 * Sends the user an ephemeral message in the place of the button; in their direct messages if that place refuses it.
 * `replaces`: it replaces the message with the button, if the response_url of the press still works. A press on a view
 * has no such place, so nothing is sent. Never rejects.
 */
export async function answerPress(
  { body, installation, services }: AnsweredPress,
  content: Content,
  { replaces = false } = {},
): Promise<void> {
  const channel = body.channel?.id
  if (channel === undefined) return
  const place = { channel, user: body.user.id, ...threadOf(body.container), responseUrl: body.response_url, replaces }
  const { text, blocks } = content
  await tellPerson(place, content, installation.client, services.log, { text, blocks })
}

/** The thread of the message with the button, if that is a reply. */
function threadOf({ thread_ts, message_ts }: Record<string, unknown> = {}): { thread_ts?: string } {
  return typeof thread_ts === 'string' && thread_ts !== message_ts ? { thread_ts } : {}
}

/** Shows something to the user, or the error if that fails. @throws the error of `show` */
export async function showOrTell<T>({ tell }: ButtonPress, show: () => Promise<T>, words = UNSHOWN): Promise<T> {
  try {
    return await show()
  } catch (error) {
    await tell(words)
    throw error
  }
}

const UNSHOWN = 'Slack did not let me show this in time. Please press the button again.'

/** Opens a modal. A trigger id expires after three seconds. @returns its id @throws the error of the call */
export async function openModal({ client }: Installation, trigger_id: string, view: View): Promise<string | undefined> {
  const opened = await client.call('views.open', { trigger_id, view }, { effort: 'once' })
  return openedSchema.safeParse(opened).data?.view.id
}

const openedSchema = z.object({ view: z.object({ id: z.string() }) })

/** Shows another view in an open modal. @throws the error of the call */
export async function updateModal({ client }: Installation, view_id: string, view: View): Promise<void> {
  await client.call('views.update', { view_id, view }, { effort: 'once' })
}

/** Returns the trimmed value of a form's input, whose `block_id` is its `action_id`; empty if nothing was typed. */
export function typedIn({ values }: ViewSubmitAction['view']['state'], name: string): string {
  return values[name]?.[name]?.value?.trim() ?? ''
}

/** Presses of the same button by one person within this time count as one. Milliseconds. */
export const SAME_PRESS_MS = 10_000

/** Runs work that the ack does not wait for. A failure is only logged, because no question is lost by it. */
export function inBackground(what: string, { log }: Services, work: () => Promise<void>): void {
  work().catch(warnWith(log, { what }, 'an interaction could not be followed'))
}
