import { messageOf, ModelError } from '../../base/errors.ts'
import { failureOutcome, type FailureReason } from '../../question/failure-outcome.ts'
import { isBackground, isUnrooted, type Question } from '../../stores/runs/types.ts'
import { ifRefused, refusalCode, SlackRefusal } from '../client/slack-errors.ts'
import type { RunDisplay } from '../display/run-display.ts'
import { noteContent } from '../format/blocks.ts'
import { cannotPost, FAILED, GIVEN_UP, newReference, RESTARTED, withReference } from '../format/messages.ts'
import type { QuestionWork } from '../question-work.ts'
import { changedLines, changesIn, rememberChanges } from './changes-made.ts'

/** Time limit for telling a thread that the bot is restarting, during the shutdown. Milliseconds. */
const RESTARTED_MS = 2_000

/**
 * Handles a failure as `question/failure-outcome.ts` decides: throws the error again, which leaves the run to the
 * queue, or gives people a sentence with a reference, under which the details are in the log. `display`: the run's
 * display, if it has one.
 */
export async function notifyFailure(error: unknown, work: QuestionWork, display?: RunDisplay): Promise<void> {
  const { question, run, signal, services } = work
  const hasAnswered = Boolean(run.saved.posts['answer-1'])
  const refusal = error instanceof SlackRefusal ? { isLockedOut: LOCKED_OUT.has(error.code) } : undefined
  const isDurable = services.durable
  const outcome = failureOutcome(error, { isDurable, isAborted: signal.aborted, hasAnswered, refusal })
  if (outcome.action === 'retry') {
    await display?.abandon(error)
    throw error
  }
  const { to, why, refund, level, line } = outcome
  const reference = newReference()
  const stack = error instanceof Error ? error.stack : undefined
  services.log[level]({ question: question.id, reference, error: messageOf(error), stack }, line)
  await work.release({ refund })
  if (isUnseen(question)) return
  const { text, done } = await endingOf(work, SENTENCES[why](error), reference)
  if (to === 'asker' || !display) return work.outbox.tellAsker(noteContent(text, undefined, done))
  // An aborted display posts nothing, so another one is opened.
  const last = { steps: 'hidden', signal: AbortSignal.timeout(RESTARTED_MS) } as const
  const shown = signal.aborted ? await work.openDisplay(last) : display
  // The archive keeps no record of an aborted run.
  await inThread(shown.fail(text, done, !signal.aborted), work, text, done)
}

/** The words about a failure: a sentence with a reference, and the run's writes before it, a line each. */
interface FailureEnding {
  text: string
  done: string[] | undefined
}

async function endingOf(work: QuestionWork, sentence: string, reference = newReference()): Promise<FailureEnding> {
  const done = await changedBefore(work)
  const more = ' Before that, I had already done what is listed below. I will not repeat it.'
  return { text: withReference(done ? sentence + more : sentence, reference), done }
}

/** The run's writes before its failure, a line each, or undefined. The next question in the thread knows them too. */
async function changedBefore(work: QuestionWork): Promise<string[] | undefined> {
  try {
    const lines = await changedLines(await changesIn(work), work)
    if (lines) await rememberChanges(lines, work)
    return lines
  } catch (error) {
    work.services.log.warn({ question: work.question.id, error: messageOf(error) }, 'the writes of a run are unknown')
    return undefined
  }
}

/** Slack refuses every call with a token that has one of these errors. */
const LOCKED_OUT = new Set(['invalid_auth', 'not_authed', 'token_revoked', 'token_expired', 'account_inactive'])

const SENTENCES: Record<FailureReason, (error: unknown) => string> = {
  refused: (error) => cannotPost(refusalCode(error) ?? ''),
  restarted: () => RESTARTED,
  model: (error) => (error instanceof ModelError ? error.hint : FAILED),
  failed: () => FAILED,
}

/** Tells the thread that the queue dead-letters the question, because its run failed repeatedly. */
export async function notifyDeadLetter(work: QuestionWork): Promise<void> {
  const { question, run, services } = work
  const reference = newReference()
  services.log.error({ question: question.id, reference, attempts: run.saved.attempts }, 'question dead-lettered')
  await work.release({ refund: isUnrooted(question) })
  if (isUnseen(question)) return
  const { text, done } = await endingOf(work, GIVEN_UP, reference)
  if (isUnrooted(question)) return work.outbox.tellAsker(noteContent(text, undefined, done))
  const display = await work.openDisplay({ steps: 'hidden' })
  display.begin()
  await inThread(display.giveUp(text, done), work, text, done).catch((error: unknown) => display.abandon(error))
  await display.end()
}

/**
 * Returns whether nobody is waiting: a scheduled question whose thread is not open yet. Its failure is shown with the
 * schedule.
 */
function isUnseen(question: Question): boolean {
  return isBackground(question) && isUnrooted(question)
}

/**
 * Finishes the failure of an earlier process, which died while it notified the thread. Ensures that the thread has the
 * message, and ends the run.
 */
export async function notifyFailureAgain(work: QuestionWork): Promise<void> {
  const display = await work.openDisplay()
  display.begin()
  const { text, done } = await endingOf(work, FAILED)
  await display.fail(text, done).catch((error: unknown) => display.abandon(error))
  await display.end()
}

/** Waits for the last message in the thread. If Slack refuses it there, sends it to the asker alone. */
async function inThread(
  posting: Promise<void>,
  work: QuestionWork,
  text: string,
  done: readonly string[] | undefined,
): Promise<void> {
  const alone = async () => {
    await work.release({ refund: true })
    await work.outbox.tellAsker(noteContent(text, undefined, done))
  }
  await posting.catch(ifRefused(alone))
}
