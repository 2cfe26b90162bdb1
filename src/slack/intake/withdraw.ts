/** Handles edits and deletions of a question's message, while the question runs or waits and after its answer. */
import { sleep } from '../../base/backoff.ts'
import { messageOf } from '../../base/errors.ts'
import type { Withdrawal } from '../../stores/runs/control.ts'
import { askedMessage, conversationOf, isRepeat, type Question } from '../../stores/runs/types.ts'
import type { Identity } from '../client/installations.ts'
import { removePosts } from '../client/thread-messages.ts'
import { askEditedContent } from '../format/blocks.ts'
import { isMuteWord, isStopWord, questionOf, type ListenerOptions, type SlackMessage } from './to-question.ts'

interface Withdrawing {
  team: string
  identity: Identity
  options: ListenerOptions
}

/** How long to wait for a run that has just answered to end, and the limit for deleting posts. Milliseconds. */
const ENDING_MS = 120_000
const LOOK_MS = 500
const REMOVE_MS = 10 * 60_000

/** The id of the question since the edit at `editTs`. The unedited message's question keeps the plain id. */
export function editedQuestionId(id: string, editTs: string): string {
  return `${id}:${editTs}`
}

/**
 * Handles a deleted question. A run that is not over takes back its own posts. For one that is over, the posts, the
 * turn and the record are deleted here.
 * @throws if a store fails
 */
export async function withdrawDeleted(message: SlackMessage, { team, identity, options }: Withdrawing): Promise<void> {
  const asked = await withRuns(await askedBy(message, { team, identity, options }), options)
  const isTold = await isUnderWay(asked, { by: message.user ?? '', withdrawal: {} }, options)
  const ids = await knownIds(asked, options)
  const line = await options.queue.inThread(asked.thread)
  const isEnding = !isTold && asked.ids.some((id) => line.running?.id === id)
  if (ids.length === 0 && !isEnding) return
  await forgetTurns(asked, ids, options)
  inBackground(asked, options, async () => {
    await ended(asked, options)
    await forget(asked, { team, identity, options })
  })
}

/**
 * Handles an edited question. While it runs or waits, it is started again with the new text, or stopped if the new text
 * is a stop word. After its answer, the asker is offered to ask it again.
 * @throws if a store fails
 */
export async function withdrawEdited(
  { message, previous }: { message: SlackMessage; previous: SlackMessage },
  { team, identity, options }: Withdrawing,
): Promise<void> {
  const own = await askedBy(previous, { team, identity, options })
  const asked = await withRuns(own, options, (id) => !isRepeat(id))
  const reads = await editedQuestion(message, asked, { team, identity, options })
  const isStop = reads !== undefined && isStopWord(reads.text)
  const again = reads && !isStop && !isMuteWord(reads) ? reads : undefined
  const told = { by: message.user ?? '', ...(isStop ? {} : { withdrawal: again ? { again } : {} }) }
  const isTold = await isUnderWay(asked, told, options)
  if (isTold || !again || (await isCorrection(again, { previous, identity, options }))) return
  inBackground(asked, options, async () => {
    await ended(asked, options)
    if ((await knownIds(asked, options)).length > 0) await offerAgain(asked, again, options)
  })
}

/** Whether the message was an addition to a running question. If so, the run is told the corrected text. */
async function isCorrection(
  reads: Question,
  { previous, identity, options }: Pick<Withdrawing, 'identity' | 'options'> & { previous: SlackMessage },
): Promise<boolean> {
  const delivery = { team: reads.team, botUser: identity.botUser, now: options.now() }
  if (!questionOf({ ...previous, edited: undefined }, delivery)?.mayAdd) return false
  const corrected = { ...reads, text: `I correct what I added. It reads now: ${reads.text}` }
  return (await options.queue.accept(corrected, { onlyKnownThread: true, addition: 'only' })) === 'added'
}

/** The questions that a message may have asked: the original and the edit before this change. */
interface AskedMessage {
  question: Question
  thread: string
  ids: string[]
}

async function askedBy(message: SlackMessage, { team, options }: Withdrawing): Promise<AskedMessage> {
  const { channel, ts, thread_ts, user = '', edited } = message
  const isDirect = message.channel_type === 'im' || channel.startsWith('D')
  const place = { team, channel, thread: thread_ts ?? ts, user, ts, at: options.now().getTime() }
  const id = `${team}:${channel}:${ts}`
  const question = await options.queue.place({ ...place, id, text: '', surface: isDirect ? 'dm' : 'thread' })
  const before = editTsOf(edited)
  const ids = before ? [editedQuestionId(id, before), id] : [id]
  return { question, thread: conversationOf(question), ids }
}

/**
 * Adds the ids of all unfinished runs of the question: those of other edits, and those of "Ask again" if they count.
 */
async function withRuns(
  asked: AskedMessage,
  { queue }: ListenerOptions,
  counts: (id: string) => boolean = () => true,
): Promise<AskedMessage> {
  const { running, waiting, suspended: suspended = [] } = await queue.inThread(asked.thread)
  const all = [...(running ? [running] : []), ...waiting, ...suspended].map(({ id }) => id)
  const others = all.filter((id) => askedMessage(id) === asked.question.id && counts(id))
  return { ...asked, ids: [...new Set([...asked.ids, ...others])] }
}

