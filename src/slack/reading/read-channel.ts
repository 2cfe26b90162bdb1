/** Reads a channel between two times, if the bot and the asker may read it. */
import type { ReadThread, WantedChannel } from '../../agent/contracts/tool.ts'
import { ToolError } from '../../base/errors.ts'
import { askedAt, occurrenceIn, type Question } from '../../stores/runs/types.ts'
import { refusalCode } from '../client/slack-errors.ts'
import { readMessages, type ThreadMessage } from '../client/thread-messages.ts'
import { Mentions } from '../client/mentions.ts'
import { count } from '../format/messages.ts'
import { contentText, isWritten } from '../content/message-content.ts'
import type { QuestionWork } from '../question-work.ts'
import { findChannel, NOT_THERE, readablePlace } from './may-read-place.ts'
import { messageLines } from './thread-reader.ts'
import { minuteIn, readTime, type TimeBase } from './time-words.ts'

/**
 * Maximum numbers: of messages that are read, the newest first; of threads that are opened, the busiest first; of
 * replies in one.
 */
const MAX_READ = 2_000
const MAX_OPENED = 20
const MAX_REPLIES = 200
/**
 * How far back to look for threads with new replies, before the asked time, and how many messages are looked at for
 * them.
 */
const LOOK_BACK_DAYS = 7
const MAX_LOOKED_AT = 1_000
/** Characters of a part, without its first and last lines. */
const PART_CHARS = 14_000
const DAY_MS = 86_400_000

/** The messages of a channel between two times: the parts of its text, and the facts for its first line. */
export interface ChannelReading {
  parts: string[]
  /** `214 messages, 31 threads`. */
  what: string
  /** `#ops from … until …`, for the first line. */
  where: string
  /** A line for each thing that was not read. */
  left: string[]
  title: string
  url: string
}

/** Returns a part of a reading. @throws ToolError if there is no such part */
export function partOf({ parts, what, where, left, title, url }: ChannelReading, part: number): ReadThread {
  const max = parts.length
  if (part > max) throw new ToolError(`There ${max === 1 ? 'is only 1 part' : `are only ${max} parts`}.`)
  const isWhole = max === 1 && left.length === 0
  const how = max > 1 ? `part ${part} of ${max}` : isWhole ? 'all read' : 'not all read'
  const next = part < max ? [`(This was part ${part} of ${max}. Read part ${part + 1} too.)`] : []
  const text = [`${what}, ${how}: ${where}`, ...left, parts[part - 1], ...next].filter((line) => line !== '')
  return { text: text.join('\n'), title, url }
}

/** @throws ToolError with a sentence that says why it cannot be read */
export async function readChannel(asked: WantedChannel, work: QuestionWork): Promise<ChannelReading> {
  const { installation } = work
  const channel = await findChannel(asked.channel, work)
  if (channel === undefined) throw new ToolError(NOT_THERE)
  const place = await readablePlace(channel, work)
  const base = await timeBase(work)
  const { since, until } = spanOf(asked, base)
  const [{ roots, isWhole }, earlier] = await Promise.all([
    rootsIn(channel, { since, until }, work),
    earlierRoots(channel, since, work),
  ])
  const replies = await repliesIn(channel, { roots: [...earlier.roots, ...roots], since, until }, work)
  // The last reply may be later than the requested end.
  const begunEarlier = earlier.roots.filter(({ ts }) => replies.get(ts)?.length !== 0)
  const threads = [...begunEarlier, ...roots.filter(hasReplies)]
  const blocks = await blocksOf(channel, [...begunEarlier, ...roots], replies, base.zone, work)
  const { origin } = new URL(installation.identity.url)
  const [from, to, now, first] = [since, until, base.now, earlier.from].map((at) => minuteIn(base.zone, at))
  const unopened = threads.filter(({ ts }) => !replies.has(ts)).length
  const isLong = [...replies.values()].some(({ length }) => length === MAX_REPLIES)
  const old = begunEarlier.length > 0 ? ` (${begunEarlier.length} begun earlier)` : ''
  const weekday = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: base.zone }).format(base.now)
  return {
    parts: inParts(blocks),
    what: `${count(roots.length, 'message')}, ${count(threads.length, 'thread')}${old}`,
    where: `${place} from ${from} until ${to} (${base.zone}, where it is ${weekday}, ${now}), with replies in threads begun since ${first}`,
    left: [
      ...(isWhole ? [] : [`(There are older messages in this time. Read them with an earlier "until".)`]),
      ...(unopened > 0
        ? [
            `(${count(unopened, 'thread')} with fewer replies ${unopened === 1 ? 'is' : 'are'} not opened: read_thread opens one by its link.)`,
          ]
        : []),
      ...(isLong ? [`(At most ${MAX_REPLIES} replies of each thread are read.)`] : []),
    ],
    title: `${place}, ${from?.slice(0, 10)} to ${to?.slice(0, 10)}`,
    url: `${origin}/archives/${channel}`,
  }
}

