import type { Usage } from '../../agent/contracts/model.ts'
import type { Step } from '../../agent/contracts/run-events.ts'
import type { Forgetting, Person } from '../../base/place.ts'
import type { RunTrace } from '../runs/run-trace.ts'
import type { Question, SavedRun } from '../runs/types.ts'

/**
 * How a run ended: with an answer; with partial findings, because a budget ran out or a person stopped it; or with a
 * failure that people were told about.
 */
export type RunEnd = 'answered' | 'gave_up' | 'stopped' | 'failed'

/** A person's rating of an answer. */
export interface Feedback {
  /** The person's id. */
  by: string
  rating: 'up' | 'down'
  comment?: string
  /** The answer that would have been right. */
  expected?: string
  /** Milliseconds since the epoch. */
  at: number
}

/** The record of a run that has ended. */
export interface RunRecord {
  /** The question without its `responseUrl` and its `traceparent`. */
  question: Question
  standalone?: string
  /** The ids of the remembered texts that the model got. */
  remembered?: string[]
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
  /** At most one per person. */
  feedback: Feedback[]
}

/** The parts of a record that the run itself does not have. */
export interface RunEnding {
  model: string
  dialect: string
  /** Milliseconds since the epoch. */
  endedAt: number
  /** The run failed, and people got a message. */
  hasFailed: boolean
}

/**
 * Finished runs, each kept for HISTORY_TTL_DAYS, for Show work, Ask again, feedback and the App Home. A run is found by
 * its question's id.
 */
export interface RunArchive extends Forgetting {
  /** Keeps a run. Keeping it again replaces it, except its feedback, which only `rate` changes. */
  keep(record: RunRecord): Promise<void>
  load(id: string): Promise<RunRecord | undefined>
  /** Returns the last runs that a person asked for, the newest first, at most `n`. */
  lastOf(person: Person, n: number): Promise<RunRecord[]>
  /** Replaces a person's feedback on a run. @returns false if the run is unknown or gone */
  rate(id: string, feedback: Feedback): Promise<boolean>
  /** Yields every run with feedback, of all teams, in no order. Slow: it reads everything that is kept. */
  rated(): AsyncIterable<RunRecord>
  remove(id: string): Promise<void>
  /**
   * Stores the trace of a run, replacing an earlier one. The run may not have ended; another process may continue it.
   * The trace is deleted with the run, or after the same time.
   */
  keepTrace(trace: RunTrace): Promise<void>
  loadTrace(id: string): Promise<RunTrace | undefined>
  /** Forgets the runs that a person asked for, and the person's feedback on others' runs. */
  forgetUser(person: Person): Promise<void>
}
