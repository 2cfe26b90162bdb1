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

/** Delay before the notice. Most queued questions start within it, and their askers are told nothing. Milliseconds. */
const WAIT_MS = 1_000

/**
 * After a moment, tells the asker alone how many questions of the conversation come first, if any still do. The
 * thread's status belongs to the running question, so it cannot show this. A failure is not retried, and the timer does
 * not keep the process alive.
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
  const yours = before === 1 ? 'Yours is next.' : `${before} questions come before yours.`
  const text = `I'm still working on another question here. ${yours}`
  const installation = await installations.of(team)
  // A private question has no thread in Slack.
  const inThread = thread === ts || isPrivate(question) ? {} : { thread_ts: thread }
  if (installation) await tellOnce(installation.client, { channel, user, ...inThread, text })
}