async function timeBase({ question, installation, services }: QuestionWork): Promise<TimeBase> {
  const facts = await installation.directory.factsOfAuthor(question)
  const zone = typeof facts === 'string' ? 'UTC' : (facts.zone ?? 'UTC')
  return { zone, now: services.now().getTime(), lastRunAt: occurrenceIn(question)?.lastRunAt }
}

function spanOf(asked: WantedChannel, base: TimeBase): { since: number; until: number } {
  const read = (words: string | undefined, isEnd: boolean) => {
    if (!words) return undefined
    const time = readTime(words, base, { isEnd })
    if (time === undefined && /last[ _-]run/i.test(words))
      throw new ToolError(
        'There was no last run: this question does not belong to a schedule that has run before. Name a time.',
      )
    if (time === undefined)
      throw new ToolError(`"${words}" is not a time that I can read. Write it as 2026-11-23 or 2026-11-23T14:00.`)
    return time
  }
  const until = Math.min(read(asked.until, true) ?? base.now, base.now)
  const since = read(asked.since, false) ?? until - DAY_MS
  if (since > until) throw new ToolError('"since" is later than "until", or in the future.')
  return { since, until }
}

const tsOf = (ms: number) => (ms / 1000).toFixed(6)
const hasReplies = ({ reply_count = 0 }: ThreadMessage) => reply_count > 0

/** The messages of the channel itself, the oldest first, without the question. */
async function rootsIn(
  channel: string,
  { since, until }: { since: number; until: number },
  { question, installation, signal }: QuestionWork,
): Promise<{ roots: ThreadMessage[]; isWhole: boolean }> {
  const own = channel === question.channel ? ownMessage(question) : undefined
  const roots: ThreadMessage[] = []
  const place = { channel, since: tsOf(since), until: tsOf(until), signal }
  try {
    for await (const message of readMessages(installation.client, place)) {
      if (message.ts === own || !isWritten(message)) continue
      if (roots.length === MAX_READ) return { roots: roots.reverse(), isWhole: false }
      roots.push(message)
    }
  } catch (error) {
    if (refusalCode(error) === undefined) throw error
    throw new ToolError(NOT_THERE)
  }
  return { roots: roots.reverse(), isWhole: true }
}

/**
 * The roots of threads that began before `since` and got replies after it, the oldest first. `from`: the earliest time
 * searched.
 */
async function earlierRoots(
  channel: string,
  since: number,
  { installation, signal }: QuestionWork,
): Promise<{ roots: ThreadMessage[]; from: number }> {
  const roots: ThreadMessage[] = []
  const from = since - LOOK_BACK_DAYS * DAY_MS
  // A microsecond earlier, so that nothing is read twice.
  const place = { channel, since: tsOf(from), until: tsOf(since - 0.001), signal }
  let looked = 0
  try {
    for await (const message of readMessages(installation.client, place)) {
      if (Number(message.latest_reply ?? 0) * 1000 >= since && isWritten(message)) roots.push(message)
      if (++looked === MAX_LOOKED_AT) return { roots: roots.reverse(), from: Number(message.ts) * 1000 }
    }
  } catch (error) {
    if (refusalCode(error) === undefined) throw error
    return { roots: [], from: since }
  }
  return { roots: roots.reverse(), from }
}

