import { LeaseLost, ModelError } from '../base/errors.ts'

/** The circumstances of a failure. */
export interface FailureContext {
  /** The queue outlives this process, so a thrown error is retried here or in another process. */
  isDurable: boolean
  /** This process is ending. */
  isAborted: boolean
  /** A part of the answer has been posted. */
  hasAnswered: boolean
  /** The thread accepts no posts. `isLockedOut`: no thread accepts any, until the operator has renewed the token. */
  refusal?: { isLockedOut: boolean } | undefined
}

/**
 * The reaction to a failure. `retry`: nothing is shown, because the run will be continued. `tell`: the whole thread, or
 * only the asker, gets the reason. `refund`: the question does not count against a limit.
 */
type FailureOutcome =
  | { action: 'retry' }
  | {
      action: 'tell'
      to: 'thread' | 'asker'
      why: FailureReason
      refund: boolean
      level: 'warn' | 'error'
      line: string
    }

/** `model`: the error is a ModelError, which has its own sentence. */
export type FailureReason = 'refused' | 'restarted' | 'model' | 'failed'

const RETRY: FailureOutcome = { action: 'retry' }

/** Decides what happens when the work on a question has failed with this error. */
export function failureOutcome(error: unknown, now: FailureContext): FailureOutcome {
  const { isDurable, isAborted, hasAnswered, refusal } = now
  // Another process has the run, or will take it.
  if (isDurable && (isAborted || error instanceof LeaseLost)) return RETRY
  // The question is kept until the operator has fixed the token (`npm run runs -- retry`).
  if (isDurable && refusal?.isLockedOut) return RETRY
  // A sentence in the thread would be refused too.
  if (refusal) return toAsker(!hasAnswered)
  // This queue does not outlive the process.
  if (isAborted) return inThread('restarted')
  // The model was already retried for a long time.
  if (error instanceof ModelError) return inThread('model')
  // An unexpected error may be temporary. The queue retries, and has its own sentence for the last failure.
  return isDurable ? RETRY : inThread('failed')
}

function inThread(why: FailureReason): FailureOutcome {
  return { action: 'tell', to: 'thread', why, refund: true, level: 'error', line: 'question failed' }
}

function toAsker(refund: boolean): FailureOutcome {
  return { action: 'tell', to: 'asker', why: 'refused', refund, level: 'warn', line: 'Slack rejected the answer' }
}
