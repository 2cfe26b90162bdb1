import type { Question } from '../../run/types.ts'
import { cleanName } from '../format/clean-name.ts'
import { unescapeText } from '../format/escape.ts'

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
  if (!isAddressed && (!parent || isBesideThePoint(written, isDirect))) return undefined
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
 * Whether a reply without the bot's name is nothing for it: people address each other in a thread that the bot has answered in,
 * and they wave. A file without words in a direct message gets a hint.
 */
function isBesideThePoint(text: string, isDirect: boolean): boolean {
  if (isDirect && text === '') return false
  return (!isDirect && NAMES_OTHERS.test(text)) || !/[\p{L}\p{N}]/u.test(text.replace(EMOJI, ''))
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

export interface SlackCommand {
  channel_id: string
  user_id: string
  text: string
  trigger_id: string
  response_url: string
}

/** A Slack ts from before all posts about the question: its own, or a minute before a command, in case the clocks differ. */
export function sinceOf({ ts, at }: Question): string {
  return ts ?? String(at / 1000 - 60)
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
