/**
 * Assigns a question in a direct message to a conversation. People write there at the top level, and each message is
 * answered in its own thread. Messages within an hour (`dmMemoryMs`) of each other are one conversation, which is named
 * after its first message. A reply belongs to the conversation of its thread's root.
 *
 * Messages are compared by when they were written (their ts), not by when they arrive. The decision about a message is
 * stored, so that a second delivery of it finds the first one's claim.
 */
import { expiringCache, type ExpiringCache } from '../base/expiring-cache.ts'
import type { RedisClient } from '../base/redis/redis.ts'
import { redisScript } from '../base/redis/redis-script.ts'
import { dmKeys } from '../stores/runs/thread-keys.ts'
import { isDirect, type Question } from '../stores/runs/types.ts'
import type { QueueSettings } from './queue-settings.ts'

/** `dm` is `team:channel`, `root` the ts of the first message of the question's thread. */
interface DmPlace {
  dm: string
  root: string
  /**
   * The question is itself the root, or a command whose root was posted for it. A schedule's root starts its own
   * conversation.
   */
  isTopLevel: boolean
}

/** @returns undefined for a question outside of direct messages, and for a command that has no thread yet */
function dmPlaceOf(question: Question): DmPlace | undefined {
  const { kind, team, channel, thread, ts, surface } = question
  if (!isDirect(question) || !/^\d+\.\d+$/.test(thread)) return undefined
  return {
    dm: `${team}:${channel}`,
    root: thread,
    isTopLevel: (surface === 'ask' && kind !== 'occurrence') || ts === thread,
  }
}

function inConversation({ conversation: _, ...question }: Question, first: string): Question {
  return first === question.thread ? question : { ...question, conversation: first }
}

interface ConversationBounds extends Pick<QueueSettings, 'dmMemoryMs' | 'knownTtlMs' | 'now'> {
  maxKnown: number
}

/**
 * Keeps conversations in this process's memory. Nothing in here awaits, so that a queue can place and accept in one
 * step.
 */
export class MemoryConversations {
  readonly #windowMs: number
  readonly #roots: ExpiringCache<string>
  /** The current conversation of each direct message: its first and its last message. */
  readonly #current: ExpiringCache<{ first: string; last: string }>

  constructor({ dmMemoryMs, knownTtlMs, maxKnown, now }: ConversationBounds) {
    this.#windowMs = dmMemoryMs
    const bounds = { ttlMs: knownTtlMs, max: maxKnown, now }
    this.#roots = expiringCache(bounds)
    this.#current = expiringCache(bounds)
  }

  /** Returns the question with its conversation. */
  place(question: Question): Question {
    const place = dmPlaceOf(question)
    if (!place) return question
    const key = `${place.dm}:${place.root}`
    const first = this.#roots.get(key) ?? (place.isTopLevel ? this.#join(place) : place.root)
    this.#roots.set(key, first)
    return inConversation(question, first)
  }

  #join({ dm, root }: DmPlace): string {
    const current = this.#current.get(dm)
    const [at, windowS] = [Number(root), this.#windowMs / 1000]
    const isNear =
      current && windowS > 0 && at >= Number(current.first) - windowS && at <= Number(current.last) + windowS
    const first = isNear ? current.first : root
    if (!current || at > Number(current.last)) this.#current.set(dm, { first, last: root })
    return first
  }
}

const placeDirectMessage = redisScript(new URL('./lua/place-direct-message.lua', import.meta.url), {
  keys: ['conversation', 'current'],
  args: ['root', 'isTopLevel', 'windowS', 'ttlMs'],
})

/**
 * Returns the question with its conversation, which Redis keeps for all processes. Asks Redis only for questions in
 * direct messages.
 */
export async function placeInRedis(
  redis: RedisClient,
  { prefix, dmMemoryMs, knownTtlMs }: QueueSettings,
  question: Question,
): Promise<Question> {
  const place = dmPlaceOf(question)
  if (!place) return question
  const { root: conversation, current } = dmKeys(prefix, place.dm, place.root)
  const first = await placeDirectMessage(redis, {
    conversation,
    current,
    root: place.root,
    isTopLevel: place.isTopLevel ? 1 : 0,
    windowS: dmMemoryMs / 1000,
    ttlMs: Math.max(knownTtlMs, 2 * dmMemoryMs),
  })
  return inConversation(question, String(first))
}
