import type { OnEvent } from '../intake/bolt-types.ts'
import { recipientOf } from '../intake/find-recipient.ts'
import type { Services } from '../services.ts'

/** `channel_deleted`, `group_deleted`: deletes everything about the channel, including its remembered texts. */
export function channelDeleted(services: Services): OnEvent<'channel_deleted' | 'group_deleted'> {
  return async ({ event, context }) => {
    const recipient = await recipientOf({ context }, services)
    if (recipient) await services.forgetting.forgetChannel({ team: recipient.team, channel: event.channel })
  }
}
