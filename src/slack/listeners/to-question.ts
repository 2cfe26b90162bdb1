import type { AllMiddlewareArgs } from '@slack/bolt'
import { messageOf } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { Queue } from '../../queue/types.ts'
import type { Question } from '../../run/types.ts'
import type { ThreadStates } from '../../threads/types.ts'
import type { Identity, Installations } from '../../workspace/installations.ts'
import type { SettingsFor } from '../../workspace/settings.ts'
import { cleanName, unescapeText } from '../format/escape.ts'
import { placeText } from '../format/messages.ts'

export interface ListenerOptions {
  installations: Installations
  settingsFor: SettingsFor
  queue: Queue
  threads: ThreadStates
  log: Log
  now(): Date
}

/** The envelope of an event, as far as it is read here. */
interface EventBody {
  event_id: string
  is_ext_shared_channel?: boolean
}

type Context = AllMiddlewareArgs['context']

/**
 * The team that a delivery is for, and who the bot is there. Bolt takes the team from the delivery's authorization; one that
 * names none is for the default team, and so is one over Slack Connect that names somebody else's.
 * @returns undefined, with a log line, where the bot is not installed
 */
export async function recipientOf(
  { context, isShared = false }: { context: Context; isShared?: boolean },
  { installations, log }: ListenerOptions,
): Promise<{ team: string; identity: Identity } | undefined> {
  const { defaultTeam } = installations
  const { teamId: team = defaultTeam } = context
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
  { body, context }: { body: EventBody; context: Context },
  options: ListenerOptions,
): Promise<void> {
  const recipient = await recipientOf({ context, isShared: body.is_ext_shared_channel === true }, options)
  if (!recipient) return
  const asked = questionOf(message, {
    team: recipient.team,
    eventId: body.event_id,
    botUser: recipient.identity.botUser,
    now: options.now(),
    isLate: (context.retryNum ?? 0) > 0,
  })
  if (!asked) return
  const { question, onlyKnownThread } = asked
  if (onlyKnownThread && (await options.settingsFor(question)).followUps === 'mention') return
  await enqueue(question, options, onlyKnownThread)
}

/** The one way into the queue. The ack waits for it. @throws what keeps the queue from storing the question */
export async function enqueue(question: Question, options: ListenerOptions, onlyKnownThread = false): Promise<void> {
  const { queue, log } = options
  const onQueued = (before: number) => void tellPlace(question, before, options)
  const outcome = await queue.accept(question, { onlyKnownThread, onQueued })
  if (outcome === 'unknown_thread') return
  const { id, surface, text } = question
  log.info({ question: id, surface, chars: text.length, outcome }, 'question enqueued')
}

/**
 * Tells the asker alone that other questions of the conversation come first. The thread's status belongs to the one at work. Not
 * worth a second try, and never rejects.
 */
async function tellPlace(question: Question, before: number, { installations, log }: ListenerOptions): Promise<void> {
  const { id, team, channel, user, thread, ts } = question
  const inThread = thread === ts ? {} : { thread_ts: thread }
  try {
    const installation = await installations.of(team)
    const message = { channel, user, ...inThread, text: placeText(before), parse: 'none' }
    await installation?.client.call('chat.postEphemeral', message, { effort: 'once' })
  } catch (error) {
    log.debug({ question: id, error: messageOf(error) }, 'the asker was not told of the place in line')
  }
}

/** A message as Slack delivers it, whichever event it comes in. */
export interface SlackMessage {
  channel: string
  channel_type?: string
  user?: string
  bot_id?: string
  text?: string
  ts: string
  thread_ts?: string
  subtype?: string
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
}

/** Subtypes of messages that people write; all others are edits, joins, topics and the like. */
const WRITTEN_BY_PEOPLE = new Set([undefined, 'thread_broadcast', 'file_share', 'me_message'])

export interface Asked {
  question: Question
  /** True when the bot must have been asked in this thread before: nobody named it here. */
  onlyKnownThread: boolean
}

/**
 * What a message asks of the bot, or undefined if it is not for the bot: messages of bots, edits, joins, people talking to
 * each other. A message that names the bot counts whichever event brings it; a reply may count because of its thread.
 */
export function questionOf(message: SlackMessage, delivery: Delivery): Asked | undefined {
  const { user, channel, ts, thread_ts: parent } = message
  if (!user || !ts || message.bot_id || user === delivery.botUser) return undefined
  if (message.edited || !WRITTEN_BY_PEOPLE.has(message.subtype)) return undefined
  const isDirect = message.channel_type === 'im' || channel.startsWith('D')
  const written = message.text ?? ''
  const isNamed = new RegExp(`<@${delivery.botUser}[|>]`).test(written)
  const isAddressed = isNamed || (isDirect && (!parent || parent === ts))
  if (!isAddressed && (!parent || isForOthers(written, isDirect))) return undefined
  const text = plainText(written, delivery.botUser)
  const surface = isDirect ? 'dm' : isNamed ? 'mention' : 'thread'
  const { team, eventId, now, isLate } = delivery
  const id = `${team}:${channel}:${ts}`
  const question = {
    id,
    team,
    channel,
    thread: parent ?? ts,
    user,
    text,
    ts,
    surface,
    at: now.getTime(),
    ...(eventId ? { eventId } : {}),
    ...(isLate ? { isLate } : {}),
  } as const
  return { question, onlyKnownThread: surface === 'thread' }
}

/** A person, a group or everybody; the bot is looked for before. */
const NAMES_OTHERS = /<@[A-Z0-9]|<!(?:subteam|here|channel|everyone)\b/
/** Emoji as Slack writes them: their names have letters, but nobody wrote a word. */
const EMOJI_NAME = "[\\p{L}\\p{N}_+'-]+"
const EMOJI = new RegExp(`:${EMOJI_NAME}:`, 'gu')

/**
 * Whether a reply that does not name the bot is not for it: in a thread that the bot has answered in, people address each other,
 * and post emoji alone. In a direct message a file without words is for the bot, which then says that it reads text only.
 */
function isForOthers(text: string, isDirect: boolean): boolean {
  if (isDirect && text === '') return false
  return (!isDirect && NAMES_OTHERS.test(text)) || !/[\p{L}\p{N}]/u.test(unescapeText(text).replace(EMOJI, ''))
}

/** A slash command has no ts and no thread: until its root message is posted, its trigger id stands for both. */
export function questionOfCommand(command: SlackCommand, delivery: Delivery): Question {
  const thread = `ask-${command.trigger_id}`
  return {
    id: `${delivery.team}:${command.channel_id}:${thread}`,
    team: delivery.team,
    channel: command.channel_id,
    thread,
    user: command.user_id,
    text: plainText(command.text, delivery.botUser),
    surface: 'ask',
    responseUrl: command.response_url,
    at: delivery.now.getTime(),
  }
}

/** A command whose root message is not posted yet: there is no thread, and only the asker can be told anything. */
export function isUnrooted(question: Pick<Question, 'thread'>): boolean {
  return question.thread.startsWith('ask-')
}

/**
 * Whether no model is needed, because nothing is asked, or help: the word `help` alone, in whatever case, and with punctuation
 * behind it. `cannedReply` is what is said then, outside of all limits.
 */
export function isCanned(text: string): boolean {
  return text === '' || /^help[\s\p{P}]*$/iu.test(text)
}

export interface SlackCommand {
  channel_id: string
  user_id: string
  text: string
  trigger_id: string
  response_url: string
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
