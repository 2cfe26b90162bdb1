/** Reads a thread by the permalink of one of its messages, if the bot and the asker may read it. */
import type { ReadThread } from '../../agent/contracts/tool.ts'
import { ToolError } from '../../base/errors.ts'
import { isDirect, isPrivate, type Question } from '../../stores/runs/types.ts'
import { channelSchema } from '../client/directory-answers.ts'
import type { Installation } from '../client/installations.ts'
import { areSeenFrom } from '../client/place-facts.ts'
import { refusalCode } from '../client/slack-errors.ts'
import { readMessages, type ThreadMessage } from '../client/thread-messages.ts'
import { cleanName } from '../format/escape.ts'
import { isMember } from '../client/channel-members.ts'
import { isWritten } from '../content/message-content.ts'
import { Mentions } from '../client/mentions.ts'
import { linesOf } from './thread-reader.ts'

export interface ReadPermalinkOptions {
  question: Question
  installation: Installation
  signal: AbortSignal
}

/**
 * Limits for longer threads: how many messages are read, and how many returned. Returned are the first one and those
 * around the linked one.
 */
const MAX_READ = 1_000
const MAX_GIVEN = 50

/** @throws ToolError with a sentence that says why it cannot be read */
export async function readPermalink(address: string, options: ReadPermalinkOptions): Promise<ReadThread> {
  const link = permalinkIn(address, options.installation.identity.url)
  if (!link)
    throw new ToolError('That is not a link to a message of this workspace (https://….slack.com/archives/…/p…).')
  const where = await linkedPlace(link.channel, options)
  const { messages, isWhole } = await messagesOf(link, options)
  const [given, left] = around(link.ts, messages)
  const { question, installation } = options
  const mentions = new Mentions(installation.directory, question)
  const lines = (await linesOf(given, { mentions, question, installation })).map(({ line }) => line)
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

export const NOT_THERE = 'I cannot read that channel: I am not a member, or it does not exist. A member can invite me.'
const ASK_THERE =
  'That is in a private conversation, so I only read it where nobody else sees the answer. The asker can ask there, or in a direct message to me.'
const ASK_INSIDE =
  'Not everyone who reads here may see that channel, so I only read it where nobody else sees the answer. The asker can ask there, or in a direct message to me.'

/**
 * Checks access and returns the place's display name. A place that some readers of the question's channel cannot see is
 * read only in that place, or for the asker alone. The asker must be a member of a private place; a guest, of a public
 * one too.
 * @throws ToolError if it may not be read
 */
export async function linkedPlace(
  channel: string,
  { question, installation, signal }: ReadPermalinkOptions,
): Promise<string> {
  const isHere = channel === question.channel
  if (channel.startsWith('D')) {
    if (!isHere) throw new ToolError(ASK_THERE)
    return 'this direct message'
  }
  const info = await infoOf(channel, installation, signal)
  // The place that the question was asked in can be read even if Slack gives no information about it.
  if (isHere) return info?.name ? `#${info.name}` : 'this conversation'
  if (!info?.isBotThere) throw new ToolError(NOT_THERE)
  const isForAskerAlone = isDirect(question) || isPrivate(question)
  if (info.isPrivate && !isForAskerAlone) throw new ToolError(ASK_THERE)
  if (!isForAskerAlone && (await areSeenFrom(question, [channel], installation)) === 'no')
    throw new ToolError(ASK_INSIDE)
  const mustBeThere = info.isPrivate || !(await isFullMember(question, installation))
  if (mustBeThere && (await isMember({ ...question, channel }, installation.client)) !== true)
    throw new ToolError('Slack says that the asker is not in that channel, so I do not read it for them.')
  return info.isPrivate ? 'a private channel' : `#${info.name}`
}

interface PlaceInfo {
  name: string
  isPrivate: boolean
  isBotThere: boolean
}

/** Returns undefined if Slack refuses. */
async function infoOf(
  channel: string,
  installation: Installation,
  signal: AbortSignal,
): Promise<PlaceInfo | undefined> {
  const call = installation.client.call('conversations.info', { channel }, { effort: 'patient', signal })
  const answer = await call.catch((error: unknown) => {
    if (refusalCode(error) === undefined) throw error
    return undefined
  })
  const info = channelSchema.safeParse(answer).data?.channel
  if (!info) return undefined
  return {
    name: cleanName(info.name ?? ''),
    isPrivate: info.is_private !== false || info.is_mpim === true,
    isBotThere: info.is_member === true,
  }
}

async function isFullMember(question: Question, { directory }: Installation): Promise<boolean> {
  const facts = await directory.factsOfAuthor(question)
  return typeof facts !== 'string' && !facts.isGuest && !facts.isExternal
}

async function messagesOf(
  { channel, ts, thread }: Permalink,
  options: ReadPermalinkOptions,
): Promise<{ messages: ThreadMessage[]; isWhole: boolean }> {
  try {
    const found = await readAll(channel, thread ?? ts, options)
    // A reply's address may not contain its root, but the reply itself does.
    const root = thread ?? found.messages.find((message) => message.ts === ts)?.thread_ts ?? ts
    const isThread = found.messages.some((message) => message.ts === root)
    return isThread ? found : await readAll(channel, root, options)
  } catch (error) {
    const code = refusalCode(error)
    if (code === undefined) throw error
    throw new ToolError(GONE.has(code) ? 'The message does not exist, or was deleted.' : NOT_THERE)
  }
}

const GONE = new Set(['thread_not_found', 'message_not_found'])

async function readAll(channel: string, thread: string, { installation, signal }: ReadPermalinkOptions) {
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
