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

interface HeardOptions {
  settingsFor: SettingsFor
  threads: Pick<ThreadStates, 'load'>
}

/** Returns whether a reply without a mention may be for the bot: neither mentions-only nor muted. */
export async function isHeard(question: Question, { settingsFor, threads }: HeardOptions): Promise<boolean> {
  const [{ followUps }, { muted }] = await Promise.all([settingsFor(question), threads.load(conversationOf(question))])
  return followUps === 'thread' && muted !== true
}

export interface KnownOptions {
  queue: Pick<Queue, 'inThread'>
  history: Pick<History, 'load'>
}

interface FollowedOptions extends KnownOptions, HeardOptions {}

/**
 * Returns whether the bot answers replies without a mention in the question's thread: it was asked there and is not
 * muted.
 */
export async function isFollowed(question: Question, options: FollowedOptions): Promise<boolean> {
  return (await isHeard(question, options)) && isKnownThread(conversationOf(question), options)
}

/** Returns whether the bot was asked in a thread before. */
export async function isKnownThread(thread: ThreadKey, { queue, history }: KnownOptions): Promise<boolean> {
  const { running, waiting } = await queue.inThread(thread)
  return running !== undefined || waiting.length > 0 || (await history.load(thread)).length > 0
}
