import type { Forgetting, Person, ThreadKey } from '../../base/place.ts'

/** What is known of a thread in Slack besides what was said in it. Absent parts were never set. */
export interface ThreadState {
  /** Follow-ups are not answered. */
  muted?: boolean
  /** The title of the thread's session, and whether a person gave it. */
  title?: string
  renamed?: boolean
  /** Beside the threads of a direct message: the channel that its person looks at, and since when (ms since the epoch). */
  lookingAt?: { channel: string; at: number }
  /** What people have allowed here from then on ("Always in this thread"), oldest first, at most `MAX_GRANTS`. */
  grants?: Grant[]
}

/** One person's word that a tool may be used. `at`: milliseconds since the epoch. */
export interface Grant {
  tool: string
  by: string
  at: number
  /** Of the tool, as it was then (`Tool.version`): the word counts for that version alone. */
  version?: string
}

/** Of a thread's grants, as many are kept: the newest. */
export const MAX_GRANTS = 100

/** The states of threads. Each part is kept for HISTORY_TTL_DAYS after it was last set. */
export interface ThreadStates extends Forgetting {
  /** An empty state for an unknown thread. */
  load(thread: ThreadKey): Promise<ThreadState>
  /**
   * Sets the parts that are given, and leaves the others as they are: two writers of different parts do not meet. Grants are added
   * to those that are there; one of the same person for the same tool takes the earlier one's place.
   */
  patch(thread: ThreadKey, parts: ThreadState): Promise<void>
  forget(thread: ThreadKey): Promise<void>
  /** Forgets what a person has granted, in every thread. */
  forgetUser(person: Person): Promise<void>
}
