import type { OnButton } from '../intake/bolt-types.ts'
import { respond, UNPARSED } from '../client/response-url.ts'
import { FORGET_DELETE } from '../format/action-ids.ts'
import { noteContent } from '../format/blocks.ts'
import { FORGET_CANCELLED } from '../format/messages.ts'
import { forgetNow } from '../intake/forget-command.ts'
import { recipientOf } from '../intake/recipient.ts'
import type { Services } from '../services.ts'

/** "Delete" and "Cancel" on the card of `/ask forget`. */
export function forgetButtons(services: Services): OnButton {
  return async ({ ack, action, body, context }) => {
    await ack()
    const recipient = await recipientOf({ context, id: action.value }, services)
    const installation = recipient && (await services.installations.of(recipient.team))
    const channel = body.channel?.id
    if (!installation || !channel) return
    const { team } = recipient
    const { response_url: responseUrl, user } = body
    if (action.action_id === FORGET_DELETE)
      return void forgetNow({ team, channel, user: user.id, responseUrl }, installation, services)
    const { log, fetch = globalThis.fetch } = services
    const way = { apiUrl: installation.client.apiUrl, fetch, log: (of: object, line: string) => log.warn(of, line) }
    void respond(responseUrl, { replace_original: true, ...noteContent(FORGET_CANCELLED), ...UNPARSED }, way)
  }
}
