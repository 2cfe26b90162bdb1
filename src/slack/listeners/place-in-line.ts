import { messageOf } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { Question } from '../../run/types.ts'
import type { Installations } from '../../workspace/installations.ts'

/**
 * Tells the asker alone that other questions of the conversation come first. The thread's status belongs to the one at work. Not
 * worth a second try, and never rejects.
 */
export async function tellPlace(
  { id, team, channel, user, thread, ts }: Question,
  before: number,
  { installations, log }: { installations: Installations; log: Log },
): Promise<void> {
  const text = `⏳ I am still at work here: ${before} ${before === 1 ? 'question' : 'questions'} before this one.`
  const inThread = thread === ts ? {} : { thread_ts: thread }
  try {
    const installation = await installations.of(team)
    const message = { channel, user, ...inThread, text, parse: 'none' }
    await installation?.client.call('chat.postEphemeral', message, { effort: 'once' })
  } catch (error) {
    log.debug({ question: id, error: messageOf(error) }, 'the asker was not told of the place in line')
  }
}
