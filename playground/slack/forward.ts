/** A forwarded message, in the form of Slack's editor: an attachment with `is_share`. */
import type { Store } from './store.ts'
import { TEAM } from './store.ts'
import type { Channel, Json, StoredMessage } from './types.ts'

/** `base`: the beginning of the workspace's own addresses. */
export function forwardOf(store: Store, base: string, original: { channel: Channel; message: StoredMessage }): Json {
  const { channel, message } = original
  const { ts, thread_ts, text, user, bot_id, blocks, attachments, files } = message
  const inThread = thread_ts && thread_ts !== ts ? `?thread_ts=${thread_ts}&cid=${channel.id}` : ''
  const author =
    user === undefined ? String(message['username'] ?? 'An app') : (store.users.get(user)?.real_name ?? user)
  const place = channel.kind === 'channel' ? `Posted in #${channel.name}` : 'Slack Conversation'
  return {
    ts,
    channel_id: channel.id,
    channel_team: TEAM,
    is_msg_unfurl: true,
    is_share: true,
    color: 'D0D0D0',
    from_url: `${base}/archives/${channel.id}/p${ts.replace('.', '')}${inThread}`,
    author_name: author,
    author_subname: author,
    ...(user === undefined ? { author_id: bot_id, msg_subtype: 'bot_message' } : { author_id: user }),
    message_blocks: [{ team: TEAM, channel: channel.id, ts, message: { blocks: blocks ?? [] } }],
    text,
    fallback: `[${new Date(Number(ts) * 1000).toUTCString()}] ${author}: ${text}`,
    mrkdwn_in: ['text'],
    footer: inThread ? place.replace('Posted', 'Thread') : place,
    ...(attachments && attachments.length > 0 && { attachments }),
    ...(files && files.length > 0 && { files }),
  }
}
