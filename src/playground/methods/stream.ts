/** Streamed messages: https://docs.slack.dev/ai/developing-ai-apps#streaming, and what facts/slack.md says of their limits. */
import { invalid, isObject, optional, required } from '../args.ts'
import { checkBlocks } from '../block-rules.ts'
import { Refusal, type Channel, type Json, type Message } from '../types.ts'
import { FROM_BOT } from './chat.ts'
import { checkLength, MARKDOWN_MOST, readMetadata } from './method-content.ts'
import type { Method, Workspace } from './method.ts'

/** The most UTF-8 bytes that a streamed message holds, and the most characters of a title in it. */
const STREAM_BYTES = 11_000
const TITLE_MOST = 256

/** Start, append, stop; one message that grows meanwhile. */
export const streamMethods: Record<string, Method> = {
  'chat.startStream': (args, { store }) => {
    const channel = store.writable(required(args, 'channel'))
    const thread = required(args, 'thread_ts')
    store.message(channel, thread, 'invalid_thread_ts')
    checkRecipient(args, channel, store)
    const mode = optional(args, 'task_display_mode') ?? 'timeline'
    if (mode !== 'timeline' && mode !== 'plan') throw invalid(`[ERROR] task_display_mode: ${mode}`)
    const chunks = readChunks(args)
    const message = store.post(channel, {
      ...FROM_BOT,
      thread_ts: thread,
      streaming_state: 'in_progress',
      text: textOf(chunks),
      chunks,
    })
    return { channel: channel.id, ts: message.ts }
  },

  'chat.appendStream': (args, slack) => {
    const { channel, message } = streaming(args, slack)
    add(message, readChunks(args))
    slack.store.changed(channel, message)
    return { channel: channel.id, ts: message.ts }
  },

  'chat.stopStream': (args, slack) => {
    const { channel, message } = streaming(args, slack)
    const { blocks } = args
    if (blocks !== undefined) checkBlocks(blocks)
    add(message, readChunks(args))
    Object.assign(
      message,
      { streaming_state: 'completed' },
      blocks !== undefined && { blocks },
      readMetadata(args['metadata']),
    )
    slack.store.changed(channel, message)
    return { channel: channel.id, ts: message.ts, message }
  },
}

/** In a channel Slack must be told for whom the stream is. */
function checkRecipient(args: Json, channel: Channel, store: Workspace['store']) {
  if (channel.kind === 'im') return
  const user = optional(args, 'recipient_user_id')
  if (user === undefined) throw new Refusal('missing_recipient_user_id')
  if (optional(args, 'recipient_team_id') === undefined) throw new Refusal('missing_recipient_team_id')
  if (!store.users.has(user)) throw new Refusal('user_not_found', { why: `There is no user ${user}.` })
}

/** A stream that was begun and is still alive. Age is looked at when it is next used, which is when it shows. */
function streaming(args: Json, { store, now, streamMs }: Workspace): { channel: Channel; message: Message } {
  const channel = store.writable(required(args, 'channel'))
  const message = store.message(channel, required(args, 'ts'))
  const age = now() - Number(message.ts) * 1000
  if (message.streaming_state === 'in_progress' && age > streamMs) message.streaming_state = 'stopped'
  if (message.streaming_state === 'in_progress') return { channel, message }
  if (message['stopped_by']) throw new Refusal('stopped_by_user', { blame: false })
  throw new Refusal('message_not_in_streaming_state', { why: 'It was never streaming, is done, or has died.' })
}

/** Text alone counts as one chunk of markdown. */
function readChunks(args: Json): Json[] {
  const markdown = optional(args, 'markdown_text')
  const chunks = args['chunks'] ?? []
  if (!Array.isArray(chunks)) throw new Refusal('invalid_chunks', { why: 'chunks is no list' })
  if (markdown !== undefined && chunks.length > 0) throw invalid('[ERROR] markdown_text together with chunks')
  checkLength(markdown, MARKDOWN_MOST)
  for (const chunk of chunks) checkChunk(chunk)
  return markdown === undefined ? chunks : [{ type: 'markdown_text', text: markdown }]
}

/** The four kinds of chunks, as @slack/types has them. */
function checkChunk(chunk: unknown) {
  const no = (why: string) => new Refusal('invalid_chunks', { why })
  if (!isObject(chunk)) throw no('a chunk is no object')
  const { type, text, title, id, status } = chunk
  const texts = type === 'markdown_text' ? [text] : type === 'blocks' ? [] : [title]
  if (texts.some((one) => typeof one !== 'string' || one === '')) throw no(`a ${String(type)} without its text`)
  if (type === 'markdown_text') return checkLength(String(text), MARKDOWN_MOST)
  if (type === 'blocks') return checkBlocks(chunk['blocks'])
  if (type !== 'plan_update' && type !== 'task_update') throw no(`a chunk of type ${String(type)}`)
  if (String(title).length > TITLE_MOST) throw no(`a title of ${String(title).length} characters`)
  if (type === 'plan_update') return
  if (typeof id !== 'string' || id === '') throw no('a task without an id')
  if (!['pending', 'in_progress', 'complete', 'error'].includes(String(status))) throw no(`status ${String(status)}`)
  for (const name of ['details', 'output'])
    if (String(chunk[name] ?? '').length > TITLE_MOST) throw no(`${name} over ${TITLE_MOST} characters`)
}

/** All or nothing: a stream that would grow too long stays as it was. */
function add(message: Message, chunks: Json[]) {
  const text = message.text + textOf(chunks)
  if (Buffer.byteLength(text) > STREAM_BYTES) throw new Refusal('msg_too_long', { why: `over ${STREAM_BYTES} bytes` })
  message.text = text
  message.chunks = [...(message.chunks ?? []), ...chunks]
}

function textOf(chunks: Json[]): string {
  return chunks.map((chunk) => (chunk['type'] === 'markdown_text' ? String(chunk['text']) : '')).join('')
}