/** The message of the question itself; if no message asked it, the one that the bot has opened its thread with. */
function ownMessage(question: Question): string | undefined {
  return question.surface === 'ask' ? question.thread : askedAt(question)
}

/** The replies of the busiest threads, by the ts of their root. */
async function repliesIn(
  channel: string,
  { roots, since, until }: { roots: ThreadMessage[]; since: number; until: number },
  { installation, signal }: QuestionWork,
): Promise<Map<string, ThreadMessage[]>> {
  const busiest = roots.filter(hasReplies).sort((a, b) => (b.reply_count ?? 0) - (a.reply_count ?? 0))
  const read = busiest.slice(0, MAX_OPENED).map(async ({ ts }): Promise<[string, ThreadMessage[]]> => {
    const replies: ThreadMessage[] = []
    const place = { channel, thread: ts, since: tsOf(Math.max(since, Number(ts) * 1000)), until: tsOf(until), signal }
    for await (const message of readMessages(installation.client, place)) {
      if (message.ts !== ts && isWritten(message)) replies.push(message)
      if (replies.length === MAX_REPLIES) break
    }
    return [ts, replies]
  })
  // A thread that Slack refuses, such as one deleted meanwhile, counts as not opened.
  const opened = read.map((one) =>
    one.catch((error: unknown) => (refusalCode(error) === undefined ? Promise.reject(error) : undefined)),
  )
  return new Map((await Promise.all(opened)).filter((one) => one !== undefined))
}

/** Returns a text for each message with the replies of its thread: time, author, words, and the link. */
async function blocksOf(
  channel: string,
  roots: ThreadMessage[],
  replies: Map<string, ThreadMessage[]>,
  zone: string,
  work: QuestionWork,
): Promise<string[]> {
  const { question, installation } = work
  const mentions = new Mentions(installation.directory, question)
  const all = roots.flatMap((root) => [root, ...(replies.get(root.ts) ?? [])])
  // A look-up is limited to a number of ids, so it takes few messages at a time.
  for (let i = 0; i < all.length; i += 20)
    await mentions.messagesForModel(
      all.slice(i, i + 20).map((message) => ({ user: message.user, text: contentText(message) })),
    )
  const lines = new Map((await messageLines(all, { ...work, mentions })).map(({ ts, line }) => [ts, line]))
  const { origin } = new URL(installation.identity.url)
  // Further lines of a message are indented, so that none of them passes for a message or a reply.
  const shown = ({ ts }: ThreadMessage, query: string, mark: string) =>
    [
      `${mark}${minuteIn(zone, Number(ts) * 1000)} ${lines.get(ts) ?? '(no text)'}`,
      `  ${origin}/archives/${channel}/p${ts.replace('.', '')}${query}`,
    ].join('\n')
  return roots.map((root) => {
    const opened = replies.get(root.ts)
    const rest = (root.reply_count ?? 0) - (opened?.length ?? 0)
    const query = `?thread_ts=${root.ts}&cid=${channel}`
    return [
      shown(root, '', ''),
      ...(opened ?? []).map((reply) => shown(reply, query, '↳ ')),
      ...(rest > 0 ? [`↳ (${rest} more ${rest === 1 ? 'reply' : 'replies'} in the thread)`] : []),
    ].join('\n')
  })
}

/** Packs the blocks into as few parts as possible, in their order; a longer one is split at its lines. */
function inParts(blocks: string[]): string[] {
  const parts = ['']
  for (const block of blocks)
    for (const piece of block.length > PART_CHARS ? block.split('\n') : [block]) {
      const last = parts.at(-1) ?? ''
      if (last !== '' && last.length + piece.length >= PART_CHARS) parts.push(piece)
      else parts[parts.length - 1] = last === '' ? piece : `${last}\n${piece}`
    }
  return parts
}
