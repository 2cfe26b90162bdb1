import { LeaseLost, ModelError } from '../base/errors.ts'

/** How things stood when the work on a question failed. */
export interface Circumstances {
  /** The queue outlives this process: what is thrown is tried again, here or in another process. */
  isDurable: boolean
  /** This process is ending. */
  isAborted: boolean
  /** A part of the answer is in the thread. */
  hasAnswered: boolean
  /** The error is that the thread takes no posts. `isLockedOut`: nothing takes any, until the operator has renewed the token. */
  refusal?: { isLockedOut: boolean } | undefined
}

/**
 * What happens then. `retry`: the thread stays as it is for whoever goes on with the run. `tell`: everybody in the thread is told why,
 * or the asker alone. `refund`: the question does not count against a limit.
 */
export type FailureOutcome =
  | { action: 'retry' }
  | {
      action: 'tell'
      to: 'thread' | 'asker'
      why: FailureReason
      refund: boolean
      level: 'warn' | 'error'
      line: string
    }

/** `model`: the error is a ModelError, which has a sentence of its own. */
export type FailureReason = 'refused' | 'restarted' | 'model' | 'failed'

const RETRY: FailureOutcome = { action: 'retry' }

/** Decides what happens when the work on a question has failed with this error. */
export function failureOutcome(error: unknown, now: Circumstances): FailureOutcome {
  const { isDurable, isAborted, hasAnswered, refusal } = now
  // Another process has the run, or will have it.
  if (isDurable && (isAborted || error instanceof LeaseLost)) return RETRY
  // The question is kept until the operator has put it right (`npm run runs -- retry`).
  if (isDurable && refusal?.isLockedOut) return RETRY
  // A sentence in the thread would be refused too.
  if (refusal) return toAsker({ refund: !hasAnswered })
  // Nothing outlives this process.
  if (isAborted) return inThread('restarted')
  // The model was tried for long already.
  if (error instanceof ModelError) return inThread('model')
  // Nobody foresaw it, so it may pass. The queue tries again, and has a sentence of its own for the end.
  return isDurable ? RETRY : inThread('failed')
}

function inThread(why: FailureReason): FailureOutcome {
  return { action: 'tell', to: 'thread', why, refund: true, level: 'error', line: 'question failed' }
}

function toAsker({ refund }: { refund: boolean }): FailureOutcome {
  return { action: 'tell', to: 'asker', why: 'refused', refund, level: 'warn', line: 'Slack rejected the answer' }
}
