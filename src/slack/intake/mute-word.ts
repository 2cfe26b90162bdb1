import { messageOf } from '../../base/errors.ts'
import { isKnownThread } from '../../question/followed-threads.ts'
import { conversationOf, type Question } from '../../stores/runs/types.ts'
import type { Services } from '../services.ts'
import { mayAskNow } from './access.ts'

/**
 * Returns whether a message is `mute` or `unmute` alone, in any case, with optional punctuation, in a channel's thread.
 */
export function isMuteWord({ surface, text, thread, ts }: Question): boolean {
  return surface !== 'dm' && thread !== ts && /^(?:un)?mute[\s\p{P}]*$/iu.test(text)
}

/** Time limit for adding the acknowledging reaction, in ms. */
const REACT_MS = 15_000

/**
 * Handles `mute` and `unmute` in a channel's thread: from then on the bot answers only mentions, or follow-ups again. A
 * reaction acknowledges it. Only people who may ask there can do this. Without a mention it counts only in a thread
 * where the bot was asked before.
 * @throws if the state cannot be stored
 */
export async function hearMuteWord(question: Question, services: Services): Promise<void> {
  const { threads, log } = services
  const thread = conversationOf(question)
  if (question.surface === 'thread' && !(await isKnownThread(thread, services))) return
  if (!(await mayAskNow(question, services))) return
  const muted = !/^un/i.test(question.text)
  await threads.patch(thread, { muted })
  log.info({ question: question.id, user: question.user, muted }, 'a thread is muted or unmuted')
  void acknowledge(question, muted ? 'mute' : 'loud_sound', services)
}

/** A message that names the bot arrives twice, so Slack refuses the second reaction. Refusals are only logged. */
async function acknowledge(question: Question, name: string, { installations, log }: Services): Promise<void> {
  const { id, team, channel, ts } = question
  const installation = await installations.of(team)
  const reaction = { channel, timestamp: ts, name }
  const options = { effort: 'patient', signal: AbortSignal.timeout(REACT_MS) } as const
  await installation?.client
    .call('reactions.add', reaction, options)
    .catch((error: unknown) => log.debug({ question: id, error: messageOf(error) }, 'a mute could not be acknowledged'))
}
