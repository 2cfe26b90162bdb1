/** `team:channel:thread_ts`, the key of a conversation. */
export type ThreadKey = string

/** A channel of a team, direct messages too. */
export interface Place {
  team: string
  channel: string
}

/** How a store forgets what it keeps of a place: at people's wish, and when the app is removed from a workspace. */
export interface Forgetting {
  forgetChannel(place: Place): Promise<void>
  forgetTeam(team: string): Promise<void>
}

/** One question with its standalone form, its answer, who asked and when (milliseconds since the epoch). */
export interface Turn {
  /** The question's id; appending the same id twice keeps one turn. */
  id: string
  question: string
  /** What people wrote in the thread before it, since the turn before. */
  said?: string
  standalone: string
  answer: string
  user: string
  at: number
}

/** The turns of each thread: at most HISTORY_MAX_TURNS, kept for HISTORY_TTL_DAYS after the last one. */
export interface History extends Forgetting {
  /** Oldest first; an empty list for an unknown thread. */
  load(thread: ThreadKey): Promise<Turn[]>
  /** Idempotent by `turn.id`, because a resumed run may append its turn again. */
  append(thread: ThreadKey, turn: Turn): Promise<void>
  /** Forgets one turn, by its question's id. */
  remove(thread: ThreadKey, id: string): Promise<void>
  forget(thread: ThreadKey): Promise<void>
}
