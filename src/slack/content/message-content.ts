/** Reads a message of Slack's API as people see it. Everything that reads messages uses it. */
import { cutMiddle } from '../../agent/observation.ts'
import { attachmentsText, type AttachmentReading, type Forward } from './attachment-text.ts'
import { blocksText, type MessageTable } from './block-text.ts'
import { filesText } from './file-text.ts'
import { lines, listOf, objectOf, textOf } from './json.ts'
import { plainText } from './plain-text.ts'
import { ReadBudget } from './read-budget.ts'

/** The fields of a message that are read here. Their form is not trusted. */
export interface ReadableMessage {
  text?: unknown
  blocks?: unknown
  attachments?: unknown
  files?: unknown
  subtype?: string | undefined
  user?: string | undefined
  bot_id?: string | undefined
}

/** What people see of a message, as plain text with the ids of people, channels and groups (`Mentions`). */
export interface MessageContent {
  /** What its author wrote: blocks, else the text. */
  words: string
  /** What is shown below: forwards, alerts, tables in attachments; and a line that says what could not be read. */
  attached: string
  /** A line with the names of its own files, and the words of mails and recordings. */
  fileLines: string
  tables: MessageTable[]
  /** All forwards, an outer one before those within it. */
  forwards: Forward[]
  /** Its own files and those of its forwards, as Slack describes them. */
  files: unknown[]
}

/** Subtypes of messages that people and apps write; all others are edits, joins, topics and the like. */
const WRITTEN: ReadonlySet<string | undefined> = new Set([
  undefined,
  'thread_broadcast',
  'file_share',
  'me_message',
  'bot_message',
  'slackbot_response',
])

export function isWritten({ subtype }: { subtype?: string | undefined }): boolean {
  return WRITTEN.has(subtype)
}

/** Slack cuts a text at 40,000 characters. */
const WORDS_CHARS = 40_000

/** Reads a message, whatever its form and size. `botUser`: the bot, whose mention is no word of the author's. */
export function readContent(message: ReadableMessage, botUser = ''): MessageContent {
  const budget = new ReadBudget()
  const tables: MessageTable[] = []
  const ownFiles = listOf(message.files)
  // People's words come first, so that a large attachment takes no room from them.
  const written = budget.part(
    WORDS_CHARS,
    () => blocksText(message.blocks, { budget, tables }) || budget.take(textInstead(message, ownFiles)),
  )
  const reading: AttachmentReading = { budget, tables, forwards: [], files: [], links: linksOf(message, written) }
  const attached = attachmentsText(message.attachments, reading)
  const fileLines = filesText(ownFiles, budget)
  const unread = budget.unread()
  return {
    words: plainText(written, botUser),
    attached: plainText(lines([attached, unread.length > 0 ? `(not read: ${unread.join(', ')})` : '']), ''),
    fileLines: plainText(fileLines, ''),
    tables,
    forwards: reading.forwards.map((one) => ({
      ...one,
      text: plainText(one.text, ''),
      author: plainText(one.author, ''),
    })),
    files: [...ownFiles, ...reading.files],
  }
}

/**
 * Returns everything that people see of a message, at most about `max` characters. The attachments are cut before the
 * author's words, and each cut is marked. Empty for a join, a topic and the like.
 */
export function contentText(message: ReadableMessage, { max = Infinity, botUser = '' } = {}): string {
  if (!isWritten(message)) return ''
  const { words, attached, fileLines } = readContent(message, botUser)
  const said = lines([words, fileLines]).length > max ? cutMiddle(words, Math.max(0, max - 500)) : words
  const room = max - said.length - fileLines.length
  const below = attached.length > room ? cutMiddle(attached, Math.max(200, room)) : attached
  return lines([said, below, cutMiddle(fileLines, Math.max(200, max - said.length))])
}

/** Slack leaves the bare id of a linked canvas in the text, and people see its title. */
function textInstead({ text }: ReadableMessage, files: unknown[]): string {
  const words = textOf(text)
  const ids = new Set(files.map((file) => textOf(objectOf(file).id)))
  return ids.size === 0
    ? words
    : words
        .split('\n')
        .filter((line) => line.trim() === '' || !ids.has(line.trim()))
        .join('\n')
}

/** The addresses in a person's words; undefined for an app, whose attachments are its own. */
function linksOf({ user, bot_id, subtype }: ReadableMessage, written: string): ReadonlySet<string> | undefined {
  if (user === undefined || bot_id !== undefined || subtype === 'bot_message') return undefined
  return new Set([...written.matchAll(/<(https?:[^|<>]+)/g)].map(([, url = '']) => url.replaceAll('&amp;', '&')))
}
