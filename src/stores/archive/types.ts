import type { Step, Usage } from '../../agent/types.ts'
import type { Forgetting, Person } from '../../base/place.ts'
import type { RunTrace } from '../runs/run-trace.ts'
import type { Question, SavedRun } from '../runs/types.ts'

/** How a run ended: with an answer; with what is known, at a budget's end or because a person stopped it; with a failure that people were told of. */
export type RunEnd = 'answered' | 'gave_up' | 'stopped' | 'failed'

/** What a person thinks of an answer. */
export interface Feedback {
  /** The person's id. */
  by: string
  rating: 'up' | 'down'
  comment?: string
  /** What would have been the right answer. */
  expected?: string
  /** Milliseconds since the epoch. */
  at: number
}

/** What is kept of a run that has ended. */
export interface RunRecord {
  /** As it was asked; its `responseUrl` and its `traceparent` are not kept. */
  question: Question
  standalone?: string
  steps: Step[]
  usage: Usage[]
  answer?: SavedRun['answer']
  /** Post key (`root`, `step-1`, `answer-1`, …) to the post's Slack ts. */
  posts: Record<string, string>
  /** The names of the model and of the dialect. */
  model: string
  dialect: string
  /** Milliseconds since the epoch. */
  startedAt: number
  endedAt: number
  end: RunEnd
  /** One a person. */
  feedback: Feedback[]
}

/** What a record holds besides the run itself. */
export interface RunEnding {
  model: string
  dialect: string
  /** Milliseconds since the epoch. */
  endedAt: number
  /** People were told of a failure. */
  hasFailed: boolean
}

/**
 * The runs that have ended, each kept for HISTORY_TTL_DAYS, for Show work, Ask again, feedback and App Home. A run is found by
 * its question's id.
 */
export interface RunArchive extends Forgetting {
  /** Keeps a run; keeping it again replaces it, but for its feedback, which only `rate` changes. */
  keep(record: RunRecord): Promise<void>
  load(id: string): Promise<RunRecord | undefined>
  /** The last runs that a person asked for, the newest first; at most `n`. */
  lastOf(person: Person, n: number): Promise<RunRecord[]>
  /** Keeps a person's feedback in place of what the same person said before. @returns false where the run is not known (any more) */
  rate(id: string, feedback: Feedback): Promise<boolean>
  /** Every run with feedback, of all teams, in no order. It looks through all that is kept, so it is slow. */
  rated(): AsyncIterable<RunRecord>
  remove(id: string): Promise<void>
  /**
   * Keeps what a run exchanged, in place of what was kept of it before; also of a run that has not ended, which another process
   * may go on with. It is forgotten with the run, or as long after it was kept.
   */
  keepTrace(trace: RunTrace): Promise<void>
  loadTrace(id: string): Promise<RunTrace | undefined>
  /** Forgets the runs that a person asked for, and the person's feedback on others'. */
  forgetUser(person: Person): Promise<void>
}
