import type { OnButton } from '../intake/bolt-types.ts'
import { FORGET_DELETE } from '../format/action-ids.ts'
import { noteContent } from '../format/blocks.ts'
import { FORGET_CANCELLED } from '../format/messages.ts'
import { forgetNow } from '../intake/forget-command.ts'
import { answerPress } from '../intake/button-press.ts'
import { recipientOf } from '../intake/find-recipient.ts'
import type { Services } from '../services.ts'

/** "Delete" and "Cancel" on the card of `/ask forget`. */
export function forgetButtons(services: Services): OnButton {
  return async ({ ack, action, body, context }) => {
    await ack()
    const recipient = await recipientOf({ context, id: action.value }, services)
    const channel = body.channel?.id
    if (!recipient || !channel) return
    const { team, installation } = recipient
    const { response_url: responseUrl, user } = body
    if (action.action_id === FORGET_DELETE)
      return void forgetNow({ team, channel, user: user.id, responseUrl }, installation, services)
    void answerPress({ body, installation, services }, noteContent(FORGET_CANCELLED), { replaces: true })
  }
}
