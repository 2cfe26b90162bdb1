import { LeaseLost, messageOf } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Queue } from '../queue/types.ts'
import { isTransient } from '../redis-errors.ts'
import type { Question, Run } from '../run/types.ts'
import type { Outbox } from './outbox.ts'
import { questionOf } from './listeners/to-question.ts'

export interface CatchUpOptions {
  outbox: Outbox
  queue: Queue
  log: Log
  /** Who we are, and whether replies that do not name us are ours at all. */
  botUser: string
  followUps: 'thread' | 'mention'
  now(): Date
}

/** How long Slack is asked for the replies. Milliseconds. */
const PATIENCE_MS = 60_000
/** The post key under which a run notes that it has caught up. */
const CAUGHT_UP = 'caught-up'

/**
 * Slack had to deliver this mention again, so its thread became known late: replies that came in before it were acked but not
 * taken in, because nobody had asked the bot in that thread. They are looked up in the thread, once, and taken in now; one
 * that was taken in already is a duplicate. @throws if the queue cannot take them in now
 */
export async function catchUp(
  question: Question,
  run: Run,
  options: CatchUpOptions & { signal: AbortSignal },
): Promise<void> {
  const { queue, log, followUps, signal } = options
  if (!question.isLate || question.surface !== 'mention' || followUps === 'mention') return
  if (run.saved.posts[CAUGHT_UP]) return
  try {
    for (const reply of await missedReplies(question, options)) {
      const outcome = await queue.accept(reply, { onlyKnownThread: true })
      if (outcome === 'accepted') log.info({ question: reply.id }, 'a reply from before its thread was known')
    }
    await run.posted(CAUGHT_UP, 'done')
  } catch (error) {
    if (signal.aborted || error instanceof LeaseLost || isTransient(error)) throw error
    log.warn({ question: question.id, error: messageOf(error) }, 'could not look for replies from before')
  }
}

async function missedReplies(
  { team, channel, thread, ts = '', at }: Question,
  { outbox, botUser, now, signal }: CatchUpOptions & { signal: AbortSignal },
): Promise<Question[]> {
  const missed: Question[] = []
  const place = { channel, thread, since: ts, signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]) }
  for await (const message of outbox.messages(place)) {
    if (Number(message.ts) * 1000 > at) break
    const asked =
      message.ts > ts
        ? questionOf({ ...message, channel, edited: undefined }, { team, botUser, now: now() })
        : undefined
    if (asked?.onlyKnownThread) missed.push(asked.question)
  }
  return missed
}