/** The ts in `edited: { user, ts }`, which Slack adds to an edited message. */
export function editTsOf(edited: unknown): string | undefined {
  const ts = typeof edited === 'object' && edited !== null && 'ts' in edited ? edited.ts : undefined
  return typeof ts === 'string' && /^\d+\.\d+$/.test(ts) ? ts : undefined
}

/** Returns undefined if the message no longer asks the bot anything. */
async function editedQuestion(
  message: SlackMessage,
  { question }: AskedMessage,
  { team, identity, options }: Withdrawing,
): Promise<Question | undefined> {
  const editTs = editTsOf(message.edited)
  const delivery = { team, botUser: identity.botUser, now: options.now() }
  const asks = editTs && questionOf({ ...message, edited: undefined }, delivery)?.question
  return asks ? options.queue.place({ ...asks, id: editedQuestionId(question.id, editTs) }) : undefined
}

/**
 * Sends a stop to every run of the question that is not over. Waiting runs count too: they may have posts from before a
 * handover.
 * @returns whether there was one; its worker does the rest
 */
async function isUnderWay(
  { thread, ids }: AskedMessage,
  { by, withdrawal: withdrawn }: { by: string; withdrawal?: Withdrawal },
  { control, log }: ListenerOptions,
): Promise<boolean> {
  let isTold = false
  for (const id of ids) {
    const sent = await control.send({ thread, id }, { type: 'stop', by, ...(withdrawn ? { withdrawn } : {}) })
    isTold ||= sent === 'sent'
  }
  if (isTold) log.info({ question: ids.at(-1), again: withdrawn?.again?.id }, 'a question under way is taken back')
  return isTold
}

/** The ids under which the question was answered, edits included. */
async function knownIds(
  { question, thread, ids }: AskedMessage,
  { history, archive }: ListenerOptions,
): Promise<string[]> {
  const turns = (await history.load(thread)).map(({ id }) => id)
  const answered = turns.filter((id) => askedMessage(id) === question.id)
  const records = await Promise.all(ids.map((id) => archive.load(id)))
  return [...new Set([...answered, ...records.flatMap((record) => record?.question.id ?? [])])]
}

/**
 * Waits until no run of the question is active. A run that has saved its answer no longer takes signals, but may still
 * be posting.
 */
async function ended({ thread, ids }: AskedMessage, { queue }: ListenerOptions): Promise<void> {
  for (const until = Date.now() + ENDING_MS; Date.now() < until; await sleep(LOOK_MS)) {
    const { running } = await queue.inThread(thread)
    if (!running || !ids.includes(running.id)) return
  }
}

/**
 * Deletes the posts, the turns and the record. The record goes last, so a redelivery of the event still finds the rest.
 */
async function forget(asked: AskedMessage, { team, identity, options }: Withdrawing): Promise<void> {
  const { archive, installations, log } = options
  const ids = await knownIds(asked, options)
  const records = await Promise.all(ids.map((id) => archive.load(id)))
  const posts = records.flatMap((record) => Object.values(record?.posts ?? {}))
  const installation = await installations.of(team)
  const { question } = asked
  const signal = AbortSignal.timeout(REMOVE_MS)
  const runs = new Set([...ids, ...asked.ids])
  await forgetTurns(asked, ids, options)
  if (installation)
    await removePosts({ client: installation.client, identity, question, thread: question.thread, signal, runs }, posts)
  for (const id of ids) await archive.remove(id)
  log.info({ question: question.id }, 'a deleted question is forgotten')
}

/** Deletes the turns and the files that were read for them. */
async function forgetTurns(
  { thread, ids: asked }: AskedMessage,
  ids: string[],
  options: ListenerOptions,
): Promise<void> {
  for (const id of ids) await options.history.remove(thread, id)
  const files = await options.files()
  for (const id of new Set([...asked, ...ids])) await files.remove(thread, id)
}

/** Offers the asker an ephemeral button, under the answer, to ask again. */
async function offerAgain(
  { question }: AskedMessage,
  again: Question,
  { installations }: ListenerOptions,
): Promise<void> {
  const installation = await installations.of(question.team)
  const { channel, thread, user } = again
  const args = { channel, thread_ts: thread, user, parse: 'none', ...askEditedContent(question.id) }
  await installation?.client.call('chat.postEphemeral', args, { effort: 'once' })
}

/** Runs work that the ack does not wait for. A failure is only logged. */
function inBackground({ question }: AskedMessage, { log }: ListenerOptions, work: () => Promise<void>): void {
  work().catch((error: unknown) => {
    log.warn({ question: question.id, error: messageOf(error) }, 'the change of a question could not be followed')
  })
}

/** The `message_deleted` event. A message with replies becomes a tombstone instead. */
export interface MessageDeleted {
  channel: string
  channel_type?: string
  deleted_ts: string
  previous_message?: Omit<SlackMessage, 'channel'>
}

/** The last version of a message that a person deleted. Undefined for a bot's message, or if Slack omits it. */
export function deletedMessage(event: MessageDeleted): SlackMessage | undefined {
  const { previous_message: previous, channel, channel_type } = event
  if (!previous?.user || previous.bot_id) return undefined
  return { ...previous, channel, ...(channel_type ? { channel_type } : {}), ts: event.deleted_ts }
}
