import { z } from 'zod'
import type { ThreadKey } from '../../base/place.ts'
import { questionPartsSchema, questionSchema, type Decision, type Question, type SavedRun } from './types.ts'

/** Identifies a run: the conversation of its question (`conversationOf`), and the question's id. */
export interface RunRef {
  thread: ThreadKey
  id: string
}

/** One text for a run: neither part contains a space. */
export function runKey({ thread, id }: RunRef): string {
  return `${thread} ${id}`
}

export function runOf(key: string): RunRef {
  const [thread = '', id = ''] = key.split(' ')
  return { thread, id }
}

/** The question's message was deleted or edited. */
const withdrawalSchema = z.object({
  /** The question with its current text, to be answered instead of the old one. */
  again: questionSchema.optional(),
})
export type Withdrawal = z.infer<typeof withdrawalSchema>

/** Thrown in the run of a withdrawn question: nothing more is shown, and what was shown is removed. */
export class Withdrawn extends Error {
  override name = 'Withdrawn'
  readonly again: Question | undefined

  constructor({ again }: Withdrawal) {
    super('The question was taken back.')
    this.again = again
  }
}

/** A person's message to a run. */
export const signalSchema = z.union([
  /** With `withdrawn`, nothing of the run is left. */
  z.object({ type: z.literal('stop'), by: z.string(), withdrawn: withdrawalSchema.optional() }),
  /** Messages with the same id count once, however often they are delivered; `user` is the author. */
  z.object({ type: z.literal('message'), id: z.string(), user: z.string(), text: z.string() }),
  /** What the question's own message holds besides its words, from the second of its two events. */
  z.object({ type: z.literal('parts'), parts: questionPartsSchema }),
])
export type Signal = z.infer<typeof signalSchema>

/**
 * `sent`: the signal is stored. The process of the run gets it; without one, the next process that resumes the run.
 * `not_running`: the run has ended or does not exist. `full`: too many messages are unread; stops are always accepted.
 */
export type SignalOutcome = 'sent' | 'not_running' | 'full'

/**
 * `woken`: the decision is stored and the run is resumed. `decided`: an earlier decision holds. `expired`: the run has
 * waited too long, and continues without a decision. `not_running`: the run has ended or does not exist.
 */
export type ResumeOutcome = 'woken' | 'decided' | 'expired' | 'not_running'

/** A question and its run, as a copy. */
export interface LoadedRun {
  question: Question
  saved: SavedRun
}

/** Reaches a run from any process, whether or not a process is working on it. */
export interface RunControl {
  /** Sends a signal to a run. A stop brings a suspended run back to the head of its thread, which ends it. */
  send(run: RunRef, signal: Signal): Promise<SignalOutcome>
  /**
   * Decides about a step that waits for a person, by the wait's key (`waitKey`). The first decision wins. A suspended
   * run comes back to the head of its thread, for any worker; one that is not suspended yet will not be. If a process
   * died while it resumed a run, the next call for the same wait resumes it, whatever was decided then.
   */
  resume(run: RunRef, waitKey: string, decision: Decision): Promise<ResumeOutcome>
  /** Returns the run as it is saved now. @returns undefined if it is unknown or gone */
  load(run: RunRef): Promise<LoadedRun | undefined>
  /**
   * For the process of a run: calls `heard` once with each signal ever sent to it, including those that earlier
   * processes got, in the order of sending and within a second. Resolves when the signals sent so far were delivered.
   * @returns a function that ends the listening
   */
  listen(run: RunRef, heard: (signal: Signal) => void): Promise<() => void>
}

/** The maximum number of stored messages per run. */
export const MAX_SIGNALS = 50
