import type { OnButton } from '../intake/bolt-types.ts'
import { messageOf } from '../../base/errors.ts'
import { waitingCard } from '../approvals/approval-card.ts'
import { toWaitingCall } from '../approvals/approvals.ts'
import { askedWord, PRESS } from '../approvals/approval-words.ts'
import { decisionAbout, otherApprovers } from '../approvals/approvers.ts'
import type { Installation } from '../client/installations.ts'
import { Mentions } from '../client/mentions.ts'
import { NOT_UNFURLED } from '../client/response-url.ts'
import { isOfForm } from '../client/slack-errors.ts'
import { ASK_APPROVERS } from '../format/action-ids.ts'
import { blocksIn, type Content } from '../format/blocks.ts'
import { isSamePerson } from '../intake/asked-tool-question.ts'
import { inBackground, pressedCall, type PressedCall } from '../intake/button-press.ts'
import type { Services } from '../services.ts'

/**
 * "Ask approvers" on a card that only the asker sees. The call may rest on what they alone may see, so nobody else is
 * shown it until they press: then each approver gets the card, in their direct messages.
 */
export function askApprovers(services: Services): OnButton {
  return async ({ ack, action, body, context }) => {
    await ack()
    inBackground(ASK_APPROVERS, services, async () => {
      const pressed = await pressedCall(action.value ?? '', { body, context }, services)
      if (!pressed) return
      const { run, ref, tell } = pressed
      if (!run?.call || run.saved.decisions[ref.key]) return tell(PRESS.gone)
      if (!isSamePerson(pressed, run.question)) return tell(PRESS.no)
      await tell(askedWord(await sendCards(pressed, services)))
    })
  }
}

/** @returns the names of the people who have the card */
async function sendCards({ run, ref, installation }: PressedCall, services: Services): Promise<string[]> {
  if (!run?.call) return []
  const { question, call } = run
  const { log, oncePerDay } = services
  const { approvers } = await services.settingsFor(question)
  const people = await otherApprovers(decisionAbout(question, call), { approvers, installation, log })
  const mentions = new Mentions(installation.directory, question)
  const options = { question, mentions, approvers, isSeenByAskerAlone: false }
  const content = waitingCard(await toWaitingCall(ref.key, call, options))
  const names: string[] = []
  for (const user of people) {
    const isFirst = await oncePerDay.isFirst(question.team, `approval:${question.id}:${ref.key}:${user}`)
    const isSent = !isFirst || (await send(user, content, { client: installation.client, log }))
    if (isSent) names.push(await mentions.withNames(`<@${user}>`))
  }
  return names
}

async function send(
  channel: string,
  content: Content,
  { client, log }: { client: Installation['client']; log: Services['log'] },
): Promise<boolean> {
  const post = (blocks: Content['blocks']) => {
    const args = { channel, text: content.text, blocks, ...NOT_UNFURLED }
    return client.call('chat.postMessage', args, { effort: 'patient' })
  }
  try {
    await post(content.blocks).catch((error: unknown) => {
      if (!isOfForm(error)) throw error
      return post(blocksIn(content, () => true))
    })
    return true
  } catch (error) {
    log.warn({ channel, error: messageOf(error) }, 'an approver could not be asked')
    return false
  }
}
