import { LeaseLost, messageOf } from '../../base/errors.ts'
import { isTransient } from '../../base/redis/redis-errors.ts'
import { isPrivate, type Question } from '../../stores/runs/types.ts'
import type { QuestionWork } from '../question-work.ts'
import { readMessages } from '../client/thread-messages.ts'
import { hearPrivateWords } from './hear-private-words.ts'
import { hearRemember, toRemember } from './remember.ts'
import { isMuteWord } from './mute-word.ts'
import { isStopWord } from './stop-runs.ts'
import { appOf, questionOf } from './to-question.ts'

/** The time limit for asking Slack for the replies. Milliseconds. */
const PATIENCE_MS = 60_000
/** The post key that marks a run as caught up. */
const CAUGHT_UP = 'caught-up'

/**
 * Enqueues replies that came in before a mention that Slack delivered late. They were acked but dropped, because nobody
 * had asked the bot in that thread yet. They are looked up once; the queue dedupes those that it already has.
 * @throws if the queue cannot store them now
 */
export async function catchUp(work: QuestionWork): Promise<void> {
  const { question, run, settings, installation, services, signal } = work
  const { queue, log } = services
  if (!question.isLate || question.surface !== 'mention' || settings.followUps === 'mention') return
  if (run.saved.posts[CAUGHT_UP]) return
  try {
    for (const reply of await missedReplies(work)) {
      const said = toRemember(reply)
      if (said !== undefined) {
        await hearRemember(reply, said, services)
        continue
      }
      const heard = await hearPrivateWords(reply, installation, services)
      const outcome = heard && (await queue.accept(heard, isPrivate(heard) ? {} : { onlyKnownThread: true }))
      if (outcome === 'accepted') log.info({ question: reply.id }, 'enqueued a reply from before its thread was known')
    }
    await run.posted(CAUGHT_UP, 'done')
  } catch (error) {
    if (signal.aborted || error instanceof LeaseLost || isTransient(error)) throw error
    log.warn({ question: question.id, error: messageOf(error) }, 'could not look up replies from before the mention')
  }
}

async function missedReplies({ question, installation, services, signal }: QuestionWork): Promise<Question[]> {
  const { team, channel, thread, ts = '', at } = question
  const { client, identity } = installation
  const missed: Question[] = []
  const place = { channel, thread, since: ts, signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]) }
  for await (const message of readMessages(client, place)) {
    if (Number(message.ts) * 1000 > at) break
    const delivery = { team, botUser: identity.botUser, now: services.now(), ...appOf(services.installations) }
    const asked = message.ts > ts ? questionOf({ ...message, channel, edited: undefined }, delivery) : undefined
    if (asked?.onlyKnownThread && !isMuteWord(asked.question) && !isStopWord(asked.question.text))
      missed.push(asked.question)
  }
  return missed
}
