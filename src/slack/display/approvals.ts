/** The cards of the calls that wait for a person, in each way to show a run. Loaded where a call waits, or has waited. */
import type { Step, ToolStep } from '../../agent/types.ts'
import { isDirect, isPrivate, waitKey } from '../../run/types.ts'
import type { Settings } from '../../workspace/settings.ts'
import { approversOf } from '../approvers.ts'
import { decidedCard, waitingCard } from '../format/approval-card.ts'
import { decidersLine } from '../format/approval-words.ts'
import { cardKey, cardsOf, savedCall, verdictOf, type AskedCall } from '../format/saved-call.ts'
import { waitValue } from '../format/wait-ref.ts'
import type { Outbox } from '../outbox.ts'

export interface ApprovalOptions {
  outbox: Outbox
  /** Puts names in place of ids. */
  mentions: { readable(text: string): Promise<string> }
  approvers: Settings['approvers']
}

/** Posts the card of a call that waits, once; of a private question for the asker alone. @throws what kept it from being shown */
export async function showApproval(n: number, step: ToolStep, options: ApprovalOptions): Promise<void> {
  const { outbox } = options
  const { question } = outbox
  const key = waitKey(n, step.waiting)
  const call = savedCall(question, { steps: Array.from({ length: n }, () => step) }, key)
  // What somebody may be typing a reason into is not touched.
  if (!call || outbox.isPosted(cardKey(key))) return
  const place = isDirect(question) || isPrivate(question) ? 'conversation' : 'thread'
  const value = waitValue(question, key)
  const content = waitingCard({ ...call, place, value, deciders: await decidersOf(call, options) })
  await (isPrivate(question) ? outbox.whisper(cardKey(key), content) : outbox.show(cardKey(key), content))
}

async function decidersOf(
  { tool, approval }: AskedCall,
  { outbox: { question }, mentions, approvers }: ApprovalOptions,
): Promise<string> {
  const { ids, asker } = approversOf({ question, tool, server: approval.server }, approvers)
  const people = ids.filter((id) => !id.startsWith('S') && id !== asker)
  const names = await Promise.all(people.map((id) => mentions.readable(`<@${id}>`)))
  const isSeenByAskerAlone = isDirect(question) || isPrivate(question)
  const groups = ids.length - ids.filter((id) => !id.startsWith('S')).length
  return decidersLine({ asker: asker !== undefined, names, groups, isSeenByAskerAlone })
}

/**
 * Brings cards to the form that cannot be pressed: those of calls that were decided, or whose time is over, and not done yet when
 * the run had these `steps`; with `isOver` all that nobody has decided. What only one person sees cannot be changed from here: it is
 * when it is pressed.
 */
export async function settleApprovals(
  { outbox, mentions }: ApprovalOptions,
  { isOver, steps }: { isOver: boolean; steps: readonly Step[] },
): Promise<void> {
  const { question, run } = outbox
  if (isPrivate(question)) return
  for (const key of cardsOf(run.saved)) {
    const decision = run.saved.decisions[key]
    const call = savedCall(question, run.saved, key)
    const step = steps[Number.parseInt(key, 10) - 1]
    const isDone = step?.kind === 'tool' && step.observation !== undefined
    if (!call || (decision ? isDone || isOver : !isOver)) continue
    const by = decision && 'by' in decision ? await mentions.readable(`<@${decision.by}>`) : ''
    await outbox.show(cardKey(key), decidedCard(call, verdictOf(decision, by)))
  }
}
