/**
 * The threads in which the bot follows replies without a mention. Which replies these are is decided by
 * `slack/intake/to-question.ts`, and whether the bot was asked there before by the queue's `accept`.
 */
import type { ThreadKey } from '../base/place.ts'
import type { Queue } from '../queue/types.ts'
import type { History } from '../stores/history/types.ts'
import { conversationOf, type Question } from '../stores/runs/types.ts'
import type { SettingsFor } from '../stores/settings/settings.ts'
import type { ThreadStates } from '../stores/threads/types.ts'

interface FollowedServices {
  settingsFor: SettingsFor
  threads: Pick<ThreadStates, 'load'>
  queue: Pick<Queue, 'inThread'>
  history: Pick<History, 'load'>
}

/** Returns whether a reply without a mention may be for the bot: neither mentions-only nor muted. */
export async function isHeard(
  question: Question,
  services: Omit<FollowedServices, 'queue' | 'history'>,
): Promise<boolean> {
  const { settingsFor, threads } = services
  const [{ followUps }, { muted }] = await Promise.all([settingsFor(question), threads.load(conversationOf(question))])
  return followUps === 'thread' && muted !== true
}

export type KnownServices = Pick<FollowedServices, 'queue' | 'history'>

/**
 * Returns whether the bot answers replies without a mention in the question's thread: it was asked there and is not
 * muted.
 */
export async function isFollowed(question: Question, services: FollowedServices): Promise<boolean> {
  return (await isHeard(question, services)) && isKnownThread(conversationOf(question), services)
}

/** Returns whether the bot was asked in a thread before. */
export async function isKnownThread(thread: ThreadKey, { queue, history }: KnownServices): Promise<boolean> {
  const { running, waiting } = await queue.inThread(thread)
  return running !== undefined || waiting.length > 0 || (await history.load(thread)).length > 0
}
