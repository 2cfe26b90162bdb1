import { z } from 'zod'

/**
 * The authority that allowed or refused a write. A person: `once`, or `always` in the thread. Nobody, because the
 * operator allows it (`config`). `expired`: nobody decided in time.
 */
export const decisionBasis = z.enum(['once', 'always', 'config', 'denied', 'expired'])
export type DecisionBasis = z.infer<typeof decisionBasis>

/**
 * The outcome of a write. `begun`: the call was about to be made and has not been reported since; this remains if the
 * process died and nobody resumed the run. `unknown`: nobody knows whether the call took effect. `failed`: the tool
 * said so. `not_run`: the call was not made.
 */
export const writeOutcome = z.enum(['begun', 'done', 'failed', 'unknown', 'not_run'])
export type WriteOutcome = z.infer<typeof writeOutcome>

/**
 * One use of a tool that changes something. Contains ids, names and numbers, but no text of people, models or tools.
 */
export const entrySchema = z.object({
  /** The question's id, and the number of the step in its run, from 1. */
  run: z.string(),
  step: z.number(),
  team: z.string(),
  channel: z.string(),
  thread: z.string(),
  /** Ids of people. `decidedBy` is set if a person decided. */
  askedBy: z.string(),
  decidedBy: z.string().optional(),
  how: decisionBasis,
  tool: z.string(),
  /** The MCP server of the tool. */
  server: z.string().optional(),
  /** SHA-256 of the tool's name and its arguments, in hex (stores/runs/call-key.ts). */
  argumentsHash: z.string(),
  /**
   * The time at which the call was about to be made, or a person was asked about one that was not made. Milliseconds
   * since the epoch.
   */
  at: z.number(),
  outcome: writeOutcome,
})
export type AuditEntry = z.infer<typeof entrySchema>

/**
 * The writes of each team: one entry per step of a run, kept for a year, at most the newest `MAX_ENTRIES` of a team.
 * They stay when the app is removed from the workspace, because they say who did what with it.
 */
export interface AuditLog {
  /** Stores an entry. A step's entry replaces its earlier one. */
  note(entry: AuditEntry): Promise<void>
  /** Returns the newest entries first, at most `n`. */
  list(of: { team: string }, n: number): Promise<AuditEntry[]>
}

/** How long an entry is kept. Milliseconds. */
export const AUDIT_TTL_MS = 365 * 86_400_000
/** The maximum number of a team's entries; beyond it the oldest are dropped. */
export const MAX_ENTRIES = 10_000
