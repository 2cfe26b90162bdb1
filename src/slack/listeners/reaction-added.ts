import type { OnEvent } from '../intake/bolt-types.ts'
import { messageOf } from '../../base/errors.ts'
import { Pace } from '../../base/pace.ts'
import { askedMessage, type Question } from '../../stores/runs/types.ts'
import type { Identity } from '../client/installations.ts'
import { EVENT_TYPE, readMessages, type ThreadMessage } from '../client/thread-messages.ts'
import { STOP_WORDS } from '../format/messages.ts'
import { stopRuns, sendEphemeral, type StopWish } from '../intake/stop-runs.ts'
import { recipientOf, type ListenerOptions } from '../intake/to-question.ts'

const STOPS = new Set(['x', 'octagonal_sign'])

/** Rate limit for looking up the messages that one person reacts to: at most 60 in a minute. */
const LOOK_UPS = { burst: 30, everyMs: 2_000 }
/** Time limit for reading the message. Milliseconds. */
const PATIENCE_MS = 10_000

/** A reaction to a message. */
interface Reacted {
  team: string
  channel: string
  user: string
  ts: string
  /** The event's ts. */
  at: string
  /** The bot wrote the message. */
  isOwn: boolean
}

/** `reaction_added`: ❌ or 🛑 on a question, or on anything that its run posted, stops it. Others are ignored. */
export function reactionAdded(options: ListenerOptions): OnEvent<'reaction_added'> {
  const lookUps = new Pace({ ...LOOK_UPS, now: () => options.now().getTime() })
  return async ({ event, body, context }) => {
    const { reaction, user, item, item_user } = event
    if (!STOPS.has(reaction) || item.type !== 'message') return
    const recipient = await recipientOf({ context, isShared: body.is_ext_shared_channel === true }, options)
    if (!recipient || user === recipient.identity.botUser) return
    const { team, identity } = recipient
    const reacted = {
      team,
      channel: item.channel,
      user,
      ts: item.ts,
      at: event.event_ts,
      isOwn: item_user === identity.botUser,
    }
    if (!reacted.isOwn && (await stopAt({ ...reacted, thread: item.ts }, options))) return
    if (!lookUps.take(`${team}:${user}`)) return
    // The event does not name the message's thread. The ack does not wait for this lookup: nothing durable depends on
    // it.
    stopInItsThread(reacted, identity, options).catch((error: unknown) => {
      options.log.warn({ channel: item.channel, error: messageOf(error) }, 'a reaction could not be followed')
    })
  }
}

async function stopInItsThread(reacted: Reacted, identity: Identity, options: ListenerOptions): Promise<void> {
  const message = await messageAt(reacted, options)
  if (!message) return
  const thread = message.thread_ts ?? message.ts
  if (!reacted.isOwn) {
    if (thread !== message.ts) await stopAt({ ...reacted, thread }, options)
    return
  }
  if (message.user !== identity.botUser && message.bot_id !== identity.botId) return
  const { run } = message.metadata?.event_type === EVENT_TYPE ? (message.metadata.event_payload ?? {}) : {}
  // A streamed message has no metadata, so the reaction means whatever runs in its thread.
  await stopAt({ ...reacted, thread, ...(typeof run === 'string' ? { isMeant: ({ id }) => id === run } : {}) }, options)
}

/**
 * Stops the question that this message asked, repeats included, unless `isMeant` is given. On a message of the bot it
 * stops whatever runs in the thread.
 * @returns whether a question was found
 */
async function stopAt(wish: StopWish & Reacted, options: ListenerOptions): Promise<boolean> {
  const { team, channel, ts, isOwn } = wish
  const isOfIt = ({ id, ts: own }: Question) => own === ts || askedMessage(id) === `${team}:${channel}:${ts}`
  const isMeant = wish.isMeant ?? (isOwn ? undefined : isOfIt)
  const outcome = await stopRuns({ ...wish, ...(isMeant ? { isMeant } : {}) }, options)
  const isReply = wish.thread !== ts
  if (outcome === 'forbidden') void sendEphemeral({ ...wish, isReply, text: STOP_WORDS.forbidden }, options)
  return outcome !== 'nothing'
}

async function messageAt({ team, channel, ts }: Reacted, options: ListenerOptions): Promise<ThreadMessage | undefined> {
  const installation = await options.installations.of(team)
  if (!installation) return undefined
  const place = { channel, thread: ts, since: ts, until: ts, signal: AbortSignal.timeout(PATIENCE_MS) }
  for await (const message of readMessages(installation.client, place)) if (message.ts === ts) return message
  return undefined
}
