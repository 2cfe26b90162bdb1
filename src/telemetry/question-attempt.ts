import { isForAsker, type RunProgress } from '../agent/run-progress.ts'
import { progressWithPrior } from '../question/work-before-thread.ts'
import type { Question, Run, SavedRun } from '../stores/runs/types.ts'
import type { Outcome } from './question-outcome.ts'

/** One attempt at a question: from the time when the queue hands it out until the worker ends or releases it. */
export interface Attempt {
  question: Question
  /** Counts the workers that have started the run, from 1. */
  number: number
  /** Aborted when this worker has to release the question. */
  signal: AbortSignal
  /** The asker has seen a sign that the bot is at work, in this attempt or in one before it. */
  isSeen: boolean
  /** The agent has started, so there is an outcome to report. */
  hasAgentRun: boolean
  /** The run's progress, from its events; at first the progress that earlier attempts saved. */
  progress: RunProgress
  /** The run as it is saved, which may know more than the events. */
  saved: Pick<SavedRun, 'steps'>
  /** An earlier answer of the conversation is for the asker alone. */
  restsOnPrivate?: true
  /** The text of the answer, or of giving up, once there is one. */
  answer?: string
  /** Set once the answer is posted, with its time. */
  outcome?: Outcome
  doneAt?: number
  /** The error that ended the agent's work. */
  error?: unknown
}

/** A `/ask` is handed out twice: first to open its thread, which shows the first sign, then to be answered in it. */
export function newAttempt(question: Question, run: Run, signal: AbortSignal): Attempt {
  const isAnswerOfAsk = question.surface === 'ask' && !question.thread.startsWith('ask-')
  const { attempts: number } = run.saved
  const isSeen = isAnswerOfAsk || number > 1
  const progress = progressWithPrior(question, run.saved)
  return { question, number, signal, isSeen, hasAgentRun: false, progress, saved: run.saved }
}

/** Returns whether the run has found what only the asker may see, by all that is known of it now. */
export function isForAskerSoFar({
  progress,
  saved,
  restsOnPrivate,
}: Pick<Attempt, 'progress' | 'saved' | 'restsOnPrivate'>): boolean {
  return restsOnPrivate === true || [...progress.steps, ...saved.steps].some(isForAsker)
}
