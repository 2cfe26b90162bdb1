import { LeaseLost, messageOf } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Queue } from '../queue/types.ts'
import type { Question } from '../run/types.ts'
import type { Egress } from './egress.ts'
import { questionOf } from './question.ts'

export interface CatchUpOptions {
  egress: Egress
  queue: Queue
  log: Log
  /** Who we are, and whether replies that do not name us are ours at all. */
  botUser: string
  followUps: 'thread' | 'mention'
  now(): Date
}

/**
 * A mention that Slack had to deliver again made its thread known late: replies that came in before it were nobody's business
 * then, and are acked and gone. They are looked up in the thread, and taken in as if they came now; what was taken in is known.
 */
export async function catchUp(question: Question, options: CatchUpOptions & { signal: AbortSignal }): Promise<void> {
  const { egress, queue, log, botUser, followUps, now, signal } = options
  const { team, channel, thread, ts } = question
  if (!question.isLate || ts === undefined || followUps === 'mention') return
  try {
    for (const message of await egress.replies({ channel, thread, since: ts, signal })) {
      const asked = questionOf({ ...message, channel }, { team, botUser, now: now() })
      if (!asked?.onlyKnownThread || message.ts <= ts) continue
      const outcome = await queue.accept(asked.question, { onlyKnownThread: true })
      if (outcome === 'accepted') log.info({ question: asked.question.id }, 'a reply from before its thread was known')
    }
  } catch (error) {
    if (signal.aborted || error instanceof LeaseLost) throw error
    log.warn({ question: question.id, error: messageOf(error) }, 'could not look for replies from before')
  }
}
