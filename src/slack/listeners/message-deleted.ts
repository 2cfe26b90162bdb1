import type { OnMessage } from '../intake/bolt-types.ts'
import { recipientOf } from '../intake/find-recipient.ts'
import type { Services } from '../services.ts'
import { deletedMessage, withdrawDeleted, type MessageDeleted } from '../intake/edited-or-deleted.ts'

/** `message_deleted`: a message is gone. One with replies leaves a tombstone; see `message-changed.ts`. */
export function messageDeleted(services: Services): OnMessage {
  return async ({ message, context }) => {
    const recipient = await recipientOf({ context }, services)
    const deleted = deletedMessage(message as MessageDeleted)
    if (recipient && deleted) await withdrawDeleted(deleted, { ...recipient, services })
  }
}
