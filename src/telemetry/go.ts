import type { Question, Run } from '../run/types.ts'
import type { Outcome } from './facts.ts'

/** One go at a question: from the moment when the queue hands it out until the worker is done with it or puts it down. */
export interface Go {
  question: Question
  run: Run
  /** Aborted when this worker has to put the question down. */
  signal: AbortSignal
  /** A sign of life was seen in this go, or in one before it. */
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
export function newGo(question: Question, run: Run, signal: AbortSignal): Go {
  const isAnswerOfAsk = question.surface === 'ask' && !question.thread.startsWith('ask-')
  return { question, run, signal, isSeen: isAnswerOfAsk || run.saved.attempts > 1, isWorked: false }
}
