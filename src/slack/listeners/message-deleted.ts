import { subtype, type App } from '@slack/bolt'
import { recipientOf, type ListenerOptions } from '../intake/to-question.ts'
import { deletedMessage, withdrawDeleted, type MessageDeleted } from '../intake/withdraw.ts'

/** `message_deleted`: a message is gone. One with replies leaves a tombstone; see `message-changed.ts`. */
export function listenToMessageDeletions(app: App, options: ListenerOptions): void {
  app.message(subtype('message_deleted'), async ({ message, context }) => {
    const recipient = await recipientOf({ context }, options)
    const deleted = deletedMessage(message as MessageDeleted)
    if (recipient && deleted) await withdrawDeleted(deleted, { ...recipient, options })
  })
}
