import type { OnMessage } from '../intake/bolt-types.ts'
import { PacedWork } from '../../base/token-bucket.ts'
import { messageOf } from '../../base/errors.ts'
import { contentText } from '../content/message-content.ts'
import type { SlackMessage } from '../intake/to-question.ts'
import { recipientOf } from '../intake/find-recipient.ts'
import type { Services } from '../services.ts'
import { deletedMessage, editTsOf, withdrawDeleted, withdrawEdited } from '../intake/edited-or-deleted.ts'

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
export function messageChanged(services: Services): OnMessage {
  const edits = new PacedWork({ ...EDITS, now: () => services.now().getTime() }, (error) =>
    services.log.warn({ error: messageOf(error) }, 'an edit could not be followed'),
  )
  return async ({ message, context }) => {
    const change = changeOf(message as MessageChanged)
    const recipient = change && (await recipientOf({ context }, services))
    if (!recipient) return
    if (change.kind === 'deleted') return withdrawDeleted(change.message, { ...recipient, services })
    const { channel, ts, user } = change.message
    const turn = { key: `${recipient.team}:${user}`, thing: `${channel}:${ts}` }
    await edits.run(turn, () => withdrawEdited(change, { ...recipient, services }))
  }
}

/** Returns undefined unless a person changed what they said: link previews, bot messages and reply counts do not count. */
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
