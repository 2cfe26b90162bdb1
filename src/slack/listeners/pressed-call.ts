import type { AllMiddlewareArgs } from '@slack/bolt'
import { isPrivate, type Question, type SavedRun } from '../../run/types.ts'
import { PRESS } from '../format/approval-words.ts'
import { savedCall, type AskedCall } from '../format/saved-call.ts'
import { waitRef, type WaitRef } from '../format/wait-ref.ts'
import { ELSEWHERE, pressedOn, type Press, type Pressed } from './pressed.ts'
import type { ListenerOptions } from './to-question.ts'

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
  options: ListenerOptions,
): Promise<PressedCall | undefined> {
  const ref = waitRef(value)
  const isAnywhere = body.channel?.id.startsWith('D') === true
  const pressed = await pressedOn(ref?.id ?? '', { body, context, isAnywhere }, options)
  if (!pressed || !ref?.conversation.startsWith(`${pressed.team}:`)) return undefined
  const run = await options.control.load({ thread: ref.conversation, id: ref.id }).catch((error: unknown) => {
    void pressed.tell(PRESS.away)
    throw error
  })
  const isItsAskers = run && isPrivate(run.question) && run.question.user === pressed.user
  const isHere = !(run && isPrivate(run.question)) && ref.id.startsWith(`${pressed.team}:${body.channel?.id}:`)
  if (isItsAskers || isHere)
    return { ...pressed, ref, run: run && { ...run, call: savedCall(run.question, run.saved, ref.key) } }
  await pressed.tell(ELSEWHERE)
  return undefined
}
