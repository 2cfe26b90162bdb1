import { z } from 'zod'

/** Whole numbers by field. `use-counts.ts` says which fields there are. */
export const countsSchema = z.record(z.string(), z.number())
export type Counts = z.infer<typeof countsSchema>

/** A booking: an id of a team, which adds to the counts of the day (UTC) of `at`, in ms since the epoch. */
interface Booking {
  team: string
  id: string
  at: number
}

/** How much the bot was used, counted by day for each team and kept for `USE_TTL_MS`. */
export interface UseStore {
  /**
   * Sets an id's contribution to the counts of its day, replacing its earlier one: booking the same again changes
   * nothing. `grows`: larger earlier numbers stay, so that a slower process takes nothing back.
   */
  book(booking: Booking, counts: Counts, options?: { grows?: boolean }): Promise<void>
  /** Returns the counts of each day, given as `2026-11-26`. */
  days(team: string, days: readonly string[]): Promise<Counts[]>
  /** Removes the fields that begin with one of these from the counts of these days. An id's other fields stay. */
  drop(team: string, days: readonly string[], beginnings: readonly string[]): Promise<void>
  forgetTeam(team: string): Promise<void>
}

/** Longer than the longest period that is shown. Milliseconds. */
export const USE_TTL_MS = 31 * 86_400_000

/** The day of a moment (ms since the epoch) in UTC, as `2026-11-26`. */
export function utcDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}
