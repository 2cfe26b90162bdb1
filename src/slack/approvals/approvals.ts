/** Posts and settles approval cards, in every display. */
import type { Step, ToolStep } from '../../agent/contracts/run-events.ts'
import { warnWith } from '../../base/log.ts'
import { isDirect, type Question } from '../../stores/runs/types.ts'
import { waitKey } from '../../stores/runs/wait-keys.ts'
import type { Settings } from '../../stores/settings/settings.ts'
import { decidersOf, decisionAbout, type Deciders } from './approvers.ts'
import { decidedCard, waitingCard, type WaitingCall } from './approval-card.ts'
import { askedLines, decidersLine } from './approval-words.ts'
import { askedCall, cardKey, cardsOf, copiesOf, copyKey, savedCall, verdictOf, type AskedCall } from './saved-call.ts'
import { waitValue } from './button-value.ts'
import { membersAmong } from '../client/channel-members.ts'
import { placeOf, postDirect, updateDirect, type DirectPost } from '../client/direct-posts.ts'
import type { Outbox } from '../client/outbox.ts'
import { ifRefused } from '../client/slack-errors.ts'
import { isSeenByAll } from '../client/thread-messages.ts'
import type { Content } from '../format/blocks.ts'

/** A run whose cards are shown. */
interface ApprovalRun {
  outbox: Outbox
  /** Replaces ids with names. */
  mentions: NamesPeople
  settings: Pick<Settings, 'approvers'>
}

interface NamesPeople {
  withNames(text: string): Promise<string>
}

/**
 * Posts the card of a call that waits, once. The card is ephemeral if the run is for the asker alone. Otherwise it
 * mentions those who are to decide, if the asker may not, and those outside of the channel get it as a direct message.
 * @throws if it could not be shown
 */
export async function showApproval(
  n: number,
  step: ToolStep,
  { outbox, mentions, settings }: ApprovalRun,
): Promise<void> {
  const { question, installation } = outbox
  const key = waitKey(n, step.waiting)
  const call = askedCall(question, step)
  // A posted card is left alone: somebody may be typing a reason into it.
  if (!call || outbox.isPosted(cardKey(key))) return
  const isSeenByAskerAlone = isDirect(question) || outbox.isForAsker
  const deciders = await decidersOf(decisionAbout(question, call), settings.approvers, installation)
  const toAsk = isSeenByAskerAlone ? [] : deciders.toAsk
  const here = toAsk.length === 0 ? [] : ((await membersAmong(toAsk, question.channel, installation.client)) ?? [])
  const waiting = await toWaitingCall(key, call, question, mentions, { ...deciders, isSeenByAskerAlone })
  const copy = waitingCard(waiting)
  const sent: string[] = []
  for (const user of toAsk.filter((one) => !here.includes(one)))
    if (await sendCopy(copyKey(key, user), user, copy, outbox)) sent.push(user)
  const names = await Promise.all(sent.map((id) => mentions.withNames(`<@${id}>`)))
  const content = { ...waitingCard({ ...waiting, asked: askedLines({ here, sent: names }) }), mentions: here }
  await (outbox.isForAsker ? outbox.sendEphemeral(cardKey(key), content) : outbox.show(cardKey(key), content))
}

/** Sends a card to somebody's direct messages, once. @returns whether they have it @throws LeaseLost */
async function sendCopy(key: string, user: string, content: Content, outbox: Outbox): Promise<boolean> {
  const send = async () => {
    await outbox.run.checkLease()
    return placeOf(await postDirect(user, content, outbox.installation.client, outbox.question.user))
  }
  const warn = warnWith(outbox.log, { user }, 'an approver could not be asked')
  return outbox.once(key, send).then(
    () => true,
    ifRefused((refusal) => warn(refusal) ?? false),
  )
}

interface CardDeciders extends Deciders {
  isSeenByAskerAlone: boolean
}

/** Returns the content of a call's card. */
export async function toWaitingCall(
  key: string,
  call: AskedCall,
  question: Question,
  mentions: NamesPeople,
  { asker, people, groups, areGone, isSeenByAskerAlone }: CardDeciders,
): Promise<WaitingCall> {
  const nameOf = (id: string) => mentions.withNames(`<@${id}>`)
  const names = await Promise.all(people.map(nameOf))
  const askers = asker === undefined ? undefined : await nameOf(asker)
  return {
    ...call,
    value: waitValue(question, key),
    deciders: decidersLine({ asker: askers, names, groups, isSeenByAskerAlone, areGone }),
    as: call.approval.asAsker ? await nameOf(question.user) : undefined,
    canAskOthers: isSeenByAskerAlone && !areGone && people.length + groups > 0,
  }
}

/**
 * Removes the buttons, once per card, from the cards of calls that were decided or have expired; with `isOver` from
 * all. `steps` are the run's steps at that time. The process that handled the press may have died before it could.
 * Ephemeral cards cannot be changed from here; they are replaced when somebody presses a button.
 */
export async function settleApprovals(
  { outbox, mentions }: ApprovalRun,
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
      const content = decidedCard(call, verdictOf(decision, by))
      await settleCopies(copiesOf(run.saved, key), content, outbox)
      await outbox.show(cardKey(key), content)
      return 'settled' // in place of a post's ts
    }
    await outbox.once(settled, send)
  }
}

/** Shows the decision on copies of a card too. One that is gone is skipped. */
async function settleCopies(copies: DirectPost[], content: Content, outbox: Outbox): Promise<void> {
  const { installation, question, log } = outbox
  const skip = ifRefused(warnWith(log, {}, 'a copy of a card could not be updated'))
  for (const copy of copies) await updateDirect(copy, content, installation.client, question.user).catch(skip)
}
