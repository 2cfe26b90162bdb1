import { flag, invalid, optional, required, whole } from '../args.ts'
import { filesInHistory } from '../files/file-object.ts'
import { BOT_USER, TEAM } from '../store.ts'
import { declined, Refusal, type Channel, type Json, type StoredMessage } from '../types.ts'
import type { Method, Workspace } from './method.ts'

/** https://docs.slack.dev/reference/methods: conversations.* */
export const conversationMethods: Record<string, Method> = {
  'conversations.info': (args, { store }) => {
    const id = required(args, 'channel')
    // People may name a channel that does not exist, so it is not the app's mistake.
    if (!store.channels.has(id)) throw declined('channel_not_found')
    return { channel: channelObject(store.channel(id)) }
  },

  'conversations.join': (args, { store }) => {
    const channel = store.channel(required(args, 'channel'))
    if (channel.kind !== 'channel') throw declined('method_not_supported_for_channel_type')
    if (channel.archived) throw declined('is_archived')
    if (channel.members.has(BOT_USER)) return { channel: channelObject(channel), warning: 'already_in_channel' }
    channel.members.add(BOT_USER)
    const text = `<@${BOT_USER}> has joined the channel`
    store.post(channel, { subtype: 'channel_join', user: BOT_USER, text })
    return { channel: channelObject(channel) }
  },

  'users.conversations': (args, { store }) => {
    const kinds = (optional(args, 'types') ?? 'public_channel').split(',')
    const isWanted = ({ kind }: Channel) => kinds.includes(kind === 'channel' ? 'public_channel' : 'private_channel')
    const own = [...store.channels.values()].filter(
      (one) => one.members.has(BOT_USER) && (one.kind === 'channel' || one.kind === 'group') && isWanted(one),
    )
    const { from, to, next } = slice(own.length, args, { normal: 100, max: 999 })
    return { channels: own.slice(from, to).map(channelObject), response_metadata: { next_cursor: next } }
  },

  'conversations.members': (args, { store }) => {
    const channel = store.channel(required(args, 'channel'))
    const members = [...channel.members]
    const { from, to, next } = slice(members.length, args, { normal: 100, max: 999 })
    return { members: members.slice(from, to), response_metadata: { next_cursor: next } }
  },

  'conversations.open': (args, { store }) => {
    const user = optional(args, 'users') ?? optional(args, 'channel')
    if (user === undefined) throw invalid('[ERROR] missing required field: users')
    if (!store.users.has(user)) throw new Refusal('user_not_found', { why: `There is no user ${user}.` })
    return { channel: { id: store.directChannel(user).id } }
  },

  'conversations.history': (args, { store }) => {
    const channel = readableChannel(args, store)
    const roots = channel.messages.filter(
      (m) => !m.thread_ts || m.thread_ts === m.ts || m.subtype === 'thread_broadcast',
    )
    return page(between(roots, args).reverse(), args, { normal: 100, max: 999, channel })
  },

  'conversations.replies': (args, { store }) => {
    const channel = readableChannel(args, store)
    const root = store.message(channel, required(args, 'ts'), 'thread_not_found')
    const thread = store.thread(channel, root.thread_ts ?? root.ts)
    return page(between(thread, args), args, { normal: 1000, max: 1000, channel })
  },
}

/** Returns a channel that the bot may read, which it must be in. */
function readableChannel(args: Json, store: Workspace['store']): Channel {
  const channel = store.channel(required(args, 'channel'))
  if (!channel.members.has(BOT_USER)) throw declined('not_in_channel')
  return channel
}

/** Returns a channel as the API does: https://docs.slack.dev/reference/objects/conversation-object */
function channelObject(channel: Channel): Json {
  return {
    id: channel.id,
    name: channel.name,
    is_channel: channel.kind === 'channel',
    is_group: channel.kind === 'group',
    is_im: channel.kind === 'im',
    is_mpim: channel.kind === 'mpim',
    is_private: channel.kind !== 'channel',
    is_archived: channel.archived,
    is_ext_shared: channel.shared,
    context_team_id: TEAM,
    ...(channel.host === undefined ? {} : { conversation_host_id: channel.host }),
    is_member: channel.members.has(BOT_USER),
  }
}

/** Returns the messages between `oldest` and `latest`, which are excluded unless `inclusive` is on. */
function between(messages: StoredMessage[], args: Json): StoredMessage[] {
  const oldest = Number(args['oldest'] ?? 0)
  const latest = Number(args['latest'] ?? Infinity)
  const inclusive = flag(args, 'inclusive')
  return messages.filter(({ ts }) => {
    const at = Number(ts)
    return (at > oldest && at < latest) || (inclusive && (at === oldest || at === latest))
  })
}

/** Returns one page of messages. The cursor is where the next page begins. */
function page(messages: StoredMessage[], args: Json, bounds: { normal: number; max: number; channel: Channel }): Json {
  const { from, to, next } = slice(messages.length, args, bounds)
  const withMetadata = flag(args, 'include_all_metadata')
  return {
    messages: messages.slice(from, to).map((message) => outward(message, bounds.channel, withMetadata)),
    has_more: next !== '',
    response_metadata: { next_cursor: next },
  }
}

/** Returns the start and the end of a page, and the cursor of the next one. */
export function slice(length: number, args: Json, bounds: { normal: number; max: number }) {
  const from = readCursor(optional(args, 'cursor'))
  const to = from + whole(args, 'limit', bounds)
  return { from, to, next: to < length ? Buffer.from(`next:${to}`).toString('base64') : '' }
}

/** Reads a cursor. Cursors are opaque to apps; an invalid one is refused. */
function readCursor(cursor: string | undefined): number {
  if (cursor === undefined) return 0
  const place = /^next:(\d+)$/.exec(Buffer.from(cursor, 'base64').toString())
  if (!place) throw new Refusal('invalid_cursor')
  return Number(place[1])
}

/** Returns a message as the history does: metadata only on request, and a root's replies counted. */
function outward(message: StoredMessage, channel: Channel, withMetadata: boolean): Json {
  const { metadata, ...rest } = message
  if (message.files) rest.files = filesInHistory(message.files)
  // Only events give a message with files its own subtype.
  if (message.subtype === 'file_share') delete rest.subtype
  for (const name of ['chunks', 'stream', 'died', 'stopped_by']) delete rest[name]
  const replies = channel.messages.filter((one) => one.thread_ts === message.ts && one.ts !== message.ts)
  const counted = replies.length > 0 && {
    thread_ts: message.ts,
    reply_count: replies.length,
    latest_reply: replies.at(-1)?.ts,
  }
  return { ...rest, ...counted, ...(metadata && withMetadata && { metadata }) }
}
