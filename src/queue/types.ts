import type { ForgottenPerson, Forgetting, Moving, ThreadKey } from '../base/place.ts'
import type { RunControl } from '../stores/runs/run-control.ts'
import type { Question, QuestionParts, Run } from '../stores/runs/types.ts'

/**
 * The result of a delivery. `accepted`: stored. `added`: sent to a running question. `duplicate`: seen before.
 * `unknown_thread`: only known threads are wanted and the bot was never asked in this one, or only an addition is
 * wanted and there is no run to add to.
 */
export type AcceptOutcome = 'accepted' | 'added' | 'duplicate' | 'unknown_thread'

export interface AcceptOptions {
  /** Only in a thread in which the bot was asked. */
  onlyKnownThread?: boolean
  /**
   * `maybe`: if the newest question of the same person in the thread is running or waiting, the message is sent to its
   * run (a signal of type `message`). A run that ends without having read it turns it into a question, in the same
   * step. `only`: without such a run the message is ignored.
   */
  addition?: 'maybe' | 'only'
  /** What the question's message holds besides its words, for its run if the question is known already. */
  parts?: QuestionParts
  /** Called if the question is accepted behind others of its conversation. */
  onQueued?: () => void
}

/**
 * Answers one question. An error is logged, and the run is retried or dead-lettered by the queue's rules. Returns
 * `waiting` if the run waits for a person: the queue suspends it, without a worker, a lease or a timer, and the
 * thread's next questions continue. `RunControl.resume` resumes it, and so does its deadline. Returns `refused` if the
 * question is not accepted: the thread does not become a known one. `limited`: it is not accepted now, but the thread
 * stays a known one. For both, only the id is kept.
 */
export type Handler = (question: Question, run: Run, signal: AbortSignal) => Promise<HandleOutcome>
export type HandleOutcome = void | 'waiting' | 'refused' | 'limited'

/** The unfinished questions of one conversation, the oldest first. */
export interface ThreadLine {
  /** The question at work, also if its worker has died. */
  running?: Question
  /** Questions that wait for their turn. */
  waiting: Question[]
  /** Questions whose runs are suspended; absent if there are none. */
  suspended?: Question[]
}

/** The waiting questions of all threads. */
export interface WaitingLine extends Forgetting, Moving {
  /** Moves the data of a channel's threads, and the suspended runs there. Active and waiting questions stay. */
  moveChannel: Moving['moveChannel']
  /** Returns the question in the conversation that it continues, as `accept` stores it. */
  place(question: Question): Promise<Question>
  inThread(thread: ThreadKey): Promise<ThreadLine>
  /**
   * Removes a waiting question for good. With `neverBegun`, one that waits for its next try is left, since it may have
   * shown something.
   * @returns false if it is not waiting: it is running, over, or unknown
   */
  withdraw(thread: ThreadKey, id: string, options?: { neverBegun?: boolean }): Promise<boolean>
  /** Forgets a person's finished runs, and what others' finished runs read of that person. */
  forgetUser(person: ForgottenPerson): Promise<void>
}

/**
 * Accepts each question exactly once and hands them out: those of one conversation one at a time and in order, others
 * in parallel.
 */
export interface Queue extends WaitingLine {
  /**
   * Stops and forgets a team's runs. `whenEnded` is called when those that were at work have ended, if there were any.
   */
  forgetTeam: (team: string, whenEnded?: () => Promise<void>) => Promise<void>
  /**
   * Claims and stores a question in one atomic step, in the conversation that it continues. When this resolves, the
   * question is as durable as the queue.
   * @throws if it could not be stored; the caller must then not ack
   */
  accept(question: Question, options?: AcceptOptions): Promise<AcceptOutcome>
  /**
   * Starts handing out work. `deadLetter` is called instead of the handler, under the same lease, for a question whose
   * handler failed, or whose workers died, too often: it notifies the thread once. Its own failure is retried a few
   * times and then only logged.
   */
  start(handler: Handler, deadLetter?: Handler): Promise<void>
  /**
   * Takes no new work, lets running questions finish, and aborts the rest shortly before `ms` are over (a durable queue
   * hands them over).
   */
  stop(ms: number): Promise<void>
  /** Returns whether questions can be accepted now; for `/readyz`. */
  ready(): Promise<boolean>
  /** Returns the figures for the metrics. */
  stats(): Promise<QueueStats>
}

/** A queue, with the control of its questions' runs. */
export interface ControlledQueue extends Queue {
  readonly control: RunControl
}

/**
 * Questions in all processes that share the queue: accepted but not at work, and at work. Suspended ones are neither.
 */
export interface QueueStats {
  waiting: number
  active: number
  /** How long ago the oldest waiting question was asked, in milliseconds; 0 if none waits. */
  oldestMs: number
}
