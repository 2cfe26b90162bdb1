import { messageOf } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import type { Queue } from '../../queue/types.ts'
import { conversationOf, isPrivate, type Question } from '../../stores/runs/types.ts'
import { tellOnce } from '../client/ephemeral.ts'
import type { Installations } from '../client/installations.ts'

interface PlaceOptions {
  installations: Installations
  queue: Pick<Queue, 'place' | 'inThread'>
  log: Log
}

/** Most questions that find another one before them find it at its very end: who waits no longer is told nothing. Milliseconds. */
const WAIT_MS = 1_000

/**
 * Tells the asker alone how many questions of the conversation come first, if there still are some in a moment. The thread's status
 * belongs to the one at work. Not worth a second try, nor a wait at the process's end.
 */
export function tellPlaceLater(question: Question, options: PlaceOptions): void {
  const tell = () =>
    tellPlace(question, options).catch((error: unknown) => {
      const fields = { question: question.id, error: messageOf(error) }
      options.log.debug(fields, 'the asker was not told of the place in line')
    })
  setTimeout(() => void tell(), WAIT_MS).unref()
}

async function tellPlace(question: Question, { installations, queue }: PlaceOptions): Promise<void> {
  const { id, team, channel, user, thread, ts } = question
  const { running, waiting } = await queue.inThread(conversationOf(await queue.place(question)))
  const at = waiting.findIndex((one) => one.id === id)
  const before = at + (running ? 1 : 0)
  if (at < 0 || before === 0) return
  const text = `⏳ I am still at work here: ${before} ${before === 1 ? 'question' : 'questions'} before this one.`
  const installation = await installations.of(team)
  // What is asked in private has no thread in Slack.
  const inThread = thread === ts || isPrivate(question) ? {} : { thread_ts: thread }
  if (installation) await tellOnce(installation.client, { channel, user, ...inThread, text })
}
