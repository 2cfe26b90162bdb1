import type { Question, Run } from '../run/types.ts'
import type { Outcome } from './telemetry-event.ts'

/** One attempt at a question: from the moment when the queue hands it out until the worker is done with it or puts it down. */
export interface Attempt {
  question: Question
  run: Run
  /** Aborted when this worker has to put the question down. */
  signal: AbortSignal
  /** A sign of life was seen in this attempt, or in one before it. */
  isSeen: boolean
  /** The agent was at work: there is an outcome to tell. */
  isWorked: boolean
  /** Set once the answer is out, with the time at which it was. */
  outcome?: Outcome
  doneAt?: number
  /** What ended the agent's work in place of an answer. */
  error?: unknown
}

/** A `/ask` is handed out twice: first to open its thread, which shows the first sign, then to be answered there. */
export function newAttempt(question: Question, run: Run, signal: AbortSignal): Attempt {
  const isAnswerOfAsk = question.surface === 'ask' && !question.thread.startsWith('ask-')
  return { question, run, signal, isSeen: isAnswerOfAsk || run.saved.attempts > 1, isWorked: false }
}
