/**
 * Which messages are for the bot (`questionOf`), and what becomes of them (`enqueueMessage`). Whether replies that do not name it
 * are heard in this place and thread: mute-word.ts. Whether the thread is one that the bot was asked in: the queue (`accept`).
 */
import type { AllMiddlewareArgs } from '@slack/bolt'
import type { AcceptOptions } from '../../queue/types.ts'
import type { Question } from '../../stores/runs/types.ts'
import { lookedAt } from '../../stores/threads/looked-at.ts'
import type { Identity } from '../client/installations.ts'
import { markTaken } from '../client/addition-marks.ts'
import { cleanName, fileRefs, unescapeText } from '../format/escape.ts'
import { needsNoModel } from '../../question/admission.ts'
import type { Services } from '../services.ts'
import { tellPlaceLater } from './place-in-line.ts'
import { hearMuteWord, isHeard } from './mute-word.ts'

type Context = AllMiddlewareArgs['context']

/** What a message comes with; of the envelope, as far as it is read here. */
export interface Incoming {
  body: { event_id: string; is_ext_shared_channel?: boolean }
  context: Context
}

/**
 * The team that a delivery is for, and who the bot is there. Bolt takes the team from the delivery's authorization; one that
 * names none is for the default team, and so is one over Slack Connect that names somebody else's.
 * @returns undefined, with a log line, where the bot is not installed
 */
export async function recipientOf(
  { context, isShared = false }: { context: Context; isShared?: boolean },
  { installations, log }: Services,
): Promise<{ team: string; identity: Identity } | undefined> {
  const { defaultTeam } = installations
  // Bolt hands on the `null` of an organisation's event.
  const team = context.teamId || defaultTeam
  const installation = await installations.of(team)
  if (installation) return { team, identity: installation.identity }
  const own = isShared ? await installations.of(defaultTeam) : undefined
  if (own) return { team: defaultTeam, identity: own.identity }
  log.warn({ team }, 'no installation for this team: delivery ignored')
  return undefined
}

/** Enqueues what a message asks of the bot, if it asks anything. @throws what keeps the queue from storing it */
export async function enqueueMessage(
  message: SlackMessage,
  { body, context }: Incoming,
  services: Services,
): Promise<void> {
  const recipient = await recipientOf({ context, isShared: body.is_ext_shared_channel === true }, services)
  if (!recipient) return
  const isOtherBots = message.bot_id !== undefined && message.user !== recipient.identity.botUser
  const asked = questionOf(message, {
    team: recipient.team,
    eventId: body.event_id,
    botUser: recipient.identity.botUser,
    now: services.now(),
    isLate: (context.retryNum ?? 0) > 0,
    bots: isOtherBots
      ? (await services.settingsFor({ team: recipient.team, channel: message.channel })).access.bots
      : [],
  })
  if (!asked) return
  const { question, onlyKnownThread, mayAdd } = asked
  if (isMuteWord(question)) return hearMuteWord(question, services)
  // A follow-up that must name the bot, and does not, is heard all the same by the asker's own run.
  const isForBot = !onlyKnownThread || (await isHeard(question, services))
  if (!isForBot && !mayAdd) return
  const seen = question.surface === 'dm' ? await lookedAt(services.threads, question, question.at) : undefined
  const how: AcceptOptions = { onlyKnownThread, ...(mayAdd ? { addition: isForBot ? 'maybe' : 'only' } : {}) }
  if ('action_token' in message || 'assistant_thread' in message) void services.actionTokens.keep(question.id, message)
  await enqueue(seen === undefined ? question : { ...question, lookingAt: seen }, services, how)
}

/** The word `mute` or `unmute` alone, in whatever case, and with punctuation behind it, in a channel's thread. */
export const isMuteWord = ({ surface, text, thread, ts }: Question): boolean =>
  surface !== 'dm' && thread !== ts && /^(?:un)?mute[\s\p{P}]*$/iu.test(text)

/** The one way into the queue. The ack waits for it. @throws what keeps the queue from storing the question */
export async function enqueue(question: Question, services: Services, how: AcceptOptions = {}): Promise<void> {
  const { intake, installations, log } = services
  const outcome = await intake.accept(question, { ...how, onQueued: () => tellPlaceLater(question, services) })
  if (outcome === 'unknown_thread') return
  if (outcome === 'added')
    void installations.of(question.team).then((there) => there && markTaken(there.client, question.id))
  const { id, surface, text } = question
  log.info({ question: id, surface, chars: text.length, outcome }, 'question enqueued')
}

/** A message as Slack delivers it, whichever event it comes in. */
export interface SlackMessage {
  /** The event that brings it. */
  type?: string
  channel: string
  channel_type?: string
  user?: string
  bot_id?: string
  app_id?: string
  /** The workspace of who wrote it, where that may be another one: over Slack Connect. */
  user_team?: string
  team?: string
  text?: string
  ts: string
  thread_ts?: string
  subtype?: string
  files?: unknown
  /** Slack sends an `app_mention` again, with this, when somebody corrects a message that names the bot. */
  edited?: unknown
}

/** Where a message came from: the workspace, the event that carried it, and the bot's user there. */
export interface Delivery {
  team: string
  eventId?: string | undefined
  botUser: string
  now: Date
  /** Slack could not deliver it at the first try. */
  isLate?: boolean
  /** Ids of the bots that may ask (`ALLOW_BOTS`); none where this is missing. */
  bots?: string[]
}

/** Subtypes of messages that people write; all others are edits, joins, topics and the like. */
export const WRITTEN_BY_PEOPLE: ReadonlySet<string | undefined> = new Set([
  undefined,
  'thread_broadcast',
  'file_share',
  'me_message',
])

