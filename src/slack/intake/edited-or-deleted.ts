/** Handles edits and deletions of a question's message, while the question runs or waits and after its answer. */
import { warnWith } from '../../base/log.ts'
import {
  editedQuestion,
  forgetTurns,
  knownIds,
  untilEnded,
  withdrawRuns,
  withRuns,
  type AskedMessage,
} from '../../question/take-back.ts'
import { foreignTeam } from '../../stores/runs/audience.ts'
import { conversationOf, type Question } from '../../stores/runs/types.ts'
import { tellOnce } from '../client/ephemeral.ts'
import { isTs, removePosts } from '../client/thread-messages.ts'
import { askEditedContent } from '../format/blocks.ts'
import { inPrivate } from './asked-audience.ts'
import { asWordsAsk } from './hear-private-words.ts'
import { isMuteWord } from './mute-word.ts'
import { isStopWord } from './stop-runs.ts'
import { appOf, questionOf, type SlackMessage } from './to-question.ts'
import type { DeliveryRecipient } from './authorized-team.ts'
import type { Services } from '../services.ts'

interface WithdrawContext extends DeliveryRecipient {
  services: Services
}

/** Time limit for deleting posts. Milliseconds. */
const REMOVE_MS = 10 * 60_000

/**
 * Handles a deleted question. A run that is not over takes back its own posts. For one that is over, the posts, the
 * turn and the record are deleted here.
 * @throws if a store fails
 */
export async function withdrawDeleted(message: SlackMessage, context: WithdrawContext): Promise<void> {
  const { services } = context
  const asked = await withRuns(await askedBy(message, context), services)
  const isTold = await withdrawRuns(asked, { by: message.user ?? '', withdrawal: {} }, services)
  const ids = await knownIds(asked, services)
  const line = await services.queue.inThread(asked.thread)
  const isEnding = !isTold && asked.ids.some((id) => line.running?.id === id)
  if (ids.length === 0 && !isEnding) return
  await forgetTurns(asked, ids, services)
  inBackground(asked, services, async () => {
    await untilEnded(asked, services)
    await forget(asked, context)
  })
}

/**
 * Handles an edited question. While it runs or waits, it is started again with the new text, or stopped if the new text
 * is a stop word. After its answer, the asker is offered to ask it again.
 * @throws if a store fails
 */
export async function withdrawEdited(
  { message, previous }: { message: SlackMessage; previous: SlackMessage },
  context: WithdrawContext,
): Promise<void> {
  const { services } = context
  const asked = await withRuns(await askedBy(previous, context), services, (one) => !one.isRepeat)
  const reads = await questionNow(message, asked, context)
  const isStop = reads !== undefined && isStopWord(reads.text)
  const again = reads && !isStop && !isMuteWord(reads) ? reads : undefined
  const told = { by: message.user ?? '', ...(isStop ? {} : { withdrawal: again ? { again } : {} }) }
  const isTold = await withdrawRuns(asked, told, services)
  if (isTold || !again) return
  if (again.surface !== 'private' && (await isCorrection(again, previous, context))) return
  inBackground(asked, services, async () => {
    await untilEnded(asked, services)
    if ((await knownIds(asked, services)).length > 0) await offerAgain(asked, again, context)
  })
}

/** Returns whether the message was an addition to a running question. If so, the run gets the corrected text. */
async function isCorrection(reads: Question, previous: SlackMessage, context: WithdrawContext): Promise<boolean> {
  if (!readAsNew(previous, context)?.mayAdd) return false
  const corrected = { ...reads, text: `I corrected what I added. It now says: ${reads.text}` }
  return (await context.services.intake.accept(corrected, { onlyKnownThread: true, addition: 'only' })) === 'added'
}

async function askedBy(message: SlackMessage, { team, services }: WithdrawContext): Promise<AskedMessage> {
  const { channel, ts, thread_ts, user = '', user_team, team: home, edited } = message
  const isDirect = message.channel_type === 'im' || channel.startsWith('D')
  const place = {
    kind: 'asked' as const,
    team,
    channel,
    thread: thread_ts ?? ts,
    user,
    ...foreignTeam({ userTeam: user_team ?? home }, team),
    ts,
    at: services.now().getTime(),
  }
  const id = `${team}:${channel}:${ts}`
  const question = await services.queue.place({ ...place, id, text: '', surface: isDirect ? 'dm' : 'thread' })
  const before = editTsOf(edited)
  const ids = before ? [editedQuestion({ id }, before).id, id] : [id]
  const alone = inPrivate(question)
  if (isDirect) return { question, thread: conversationOf(question), ids }
  const thread = conversationOf(alone)
  // A message that asked for a private answer has its run in a conversation of its asker's.
  const runs = await Promise.all(ids.map((one) => services.control.load({ thread, id: one })))
  const records = runs.some(Boolean) ? [] : await Promise.all(ids.map((one) => services.archive.load(one)))
  const wasPrivate = runs.some(Boolean) || records.some((record) => record?.question.surface === 'private')
  return wasPrivate ? { question: alone, thread, ids } : { question, thread: conversationOf(question), ids }
}

/** The ts in `edited: { user, ts }`, which Slack adds to an edited message. */
export function editTsOf(edited: unknown): string | undefined {
  const ts = typeof edited === 'object' && edited !== null && 'ts' in edited ? edited.ts : undefined
  return typeof ts === 'string' && isTs(ts) ? ts : undefined
}

/** Returns undefined if the message no longer asks the bot anything. */
async function questionNow(
  message: SlackMessage,
  { question }: AskedMessage,
  context: WithdrawContext,
): Promise<Question | undefined> {
  const editTs = editTsOf(message.edited)
  const asks = editTs && readAsNew(message, context)?.question
  if (!asks) return undefined
  const again = await context.services.queue.place({ ...asks, ...editedQuestion(question, editTs) })
  return asWordsAsk(again, question.surface === 'private')
}

/** Reads an edited message as if it had just been written. */
function readAsNew(message: SlackMessage, { team, installation, services }: WithdrawContext) {
  const { botUser } = installation.identity
  const delivery = { team, botUser, now: services.now(), ...appOf(services.installations) }
  return questionOf({ ...message, edited: undefined }, delivery)
}

/** The record goes last, so that another delivery of the deletion finds the rest. */
async function forget(asked: AskedMessage, { installation, services }: WithdrawContext): Promise<void> {
  const { archive, log } = services
  const ids = await knownIds(asked, services)
  const records = await Promise.all(ids.map((id) => archive.load(id)))
  const posts = records.flatMap((record) => Object.values(record?.posts ?? {}))
  const { question } = asked
  const signal = AbortSignal.timeout(REMOVE_MS)
  const runs = new Set([...ids, ...asked.ids])
  await forgetTurns(asked, ids, services)
  await removePosts({ installation, question, thread: question.thread, signal, runs }, posts)
  for (const id of ids) await archive.remove(id)
  log.info({ question: question.id }, 'a deleted question is forgotten')
}

/** Offers the asker in an ephemeral message, under the answer, to ask again. */
async function offerAgain(
  { question }: AskedMessage,
  again: Question,
  { installation }: WithdrawContext,
): Promise<void> {
  const { channel, thread, user } = again
  const word = { channel, thread_ts: thread, user, ...askEditedContent(question.id) }
  await tellOnce(installation.client, word)
}

/** Runs work that the ack does not wait for, and whose failure is only logged. */
function inBackground({ question }: AskedMessage, { log }: Services, work: () => Promise<void>): void {
  work().catch(warnWith(log, { question: question.id }, 'the change of a question could not be followed'))
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
