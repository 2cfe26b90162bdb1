import type { Place } from '../../base/place.ts'

/**
 * Who let a write be made, or did not: a person `once` or `always` in the thread, or nobody was asked, as the operator has set
 * it (`config`). `expired`: nobody decided in time.
 */
export type Decided = 'once' | 'always' | 'config' | 'denied' | 'expired'

/**
 * What came of a write. `begun`: the call was about to be made, and it has not been told yet what came of it; so it stays
 * where the process died and nobody took the run up. `unknown`: it is not known whether the call took effect. `failed`: the
 * tool said so. `not_run`: the call was not made.
 */
export type WriteOutcome = 'begun' | 'done' | 'failed' | 'unknown' | 'not_run'

/** One use of a tool that changes the world. Ids, names and numbers: nothing that people, models or tools wrote is kept. */
export interface AuditEntry extends Place {
  /** The question's id, and the number of the step in its run, from 1. */
  run: string
  step: number
  thread: string
  /** Ids of people; `decidedBy` where a person decided. */
  askedBy: string
  decidedBy?: string
  how: Decided
  tool: string
  /** The MCP server that the tool is of. */
  server?: string
  /** SHA-256 of the tool's name and its arguments (run/call-key.ts), in hex. */
  argumentsHash: string
  /** Milliseconds since the epoch: when the call was about to be made, or when a person was asked about one that was not made. */
  at: number
  outcome: WriteOutcome
}

/** The writes of each team, one entry for a step of a run, each kept for a year; the newest `MAX_ENTRIES` of a team. */
export interface AuditLog {
  /** Noted again, a step's entry is replaced. Resolves once the entry is stored. */
  note(entry: AuditEntry): Promise<void>
  /** The newest first, at most `n`. */
  list(of: { team: string }, n: number): Promise<AuditEntry[]>
  forgetTeam(team: string): Promise<void>
}

/** How long an entry is kept, in ms. */
export const AUDIT_TTL_MS = 365 * 86_400_000
/** Upper bound on a team's entries; beyond it the oldest are dropped. */
export const MAX_ENTRIES = 10_000
