/** Reads the messages and files in a question's thread since its last answered question. */
import { personIn } from '../../base/place.ts'
import { Deadline } from '../../agent/budget.ts'
import { THREAD_CHARS, THREAD_MESSAGE_CHARS, THREAD_MESSAGES } from '../../agent/prompt-size.ts'
import { settledWithin } from '../../base/async.ts'
import { messageOf } from '../../base/errors.ts'
import { indented, newestMessages, type ContextMessage } from '../../stores/history/thread-context.ts'
import type { MessageTable, Source } from '../../agent/contracts/evidence.ts'
import type { ThreadContext, Turn } from '../../stores/history/types.ts'
import { askedAt, hasThreadBefore, type FileRef, type Question } from '../../stores/runs/types.ts'
import type { Installation } from '../client/installations.ts'
import type { Directory } from '../client/directory.ts'
import { SlackRefusal } from '../client/slack-errors.ts'
import { readMessages, type ThreadMessage } from '../client/thread-messages.ts'
import { fileRefs } from '../client/file-info.ts'
import { isWritten, readContent, shownText } from '../content/message-content.ts'
import { cutBetweenRows } from '../content/table-text.ts'
import { cleanName } from '../format/escape.ts'
import { boundedSources, boundedTables, permalinkOf, messageSources } from './context-sources.ts'
import type { Mentions } from '../client/mentions.ts'
import { askedWords, questionParts, withParts } from '../intake/question-parts.ts'
import type { QuestionWork } from '../question-work.ts'

export interface GivenFile extends FileRef {
  user: string
  /** The workspace of the person who gave it, if Slack says. */
  userTeam?: string | undefined
  isApps?: true
}

/** `said`: the messages for the model. `files`: the question's own, then those of the other messages. */
export interface ThreadReading {
  said: ThreadContext
  files: GivenFile[]
}

/** Time limit for the reading, in ms. */
const PATIENCE_MS = 4_000
const MAX = { count: THREAD_MESSAGES, chars: THREAD_CHARS }
/** Room for labels, marks of cuts, and reasons why a file was not read. */
const MARKS_CHARS = 400

/**
 * Reads the thread from the last answered question up to this one. The turns are the watermark: a turn and what was
 * read for it are stored in one write. If Slack does not return the messages in time, the question is answered without
 * them.
 * @throws only if the signal is aborted
 */
export async function readThread(work: QuestionWork, turns: readonly Turn[]): Promise<ThreadReading> {
  const { services, signal } = work
  // The thread holds the question's own message too.
  const question = hasThreadBefore(work.question) ? work.question : await withParts(work.question, services)
  const { user, userTeam } = question
  const own = (question.files ?? []).map((file): GivenFile => ({ ...file, user, userTeam }))
  const alone = async () => ({ said: await withOwn(NOTHING, { ...question, files: own }, work), files: own })
  if (!hasThreadBefore(question) && !question.mayHaveFiles) return alone()
  const time = new Deadline(signal, PATIENCE_MS)
  try {
    const reading = messagesBefore({ ...work, signal: time.signal }, readUpTo(turns, askedAt(question)))
    if (!(await settledWithin(PATIENCE_MS, [reading]))) throw new Error('Slack did not answer in time.')
    const { people, files, attached } = await reading
    const asked = own.length > 0 ? own : files
    const parts = { files: asked, attached: question.attached ?? attached }
    const names = asked.reduce((sum, { name }) => sum + name.length, 0)
    const shown = (parts.attached?.text.length ?? 0) + names
    const taken = shown === 0 ? 0 : shown + MARKS_CHARS
    const before = withinBounds(await messageLines(people, work), question.thread, taken)
    const said = await withOwn(before, { ...question, ...parts }, work)
    // The newest messages matter most.
    return { said, files: [...asked, ...people.toReversed().flatMap(filesOf)] }
  } catch (error) {
    signal.throwIfAborted()
    const fields = { question: question.id, error: messageOf(error) }
    services.log.warn(fields, 'could not read the thread: answered without it')
    return alone()
  } finally {
    time.release()
  }
}

/**
 * Reads one message of the question's thread for the model, by any author, and its files.
 * @throws SlackRefusal if Slack does not return it, or it is gone
 */
export async function readMessage(work: QuestionWork, ts: string): Promise<ThreadReading> {
  const { question, installation, signal } = work
  const { channel, thread } = question
  for await (const message of readMessages(installation.client, { channel, thread, since: ts, until: ts, signal })) {
    if (message.ts !== ts) continue
    const { tables, ...said } = withinBounds(await messageLines([message], work), ts)
    return { said: { ...said, ...(tables && { tables: boundedTables(tables) }) }, files: filesOf(message) }
  }
  throw new SlackRefusal('conversations.replies', 'message_not_found')
}

