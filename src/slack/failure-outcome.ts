import { LeaseLost, ModelError } from '../base/errors.ts'
import { SlackRefusal } from './client/slack-errors.ts'
import { cannotPost, FAILED, RESTARTED } from './format/messages.ts'

/** How it stood when the work on a question failed. */
export interface Circumstances {
  /** The queue outlives this process: what is thrown is tried again, here or in another process. */
  isDurable: boolean
  /** This process is ending. */
  isAborted: boolean
  /** A part of the answer is in the thread. */
  hasAnswered: boolean
}

/** What happens then. */
export type FailureOutcome =
  /** The thread stays as it is for whoever goes on with the run: the queue's next try, or another process. */
  | { action: 'retry' }
  /** A person is told: everybody in the thread, or the asker alone. `refund`: the question does not count against a limit. */
  | { action: 'tell'; to: 'thread' | 'asker'; sentence: string; refund: boolean; level: 'warn' | 'error'; line: string }

const retry: FailureOutcome = { action: 'retry' }

const inThread = (sentence: string): FailureOutcome => {
  return { action: 'tell', to: 'thread', sentence, refund: true, level: 'error', line: 'question failed' }
}

const toAsker = (sentence: string, refund: boolean): FailureOutcome => {
  return { action: 'tell', to: 'asker', sentence, refund, level: 'warn', line: 'Slack rejected the answer' }
}

/** Slack refuses every call with this token: the question is kept until the operator has fixed that (`npm run runs -- retry`). */
const LOCKED_OUT = new Set(['invalid_auth', 'not_authed', 'token_revoked', 'token_expired', 'account_inactive'])

/** From the error and the circumstances to what happens; undefined where the row says nothing of them. */
type Row = (error: unknown, now: Circumstances) => FailureOutcome | undefined

/** The first row that says something decides. */
const ROWS: Row[] = [
  // Another process has the run, or will have it.
  (error, { isDurable, isAborted }) => (isDurable && (isAborted || error instanceof LeaseLost) ? retry : undefined),
  (error, { isDurable }) =>
    isDurable && error instanceof SlackRefusal && LOCKED_OUT.has(error.code) ? retry : undefined,
  // Slack refuses our posts here, so a sentence in the thread would be refused too.
  (error, { hasAnswered }) =>
    error instanceof SlackRefusal ? toAsker(cannotPost(error.code), !hasAnswered) : undefined,
  // Nothing outlives this process.
  (_, { isAborted }) => (isAborted ? inThread(RESTARTED) : undefined),
  // The model was tried for long already.
  (error) => (error instanceof ModelError ? inThread(error.hint) : undefined),
  // Unforeseen, so it may pass (a store, the network): the queue tries again, and has a sentence of its own for the end.
  (_, { isDurable }) => (isDurable ? retry : undefined),
]

/** Decides what happens when the work on a question has failed with this error. */
export function failureOutcome(error: unknown, now: Circumstances): FailureOutcome {
  for (const row of ROWS) {
    const outcome = row(error, now)
    if (outcome) return outcome
  }
  return inThread(FAILED)
}
