/** `team:channel:thread_ts`, the key of a conversation. */
export type ThreadKey = string

/** One question with its standalone form, its answer, who asked and when (milliseconds since the epoch). */
export interface Turn {
  /** The question's id; appending the same id twice keeps one turn. */
  id: string
  question: string
  standalone: string
  answer: string
  user: string
  at: number
}

/** What was said in a thread, oldest first, at most HISTORY_MAX_TURNS, for HISTORY_TTL_DAYS. Absence is an empty list. */
export interface History {
  load(thread: ThreadKey): Promise<Turn[]>
  /** Idempotent by `turn.id`: a run that is resumed may append again. */
  append(thread: ThreadKey, turn: Turn): Promise<void>
  forget(thread: ThreadKey): Promise<void>
}
