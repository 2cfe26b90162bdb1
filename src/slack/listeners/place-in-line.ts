import { messageOf } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { Question } from '../../run/types.ts'
import type { Installations } from '../../workspace/installations.ts'
import { noteContent } from '../format/blocks.ts'
import { placeText } from '../format/messages.ts'

/**
 * Tells the asker alone that other questions of the conversation come first. The thread's status belongs to the one at work. Not
 * worth a second try, and never rejects.
 */
export async function tellPlace(
  question: Question,
  before: number,
  { installations, log }: { installations: Installations; log: Log },
): Promise<void> {
  const { team, channel, user, thread, ts } = question
  const inThread = thread === ts ? {} : { thread_ts: thread }
  const args = { channel, user, ...inThread, ...noteContent(placeText(before)), parse: 'none' }
  try {
    const installation = await installations.of(team)
    await installation?.client.call('chat.postEphemeral', args, { effort: 'once' })
  } catch (error) {
    log.debug({ question: question.id, error: messageOf(error) }, 'the asker was not told of the place in line')
  }
}
