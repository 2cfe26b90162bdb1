/** Posts and settles approval cards, in every display. */
import type { Step, ToolStep } from '../../agent/contracts/run-events.ts'
import { messageOf } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
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
import type { Installation } from '../client/installations.ts'
import type { Outbox } from '../client/outbox.ts'
import { SlackRefusal } from '../client/slack-errors.ts'
import { isSeenByAll } from '../client/thread-messages.ts'
import type { Content } from '../format/blocks.ts'

interface ApprovalOptions {
  outbox: Outbox
  installation: Installation
  /** Replaces ids with names. */
  mentions: { withNames(text: string): Promise<string> }
  approvers: Settings['approvers']
  log: Log
}

/**
 * Posts the card of a call that waits, once. The card is ephemeral if the run is for the asker alone. Otherwise it
 * mentions those who are to decide, if the asker may not, and those outside of the channel get it as a direct message.
 * @throws if it could not be shown
 */
export async function showApproval(n: number, step: ToolStep, options: ApprovalOptions): Promise<void> {
  const { outbox, installation } = options
  const { question } = outbox
  const key = waitKey(n, step.waiting)
  const call = askedCall(question, step)
  // A posted card is left alone: somebody may be typing a reason into it.
  if (!call || outbox.isPosted(cardKey(key))) return
  const isSeenByAskerAlone = isDirect(question) || outbox.isForAsker
  const card = { ...options, question, isSeenByAskerAlone }
  const deciders = await decidersOf(decisionAbout(question, call), options)
  const toAsk = isSeenByAskerAlone ? [] : deciders.toAsk
  const here = toAsk.length === 0 ? [] : ((await membersAmong(toAsk, question.channel, installation)) ?? [])
  const waiting = await toWaitingCall(key, call, { ...card, deciders })
  const copy = waitingCard(waiting)
  const sent: string[] = []
  for (const user of toAsk.filter((one) => !here.includes(one)))
    if (await sendCopy(copyKey(key, user), user, copy, options)) sent.push(user)
  const names = await Promise.all(sent.map((id) => options.mentions.withNames(`<@${id}>`)))
  const content = { ...waitingCard({ ...waiting, asked: askedLines({ here, sent: names }) }), mentions: here }
  await (outbox.isForAsker ? outbox.sendEphemeral(cardKey(key), content) : outbox.show(cardKey(key), content))
}

/** Sends a card to somebody's direct messages, once. @returns whether they have it @throws LeaseLost */
async function sendCopy(
  key: string,
  user: string,
  content: Content,
  { outbox, installation: { client }, log }: ApprovalOptions,
): Promise<boolean> {
  const send = async () => {
    await outbox.run.checkLease()
    return placeOf(await postDirect(user, content, { client, asker: outbox.question.user }))
  }
  try {
    await outbox.once(key, send)
    return true
  } catch (error) {
    if (!(error instanceof SlackRefusal)) throw error
    log.warn({ question: outbox.question.id, user, error: messageOf(error) }, 'an approver could not be asked')
    return false
  }
}

interface ApprovalCardOptions extends Pick<ApprovalOptions, 'mentions'> {
  question: Question
  deciders: Deciders
  isSeenByAskerAlone: boolean
}

/** Returns the content of a call's card. */
export async function toWaitingCall(key: string, call: AskedCall, options: ApprovalCardOptions): Promise<WaitingCall> {
  const { question, mentions, deciders, isSeenByAskerAlone } = options
  const { asker, people, groups, areGone } = deciders
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
  options: ApprovalOptions,
  { isOver, steps }: { isOver: boolean; steps: readonly Step[] },
): Promise<void> {
  const { outbox, mentions } = options
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
      await settleCopies(copiesOf(run.saved, key), content, options)
      await outbox.show(cardKey(key), content)
      return 'settled' // in place of a post's ts
    }
    await outbox.once(settled, send)
  }
}

/** Shows the decision on copies of a card too. One that is gone is skipped. */
async function settleCopies(
  copies: DirectPost[],
  content: Content,
  { outbox, installation: { client }, log }: ApprovalOptions,
): Promise<void> {
  for (const copy of copies)
    await updateDirect(copy, content, { client, asker: outbox.question.user }).catch((error: unknown) => {
      if (!(error instanceof SlackRefusal)) throw error
      log.warn({ question: outbox.question.id, error: messageOf(error) }, 'a copy of a card could not be updated')
    })
}
