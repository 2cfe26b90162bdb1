import type { RunProgress } from '../agent/run-progress.ts'
import { progressOf, type Question, type Run } from '../stores/runs/types.ts'
import type { Outcome } from './telemetry-event.ts'

/** One attempt at a question: from the moment when the queue hands it out until the worker ends it or releases it. */
export interface Attempt {
  question: Question
  /** Counts the workers that have started the run, from 1. */
  number: number
  /** Aborted when this worker has to release the question. */
  signal: AbortSignal
  /** The asker has seen a sign that the bot is at work, in this attempt or in one before it. */
  isSeen: boolean
  /** The agent was at work, so there is an outcome to report. */
  isWorked: boolean
  /** The progress of the run, by its events; at first what earlier attempts had saved. */
  progress: RunProgress
  /** The text of the answer, or of giving up, once the agent has come to it. */
  answer?: string
  /** Set once the answer is out, with the time at which it was. */
  outcome?: Outcome
  doneAt?: number
  /** What ended the agent's work in place of an answer. */
  error?: unknown
}

/** A `/ask` is handed out twice: first to open its thread, which shows the first sign, then to be answered there. */
export function newAttempt(question: Question, run: Run, signal: AbortSignal): Attempt {
  const isAnswerOfAsk = question.surface === 'ask' && !question.thread.startsWith('ask-')
  const { attempts: number } = run.saved
  const isSeen = isAnswerOfAsk || number > 1
  return { question, number, signal, isSeen, isWorked: false, progress: progressOf(run.saved) }
}
