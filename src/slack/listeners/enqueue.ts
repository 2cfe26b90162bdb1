import type { AllMiddlewareArgs } from '@slack/bolt'
import type { Log } from '../../log.ts'
import type { Queue } from '../../queue/types.ts'
import type { Question } from '../../run/types.ts'
import type { Identity, Installations } from '../../workspace/installations.ts'
import type { SettingsFor } from '../../workspace/settings.ts'
import { questionOf, type SlackMessage } from './to-question.ts'

export interface ListenerOptions {
  installations: Installations
  settingsFor: SettingsFor
  queue: Queue
  forgetting: Forgets
  log: Log
  fetch?: typeof globalThis.fetch | undefined
  now(): Date
}

/** Forgets what is kept, in every store; whoever holds the stores knows how. */
export interface Forgets {
  forgetChannel(place: { team: string; channel: string }): Promise<void>
  /** What a direct message holds, and what its person asked for elsewhere. */
  forgetPerson(person: { team: string; channel: string; user: string }): Promise<void>
  forgetTeam(team: string): Promise<void>
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
  const { team } = recipient
  const isOtherBots = message.bot_id !== undefined && message.user !== recipient.identity.botUser
  const asked = questionOf(message, {
    team,
    eventId: body.event_id,
    botUser: recipient.identity.botUser,
    now: options.now(),
    isLate: (context.retryNum ?? 0) > 0,
    bots: isOtherBots ? (await options.settingsFor({ team, channel: message.channel })).access.bots : [],
  })
  if (!asked) return
  const { question, onlyKnownThread } = asked
  if (onlyKnownThread && (await options.settingsFor(question)).followUps === 'mention') return
  await enqueue(question, options, onlyKnownThread)
}

/** The one way into the queue. The ack waits for it. @throws what keeps the queue from storing the question */
export async function enqueue(
  question: Question,
  { queue, log }: ListenerOptions,
  onlyKnownThread = false,
): Promise<void> {
  const outcome = await queue.accept(question, { onlyKnownThread })
  if (outcome === 'unknown_thread') return
  const { id, surface, text } = question
  log.info({ question: id, surface, chars: text.length, outcome }, 'question enqueued')
}
