import { warnWith } from '../../base/log.ts'
import { Pace } from '../../base/token-bucket.ts'
import { foreignTeam, type Presser } from '../../stores/runs/audience.ts'
import { originalId, type Question } from '../../stores/runs/types.ts'
import type { Installation } from '../client/installations.ts'
import { ifRefused } from '../client/slack-errors.ts'
import { EVENT_TYPE, readMessages, type ThreadMessage } from '../client/thread-messages.ts'
import type { SlackWeb } from '../client/web-api.ts'
import { STOP_WORDS } from '../format/messages.ts'
import { personOfEvent } from '../intake/event-person.ts'
import { recipientOf } from '../intake/find-recipient.ts'
import { isStopReaction, stopRuns, tellAboutStop, type StopWish } from '../intake/stop-runs.ts'
import { enqueue } from '../intake/to-question.ts'
import type { Services } from '../services.ts'
import { DEFAULT_QUESTION } from '../views/ask-about-view.ts'
import { onEvent } from './listener.ts'

/** Rate limit for looking up the messages that one person reacts to: at most 60 in a minute. */
const LOOK_UPS = { burst: 30, everyMs: 2_000 }
/** Time limit for reading the message. Milliseconds. */
const PATIENCE_MS = 10_000

/** A reaction to a message. */
interface MessageReaction extends Presser {
  team: string
  channel: string
  ts: string
  /** The event's ts. */
  at: string
  /** The bot wrote the message. */
  isOwn: boolean
}

interface ReactionStop extends StopWish, MessageReaction {}

/**
 * `reaction_added`: ❌ or 🛑 on a question, or on a post of its run, stops it. ASK_REACTION on a message asks about it.
 * Other reactions are ignored.
 */
export const reactionAdded = onEvent('reaction_added', (services) => {
  const { askReaction } = services.operator
  const lookUps = new Pace({ ...LOOK_UPS, now: () => services.now().getTime() })
  return async ({ event, body, context }) => {
    const { reaction, user, item, item_user } = event
    // Slack appends the skin tone: `wave::skin-tone-2`.
    const isAsk = askReaction !== undefined && reaction.split('::')[0] === askReaction
    if (!(isAsk || isStopReaction(reaction)) || item.type !== 'message') return
    const recipient = await recipientOf({ context, isShared: body.is_ext_shared_channel === true }, services)
    if (!recipient) return
    const { team, installation } = recipient
    const { botUser } = installation.identity
    if (user === botUser) return
    const reacted = {
      team,
      channel: item.channel,
      ...(await personOfEvent({ event, body, channel: item.channel }, recipient, services)),
      ts: item.ts,
      at: event.event_ts,
      isOwn: item_user === botUser,
    }
    if (isAsk) return lookUps.take(`${team}:${user}`) ? askAbout(reacted, installation, services) : undefined
    if (!reacted.isOwn && (await stopAt({ ...reacted, thread: item.ts }, services))) return
    if (!lookUps.take(`${team}:${user}`)) return
    // The event does not name the message's thread. The ack does not wait for the look-up.
    stopInItsThread(reacted, installation, services).catch(unfollowed(item.channel, services))
  }
})

/**
 * Asks about the message, as "Ask about this message" does. Other apps ask nothing by a reaction. The id is claimed, so
 * a person asks once about a message.
 * @throws if the message cannot be looked up or the question cannot be stored: Slack sends the event again
 */
async function askAbout(
  { team, channel, user, userTeam, homes, ts }: MessageReaction,
  { client, directory }: Installation,
  services: Services,
): Promise<void> {
  const person = await directory.factsOf(team, user)
  if (typeof person !== 'string' && person.isBot) return
  const home = userTeam ?? (typeof person !== 'string' && person.isExternal ? person.homes[0] : undefined)
  const from = foreignTeam({ userTeam: home, homes }, team)
  const message = await messageAt({ channel, ts }, client).catch(ifRefused(unfollowed(channel, services)))
  if (!message) return
  const place = { team, channel, thread: message.thread_ts ?? ts }
  const asked = {
    kind: 'about',
    user,
    ...from,
    text: DEFAULT_QUESTION,
    surface: 'shortcut',
    about: ts,
    at: services.now().getTime(),
  } as const
  await enqueue({ id: `${team}:${channel}:reacted-${ts}-${user}`, ...place, ...asked }, services)
}

function unfollowed(channel: string, { log }: Services) {
  return warnWith(log, { channel }, 'a reaction could not be followed')
}

async function stopInItsThread(
  reacted: MessageReaction,
  { client, identity }: Installation,
  services: Services,
): Promise<void> {
  const message = await messageAt(reacted, client)
  if (!message) return
  const thread = message.thread_ts ?? message.ts
  if (!reacted.isOwn) {
    if (thread !== message.ts) await stopAt({ ...reacted, thread }, services)
    return
  }
  if (message.user !== identity.botUser && message.bot_id !== identity.botId) return
  const { run } = message.metadata?.event_type === EVENT_TYPE ? (message.metadata.event_payload ?? {}) : {}
  // A streamed message has no metadata, so the run in its thread is stopped.
  const isMeant = typeof run === 'string' ? ({ id }: Question) => id === run : undefined
  await stopAt({ ...reacted, thread, isMeant }, services)
}

/**
 * Stops the question that this message asked, including its repetitions, unless told otherwise. @returns whether it was
 * found
 */
async function stopAt(wish: ReactionStop, services: Services): Promise<boolean> {
  const { team, channel, ts, isOwn } = wish
  const isOfIt = (one: Question) => one.ts === ts || originalId(one) === `${team}:${channel}:${ts}`
  const isMeant = wish.isMeant ?? (isOwn ? undefined : isOfIt)
  const outcome = await stopRuns({ ...wish, isMeant }, services)
  const isReply = wish.thread !== ts
  if (outcome === 'forbidden') void tellAboutStop({ ...wish, isReply, text: STOP_WORDS.forbidden }, services)
  return outcome !== 'nothing'
}

async function messageAt(
  { channel, ts }: Pick<MessageReaction, 'channel' | 'ts'>,
  client: SlackWeb,
): Promise<ThreadMessage | undefined> {
  const place = { channel, thread: ts, since: ts, until: ts, signal: AbortSignal.timeout(PATIENCE_MS) }
  for await (const message of readMessages(client, place)) if (message.ts === ts) return message
  return undefined
}
