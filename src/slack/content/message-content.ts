/** Reads a message of Slack's API as people see it. Everything that reads messages uses it. */
import type { MessageTable } from '../../agent/contracts/evidence.ts'
import { cutMiddle } from '../../agent/observation.ts'
import { attachmentsText, sameLink, withoutNote, type AttachmentReading, type Forward } from './attachment-text.ts'
import { blocksText } from './block-text.ts'
import { filesText } from './file-text.ts'
import { lines, listOf, objectOf, asText } from './unsure-json.ts'
import { plainText } from './plain-text.ts'
import { ReadBudget } from './read-budget.ts'
import { cutBetweenRows } from './table-text.ts'

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
  /** What its author wrote: blocks, else the text. `written`: the same with Slack's markup. */
  words: string
  written: string
  /** What is shown below: forwards, alerts, tables in attachments; and a line that says what could not be read. */
  attached: string
  /** `attached` with Slack's markup. */
  markup: string
  /** A line with the names of its own files, and the words of mails and recordings. */
  fileLines: string
  tables: MessageTable[]
  /** All forwards, an outer one before those within it. */
  forwards: Forward[]
  /** Its own files, and those that a person forwards, as Slack describes them. */
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
  const shown = budget.part(
    WORDS_CHARS,
    () => blocksText(message.blocks, { budget, tables }) || budget.take(textInstead(message, ownFiles)),
  )
  const written = withLabels(shown, asText(message.text).slice(0, WORDS_CHARS))
  const reading: AttachmentReading = { budget, tables, forwards: [], files: [], links: linksOf(message, written) }
  const attached = attachmentsText(message.attachments, reading)
  const fileLines = filesText(ownFiles, budget)
  const unread = budget.unread()
  return {
    words: plainText(written, botUser),
    written,
    attached: plainText(lines([attached, unread.length > 0 ? `(not read: ${unread.join(', ')})` : '']), ''),
    markup: attached,
    fileLines: plainText(fileLines, ''),
    tables,
    forwards: reading.forwards.map((one) => ({
      ...one,
      text: plainText(one.text, ''),
      author: plainText(one.author, ''),
    })),
    // An app may write any id into its attachments.
    files: isApp(message) ? ownFiles : [...ownFiles, ...reading.files],
  }
}

/**
 * Returns whether the author of a message mentions somebody: not in a quotation, a forward or a preview. An app also
 * writes by attachments.
 */
export function isNamedIn(message: ReadableMessage, user: string): boolean {
  const own = listOf(message.attachments).filter((one) => objectOf(one).is_share !== true)
  const texts = [readContent({ ...message, attachments: [] }).written, asText(message.text)]
  if (isApp(message)) texts.push(readContent({ attachments: own, bot_id: '' }).markup)
  const mention = new RegExp(`<@${user}[|>]`)
  return texts.some((text) => mention.test(text.replace(/^[ \t]*&gt;.*$/gm, '')))
}

/** Returns everything that people see of a message. Empty for a join, a topic and the like. */
export function contentText(message: ReadableMessage): string {
  return isWritten(message) ? shownText(readContent(message)) : ''
}

/**
 * Returns all of a content, at most about `max` characters. The attachments are cut before the author's words, and each
 * cut is marked.
 */
export function shownText({ words, attached, fileLines, tables }: MessageContent, max = Infinity): string {
  const said = lines([words, fileLines]).length > max ? cutBetweenRows(words, Math.max(0, max - 500), tables) : words
  const room = max - said.length - fileLines.length
  const below = attached.length > room ? cutBetweenRows(attached, Math.max(200, room), tables) : attached
  return lines([said, below, cutMiddle(fileLines, Math.max(200, max - said.length))])
}

/** Adds the names of people, channels and groups, which Slack gives in the text alone. */
function withLabels(written: string, text: string): string {
  const labels = new Map([...text.matchAll(/<([@#!][^<>|]+)\|([^<>]+)>/g)].map(([, target, label]) => [target, label]))
  if (labels.size === 0) return written
  return written.replace(/<([@#!][^<>|]+)>/g, (whole, target: string) => {
    const label = labels.get(target)
    return label === undefined ? whole : `<${target}|${label}>`
  })
}

/** Slack leaves the bare id of a linked canvas in the text, and people see its title. */
function textInstead(message: ReadableMessage, files: unknown[]): string {
  const words = isApp(message) ? withoutNote(asText(message.text)) : asText(message.text)
  const ids = new Set(files.map((file) => asText(objectOf(file).id)))
  return ids.size === 0
    ? words
    : words
        .split('\n')
        .filter((line) => line.trim() === '' || !ids.has(line.trim()))
        .join('\n')
}

/** The addresses in a person's words; undefined for an app, whose attachments are its own. */
function linksOf(message: ReadableMessage, written: string): ReadonlySet<string> | undefined {
  if (isApp(message)) return undefined
  return new Set([...written.matchAll(/<(https?:[^|<>]+)/g)].map(([, url = '']) => sameLink(url)))
}

function isApp({ user, bot_id, subtype }: ReadableMessage): boolean {
  return user === undefined || bot_id !== undefined || subtype === 'bot_message'
}
