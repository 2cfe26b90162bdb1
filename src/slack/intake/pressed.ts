import type { AllMiddlewareArgs } from '@slack/bolt'
import { messageOf } from '../../base/errors.ts'
import { isPrivate, type Question, type SavedRun } from '../../stores/runs/types.ts'
import type { Installation } from '../client/installations.ts'
import { respond } from '../client/response-url.ts'
import { PRESS } from '../approvals/approval-words.ts'
import { noteContent } from '../format/blocks.ts'
import { savedCall, type AskedCall } from '../approvals/saved-call.ts'
import { waitRef, type WaitRef } from '../approvals/wait-ref.ts'
import { isSamePerson } from './asked-question.ts'
import { recipientOf } from './to-question.ts'
import type { Services } from '../services.ts'

/** What Slack delivers of a press, as far as it is read here. */
interface Press {
  user: { id: string; team_id?: string }
  channel?: { id: string } | undefined
  trigger_id: string
  response_url?: string
}

/** A button of ours below an answer, pressed where it belongs. */
export interface Pressed {
  /** The question's id. */
  id: string
  team: string
  user: string
  /** The presser's workspace, where that is another one. */
  userTeam?: string
  trigger: string
  installation: Installation
  /** Tells the presser alone. Never rejects. */
  tell(text: string): Promise<void>
}

/**
 * Who pressed a button of which question. A button knows its question by its value; one that turns up in another channel than
 * the question's was brought there, and whoever presses it there may not be one of those who can read the answer.
 * `isAnywhere`: the caller looks at that. @returns undefined, with a private word, for such a one; undefined where the bot is not installed
 */
export async function pressedOn(
  id: string,
  { body, context, isAnywhere = false }: { body: Press; context: AllMiddlewareArgs['context']; isAnywhere?: boolean },
  services: Services,
): Promise<Pressed | undefined> {
  const recipient = await recipientOf({ context, isShared: true }, services)
  const installation = recipient && (await services.installations.of(recipient.team))
  if (!recipient || !installation) return undefined
  const { team } = recipient
  const tell = (text: string) => tellPresser(text, { url: body.response_url, installation, services })
  const { id: user, team_id: userTeam } = body.user
  const presser = { user, ...(userTeam && userTeam !== team ? { userTeam } : {}) }
  const place = isAnywhere ? `${team}:` : `${team}:${body.channel?.id ?? ''}:`
  if (id.startsWith(place)) return { id, team, ...presser, trigger: body.trigger_id, installation, tell }
  services.log.warn({ team, channel: body.channel?.id, user }, 'refused a button outside of its channel')
  await tell(ELSEWHERE)
  return undefined
}

const ELSEWHERE = 'This button belongs to an answer in another channel: it works there alone.'

/** A press on the card of a call that waits, as far as it may concern the presser. */
export interface PressedCall extends Pressed {
  ref: WaitRef
  /** Undefined where nothing is known of the run any more. */
  run?: { question: Question; saved: SavedRun; call?: AskedCall | undefined } | undefined
}

/**
 * Who pressed a button of which call. A card of a private question is its asker's alone, and may stand in their direct messages.
 * @returns undefined for a press that concerns nobody, or somebody who has been told
 * @throws what keeps the store from telling, once the presser has been told
 */
export async function pressedCall(
  value: string,
  { body, context }: { body: Press; context: AllMiddlewareArgs['context'] },
  services: Services,
): Promise<PressedCall | undefined> {
  const ref = waitRef(value)
  const isAnywhere = body.channel?.id.startsWith('D') === true
  const pressed = await pressedOn(ref?.id ?? '', { body, context, isAnywhere }, services)
  if (!pressed || !ref?.conversation.startsWith(`${pressed.team}:`)) return undefined
  const run = await services.control.load({ thread: ref.conversation, id: ref.id }).catch((error: unknown) => {
    void pressed.tell(PRESS.away)
    throw error
  })
  const isItsAskers = run && isPrivate(run.question) && isSamePerson(pressed, run.question)
  const isHere = !(run && isPrivate(run.question)) && ref.id.startsWith(`${pressed.team}:${body.channel?.id}:`)
  if (isItsAskers || isHere)
    return { ...pressed, ref, run: run && { ...run, call: savedCall(run.question, run.saved, ref.key) } }
  await pressed.tell(ELSEWHERE)
  return undefined
}

async function tellPresser(
  text: string,
  { url, installation, services }: { url: string | undefined; installation: Installation; services: Services },
): Promise<void> {
  if (url === undefined) return
  const { log, fetch = globalThis.fetch } = services
  const message = { response_type: 'ephemeral', replace_original: false, parse: 'none', ...noteContent(text) }
  const warn = (fields: object, line: string) => log.warn(fields, line)
  await respond(url, message, { apiUrl: installation.client.apiUrl, fetch, log: warn })
}

/** Shows the presser something. Where Slack does not let it be shown, they are told. @throws what kept it from that */
export async function showOrTell<T>({ tell }: Pressed, show: () => Promise<T>, words = UNSHOWN): Promise<T> {
  try {
    return await show()
  } catch (error) {
    await tell(words)
    throw error
  }
}

const UNSHOWN = 'Slack did not let me show this in time. Please press the button again.'

/** What the ack does not wait for. A failure is a line in the log: nothing that people asked is lost by it. */
export function inBackground(what: string, { log }: Services, work: () => Promise<void>): void {
  work().catch((error: unknown) => {
    log.warn({ what, error: messageOf(error) }, 'an interaction could not be followed')
  })
}
