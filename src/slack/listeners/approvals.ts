/** The Once, Always and Deny buttons: checks who may decide, stores the first decision and updates the card. */
import type { BlockAction } from '@slack/bolt'
import { messageOf } from '../../base/errors.ts'
import { warnWith } from '../../base/log.ts'
import { foreignTeam, isSamePerson } from '../../stores/runs/audience.ts'
import { callKey } from '../../stores/runs/call-key.ts'
import type { Decision } from '../../stores/runs/types.ts'
import { decidedCard, waitingCard } from '../approvals/approval-card.ts'
import { CARD_GONE, PRESS, askedWord, lateWord } from '../approvals/approval-words.ts'
import { toWaitingCall } from '../approvals/approvals.ts'
import { decidersOf, decisionAbout, mayDecide, otherApprovers } from '../approvals/approvers.ts'
import { verdictOf, type AskedCall } from '../approvals/saved-call.ts'
import { postDirect } from '../client/direct-posts.ts'
import { Mentions } from '../client/mentions.ts'
import { replaceMessage } from '../client/response-url.ts'
import { ALLOW_ALWAYS, ALLOW_ONCE, ASK_APPROVERS, DENY, DENY_REASON, SHOW_ARGUMENTS } from '../format/action-ids.ts'
import { blocksIn, noteContent, type Content } from '../format/blocks.ts'
import { mayAskNow } from '../intake/access.ts'
import { inBackground, openModal, pressedCall, showOrTell, typedIn, type PressedCall } from '../presses/button-press.ts'
import type { Services } from '../services.ts'
import { argumentsView } from '../views/arguments-view.ts'
import { onButton } from './listener.ts'

/** Time limit for looking up the decider's name, in ms. */
const NAME_MS = 1_500

/** The buttons on the card of a call that waits for a person. The ack waits until the decision is stored. */
export const decideCall = onButton(
  [ALLOW_ONCE, ALLOW_ALWAYS, DENY],
  (services) =>
    async ({ ack, action, body, context }) => {
      const id = action.action_id
      const pressed = await pressedCall(action.value ?? '', body, context, services)
      const after = pressed && (await decided({ action: id, body, pressed, services }))
      await ack()
      if (after) inBackground(id, services, after)
    },
)

interface DecidePress {
  /** The `action_id` of the button. */
  action: string
  body: BlockAction
  pressed: PressedCall
  services: Services
}

/** Stores the decision, if the press counts. @returns the work that remains after the ack */
async function decided(one: DecidePress): Promise<() => Promise<void>> {
  const { pressed } = one
  const { run, ref } = pressed
  if (!run?.call) return () => showGone(one)
  const { call } = run
  const before = run.saved.decisions[ref.key]
  if (before) return async () => void (await Promise.all([showLate(call, before, one), goOn(before, one)]))
  try {
    const may = await mayPress(call, run.question, one)
    return may === 'yes' ? await resume(call, one) : () => pressed.tell(PRESS[may])
  } catch (error) {
    void pressed.tell(PRESS.away)
    throw error
  }
}

/**
 * The process that stored the earlier decision may have died before it resumed the run. That decision holds, and
 * sending it again resumes the run.
 */
async function goOn(before: Decision, { pressed: { ref }, services }: DecidePress): Promise<void> {
  if (before.outcome !== 'expired')
    await services.control.resume({ thread: ref.conversation, id: ref.id }, ref.key, before)
}

async function mayPress(
  call: AskedCall,
  question: NonNullable<PressedCall['run']>['question'],
  { pressed, services }: DecidePress,
) {
  const { user, installation } = pressed
  const { approvers, access } = await services.settingsFor(question)
  // The asker may decide as long as they may ask; other people only by APPROVERS.
  const isAsker = isSamePerson(pressed, question) && (await mayAskNow(question, services))
  // An id that APPROVERS names is of this workspace or organisation, unless people of connected ones may ask too.
  const isForeign = foreignTeam(pressed, question.team).userTeam !== undefined
  if (isForeign && !isAsker && !access.external) return 'no'
  const asked = decisionAbout(isAsker ? question : { ...question, user: '' }, call)
  return mayDecide(user, asked, approvers, installation)
}

/** Stores the decision. The first decision wins. A grant is stored only afterwards, so a late press grants nothing. */
async function resume(call: AskedCall, one: DecidePress): Promise<() => Promise<void>> {
  const { pressed, services } = one
  const { key, conversation, id } = pressed.ref
  const decision = decisionOf(call, one)
  const woken = await services.control.resume({ thread: conversation, id }, key, decision)
  const fields = { question: id, wait: key, tool: call.tool, user: pressed.user, outcome: decision.outcome, woken }
  services.log.info(fields, 'a person decided about a call')
  if (woken === 'expired') return () => showLate(call, { outcome: 'expired' }, one)
  if (woken !== 'woken') return () => showLate(call, undefined, one)
  if (decision.always) await keepGrant(call, decision, one)
  return async () => replaceCard(decidedCard(call, verdictOf(decision, await nameOf(pressed.user, one))), one)
}

/** Never rejects: the call is already allowed, and without the grant the next call asks again. */
async function keepGrant(
  { tool, approval: { version } }: AskedCall,
  { by, at }: PersonsDecision,
  { pressed, services }: DecidePress,
): Promise<void> {
  const warn = warnWith(services.log, { question: pressed.ref.id, tool }, 'a grant could not be kept')
  await services.threads.patch(pressed.ref.conversation, { grants: [{ tool, by, at, version }] }).catch(warn)
}

