import { optional, required } from '../args.ts'
import { APP, BOT, BOT_USER, TEAM } from '../store.ts'
import { declined, Refusal, type Channel, type Json, type StoredMessage } from '../types.ts'
import { readContent, MAX_UPDATE_TEXT } from './method-content.ts'
import type { Method, Workspace } from './method.ts'
import { isStreaming } from './stream-life.ts'

/** The author's fields of the bot's messages. */
export const FROM_BOT = { user: BOT_USER, bot_id: BOT, app_id: APP, team: TEAM }

/** https://docs.slack.dev/reference/methods: chat.*, without the streams. */
export const chatMethods: Record<string, Method> = {
  'chat.postMessage': (args, { store }) => {
    const channel = store.writable(required(args, 'channel'))
    const content = readContent(args)
    const thread = threadOf(args, channel, store)
    const broadcast = thread && args['reply_broadcast'] === true ? { subtype: 'thread_broadcast' } : {}
    const message = store.post(channel, { ...FROM_BOT, ...content, ...(thread && { thread_ts: thread }), ...broadcast })
    return { channel: channel.id, ts: message.ts, message }
  },

  'chat.update': (args, slack) => {
    const { store } = slack
    const { channel, message } = own(args, store, 'cant_update_message')
    if (isStreaming(message, slack)) throw new Refusal('streaming_state_conflict')
    const content = readContent({ ...keptBy(args, message), ...args }, MAX_UPDATE_TEXT)
    const edited = { user: BOT_USER, ts: store.ts() }
    // Blocks without a new text leave the text of the notification unchanged.
    const text = content.text || message.text
    Object.assign(message, { blocks: undefined, chunks: undefined }, content, { text, edited })
    store.changed(channel, message)
    return { channel: channel.id, ts: message.ts, text: message.text, message }
  },

  'chat.delete': (args, { store }) => {
    const { channel, message } = own(args, store, 'cant_delete_message')
    store.remove(channel, message)
    return { channel: channel.id, ts: message.ts }
  },

  'chat.postEphemeral': (args, { store }) => {
    const channel = store.writable(required(args, 'channel'))
    const user = required(args, 'user')
    if (!channel.members.has(user)) throw declined('user_not_in_channel')
    const { text, blocks } = readContent(args)
    const thread = threadOf(args, channel, store)
    const sendEphemeral = store.sendEphemeral(channel, {
      user,
      text,
      ...(blocks && { blocks }),
      ...(thread && { thread_ts: thread }),
    })
    return { message_ts: sendEphemeral.ts }
  },
}

/** Returns the root of the thread that a message goes into. @throws Refusal if there is none */
export function threadOf(args: Json, channel: Channel, store: Workspace['store']): string | undefined {
  const ts = optional(args, 'thread_ts')
  if (ts === undefined) return undefined
  const root = store.message(channel, ts, 'thread_not_found')
  if (root.thread_ts && root.thread_ts !== ts)
    throw new Refusal('cannot_reply_to_message', { why: `${ts} is itself a reply in ${root.thread_ts}.` })
  return ts
}

/** Applies an update. Absent parts stay unchanged; markdown_text replaces text and blocks. */
function keptBy(args: Json, message: StoredMessage): Json {
  const { blocks, attachments } = message
  return args['markdown_text'] === undefined ? { blocks, attachments } : { attachments }
}

/** Returns a message that the bot may change or delete, which is its own. */
function own(args: Json, store: Workspace['store'], error: string): { channel: Channel; message: StoredMessage } {
  const channel = store.writable(required(args, 'channel'))
  const message = store.message(channel, required(args, 'ts'))
  if (message.bot_id !== BOT) throw new Refusal(error, { why: `${message.ts} is somebody else's.` })
  return { channel, message }
}
