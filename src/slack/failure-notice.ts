import { randomBytes } from 'node:crypto'
import type { Usage } from '../agent/types.ts'
import { messageOf } from '../base/errors.ts'
import type { Refusal } from '../stores/limits/usage-limits.ts'
import type { SaidOnce } from '../stores/limits/said-once.ts'
import type { Log } from '../base/log.ts'
import { isUnrooted, type Question, type Run } from '../stores/runs/types.ts'
import type { Settings } from '../stores/settings/settings.ts'
import type { Denial } from './intake/access.ts'
import { SlackRefusal } from './client/slack-errors.ts'
import { failureOutcome } from './failure-outcome.ts'
import { noteContent } from './format/blocks.ts'
import { denialText, FAILED, GIVEN_UP, refusalText, withReference } from './format/messages.ts'
import type { Outbox } from './client/outbox.ts'

/** The methods of a run's display that a failure uses. */
interface NoticeDisplay {
  begin(): void
  fail(sentence: string, reference: string): Promise<void>
  giveUp(sentence: string, reference: string): Promise<void>
  abandon(error: unknown): Promise<never>
  end(): Promise<void>
}

/** The work on one question, with its dependencies. */
export interface QuestionWork {
  question: Question
  run: Run
  signal: AbortSignal
  isDurable: boolean
  outbox: Outbox
  log: Log
  /** Opens a display of the run; `steps` and `signal` override the question's own. */
  openDisplay(options?: { steps?: Settings['steps']; signal?: AbortSignal }): Promise<NoticeDisplay>
  /**
   * Called before the thread shows how the question ended, so that the next question finds the cost booked and the slot
   * free. `refund`: the question does not count against a limit, but its cost is booked. `usage`: more than the run has
   * saved so far.
   */
  release(options?: { refund?: boolean; usage?: Usage[] }): Promise<void>
}

/** Time limit for a process that is shutting down to say so in a thread. Milliseconds. */
const RESTARTED_MS = 2_000

/**
 * Applies the outcome from `failure-outcome.ts`. Either rethrows the error, which leaves the run to the queue, or shows
 * people a sentence with a reference and logs the error under that reference. `display` is the one that the work used,
 * if any.
 */
export async function noticeFailure(error: unknown, work: QuestionWork, display?: NoticeDisplay): Promise<void> {
  const { question, run, signal, isDurable, log } = work
  const hasAnswered = Boolean(run.saved.posts['answer-1'])
  const outcome = failureOutcome(error, { isDurable, isAborted: signal.aborted, hasAnswered })
  if (outcome.action === 'retry') {
    await display?.abandon(error)
    throw error
  }
  const { to, sentence, refund, level, line } = outcome
  const reference = newReference()
  const stack = error instanceof Error ? error.stack : undefined
  log[level]({ question: question.id, reference, error: messageOf(error), stack }, line)
  await work.release({ refund })
  if (to === 'asker' || !display) return tellAsker(work, sentence, reference)
  // An aborted display posts nothing, so another one is opened.
  const last = { steps: 'hidden', signal: AbortSignal.timeout(RESTARTED_MS) } as const
  const told = signal.aborted ? await work.openDisplay(last) : display
  await inThread(told.fail(sentence, reference), work, () => tellAsker(work, sentence, reference))
}

/** Tells people that the queue dead-letters the question, because its run failed too often. */
export async function noticeDeadLetter(work: QuestionWork): Promise<void> {
  const { question, run, log } = work
  const reference = newReference()
  log.error({ question: question.id, reference, attempts: run.saved.attempts }, 'question dead-lettered')
  await work.release({ refund: isUnrooted(question) })
  const alone = () => tellAsker(work, GIVEN_UP, reference)
  if (isUnrooted(question)) return alone()
  const display = await work.openDisplay({ steps: 'hidden' })
  display.begin()
  const told = inThread(display.giveUp(GIVEN_UP, reference), work, alone)
  await told.catch((error: unknown) => display.abandon(error))
  await display.end()
}

/** The dependencies for telling people that a question was refused. */
type RefusedWork = Pick<QuestionWork, 'question' | 'outbox' | 'log'> & {
  watch?: { refused(question: Question, reason: string): void } | undefined
}

/**
 * Denials that are not about the asker: Slack did not say who they are. They will ask again, so they always get a
 * reply.
 */
const OURS = new Set<Denial>(['personUnreachable', 'personUntold', 'emailUntold'])

/**
 * Tells the asker alone that they may not ask, or not there: once a day per reason, place and person. Those who asked
 * by a command or from a menu, or could not be looked up, are told each time, because they wait for a reply. Bots are
 * told nothing.
 */
export async function noticeDenial(denial: Denial, work: RefusedWork & { saidOnce: SaidOnce }): Promise<void> {
  const { question, log, watch, saidOnce } = work
  const { team, channel, user, bot, responseUrl } = question
  const reference = newReference()
  watch?.refused(question, denial)
  log.info({ question: question.id, reference, denial }, 'question refused: who asks may not ask here')
  if (bot !== undefined) return
  const mustHear = OURS.has(denial) || responseUrl !== undefined
  const isNew = mustHear || (await saidOnce.isFirst(team, `${denial}:${channel}:${user}`))
  if (isNew) await tellAsker(work, denialText(denial), reference)
}

/** Tells the asker alone which limit refused the question. */
export async function noticeRefusal(refusal: Refusal, work: RefusedWork): Promise<void> {
  const { question, log, watch } = work
  const reference = newReference()
  watch?.refused(question, refusal.limit)
  log.info({ question: question.id, reference, limit: refusal.limit }, 'question refused by a limit')
  await tellAsker(work, refusalText(refusal), reference)
}

/**
 * Finishes what an earlier process began: it died while it told the thread of a failure. Makes sure that the thread was
 * told, and ends the run.
 */
export async function noticeFailureAgain(work: QuestionWork): Promise<void> {
  const display = await work.openDisplay()
  display.begin()
  await display.fail(FAILED, newReference()).catch((error: unknown) => display.abandon(error))
  await display.end()
}

/** Waits for the last sentence in the thread. If Slack rejects it there, tells the asker alone. */
async function inThread(told: Promise<void>, work: QuestionWork, alone: () => Promise<void>): Promise<void> {
  try {
    await told
  } catch (error) {
    if (!(error instanceof SlackRefusal)) throw error
    await work.release({ refund: true })
    await alone()
  }
}

function tellAsker({ outbox }: Pick<QuestionWork, 'outbox'>, sentence: string, reference: string): Promise<void> {
  return outbox.tellAsker(noteContent(withReference(sentence, reference)))
}

function newReference(): string {
  return randomBytes(4).toString('hex')
}