type PersonsDecision = Extract<Decision, { outcome: 'allowed' | 'denied' }>

/** The permission applies to exactly the call on the card. */
function decisionOf({ tool, approval }: AskedCall, { action, body, pressed, services }: DecidePress): PersonsDecision {
  const said = { by: pressed.user, at: services.now().getTime(), key: callKey(tool, approval.input, approval.version) }
  if (action === DENY) {
    const reason = (body.state && typedIn(body.state, DENY_REASON)) || undefined
    return { outcome: 'denied', ...said, reason }
  }
  const isAlways = action === ALLOW_ALWAYS && !approval.isRepeat
  return { outcome: 'allowed', ...said, always: isAlways || undefined }
}

async function showGone(one: DecidePress): Promise<void> {
  await Promise.all([replaceCard(noteContent(CARD_GONE), one), one.pressed.tell(PRESS.gone)])
}

/**
 * The decision came too late: tells the user and shows the valid decision on the card. Loads that decision unless it
 * is `known`.
 */
async function showLate(call: AskedCall, known: Decision | undefined, one: DecidePress): Promise<void> {
  const { pressed, services } = one
  const { conversation, id, key } = pressed.ref
  const holds = known ?? (await services.control.load({ thread: conversation, id }))?.saved.decisions[key]
  const by = holds && 'by' in holds ? await nameOf(holds.by, one) : ''
  const verdict = verdictOf(holds, by)
  await Promise.all([
    replaceCard(decidedCard(call, verdict), one),
    pressed.tell(lateWord(verdict, !!holds && 'by' in holds && holds.by === pressed.user)),
  ])
}

async function nameOf(user: string, { pressed: { installation, team } }: DecidePress): Promise<string> {
  const { directory } = installation
  await directory.lookUp(team, [user], NAME_MS)
  const name = directory.personName(team, user)
  return name === undefined ? 'somebody' : `@${name}`
}

function replaceCard(content: Content, { body, pressed, services }: DecidePress): Promise<void> {
  const { client } = pressed.installation
  const log = services.log.child({ question: pressed.ref.id })
  const card = { responseUrl: body.response_url, place: placeIn(body.container) }
  const { text, blocks } = content
  const forms = { content: { text, blocks }, simple: { text, blocks: blocksIn(content, () => true) } }
  return replaceMessage(card, forms, client, log)
}

function placeIn({ is_ephemeral, channel_id: channel, message_ts: ts }: Record<string, unknown>) {
  return is_ephemeral !== true && typeof channel === 'string' && typeof ts === 'string' ? { channel, ts } : undefined
}

/**
 * "Ask approvers" on a card that only the asker sees. The call may rest on what they alone may see, so nobody else is
 * shown it until they press: then each approver gets the card, in their direct messages.
 */
export const askApprovers = onButton(ASK_APPROVERS, (services) => async ({ ack, action, body, context }) => {
  await ack()
  inBackground(ASK_APPROVERS, services, async () => {
    const pressed = await pressedCall(action.value ?? '', body, context, services)
    if (!pressed) return
    const { run, ref, tell } = pressed
    if (!run?.call || run.saved.decisions[ref.key]) return tell(PRESS.gone)
    if (!isSamePerson(pressed, run.question)) return tell(PRESS.no)
    await tell(askedWord(await sendCards(pressed, services)))
  })
})

/** @returns the names of the people who have the card */
async function sendCards({ run, ref, installation }: PressedCall, services: Services): Promise<string[]> {
  if (!run?.call) return []
  const { question, call } = run
  const { log, oncePerDay } = services
  const { approvers } = await services.settingsFor(question)
  const asked = decisionAbout(question, call)
  const deciders = await decidersOf(asked, approvers, installation)
  const { toAsk } = deciders.asker === undefined ? deciders : await otherApprovers(asked, approvers, installation)
  const mentions = new Mentions(installation.directory, question)
  const who = { ...deciders, isSeenByAskerAlone: false }
  const content = waitingCard(await toWaitingCall(ref.key, call, question, mentions, who))
  const names: string[] = []
  for (const user of toAsk) {
    const isFirst = await oncePerDay.isFirst(question.team, `approval:${question.id}:${ref.key}:${user}`)
    try {
      if (isFirst) await postDirect(user, content, installation.client, question.user)
    } catch (error) {
      log.warn({ user, error: messageOf(error) }, 'an approver could not be asked')
      continue
    }
    names.push(await mentions.withNames(`<@${user}>`))
  }
  return names
}

/** "Show all" on the card of a waiting call: a modal with all arguments, for the user alone. */
export const showArguments = onButton(SHOW_ARGUMENTS, (services) => async ({ ack, action, body, context }) => {
  await ack()
  inBackground(SHOW_ARGUMENTS, services, async () => {
    const pressed = await pressedCall(action.value ?? '', body, context, services)
    if (!pressed) return
    const call = pressed.run?.call
    if (!call) return pressed.tell(PRESS.gone)
    await showOrTell(pressed, () => openModal(pressed.installation, pressed.trigger, argumentsView(call)))
  })
})
