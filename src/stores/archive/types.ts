import { z } from 'zod'
import { usageSchema } from '../../agent/contracts/model.ts'
import { parseStep } from '../../agent/contracts/run-events.ts'
import type { ForgottenPerson, Forgetting, Person } from '../../base/place.ts'
import type { RunTrace } from '../runs/run-trace.ts'
import { answerSchema, questionSchema } from '../runs/types.ts'

/**
 * How a run ended: with an answer; with partial findings, because a budget ran out or a person stopped it; or with a
 * failure that people were told about.
 */
const runEnd = z.enum(['answered', 'gave_up', 'stopped', 'failed'])
export type RunEnd = z.infer<typeof runEnd>

/** A rating of an answer, as it is stored under the person's key. */
export const feedbackSchema = z.object({
  rating: z.enum(['up', 'down']),
  comment: z.string().optional(),
  /** The answer that would have been right. */
  expected: z.string().optional(),
  /** Milliseconds since the epoch. */
  at: z.number(),
})

/** A rating of an answer, with the person's key (`personIn`). */
export interface Feedback extends z.infer<typeof feedbackSchema> {
  by: string
}

/** The record of a run that has ended, as it is stored. A step that cannot be read is left out. */
export const recordSchema = z.object({
  /** The question without its `responseUrl` and its `traceparent`. */
  question: questionSchema,
  standalone: z.string().optional(),
  /** The ids of the remembered texts that the model got. */
  remembered: z.array(z.string()).optional(),
  steps: z.array(z.unknown()).transform((steps) => steps.flatMap((step) => parseStep(step) ?? [])),
  usage: z.array(usageSchema),
  answer: answerSchema.optional(),
  /** Post key (`root`, `step-1`, `answer-1`, …) to the post's Slack ts. */
  posts: z.record(z.string(), z.string()),
  /** The names of the model and of the dialect. */
  model: z.string(),
  dialect: z.string(),
  /** Milliseconds since the epoch. */
  startedAt: z.number(),
  endedAt: z.number(),
  end: runEnd,
})

/** The record of a run with its feedback, at most one per person. */
export interface RunRecord extends z.infer<typeof recordSchema> {
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
  forgetUser(person: ForgottenPerson): Promise<void>
}
