/**
 * Decides which messages are for the bot (`questionOf`) and enqueues them (`enqueueMessage`).
 * question/followed-threads.ts decides whether replies without a mention are heard: not in a muted thread. The queue
 * (`accept`) knows whether the bot was asked in the thread.
 */
import { isHeard } from '../../question/followed-threads.ts'
import type { AcceptOptions, AcceptOutcome } from '../../queue/types.ts'
import { isPrivate, type Question } from '../../stores/runs/types.ts'
import { lookedAt } from '../../stores/threads/looked-at-channel.ts'
import { markTaken } from '../client/addition-reactions.ts'
import type { Installations } from '../client/installations.ts'
import { fileRefs, isRecording } from '../client/file-info.ts'
import type { ThreadMessage } from '../client/thread-messages.ts'
import { isNamedIn, isWritten, readContent, type MessageContent } from '../content/message-content.ts'
import { EMOJI_NAME } from '../content/plain-text.ts'
import { needsNoModel } from '../../question/usage-admission.ts'
import { askedWords, questionParts } from './question-parts.ts'
import type { Services } from '../services.ts'
import { tellPlaceLater, tellWorkingLater } from './tell-queue-position.ts'
import { recipientOfMessage, type Incoming } from './find-recipient.ts'
import { hearPrivateWords } from './hear-private-words.ts'
import { hearMuteWord, isMuteWord } from './mute-word.ts'
import { hearRemember, toRemember } from './remember.ts'

/** Enqueues the question in a message, if it asks the bot one. @throws if the queue cannot store it */
export async function enqueueMessage(
  message: SlackMessage,
  { body, context }: Incoming,
  services: Services,
): Promise<void> {
  const recipient = await recipientOfMessage(message, { body, context }, services)
  if (!recipient) return
  const { team, installation } = recipient
  const { botUser } = installation.identity
  const isOtherBots = message.bot_id !== undefined && message.user !== botUser
  const asked = questionOf(message, {
    team,
    eventId: body.event_id,
    botUser,
    now: services.now(),
    isLate: (context.retryNum ?? 0) > 0,
    bots: isOtherBots ? (await services.settingsFor({ team, channel: message.channel })).access.bots : [],
  })
  if (!asked) return
  const { question, onlyKnownThread, mayAdd } = asked
  if (isMuteWord(question)) return hearMuteWord(question, services)
  const text = toRemember(question)
  if (text !== undefined) return hearRemember(question, text || question.attached?.text || '', services)
  const isMessageOfMention = question.surface === 'mention' && message.type === 'message'
  // The `app_mention` may not have said so.
  const parts = isMessageOfMention ? { parts: questionParts(question) } : {}
  if ('action_token' in message || 'assistant_thread' in message) void services.searchTokens.keep(question.id, message)
  const heard = await hearPrivateWords(question, installation, services)
  if (!heard) return
  if (isPrivate(heard)) {
    if ((await enqueue(heard, services, parts)) === 'accepted') tellWorkingLater(heard, services)
    return
  }
  // A follow-up that must mention the bot, and does not, may still add to the asker's own running question.
  const isForBot = !onlyKnownThread || (await isHeard(question, services))
  if (!isForBot && !mayAdd) return
  const seen = question.surface === 'dm' ? await lookedAt(services.threads, question, question.at) : undefined
  const how: AcceptOptions = {
    onlyKnownThread,
    ...(mayAdd ? { addition: isForBot ? 'maybe' : 'only' } : {}),
    ...parts,
  }
  await enqueue(seen === undefined ? question : { ...question, lookingAt: seen }, services, how)
}

/** The only way into the queue. The ack waits for it. @throws the error if the queue cannot store the question */
export async function enqueue(asked: Question, services: Services, how: AcceptOptions = {}): Promise<AcceptOutcome> {
  const { intake, installations, log } = services
  const question = { ...asked, ...appOf(installations) }
  const outcome = await intake.accept(question, { ...how, onQueued: () => tellPlaceLater(question, services) })
  if (outcome === 'unknown_thread') return outcome
  if (outcome === 'added')
    void installations.of(question.team).then((there) => there && markTaken(there.client, question.id))
  const { id, surface, text } = question
  log.info({ question: id, surface, chars: text.length, outcome }, 'question enqueued')
  return outcome
}

/** The app of SLACK_APPS that accepts a delivery, as a field of its question. */
export function appOf({ app }: Installations): Pick<Question, 'app'> {
  return app === undefined ? {} : { app }
}

