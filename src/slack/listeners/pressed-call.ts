import type { BlockAction, ButtonAction, SlackActionMiddlewareArgs, AllMiddlewareArgs } from '@slack/bolt'
import { isPrivate, type Question, type SavedRun } from '../../run/types.ts'
import type { AskedCall } from '../format/approval-card.ts'
import { PRESS } from '../format/approval-words.ts'
import { callRef, savedCall, type CallRef } from '../format/saved-call.ts'
import { ELSEWHERE, pressedOn, type Pressed } from './pressed.ts'
import type { ListenerOptions } from './to-question.ts'

export type CallPress = SlackActionMiddlewareArgs<BlockAction<ButtonAction>> & AllMiddlewareArgs

/** A press on a call's card, as far as it may concern the presser. */
export interface PressedCall extends Pressed {
  ref: CallRef
  /** Undefined where nothing is known of the run any more. */
  run?: { question: Question; saved: SavedRun; call?: AskedCall | undefined } | undefined
}

/**
 * What was pressed, by whom. A card of a private question is its asker's alone, and may stand in their direct messages.
 * @returns undefined for a press that concerns nobody, or somebody who has been told
 * @throws what keeps the store from telling
 */
export async function pressedCall(
  { action, body, context }: Pick<CallPress, 'action' | 'body' | 'context'>,
  options: ListenerOptions,
): Promise<PressedCall | undefined> {
  const ref = callRef(action.value ?? '')
  const isInDirect = body.channel?.id.startsWith('D') === true
  const pressed = await pressedOn(ref?.id ?? '', { body, context, isAnywhere: isInDirect }, options)
  if (!pressed || !ref?.conversation.startsWith(`${pressed.team}:`)) return undefined
  const run = await options.control.load({ thread: ref.conversation, id: ref.id }).catch((error: unknown) => {
    void pressed.tell(PRESS.away)
    throw error
  })
  const isOthers = run && isPrivate(run.question) && run.question.user !== pressed.user
  const isHere = ref.id.startsWith(`${pressed.team}:${body.channel?.id}:`) || (run && isPrivate(run.question))
  if (isOthers || !isHere) {
    await pressed.tell(ELSEWHERE)
    return undefined
  }
  return { ...pressed, ref, run: run && { ...run, call: savedCall(run.question, run.saved, ref.key) } }
}
