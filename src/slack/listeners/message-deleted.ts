import type { OnMessage } from '../intake/bolt-types.ts'
import { recipientOf, type ListenerOptions } from '../intake/to-question.ts'
import { deletedMessage, withdrawDeleted, type MessageDeleted } from '../intake/withdraw.ts'

/**
 * `message_deleted`: a message without replies was deleted. One with replies leaves a tombstone; see
 * `message-changed.ts`.
 */
export function messageDeleted(options: ListenerOptions): OnMessage {
  return async ({ message, context }) => {
    const recipient = await recipientOf({ context }, options)
    const deleted = deletedMessage(message as MessageDeleted)
    if (recipient && deleted) await withdrawDeleted(deleted, { ...recipient, options })
  }
}
