import { z } from 'zod'
import type { Usage } from '../../agent/contracts/model.ts'
import { stopReason, type Step } from '../../agent/contracts/run-events.ts'
import { personsAnswer, type ToolMemory } from '../../agent/contracts/tool.ts'
import { sourceSchema } from '../../agent/contracts/evidence.ts'
import type { ThreadContext } from '../history/types.ts'
import { doneCallSchema } from './question.ts'

export * from './question.ts'

export const answerSchema = z.object({
  text: z.string(),
  sources: z.array(sourceSchema),
  stopped: stopReason.optional(),
  /** The text is not an answer but the findings so far. */
  gaveUp: z.literal(true).optional(),
  /** The model could not see the question's pictures. */
  unseen: z.literal(true).optional(),
  /** The run's writes; absent if none of its tools could write. */
  done: z.array(doneCallSchema).optional(),
  /** How many of the remembered texts the answer uses; absent if none. */
  used: z.number().optional(),
  /** The answer's figures and their sources (question/check-figures). */
  figures: z.array(z.object({ text: z.string(), in: z.array(z.string()) })).optional(),
})

/** The saved state of a run. A fresh run has no steps and no posts. */
export interface SavedRun {
  /** The question with names instead of the ids of people and channels. Absent if it contains no such ids. */
  named?: string
  /** The words of a clip that came alone. They are the question. */
  spoken?: string
  /** The thread's messages before the question, with names, read when the run began. Empty if nobody wrote. */
  said?: ThreadContext
  standalone?: string
  /** The ids of the remembered texts that the model got. Absent if there were none. */
  remembered?: string[]
  steps: Step[]
  /** The memory of the tools between steps. */
  memory: ToolMemory
  /**
   * Post key (`root`, `step-1`, `answer-1`, …) to the post's Slack ts; empty while it is claimed and not known to be
   * sent.
   */
  posts: Record<string, string>
  usage: Usage[]
  answer?: z.infer<typeof answerSchema>
  /** The decisions about steps that waited for a person, by the wait (`waitKey`). */
  decisions: Record<string, Decision>
  /** Milliseconds since the epoch of the first start, and how many workers have started it. */
  startedAt: number
  attempts: number
  /** How often an operator had it retried after it was dead-lettered. */
  retries: number
}

/** A decision about a step that waits for a person. */
export const decisionSchema = z.union([
  z.object({
    outcome: z.enum(['allowed', 'denied']),
    by: z.string(),
    /** Milliseconds since the epoch. */
    at: z.number(),
    /** The call that it is about (stores/runs/call-key.ts). */
    key: z.string(),
    reason: z.string().optional(),
    /** For the tool in this thread from now on. */
    always: z.literal(true).optional(),
  }),
  /** The answer to the tool's question. */
  personsAnswer.omit({ state: true }).extend({ outcome: z.literal('answered'), by: z.string() }),
  /** Nobody decided in time. */
  z.object({ outcome: z.literal('expired') }),
])
export type Decision = z.infer<typeof decisionSchema>

/** The parts of a run that are saved one by one. A step is saved under its number, counted from 1. */
export type RunPart =
  | { part: 'named'; value: string }
  | { part: 'spoken'; value: string }
  | { part: 'said'; value: ThreadContext }
  | { part: 'standalone'; value: string }
  | { part: 'remembered'; value: string[] }
  | { part: 'step'; n: number; value: Step }
  | { part: 'memory'; value: ToolMemory }
  | { part: 'usage'; n: number; value: Usage }
  | { part: 'answer'; value: NonNullable<SavedRun['answer']> }

/**
 * A run that this process holds the lease of. Everything it saves and claims is checked against the lease's fencing
 * token in the same atomic step.
 * @throws LeaseLost from every method once another worker has taken the run over.
 */
export interface Run {
  readonly saved: SavedRun
  /** Saves parts in one round trip. */
  save(...parts: RunPart[]): Promise<void>
  /**
   * Claims a post before it is sent. `fresh`: nobody has tried; send it. `unsure`: an earlier try may have reached
   * Slack; look it up before sending. With a `ts`: it is in Slack already.
   */
  claimPost(key: string): Promise<'fresh' | 'unsure' | { ts: string }>
  /** Records the ts of a post that is in Slack; a durable run with its next write, or in a moment. */
  posted(key: string, ts: string): Promise<void>
  /**
   * For calls that are visible to others but not claimed. Asks Redis only if the lease was not confirmed a moment ago.
   */
  checkLease(): Promise<void>
}

/** The end of a run, according to its answer. */
export function endOf(answer: SavedRun['answer']): 'answered' | 'gave_up' | 'stopped' {
  if (answer?.stopped === 'stopped') return 'stopped'
  return answer && !answer.gaveUp ? 'answered' : 'gave_up'
}

/** A run that nobody has worked on. `at`: milliseconds since the epoch of its first start. */
export function freshRun(at: number): SavedRun {
  return { steps: [], memory: {}, posts: {}, usage: [], decisions: {}, startedAt: at, attempts: 0, retries: 0 }
}

/** A snapshot of the run's progress, which does not change while the run continues. */
export function progressOf({ steps, memory, usage }: SavedRun): Pick<SavedRun, 'steps' | 'memory' | 'usage'> {
  return { steps: [...steps], memory, usage: [...usage] }
}