export interface MessageQuestion {
  question: Question
  /** True when the bot must have been asked in this thread before: nobody named it here. */
  onlyKnownThread: boolean
  /** It says more to a question of the same person that is under way, if there is one: a reply that does not name the bot. */
  mayAdd: boolean
}

/**
 * What a message asks of the bot, or undefined if it is not for the bot: messages of other bots (but those of `ALLOW_BOTS`
 * that name this one), edits, joins, people talking to each other. A message that names the bot counts whichever event
 * brings it; a reply may count because of its thread.
 */
export function questionOf(message: SlackMessage, delivery: Delivery): MessageQuestion | undefined {
  const { bot_id: bot, channel, ts, thread_ts: parent } = message
  // Integrations of the old kind have no user.
  const user = message.user ?? bot
  if (!user || !ts || user === delivery.botUser || (bot && !isNamedBot(message, delivery.bots))) return undefined
  if (message.edited || !(WRITTEN_BY_PEOPLE.has(message.subtype) || (bot && message.subtype === 'bot_message')))
    return undefined
  const isDirect = message.channel_type === 'im' || channel.startsWith('D')
  const written = message.text ?? ''
  const isNamed = new RegExp(`<@${delivery.botUser}[|>]`).test(written)
  const isAddressed = isNamed || (isDirect && (!parent || parent === ts))
  if (!isAddressed && (bot || !parent || isForOthers(written, isDirect))) return undefined
  const text = plainText(written, delivery.botUser)
  const surface = isDirect ? 'dm' : isNamed ? 'mention' : 'thread'
  const { team, eventId, now, isLate } = delivery
  const id = `${team}:${channel}:${ts}`
  const userTeam = message.user_team ?? message.team
  const question: Question = {
    id,
    team,
    channel,
    thread: parent ?? ts,
    user,
    text,
    ts,
    surface,
    at: now.getTime(),
    ...(message.files ? { files: fileRefs(message.files) } : {}),
    ...(message.type === 'app_mention' && !message.files ? { mayHaveFiles: true as const } : {}),
    ...(eventId ? { eventId } : {}),
    ...(isLate ? { isLate } : {}),
    ...(userTeam && userTeam !== team ? { userTeam } : {}),
    ...(bot ? { bot } : {}),
  }
  const isReply = parent !== undefined && parent !== ts
  const mayAdd = isReply && !isNamed && !bot && !message.files && !needsNoModel(question)
  return { question, onlyKnownThread: surface === 'thread', mayAdd }
}

/** Whether the operator has named the bot that wrote a message: by its own id, its app's or its user's. */
function isNamedBot({ bot_id, app_id, user }: SlackMessage, named: string[] = []): boolean {
  return [bot_id, app_id, user].some((id) => id !== undefined && named.includes(id))
}

/** A person, a group or everybody; the bot is looked for before. */
const NAMES_OTHERS = /<@[A-Z0-9]|<!(?:subteam|here|channel|everyone)\b/
/** Emoji as Slack writes them: their names have letters, but nobody wrote a word. */
const EMOJI_NAME = "[\\p{L}\\p{N}_+'-]+"
const EMOJI = new RegExp(`:${EMOJI_NAME}:`, 'gu')

/**
 * Whether a reply that does not name the bot is not for it: in a thread that the bot has answered in, people address each other,
 * and post emoji alone. In a direct message a file without words is for the bot.
 */
function isForOthers(text: string, isDirect: boolean): boolean {
  if (isDirect && text === '') return false
  return (!isDirect && NAMES_OTHERS.test(text)) || !/[\p{L}\p{N}]/u.test(unescapeText(text).replace(EMOJI, ''))
}

/** Whether a text is the word `stop` or `cancel` alone, in whatever case, with punctuation around it. */
export function isStopWord(text: string): boolean {
  return /^[\s\p{P}]*(?:stop|cancel)[\s\p{P}]*$/iu.test(text)
}

/** Whether a message as Slack writes it may be a word that stops (stop-runs.ts): few are looked at further. */
export function maySayStop(text = ''): boolean {
  return text.length < 200 && /stop|cancel/i.test(text)
}

/**
 * What the person typed, without Slack's markup: the bot's own mention is dropped, with a colon or comma behind it where the
 * text begins with it, links are shown by their names, entities are decoded. Ids of people and channels stay (`Mentions` knows
 * whose name may be read where), and so do spaces, which code may depend on.
 */
export function plainText(text: string, botUser: string): string {
  const bot = `<@${botUser}(?:\\|[^<>]*)?>`
  // No class below takes a `<`, so that a match that fails ends at the next one: the time is linear.
  const unlinked = text
    .replace(new RegExp(`^\\s*(?:${bot}\\s*(?:[:,\uff1a\uff0c\u3001](?!${EMOJI_NAME}:)\\s*)?)+`, 'u'), '')
    .replaceAll(new RegExp(` ?${bot}(?=[\\s,.;:!?]|$)`, 'g'), '')
    .replaceAll(new RegExp(bot, 'g'), ' ')
    .replace(/<(https?:[^|<>]+)(?:\|([^<>]*))?>/g, (_, url: string, label?: string) =>
      label && !url.includes(label) ? `${label} (${url})` : url,
    )
    .replace(/<mailto:[^|<>]+\|([^<>]*)>/g, '$1')
    .replace(/<@[A-Z0-9]+\|([^<>]+)>/g, (_, name: string) => `@${cleanName(name) || 'somebody'}`)
    .replace(/<![a-z^0-9A-Z-]+\|([^<>]*)>/g, '$1')
    .replace(/<!(channel|here|everyone)>/g, '@$1')
  return unescapeText(unlinked).trim()
}
