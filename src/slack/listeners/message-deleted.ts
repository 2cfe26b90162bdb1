import { subtype, type App } from '@slack/bolt'
import { recipientOf, type ListenerOptions, type SlackMessage } from './to-question.ts'
import { withdrawDeleted } from './withdraw.ts'

/** `message_deleted`: a message is gone. One with replies is left as a tombstone; see `message-changed.ts`. */
export interface MessageDeleted {
  channel: string
  channel_type?: string
  deleted_ts: string
  previous_message?: Omit<SlackMessage, 'channel'>
}

export function listenToMessageDeletions(app: App, options: ListenerOptions): void {
  app.message(subtype('message_deleted'), async ({ message, context }) => {
    const recipient = await recipientOf({ context }, options)
    const deleted = deletedMessage(message as MessageDeleted)
    if (recipient && deleted) await withdrawDeleted(deleted, { ...recipient, options })
  })
}

/** The message that a person deleted, as it last was; undefined for a bot's, and where Slack does not say. */
export function deletedMessage(event: MessageDeleted): SlackMessage | undefined {
  const { previous_message: previous, channel, channel_type } = event
  if (!previous?.user || previous.bot_id) return undefined
  return { ...previous, channel, ...(channel_type ? { channel_type } : {}), ts: event.deleted_ts }
}
