import { messageOf } from '../../base/errors.ts'
import { conversationOf, isPrivate, type Question } from '../../stores/runs/types.ts'
import { sendEphemeral, tellOnce } from '../client/ephemeral.ts'
import { noteContent } from '../format/blocks.ts'
import { PRIVATE } from '../format/audience-words.ts'
import type { Services } from '../services.ts'

/** Delay before the notice. Most queued questions start within it, and their askers get no notice. Milliseconds. */
const WAIT_MS = 1_000

/**
 * Delay before a private question's progress message. A quicker answer is the only message that the asker sees.
 * Milliseconds.
 */
const PRIVATE_MS = 2_000

/**
 * After a moment, shows only the asker how many questions of the conversation come first, if any still do. The thread's
 * status belongs to the running question, so it cannot show this.
 */
export function tellPlaceLater(question: Question, services: Services): void {
  later(WAIT_MS, question, () => tellPlace(question, services), services)
}

/**
 * After a moment, tells the asker of `/ask private:` that the bot is working on it, if it still is. Slack shows no
 * other sign of a command.
 */
export function tellWorkingLater(question: Question, services: Services): void {
  later(PRIVATE_MS, question, () => tellWorking(question, services), services)
}

/** A failure is not retried, and the timer does not keep the process alive. */
function later(ms: number, { id }: Question, tell: () => Promise<void>, { log }: Services): void {
  const warn = (error: unknown) =>
    log.debug({ question: id, error: messageOf(error) }, 'the asker was not told where the question stands')
  setTimeout(() => void tell().catch(warn), ms).unref()
}

async function tellPlace(question: Question, { installations, queue }: Services): Promise<void> {
  const { id, team, channel, user, thread, ts } = question
  const { running, waiting } = await queue.inThread(conversationOf(await queue.place(question)))
  const at = waiting.findIndex((one) => one.id === id)
  const before = at + (running ? 1 : 0)
  if (at < 0 || before === 0) return
  const yours = before === 1 ? 'Yours is next.' : `${before} questions come before yours.`
  const text = `I'm still working on another question here. ${yours}`
  const installation = await installations.of(team)
  // A private question of a command has no thread in Slack.
  const inThread = thread === ts || (isPrivate(question) && ts === undefined) ? {} : { thread_ts: thread }
  if (installation) await tellOnce(installation.client, { channel, user, ...inThread, text })
}

async function tellWorking(question: Question, { installations, queue, log }: Services): Promise<void> {
  const { id, team, channel, user, responseUrl, thread, ts } = question
  const { running, waiting } = await queue.inThread(conversationOf(question))
  const installation = await installations.of(team)
  if (!installation || ![running, ...waiting].some((one) => one?.id === id)) return
  const place = { responseUrl, channel, user, thread_ts: ts === undefined || thread === ts ? undefined : thread }
  await sendEphemeral(place, [noteContent(PRIVATE.working)], installation.client, log.child({ question: id }))
}
