import { LeaseLost, ModelError } from '../base/errors.ts'
import { SlackRefusal } from './client/slack-errors.ts'
import { cannotPost, FAILED, RESTARTED } from './format/messages.ts'

/** The circumstances in which the work on a question failed. */
export interface Circumstances {
  /** The queue outlives this process: a thrown error is retried, here or in another process. */
  isDurable: boolean
  /** This process is shutting down. */
  isAborted: boolean
  /** Part of the answer is in the thread. */
  hasAnswered: boolean
}

export type FailureOutcome =
  /** The thread is left as it is for whoever resumes the run: the queue's next attempt, or another process. */
  | { action: 'retry' }
  /**
   * People are told: everybody in the thread, or the asker alone. `refund`: the question does not count against a
   * limit.
   */
  | { action: 'tell'; to: 'thread' | 'asker'; sentence: string; refund: boolean; level: 'warn' | 'error'; line: string }

const retry: FailureOutcome = { action: 'retry' }

const inThread = (sentence: string): FailureOutcome => {
  return { action: 'tell', to: 'thread', sentence, refund: true, level: 'error', line: 'question failed' }
}

const toAsker = (sentence: string, refund: boolean): FailureOutcome => {
  return { action: 'tell', to: 'asker', sentence, refund, level: 'warn', line: 'Slack rejected the answer' }
}

/**
 * Errors with which Slack refuses every call of this token. The question is kept until the operator has fixed that
 * (`npm run runs -- retry`).
 */
const LOCKED_OUT = new Set(['invalid_auth', 'not_authed', 'token_revoked', 'token_expired', 'account_inactive'])

/** Maps the error and the circumstances to an outcome; undefined if the row does not apply. */
type Row = (error: unknown, now: Circumstances) => FailureOutcome | undefined

/** The first row that applies decides. */
const ROWS: Row[] = [
  // Another process has the run, or will take it.
  (error, { isDurable, isAborted }) => (isDurable && (isAborted || error instanceof LeaseLost) ? retry : undefined),
  (error, { isDurable }) =>
    isDurable && error instanceof SlackRefusal && LOCKED_OUT.has(error.code) ? retry : undefined,
  // Slack refuses posts here, so it would refuse a sentence in the thread too.
  (error, { hasAnswered }) =>
    error instanceof SlackRefusal ? toAsker(cannotPost(error.code), !hasAnswered) : undefined,
  // The queue does not outlive this process.
  (_, { isAborted }) => (isAborted ? inThread(RESTARTED) : undefined),
  // Calls to the model were already retried for long.
  (error) => (error instanceof ModelError ? inThread(error.hint) : undefined),
  // Unforeseen, so it may be transient (a store, the network). The queue retries, and dead-letters with its own
  // sentence.
  (_, { isDurable }) => (isDurable ? retry : undefined),
]

export function failureOutcome(error: unknown, now: Circumstances): FailureOutcome {
  for (const row of ROWS) {
    const outcome = row(error, now)
    if (outcome) return outcome
  }
  return inThread(FAILED)
}