/** A message as Slack delivers it, in any event. Slack sends an `app_mention` again, `edited`, when its message is. */
export interface SlackMessage extends ThreadMessage {
  /** The event's type. */
  type?: string
  channel: string
  channel_type?: string
  app_id?: string
}

/** The context of a message: its workspace, its event and the bot's user there. */
export interface MessageContext {
  team: string
  eventId?: string | undefined
  botUser: string
  now: Date
  /** The app of SLACK_APPS that got it. */
  app?: string
  /** Slack had to retry the delivery. */
  isLate?: boolean
  /** Ids of the bots that may ask (`ALLOW_BOTS`); none if absent. */
  bots?: string[]
}

interface MessageQuestion {
  question: Question
  /** The message has no mention, so it counts only in a thread where the bot was asked before. */
  onlyKnownThread: boolean
  /** It may add to an active question of the same person: a reply without a mention. */
  mayAdd: boolean
}

/**
 * Returns what a message asks of the bot, or undefined if it is not for the bot: messages of other bots (except
 * `ALLOW_BOTS` that name this one), edits, joins, and people talking to each other. A mention counts in any event; a
 * reply may count because of its thread.
 */
export function questionOf(message: SlackMessage, delivery: MessageContext): MessageQuestion | undefined {
  const { bot_id: bot, channel, ts, thread_ts: parent } = message
  // Legacy integrations have no user.
  const user = message.user ?? bot
  if (!user || !ts || user === delivery.botUser || (bot && !isNamedBot(message, delivery.bots))) return undefined
  if (message.edited || !isWritten(message) || (!bot && message.subtype === 'bot_message')) return undefined
  const isDirect = message.channel_type === 'im' || channel.startsWith('D')
  const isNamed = isNamedIn(message, delivery.botUser)
  const isAddressed = isNamed || (isDirect && (!parent || parent === ts))
  if (!isAddressed && (bot || !parent)) return undefined
  const content = readContent(message, delivery.botUser)
  if (!isAddressed && isForOthers(content, isDirect) && !isClipAlone(message)) return undefined
  const words = askedWords(content)
  const surface = isDirect ? 'dm' : isNamed ? 'mention' : 'thread'
  const { team, eventId, now, isLate } = delivery
  const id = `${team}:${channel}:${ts}`
  const userTeam = message.user_team ?? message.team
  const question: Question = {
    ...(bot ? { kind: 'bot', bot } : { kind: 'asked' }),
    id,
    team,
    channel,
    thread: parent ?? ts,
    user,
    ...words,
    ts,
    surface,
    at: now.getTime(),
    ...(message.type === 'app_mention' && !words.files ? { mayHaveFiles: true as const } : {}),
    ...(eventId ? { eventId } : {}),
    ...(delivery.app === undefined ? {} : { app: delivery.app }),
    ...(isLate ? { isLate } : {}),
    ...(userTeam && userTeam !== team ? { userTeam } : {}),
  }
  const isReply = parent !== undefined && parent !== ts
  const mayAdd = isReply && !isNamed && !bot && !words.files && !words.attached && !needsNoModel(question)
  return { question, onlyKnownThread: surface === 'thread', mayAdd }
}

/** Returns whether the operator allows the bot that wrote a message, by bot id, app id or user id. */
function isNamedBot({ bot_id, app_id, user }: SlackMessage, named: string[] = []): boolean {
  return [bot_id, app_id, user].some((id) => id !== undefined && named.includes(id))
}

/** Mentions of a person, a group or everybody. The caller has already looked for the bot. */
const NAMES_OTHERS = /<@[A-Z0-9]|<!(?:subteam|here|channel|everyone)\b/
const EMOJI = new RegExp(`:${EMOJI_NAME}:`, 'gu')

/** Returns whether somebody speaks instead of writing. */
function isClipAlone({ text = '', files }: SlackMessage): boolean {
  const [clip, ...others] = fileRefs(files)
  return text === '' && others.length === 0 && isRecording(clip?.mimetype)
}

/**
 * Returns whether a reply without a mention is not for the bot: people in a thread also address each other and post
 * emoji alone. In a direct message a file without words is for the bot; a forward or a table alone is everywhere.
 */
function isForOthers({ words, written, attached }: MessageContent, isDirect: boolean): boolean {
  if (words === '' && (isDirect || attached !== '')) return false
  return (!isDirect && NAMES_OTHERS.test(written)) || !/[\p{L}\p{N}]/u.test(words.replace(EMOJI, ''))
}
