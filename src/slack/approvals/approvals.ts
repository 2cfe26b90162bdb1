/** Posts and settles approval cards, in every display. */
import type { Step, ToolStep } from '../../agent/contracts/run-events.ts'
import { isDirect, isPrivate, type Question } from '../../stores/runs/types.ts'
import { waitKey } from '../../stores/runs/wait-keys.ts'
import type { Settings } from '../../stores/settings/settings.ts'
import { approversOf, decisionAbout } from './approvers.ts'
import { decidedCard, waitingCard, type WaitingCall } from './approval-card.ts'
import { decidersLine } from './approval-words.ts'
import { askedCall, cardKey, cardsOf, savedCall, verdictOf, type AskedCall } from './saved-call.ts'
import { waitValue } from './button-value.ts'
import type { Outbox } from '../client/outbox.ts'
import { isSeenByAll } from '../client/thread-messages.ts'

interface ApprovalOptions {
  outbox: Outbox
  /** Replaces ids with names. */
  mentions: { withNames(text: string): Promise<string> }
  approvers: Settings['approvers']
}

/**
 * Posts the card of a call that waits, once. The card is ephemeral if the run is for the asker alone.
 * @throws if it could not be shown
 */
export async function showApproval(n: number, step: ToolStep, options: ApprovalOptions): Promise<void> {
  const { outbox } = options
  const { question } = outbox
  const key = waitKey(n, step.waiting)
  const call = askedCall(question, step)
  // A posted card is left alone: somebody may be typing a reason into it.
  if (!call || outbox.isPosted(cardKey(key))) return
  const isSeenByAskerAlone = isDirect(question) || outbox.isForAsker
  const content = waitingCard(await toWaitingCall(key, call, { ...options, question, isSeenByAskerAlone }))
  await (outbox.isForAsker ? outbox.sendEphemeral(cardKey(key), content) : outbox.show(cardKey(key), content))
}

interface ApprovalCardOptions extends Omit<ApprovalOptions, 'outbox'> {
  question: Question
  isSeenByAskerAlone: boolean
}

/** Returns the content of a call's card. */
export async function toWaitingCall(key: string, call: AskedCall, options: ApprovalCardOptions): Promise<WaitingCall> {
  const { question, mentions, approvers, isSeenByAskerAlone } = options
  const { ids, asker } = approversOf(decisionAbout(question, call), approvers)
  const others = ids.filter((id) => id !== asker)
  const people = others.filter((id) => !id.startsWith('S'))
  const nameOf = (id: string) => mentions.withNames(`<@${id}>`)
  const names = await Promise.all(people.map(nameOf))
  const askers = asker === undefined ? undefined : await nameOf(asker)
  const deciders = { asker: askers, names, groups: others.length - people.length, isSeenByAskerAlone }
  return {
    ...call,
    value: waitValue(question, key),
    deciders: decidersLine(deciders),
    place: isDirect(question) || isPrivate(question) ? 'conversation' : 'thread',
    as: call.approval.asAsker ? await nameOf(question.user) : undefined,
    canAskOthers: isSeenByAskerAlone && others.length > 0,
  }
}

/**
 * Removes the buttons, once per card, from the cards of calls that were decided or have expired; with `isOver` from
 * all. `steps` are the run's steps at that time. The process that handled the press may have died before it could.
 * Ephemeral cards cannot be changed from here; they are replaced when somebody presses a button.
 */
export async function settleApprovals(
  { outbox, mentions }: ApprovalOptions,
  { isOver, steps }: { isOver: boolean; steps: readonly Step[] },
): Promise<void> {
  const { question, run } = outbox
  for (const key of cardsOf(run.saved)) {
    const decision = run.saved.decisions[key]
    const call = savedCall(question, steps, key)
    const settled = `${cardKey(key)}-settled`
    if (outbox.isForAsker && !isSeenByAll(run, cardKey(key))) continue
    if (!call || outbox.isPosted(settled) || !(decision || isOver)) continue
    const by = decision && 'by' in decision ? await mentions.withNames(`<@${decision.by}>`) : ''
    const send = async () => {
      await outbox.show(cardKey(key), decidedCard(call, verdictOf(decision, by)))
      return 'settled' // in place of a post's ts
    }
    await outbox.once(settled, { find: async () => undefined, send })
  }
}
