/** The payloads of Slack's events: https://docs.slack.dev/reference/events. */
import { filesInEvent } from '../files/file-object.ts'
import { APP, BOT_USER, TEAM, type Store } from '../store.ts'
import type { Channel, Json, StoredMessage } from '../types.ts'

/** Returns a message as the `message.*` events carry it. */
export function messageEvent(channel: Channel, message: StoredMessage): Json {
  return { ...shared(message), channel: channel.id, event_ts: message.ts, channel_type: typeOf(channel) }
}

/**
 * Returns the `app_mention` of a message that names the bot: without a channel_type, and without files if `carries` is
 * off.
 */
export function mentionEvent(channel: Channel, message: StoredMessage, { carries = true } = {}): Json {
  const { files, subtype, ...rest } = shared(message)
  // A mention has no subtype for its files, and sometimes no files.
  const kept = {
    ...(subtype !== 'file_share' && subtype !== undefined && { subtype }),
    ...(carries && files ? { files } : {}),
  }
  return { ...rest, ...kept, type: 'app_mention', channel: channel.id, event_ts: message.ts }
}

/** An edit carries the message before and after, and a ts of its own. */
export function changedEvent(channel: Channel, message: StoredMessage, previous: StoredMessage, ts: string): Json {
  return {
    type: 'message',
    subtype: 'message_changed',
    hidden: true,
    message: shared(message),
    previous_message: shared(previous),
    channel: channel.id,
    ts,
    event_ts: ts,
    channel_type: typeOf(channel),
  }
}

/** Returns the event of a deletion, with the ts of the deleted message. */
export function deletedEvent(channel: Channel, previous: StoredMessage, ts: string): Json {
  return {
    type: 'message',
    subtype: 'message_deleted',
    hidden: true,
    deleted_ts: previous.ts,
    previous_message: shared(previous),
    channel: channel.id,
    ts,
    event_ts: ts,
    channel_type: typeOf(channel),
  }
}

/** Returns a message without a stream's chunks and state, which events do not carry. */
function shared(message: StoredMessage): Json {
  const rest: Json = { ...message, ...(message.files && { files: filesInEvent(message.files) }) }
  for (const name of ['chunks', 'stream', 'streaming_state', 'stopped_by', 'died', 'task_display_mode'])
    delete rest[name]
  return rest
}

/** Returns the kind of a channel as events name it: `channel`, `group`, `im`, `mpim`. */
function typeOf(channel: Channel): string {
  return channel.kind
}

/** Returns whether a person's message is also an `app_mention`: it names the bot, in a channel that the bot is in. */
export function mentions(channel: Channel, text: string): boolean {
  return channel.kind !== 'im' && channel.members.has(BOT_USER) && text.includes(`<@${BOT_USER}>`)
}

/** Returns the name under which a manifest subscribes to an event. */
export function subscription(event: Json): string {
  const type = String(event['type'])
  if (type !== 'message') return type
  return `message.${{ im: 'im', group: 'groups', mpim: 'mpim' }[String(event['channel_type'])] ?? 'channels'}`
}

/** Returns the envelope around an event. */
export function envelope(store: Store, event: Json, now: number): Json {
  const channel = typeof event['channel'] === 'string' ? store.channels.get(event['channel']) : undefined
  return {
    token: 'local',
    team_id: TEAM,
    context_team_id: TEAM,
    context_enterprise_id: null,
    api_app_id: APP,
    event,
    type: 'event_callback',
    event_id: store.id('Ev'),
    event_time: Math.floor(now / 1000),
    authorizations: [
      { enterprise_id: null, team_id: TEAM, user_id: BOT_USER, is_bot: true, is_enterprise_install: false },
    ],
    is_ext_shared_channel: channel?.shared ?? false,
    event_context: store.id('4-'),
  }
}
