import type { Forgetting, Person, ThreadKey } from '../base/place.ts'
import type { RunControl } from '../stores/runs/control.ts'
import type { Question, Run } from '../stores/runs/types.ts'

/**
 * What happened to a delivery: taken in; told to a run that is under way; seen before; or nobody's: of a thread in which the bot
 * was never asked, if only known ones are wanted, or with no run to be told to, if it may be nothing else.
 */
export type Accepted = 'accepted' | 'added' | 'duplicate' | 'unknown_thread'

export interface AcceptOptions {
  /** Only in a thread in which the bot was asked. */
  onlyKnownThread?: boolean
  /**
   * `maybe`: where the newest question of the same person in the thread is under way or waits, the message is told to its run
   * (a signal of type `message`). A run that ends without having heard it makes a question of it, in the same step. `only`:
   * without such a run it is nobody's.
   */
  addition?: 'maybe' | 'only'
  /** Called where the question is taken in behind others of its conversation. */
  onQueued?: () => void
}

/**
 * Answers one question. What it throws is logged; by the queue's rules the run is then tried again or dead-lettered. It ends
 * with `waiting` where the run waits for a person: the queue parks it, without a worker, a lease or a timer of its own, and
 * the thread's next questions go on. `RunControl.wake` brings it back, and so does the end of the time that it may wait. It
 * ends with `refused` where the question is not taken: the thread is then not known because of it.
 */
export type Handler = (question: Question, run: Run, signal: AbortSignal) => Promise<Handled>
export type Handled = void | 'waiting' | 'refused'

/** The questions of one conversation that are not over, the oldest first. */
export interface ThreadLine {
  /** The one that is worked on, or was when its worker died. */
  running?: Question
  /** For their turn. */
  waiting: Question[]
  /** Those whose runs wait for a person; absent where there are none. */
  suspended?: Question[]
}

/** What stands in line, and how it is taken out of it. */
export interface WaitingLine extends Forgetting {
  /** The question in the conversation that it goes on, as `accept` stores it. */
  place(question: Question): Promise<Question>
  inThread(thread: ThreadKey): Promise<ThreadLine>
  /**
   * Takes a waiting question out of its line, for good. `neverBegun`: not one that waits for its next try, which may have shown
   * something. @returns false where it does not wait so: it is at work or over, or is not known
   */
  withdraw(thread: ThreadKey, id: string, options?: { neverBegun?: boolean }): Promise<boolean>
  /** Forgets the runs that a person asked for and that are over, and what others' runs that are over had read. */
  forgetUser(person: Person): Promise<void>
}

/** Takes questions in exactly once and hands them out: one conversation's in order, one at a time; others side by side. */
export interface Queue extends WaitingLine {
  /**
   * Claims and stores a question in one atomic step, in the conversation that it goes on. When this resolves, the question is as durable as the queue is.
   * @throws when it could not be stored; the caller must then not ack.
   */
  accept(question: Question, options?: AcceptOptions): Promise<Accepted>
  /**
   * Begins to hand out work. `deadLetter` is called in place of the handler, under the same lease, for a question that is
   * dead-lettered (its handler failed, or its workers died, too often): it tells the thread so, once. Its own failure is
   * retried a few times and then only logged.
   */
  start(handler: Handler, deadLetter?: Handler): Promise<void>
  /**
   * Takes no new work, lets what runs finish, and aborts what has not shortly before `ms` are over (a durable queue hands
   * it over).
   */
  stop(ms: number): Promise<void>
  /** Whether questions can be taken in now; for `/readyz`. */
  ready(): Promise<boolean>
  /** For the metrics. */
  stats(): Promise<QueueStats>
}

/** A queue, and how any process reaches the runs of its questions. */
export interface ControlledQueue extends Queue {
  readonly control: RunControl
}

/** Questions in all processes that share the queue: taken in but not worked on, and worked on. Parked ones are neither. */
export interface QueueStats {
  waiting: number
  active: number
  /** How long ago the oldest waiting question was asked, in ms; 0 if none waits. */
  oldestMs: number
}