/**
 * Returns a mention without text with its files and forwards, from its other event or looked up; as it is if Slack does
 * not return the message in time.
 */
export async function withOwnFiles(
  asked: Question,
  { installation, services, signal }: Pick<QuestionWork, 'installation' | 'services' | 'signal'>,
): Promise<Question> {
  const { mayHaveFiles, ...question } = await withParts(asked, services)
  if (!mayHaveFiles) return question
  const { channel, thread, ts = '' } = question
  const patience = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)])
  const place = { channel, thread, since: ts, until: ts, signal: patience }
  try {
    for await (const message of readMessages(installation.client, place))
      if (message.ts === ts) return { ...question, ...questionParts(askedWords(readContent(message))) }
  } catch (error) {
    signal.throwIfAborted()
    services.log.warn({ question: question.id, error: messageOf(error) }, 'could not look up the files of a mention')
  }
  return question
}

const NOTHING: ThreadContext = { text: '', by: [] }

function filesOf(message: ThreadMessage): GivenFile[] {
  const { user, bot_id, user_team, team } = message
  const userTeam = user_team ?? team
  const app = bot_id === undefined ? {} : { isApps: true as const }
  const from = { user: user ?? bot_id ?? '', userTeam, ...app }
  return fileRefs(readContent(message).files).map((file) => ({ ...file, ...from }))
}

/** Adds what came with the question itself: what it forwards or attaches, and the names of its files. */
async function withOwn(
  before: ThreadContext,
  question: Question,
  { mentions, installation }: QuestionWork,
): Promise<ThreadContext> {
  const { attached, files = [], channel, thread, ts = '' } = question
  const shown = attached?.text ? lineOf('(Attached to the question)', await mentions.withNames(attached.text)) : ''
  const names = `(Files that came with the question: ${files.map(({ name }) => name).join(', ')})`
  const lines = [
    ...(before.text === '' ? [] : [{ line: before.text, by: before.by }]),
    ...(shown === '' ? [] : [{ line: shown, by: [personIn(question)] }]),
    ...(files.length === 0 ? [] : [{ line: names, by: [''] }]),
  ]
  const own = attached?.sources ?? []
  const table = { title: 'The table of the question', url: '' }
  const tables = boundedTables([...(await tablesForModel(attached?.tables, mentions)), ...(before.tables ?? [])])
  if (attached?.tables) table.url = permalinkOf(installation.identity.url, channel, { ts, thread_ts: thread })
  const added = await Promise.all(own.map(async ({ title, url }) => ({ title: await mentions.withNames(title), url })))
  const sources = boundedSources([...added, ...(table.url ? [table] : []), ...(before.sources ?? [])])
  const context = { text: lines.map(({ line }) => line).join('\n'), by: lines.flatMap(({ by }) => by) }
  return { ...context, ...(sources.length > 0 && { sources }), ...(tables.length > 0 && { tables }) }
}

async function tablesForModel(tables: readonly MessageTable[] = [], mentions: Mentions): Promise<MessageTable[]> {
  const withNames = async (cell: string) => (cell.includes('<') ? mentions.withNames(cell) : cell)
  const allWithNames = (cells: string[]) => Promise.all(cells.map(withNames))
  return Promise.all(
    tables.map(async ({ name, columns, rows }) => ({
      name: await withNames(name),
      columns: await allWithNames(columns),
      rows: await Promise.all(rows.map(allWithNames)),
    })),
  )
}

/** An alert, a forward or a table that began the thread stays, however many replies there are: they are about it. */
function withinBounds(lines: MessageWithTs[], root: string, taken = 0): ThreadContext {
  const [first, ...rest] = lines
  const sources = boundedSources(lines.flatMap((one) => one.sources))
  const tables = lines.flatMap((one) => one.tables)
  const found = { ...(sources.length > 0 && { sources }), ...(tables.length > 0 && { tables }) }
  const max = { ...MAX, chars: Math.max(MAX.chars / 4, MAX.chars - taken) }
  if (first?.ts !== root || first.sources.length === 0) return { ...newestMessages(lines, max), ...found }
  // What the others leave, at least half.
  const others = rest.reduce((sum, { line }) => sum + line.length + 1, 0)
  const room = Math.max(max.chars / 2, max.chars - others - MARKS_CHARS)
  const began = indented(cutBetweenRows(first.line, room, first.tables))
  if (rest.length === 0) return { text: began, by: [first.by], ...found }
  const { text, by } = newestMessages(rest, { count: max.count - 1, chars: max.chars - began.length - 1 })
  return { text: `${began}\n${text}`, by: [first.by, ...by], ...found }
}

