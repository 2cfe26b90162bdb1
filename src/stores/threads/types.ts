import { z } from 'zod'
import type { ForgottenPerson, Forgetting, Moving, ThreadKey } from '../../base/place.ts'

/** The state of a thread in Slack, besides its messages. Absent parts were never set. */
export interface ThreadState {
  /** Follow-ups are not answered. */
  muted?: boolean
  /** The title of the thread's session, and whether a person gave it. */
  title?: string
  renamed?: boolean
  /**
   * For the state beside a direct message's threads: the channel that its person looks at, and since when (milliseconds
   * since the epoch).
   */
  lookingAt?: { channel: string; at: number }
  /**
   * The tools that people have allowed here from then on ("Always in this thread"), the oldest first, at most
   * `MAX_GRANTS`.
   */
  grants?: Grant[]
  /** For the state of a channel (`team:channel`): the id that Slack has given it since. */
  movedTo?: string
  /**
   * For the state of a channel: the workspaces of the organisation in which it is, and when Slack said so (milliseconds
   * since the epoch).
   */
  ownTeams?: { teams: string[]; at: number }
}

/** A person's permission to use a tool. */
export const grantSchema = z.object({
  tool: z.string(),
  by: z.string(),
  /** Milliseconds since the epoch. */
  at: z.number(),
  /** The tool's version at the time (`Tool.version`): the permission holds for that version alone. */
  version: z.string().optional(),
})
export type Grant = z.infer<typeof grantSchema>

/** The maximum number of a thread's grants; the newest are kept. */
export const MAX_GRANTS = 100

/** The states of threads. Each part is kept for HISTORY_TTL_DAYS after it was last set. */
export interface ThreadStates extends Forgetting, Moving {
  /** @returns an empty state for an unknown thread */
  load(thread: ThreadKey): Promise<ThreadState>
  /**
   * Sets the given parts and leaves the others as they are, so two writers of different parts do not conflict. Grants
   * are added to the existing ones; a new one of the same person for the same tool replaces the earlier one.
   */
  patch(thread: ThreadKey, parts: ThreadState): Promise<void>
  forget(thread: ThreadKey): Promise<void>
  /** Deletes a person's grants in every thread. */
  forgetUser(person: ForgottenPerson): Promise<void>
}
