/** Streamed messages: https://docs.slack.dev/ai/developing-ai-apps#streaming. */
import { invalid, isObject, optional, required } from '../args.ts'
import { checkBlocks } from '../blocks/block-rules.ts'
import { BOT, TEAM } from '../store.ts'
import { declined, Refusal, type Channel, type Json, type StoredMessage } from '../types.ts'
import { FROM_BOT } from './chat.ts'
import { checkLength, MAX_MARKDOWN, readMetadata } from './method-content.ts'
import type { Method, Workspace } from './method.ts'
import { readStatus } from './session-methods.ts'
import { checkGrowth, isStreaming, notStreaming } from './stream-life.ts'

/** The maximum length of a title, in characters. */
const MAX_TITLE = 256

/** Start, append and stop, for one message. */
export const streamMethods: Record<string, Method> = {
  'chat.startStream': (args, slack) => {
    const { store } = slack
    const channel = store.writable(required(args, 'channel'))
    // In direct messages a stream needs a thread. In a channel it can start a message.
    const thread = channel.kind === 'im' ? required(args, 'thread_ts') : optional(args, 'thread_ts')
    if (thread) store.message(channel, thread, 'invalid_thread_ts')
    const recipient = readRecipient(args, channel, store)
    const mode = optional(args, 'task_display_mode') ?? 'timeline'
    if (mode !== 'timeline' && mode !== 'plan') throw invalid(`[ERROR] task_display_mode: ${mode}`)
    const chunks = readChunks(args)
    const text = textOf(chunks)
    if (Buffer.byteLength(text) > slack.streamBytes) throw new Refusal('msg_too_long', { why: 'longer than a stream' })
    const message = store.post(channel, {
      ...FROM_BOT,
      ...(thread && { thread_ts: thread }),
      streaming_state: 'in_progress',
      task_display_mode: mode,
      text,
      chunks,
      ...(recipient && { stream: { recipient, text, chunks } }),
    })
    // An agent's stream opens a session. Only the app ends it.
    if (slack.agent) store.setSession(channel, thread ?? message.ts, { status: 'processing' })
    return { channel: channel.id, ts: message.ts }
  },

  'chat.appendStream': (args, slack) => {
    const { channel, message } = streaming(args, slack)
    add(message, readChunks(args), slack)
    slack.store.changed(channel, message)
    return { channel: channel.id, ts: message.ts }
  },

  'chat.stopStream': (args, slack) => {
    const { channel, message } = streaming(args, slack)
    const { blocks } = args
    if (blocks !== undefined) checkBlocks(blocks)
    const session = optional(args, 'session_status')
    const status = session === undefined ? undefined : readStatus(session)
    add(message, readChunks(args), slack)
    Object.assign(
      message,
      { streaming_state: 'completed' },
      blocks !== undefined && { blocks },
      readMetadata(args['metadata']),
    )
    slack.store.changed(channel, message)
    if (slack.agent && status) slack.store.setSession(channel, message.thread_ts ?? message.ts, { status })
    const told = { ...message }
    delete told.stream
    return { channel: channel.id, ts: message.ts, message: told }
  },
}

/** Reads the recipient of a stream. It is required in a channel. */
function readRecipient(args: Json, channel: Channel, store: Workspace['store']): string | undefined {
  if (channel.kind === 'im') return undefined
  const user = optional(args, 'recipient_user_id')
  if (user === undefined) throw new Refusal('missing_recipient_user_id')
  if (optional(args, 'recipient_team_id') === undefined) throw new Refusal('missing_recipient_team_id')
  const known = store.users.get(user)
  if (!known) throw new Refusal('user_not_found', { why: `There is no user ${user}.` })
  // Slack refuses streams to people of connected workspaces. A good app may not know that, so it is not its mistake.
  if (known.is_stranger || known.team_id !== TEAM) throw declined('user_not_found')
  return user
}

/** Returns a stream in progress. @throws Refusal if it has ended */
function streaming(args: Json, slack: Workspace): { channel: Channel; message: StoredMessage } {
  const channel = slack.store.writable(required(args, 'channel'))
  const message = slack.store.message(channel, required(args, 'ts'))
  if (message.bot_id !== BOT)
    throw new Refusal('message_not_owned_by_app', { why: `${message.ts} is somebody else's.` })
  if (!isStreaming(message, slack)) throw notStreaming(message)
  return { channel, message }
}

/** Reads the chunks. A plain text becomes one chunk of Markdown. */
function readChunks(args: Json): Json[] {
  const markdown = optional(args, 'markdown_text')
  const chunks = args['chunks'] ?? []
  if (!Array.isArray(chunks)) throw new Refusal('invalid_chunks', { why: 'chunks is no list' })
  if (markdown !== undefined && chunks.length > 0) throw invalid('[ERROR] markdown_text together with chunks')
  checkLength(markdown, MAX_MARKDOWN)
  for (const chunk of chunks) checkChunk(chunk)
  return markdown === undefined ? chunks : [{ type: 'markdown_text', text: markdown }]
}

/** Checks a chunk: one of the four kinds of @slack/types. */
function checkChunk(chunk: unknown) {
  const no = (why: string) => new Refusal('invalid_chunks', { why })
  if (!isObject(chunk)) throw no('a chunk is no object')
  const { type, text, title, id, status } = chunk
  const texts = type === 'markdown_text' ? [text] : type === 'blocks' ? [] : [title]
  if (texts.some((one) => typeof one !== 'string' || one === '')) throw no(`a ${String(type)} without its text`)
  if (type === 'markdown_text') return checkLength(String(text), MAX_MARKDOWN)
  if (type === 'blocks') return checkBlocks(chunk['blocks'])
  if (type !== 'plan_update' && type !== 'task_update') throw no(`a chunk of type ${String(type)}`)
  if (String(title).length > MAX_TITLE) throw no(`a title of ${String(title).length} characters`)
  if (type === 'plan_update') return
  if (typeof id !== 'string' || id === '') throw no('a task without an id')
  if (!['pending', 'in_progress', 'complete', 'error'].includes(String(status))) throw no(`status ${String(status)}`)
  for (const name of ['details', 'output'])
    if (String(chunk[name] ?? '').length > MAX_TITLE) throw no(`${name} over ${MAX_TITLE} characters`)
}

/** Adds all chunks, or none. */
function add(message: StoredMessage, chunks: Json[], slack: Workspace) {
  const text = textOf(chunks)
  checkGrowth(message, text, slack)
  message.text += text
  message.chunks = [...(message.chunks ?? []), ...chunks]
}

function textOf(chunks: Json[]): string {
  return chunks.map((chunk) => (chunk['type'] === 'markdown_text' ? String(chunk['text']) : '')).join('')
}
