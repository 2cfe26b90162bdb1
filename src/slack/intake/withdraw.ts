/** Handles edits and deletions of a question's message, while the question runs or waits and after its answer. */
import { sleep } from '../../base/backoff.ts'
import { messageOf } from '../../base/errors.ts'
import type { Withdrawal } from '../../stores/runs/control.ts'
import { askedMessage, conversationOf, isRepeat, type Question } from '../../stores/runs/types.ts'
import type { Identity } from '../client/installations.ts'
import { tellOnce } from '../client/ephemeral.ts'
import { removePosts } from '../client/thread-messages.ts'
import { askEditedContent } from '../format/blocks.ts'
import { isMuteWord, isStopWord, questionOf, type SlackMessage } from './to-question.ts'
import type { Services } from '../services.ts'

interface Withdrawing {
  team: string
  identity: Identity
  services: Services
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
export async function withdrawDeleted(message: SlackMessage, { team, identity, services }: Withdrawing): Promise<void> {
  const asked = await withRuns(await askedBy(message, { team, identity, services }), services)
  const isTold = await isUnderWay(asked, { by: message.user ?? '', withdrawal: {} }, services)
  const ids = await knownIds(asked, services)
  const line = await services.queue.inThread(asked.thread)
  const isEnding = !isTold && asked.ids.some((id) => line.running?.id === id)
  if (ids.length === 0 && !isEnding) return
  await forgetTurns(asked, ids, services)
  inBackground(asked, services, async () => {
    await ended(asked, services)
    await forget(asked, { team, identity, services })
  })
}

/**
 * Handles an edited question. While it runs or waits, it is started again with the new text, or stopped if the new text
 * is a stop word. After its answer, the asker is offered to ask it again.
 * @throws if a store fails
 */
export async function withdrawEdited(
  { message, previous }: { message: SlackMessage; previous: SlackMessage },
  { team, identity, services }: Withdrawing,
): Promise<void> {
  const own = await askedBy(previous, { team, identity, services })
  const asked = await withRuns(own, services, (id) => !isRepeat(id))
  const reads = await editedQuestion(message, asked, { team, identity, services })
  const isStop = reads !== undefined && isStopWord(reads.text)
  const again = reads && !isStop && !isMuteWord(reads) ? reads : undefined
  const told = { by: message.user ?? '', ...(isStop ? {} : { withdrawal: again ? { again } : {} }) }
  const isTold = await isUnderWay(asked, told, services)
  if (isTold || !again || (await isCorrection(again, { previous, identity, services }))) return
  inBackground(asked, services, async () => {
    await ended(asked, services)
    if ((await knownIds(asked, services)).length > 0) await offerAgain(asked, again, services)
  })
}

/** Returns whether the message was an addition to a running question. If so, the run is told the corrected text. */
async function isCorrection(
  reads: Question,
  { previous, identity, services }: { previous: SlackMessage; identity: Identity; services: Services },
): Promise<boolean> {
  const delivery = { team: reads.team, botUser: identity.botUser, now: services.now() }
  if (!questionOf({ ...previous, edited: undefined }, delivery)?.mayAdd) return false
  const corrected = { ...reads, text: `I corrected what I added. It now says: ${reads.text}` }
  return (await services.intake.accept(corrected, { onlyKnownThread: true, addition: 'only' })) === 'added'
}

/** The questions that a message may have asked: the original and the edit before this change. */
interface AskedMessage {
  question: Question
  thread: string
  ids: string[]
}

async function askedBy(message: SlackMessage, { team, services }: Withdrawing): Promise<AskedMessage> {
  const { channel, ts, thread_ts, user = '', edited } = message
  const isDirect = message.channel_type === 'im' || channel.startsWith('D')
  const place = { team, channel, thread: thread_ts ?? ts, user, ts, at: services.now().getTime() }
  const id = `${team}:${channel}:${ts}`
  const question = await services.queue.place({ ...place, id, text: '', surface: isDirect ? 'dm' : 'thread' })
  const before = editTsOf(edited)
  const ids = before ? [editedQuestionId(id, before), id] : [id]
  return { question, thread: conversationOf(question), ids }
}

/**
 * Adds the ids of all unfinished runs of the question: those of other edits, and those of "Ask again" if they count.
 */
async function withRuns(
  asked: AskedMessage,
  { queue }: Services,
  counts: (id: string) => boolean = () => true,
): Promise<AskedMessage> {
  const { running, waiting, suspended = [] } = await queue.inThread(asked.thread)
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
  { team, identity, services }: Withdrawing,
): Promise<Question | undefined> {
  const editTs = editTsOf(message.edited)
  const delivery = { team, botUser: identity.botUser, now: services.now() }
  const asks = editTs && questionOf({ ...message, edited: undefined }, delivery)?.question
  return asks ? services.queue.place({ ...asks, id: editedQuestionId(question.id, editTs) }) : undefined
}

/**
 * Sends a stop to every run of the question that is not over. Waiting runs count too: they may have posts from before a
 * handover.
 * @returns whether there was one; its worker does the rest
 */
async function isUnderWay(
  { thread, ids }: AskedMessage,
  { by, withdrawal: withdrawn }: { by: string; withdrawal?: Withdrawal },
  { control, log }: Services,
): Promise<boolean> {
  let isTold = false
  for (const id of ids) {
    const sent = await control.send({ thread, id }, { type: 'stop', by, ...(withdrawn ? { withdrawn } : {}) })
    isTold ||= sent === 'sent'
  }
  if (isTold) log.info({ question: ids.at(-1), again: withdrawn?.again?.id }, 'a question under way is taken back')
  return isTold
}

/** The ids under which the question was answered, also after edits. */
async function knownIds({ question, thread, ids }: AskedMessage, { history, archive }: Services): Promise<string[]> {
  const turns = (await history.load(thread)).map(({ id }) => id)
  const answered = turns.filter((id) => askedMessage(id) === question.id)
  const records = await Promise.all(ids.map((id) => archive.load(id)))
  return [...new Set([...answered, ...records.flatMap((record) => record?.question.id ?? [])])]
}

/**
 * Waits until no run of the question is at work. Its answer is saved, so the run takes no signal, but it may not be
 * posted yet.
 */
async function ended({ thread, ids }: AskedMessage, { queue, now }: Services): Promise<void> {
  for (const until = now().getTime() + ENDING_MS; now().getTime() < until; await sleep(LOOK_MS)) {
    const { running } = await queue.inThread(thread)
    if (!running || !ids.includes(running.id)) return
  }
}

/** The record goes last, so that another delivery of the deletion finds the rest. */
async function forget(asked: AskedMessage, { team, identity, services }: Withdrawing): Promise<void> {
  const { archive, installations, log } = services
  const ids = await knownIds(asked, services)
  const records = await Promise.all(ids.map((id) => archive.load(id)))
  const posts = records.flatMap((record) => Object.values(record?.posts ?? {}))
  const installation = await installations.of(team)
  const { question } = asked
  const signal = AbortSignal.timeout(REMOVE_MS)
  const runs = new Set([...ids, ...asked.ids])
  await forgetTurns(asked, ids, services)
  if (installation)
    await removePosts({ client: installation.client, identity, question, thread: question.thread, signal, runs }, posts)
  for (const id of ids) await archive.remove(id)
  log.info({ question: question.id }, 'a deleted question is forgotten')
}

/** Deletes the turns, and the files that were read for them. */
async function forgetTurns({ thread, ids: asked }: AskedMessage, ids: string[], services: Services): Promise<void> {
  for (const id of ids) await services.history.remove(thread, id)
  const files = await services.files()
  for (const id of new Set([...asked, ...ids])) await files.remove(thread, id)
}

/** Offers the asker in an ephemeral message, under the answer, to ask again. */
async function offerAgain({ question }: AskedMessage, again: Question, { installations }: Services): Promise<void> {
  const installation = await installations.of(question.team)
  const { channel, thread, user } = again
  const word = { channel, thread_ts: thread, user, ...askEditedContent(question.id) }
  if (installation) await tellOnce(installation.client, word)
}

/** Runs work that the ack does not wait for, and whose failure is only logged. */
function inBackground({ question }: AskedMessage, { log }: Services, work: () => Promise<void>): void {
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
