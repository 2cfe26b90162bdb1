import { messageOf } from '../../base/errors.ts'
import { PacedWork } from '../../base/token-bucket.ts'
import { contentText } from '../content/message-content.ts'
import {
  deletedMessage,
  editTsOf,
  withdrawDeleted,
  withdrawEdited,
  type MessageDeleted,
} from '../intake/edited-or-deleted.ts'
import { recipientOfMessage } from '../intake/find-recipient.ts'
import { stopByWord } from '../intake/stop-runs.ts'
import { enqueueMessage, type SlackMessage } from '../intake/to-question.ts'
import { onEvent, onMessage } from './listener.ts'

/** `app_mention`: a message in a channel names the bot. Slack sends it as a `message` too; the queue takes it once. */
export const appMention = onEvent('app_mention', (services) => async ({ event, body, context }) => {
  if (await stopByWord(event, { body, context, isTwin: true }, services)) return
  await enqueueMessage(event, { body, context }, services)
})

/**
 * `message`: direct messages, thread replies and everything else written where the bot is. Stop words are handled first
 * (stop-runs.ts); then `questionOf` in to-question.ts decides whether the message is for the bot.
 */
export const message = onMessage(undefined, (services) => async ({ message, body, context }) => {
  const written = message as SlackMessage
  if (await stopByWord(written, { body, context }, services)) return
  await enqueueMessage(written, { body, context }, services)
})

type ChangedMessage = Omit<SlackMessage, 'channel'>

/** The fields of `message_changed` that are read here. */
interface MessageChanged {
  channel: string
  channel_type?: string
  message?: ChangedMessage
  previous_message?: ChangedMessage
}

/** A person's change of a message. `message` is its new version (`edited`) or its last one (`deleted`). */
type MessageChange =
  { kind: 'edited'; message: SlackMessage; previous: SlackMessage } | { kind: 'deleted'; message: SlackMessage }

/** Rate limit for one person's edits. Each edit restarts a run, which reads from Slack and posts a status. */
const EDITS = { burst: 10, everyMs: 4_000 }

/** `message_changed`: an edit, a message that leaves a tombstone, and many changes that no person made. */
export const messageChanged = onMessage('message_changed', (services) => {
  const edits = new PacedWork({ ...EDITS, now: () => services.now().getTime() }, (error) =>
    services.log.warn({ error: messageOf(error) }, 'an edit could not be followed'),
  )
  return async ({ message, body, context }) => {
    const change = changeOf(message as MessageChanged)
    const recipient = change && (await recipientOfMessage(addressedIn(change), { body, context }, services))
    if (!recipient) return
    if (change.kind === 'deleted') return withdrawDeleted(change.message, { ...recipient, services })
    const { channel, ts, user } = change.message
    const turn = { key: `${recipient.team}:${user}`, thing: `${channel}:${ts}` }
    await edits.run(turn, () => withdrawEdited(change, { ...recipient, services }))
  }
})

/**
 * Returns undefined unless a person changed what they said: link previews, bot messages and reply counts do not count.
 */
function changeOf(event: MessageChanged): MessageChange | undefined {
  const { message, previous_message: previous, channel, channel_type } = event
  if (!message || !previous) return undefined
  const place = { channel, ...(channel_type ? { channel_type } : {}) }
  if (message.subtype === 'tombstone') {
    const deleted = deletedMessage({ ...place, deleted_ts: message.ts, previous_message: previous })
    return deleted && { kind: 'deleted', message: deleted }
  }
  const editedAt = editTsOf(message.edited)
  if (!message.user || message.bot_id || !message.edited) return undefined
  // Slack adds previews and files to a message that somebody has edited before.
  if (editedAt !== undefined && editedAt === editTsOf(previous.edited)) return undefined
  if (contentText(message) === contentText(previous)) return undefined
  return { kind: 'edited', message: { ...message, ...place }, previous: { ...previous, ...place } }
}

/** Returns the message with all that names its recipient: an edit may take the mention away. */
function addressedIn(change: MessageChange): SlackMessage {
  if (change.kind === 'deleted') return change.message
  const { message, previous } = change
  return { ...message, text: `${previous.text ?? ''}\n${message.text ?? ''}` }
}

/** `message_deleted`: a message is gone. One with replies leaves a tombstone; see `messageChanged`. */
export const messageDeleted = onMessage('message_deleted', (services) => async ({ message, body, context }) => {
  const deleted = deletedMessage(message as MessageDeleted)
  const recipient = deleted && (await recipientOfMessage(deleted, { body, context }, services))
  if (recipient && deleted) await withdrawDeleted(deleted, { ...recipient, services })
})
