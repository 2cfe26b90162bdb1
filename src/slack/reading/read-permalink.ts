/** Reads a thread by the permalink of one of its messages, if the bot and the asker may read it. */
import type { ReadThread } from '../../agent/contracts/tool.ts'
import { ToolError } from '../../base/errors.ts'
import { refusalCode } from '../client/slack-errors.ts'
import { readMessages, type ThreadMessage } from '../client/thread-messages.ts'
import { isWritten } from '../content/message-content.ts'
import { Mentions } from '../client/mentions.ts'
import type { QuestionWork } from '../question-work.ts'
import { NOT_THERE, readablePlace } from './may-read-place.ts'
import { messageLines } from './thread-reader.ts'

/**
 * Limits for longer threads: how many messages are read, and how many returned. Returned are the first one and those
 * around the linked one.
 */
const MAX_READ = 1_000
const MAX_GIVEN = 50

/** @throws ToolError with a sentence that says why it cannot be read */
export async function readPermalink(address: string, work: QuestionWork): Promise<ReadThread> {
  const link = permalinkIn(address, work.installation.identity.url)
  if (!link)
    throw new ToolError('That is not a link to a message of this workspace (https://….slack.com/archives/…/p…).')
  const where = await readablePlace(link.channel, work)
  const { messages, isWhole } = await messagesOf(link, work)
  const [given, left] = around(link.ts, messages)
  const mentions = new Mentions(work.installation.directory, work.question)
  const lines = (await messageLines(given, { ...work, mentions })).map(({ line }) => line)
  if (lines.length === 0) throw new ToolError('The messages there were deleted.')
  const count = `${messages.length}${isWhole ? '' : ' or more'} ${messages.length === 1 ? 'message' : 'messages'}`
  if (left > 0) lines.splice(1, 0, `… (${left} other messages left out) …`)
  const title = `${where}, ${new Date(Number(messages[0]?.ts) * 1000).toISOString().slice(0, 10)}`
  return { text: [`Thread in ${title}, ${count}:`, ...lines].join('\n'), title, url: link.url }
}

interface Permalink {
  channel: string
  /** The ts of the message, and of its thread's root if the address contains it. */
  ts: string
  thread: string | undefined
  url: string
}

const PATH = /^\/archives\/([CDG][A-Z0-9]{2,20})\/p(\d{10})(\d{6})$/

/** Returns undefined for any other address, and for one of another workspace. */
function permalinkIn(text: string, workspace: string): Permalink | undefined {
  const address = /https?:\/\/[^\s<>|)\]"'`]{1,500}/.exec(text)?.[0] ?? ''
  if (!URL.canParse(address) || !URL.canParse(workspace)) return undefined
  const url = new URL(address)
  const [, channel, seconds, rest] = PATH.exec(url.pathname) ?? []
  if (channel === undefined || url.origin !== new URL(workspace).origin) return undefined
  const thread = /^\d{10}\.\d{6}$/.exec(url.searchParams.get('thread_ts') ?? '')?.[0]
  const query = thread === undefined ? '' : `?thread_ts=${thread}&cid=${channel}`
  return { channel, ts: `${seconds}.${rest}`, thread, url: `${url.origin}${url.pathname}${query}` }
}

async function messagesOf(
  { channel, ts, thread }: Permalink,
  work: QuestionWork,
): Promise<{ messages: ThreadMessage[]; isWhole: boolean }> {
  try {
    const found = await readAll(channel, thread ?? ts, work)
    // A reply's address may not contain its root, but the reply itself does.
    const root = thread ?? found.messages.find((message) => message.ts === ts)?.thread_ts ?? ts
    const isThread = found.messages.some((message) => message.ts === root)
    return isThread ? found : await readAll(channel, root, work)
  } catch (error) {
    const code = refusalCode(error)
    if (code === undefined) throw error
    throw new ToolError(GONE.has(code) ? 'The message does not exist, or was deleted.' : NOT_THERE)
  }
}

const GONE = new Set(['thread_not_found', 'message_not_found'])

async function readAll(channel: string, thread: string, { installation, signal }: QuestionWork) {
  const messages: ThreadMessage[] = []
  let isWhole = true
  for await (const message of readMessages(installation.client, { channel, thread, since: '0', signal })) {
    if (isWritten(message)) messages.push(message)
    isWhole = messages.length < MAX_READ
    if (!isWhole) break
  }
  return { messages, isWhole }
}

/** Returns the first message and those around the wanted one, and how many are left out. */
function around(ts: string, messages: ThreadMessage[]): [ThreadMessage[], number] {
  if (messages.length <= MAX_GIVEN) return [messages, 0]
  const at = Math.max(
    0,
    messages.findIndex((message) => message.ts === ts),
  )
  const from = Math.max(1, Math.min(at - MAX_GIVEN / 2, messages.length - MAX_GIVEN + 1))
  const given = [...messages.slice(0, 1), ...messages.slice(from, from + MAX_GIVEN - 1)]
  return [given, messages.length - given.length]
}
