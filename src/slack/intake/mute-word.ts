import { messageOf } from '../../base/errors.ts'
import type { ThreadKey } from '../../base/place.ts'
import type { History } from '../../stores/history/types.ts'
import type { Log } from '../../base/log.ts'
import type { Queue } from '../../queue/types.ts'
import { conversationOf, type Question } from '../../stores/runs/types.ts'
import type { ThreadStates } from '../../stores/threads/types.ts'
import type { Installations } from '../client/installations.ts'
import type { SettingsFor } from '../../stores/settings/settings.ts'
import { mayAskNow } from './access.ts'

interface HeardOptions {
  settingsFor: SettingsFor
  threads: Pick<ThreadStates, 'load'>
}

/** Returns whether a reply without a mention may be for the bot: neither mentions-only nor muted. */
export async function isHeard(question: Question, { settingsFor, threads }: HeardOptions): Promise<boolean> {
  const [{ followUps }, { muted }] = await Promise.all([settingsFor(question), threads.load(conversationOf(question))])
  return followUps === 'thread' && muted !== true
}

interface KnownOptions {
  queue: Pick<Queue, 'inThread'>
  history: Pick<History, 'load'>
}

export interface MuteOptions extends KnownOptions {
  installations: Installations
  threads: Pick<ThreadStates, 'patch'>
  settingsFor: SettingsFor
  log: Log
}

/** Time limit for adding the acknowledging reaction, in ms. */
const REACT_MS = 15_000

/**
 * Handles `mute` and `unmute` in a channel's thread: from then on the bot answers only mentions, or follow-ups again. A
 * reaction acknowledges it. Only people who may ask there can do this. Without a mention it counts only in a thread
 * where the bot was asked before.
 * @throws if the state cannot be stored
 */
export async function hearMuteWord(question: Question, options: MuteOptions): Promise<void> {
  const { threads, log } = options
  const thread = conversationOf(question)
  if (question.surface === 'thread' && !(await isKnownThread(thread, options))) return
  if (!(await mayAskNow(question, options))) return
  const muted = !/^un/i.test(question.text)
  await threads.patch(thread, { muted })
  log.info({ question: question.id, user: question.user, muted }, 'a thread is muted or unmuted')
  void acknowledge(question, muted ? 'mute' : 'loud_sound', options)
}

/**
 * Returns whether the bot answers replies without a mention in the question's thread: it was asked there and is not
 * muted.
 */
export async function isFollowed(question: Question, options: KnownOptions & HeardOptions): Promise<boolean> {
  return (await isHeard(question, options)) && isKnownThread(conversationOf(question), options)
}

/** Returns whether the bot was asked in a thread before. */
export async function isKnownThread(thread: ThreadKey, { queue, history }: KnownOptions): Promise<boolean> {
  const { running, waiting } = await queue.inThread(thread)
  return running !== undefined || waiting.length > 0 || (await history.load(thread)).length > 0
}

/** A message that names the bot arrives twice, so Slack refuses the second reaction. Refusals are only logged. */
async function acknowledge(question: Question, name: string, { installations, log }: MuteOptions): Promise<void> {
  const { id, team, channel, ts } = question
  const installation = await installations.of(team)
  const reaction = { channel, timestamp: ts, name }
  const options = { effort: 'patient', signal: AbortSignal.timeout(REACT_MS) } as const
  await installation?.client.call('reactions.add', reaction, options).catch((error: unknown) => {
    log.debug({ question: id, error: messageOf(error) }, 'a mute or unmute could not be acknowledged')
  })
}