/** The ts of the newest answered question before `until`, so that a repeated question ignores later ones. */
function readUpTo(turns: readonly Turn[], until = ''): string {
  const read = turns.map((turn) => askedAt(turn) ?? '').filter((ts) => Number(ts) < Number(until))
  return read.reduce((newest, ts) => (Number(ts) > Number(newest) ? ts : newest), '') || '0'
}

/** The messages of people and other apps after `since` and before the question; and what came with the question. */
async function messagesBefore({ question, installation, signal }: QuestionWork, since: string) {
  const { channel, thread } = question
  const ts = askedAt(question) ?? ''
  const people: ThreadMessage[] = []
  let files: GivenFile[] = []
  let attached: Question['attached']
  const place = { channel, thread, since, until: ts, signal }
  for await (const message of readMessages(installation.client, place)) {
    if (message.ts === ts) {
      files = filesOf(message)
      attached = questionParts(askedWords(readContent(message))).attached
    }
    const isBetween = message.ts > since && message.ts < ts
    if (isBetween && isForTheModel(message, installation.identity)) people.push(message)
  }
  return { people, files, attached }
}

/** Returns whether a message is for the model. A reading also returns the bot's own messages, joins and tombstones. */
function isForTheModel(message: ThreadMessage, { botUser, botId }: Installation['identity']): boolean {
  const { user, bot_id } = message
  if (user === botUser || (bot_id !== undefined && bot_id === botId)) return false
  return isWritten(message)
}

interface MessageWithTs extends ContextMessage {
  ts: string
  /** The alerts, forwards and tables in it. */
  sources: Source[]
  tables: MessageTable[]
}

/** Formats messages as `@Name: words`. Those of people without words and files are left out. */
export async function messageLines(
  messages: ThreadMessage[],
  { mentions, question, installation }: QuestionWork,
): Promise<MessageWithTs[]> {
  const contents = messages.map((message) => readContent(message))
  const texts = contents.map((content) => shownText(content, THREAD_MESSAGE_CHARS))
  const spoken = await mentions.messagesForModel(messages.map(({ user }, i) => ({ user, text: texts[i] ?? '' })))
  const tables = await Promise.all(contents.map((content) => tablesForModel(content.tables, mentions)))
  const strangers = new Map<string, string>()
  return spoken.flatMap(({ name, text }, i) => {
    const [message, content] = [messages[i], contents[i]]
    if (!message || !content) return []
    const author = botName(message) || name || unnamed(message, strangers)
    const isApp = message.bot_id !== undefined
    if (text === '' && !isApp) return []
    const mark = markOf(message, question.team, installation.directory)
    const line = lineOf(`${author}${mark}`, text || '(a message without text)')
    const url = permalinkOf(installation.identity.url, question.channel, message)
    const found = messageSources(content, { shown: `${author}: ${text}`, url, isApp: isApp && text !== '' })
    const sources = found.map((source) => ({ ...source, title: mentions.forPeople(source.title) }))
    const { user = message.bot_id ?? '', user_team, team: home = question.team } = message
    const by = isApp ? user : personIn({ team: question.team, user, userTeam: user_team ?? home })
    return [{ line, by, ts: message.ts, sources, tables: tables[i] ?? [] }]
  })
}

const LINE_BREAK = /\r\n|[\n\v\f\r\u001c-\u001e\u0085\u2028\u2029]/g

/** Returns what somebody said, with further lines indented, so that nobody can forge a line of another person. */
export function lineOf(speaker: string, words: string): string {
  return `${speaker}: ${words.replace(LINE_BREAK, '\n  ')}`
}

function botName({ bot_id, username, bot_profile }: ThreadMessage): string {
  return bot_id === undefined ? '' : cleanName(bot_profile?.name ?? username ?? '')
}

/** People without a name are numbered. */
function unnamed({ user, bot_id }: ThreadMessage, strangers: Map<string, string>): string {
  const id = user ?? bot_id ?? ''
  strangers.set(id, strangers.get(id) ?? `somebody ${strangers.size + 1}`)
  return strangers.get(id) ?? 'somebody'
}

/** The facts were loaded with the names. If Slack returned none, the message may name the workspace. */
function markOf({ bot_id, user = '', user_team, team }: ThreadMessage, ownTeam: string, directory: Directory): string {
  if (bot_id !== undefined) return ' (a bot)'
  const facts = directory.knownFacts(ownTeam, user)
  const from = user_team ?? team
  if (facts?.isExternal || (from !== undefined && from !== ownTeam)) return ' (of another workspace)'
  return facts?.isGuest ? ' (a guest)' : ''
}
