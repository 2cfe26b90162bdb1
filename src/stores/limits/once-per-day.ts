import { escapeGlob, forgetKeys, kvKey, type Kv } from '../kv/kv.ts'

/**
 * Remembers which notices people got, so that nobody gets the same one twice in a day. Shared by all processes on a
 * Redis.
 */
export interface OncePerDay {
  /** Marks a notice as given. Returns true if the team has not had it for a day. */
  isFirst(team: string, what: string): Promise<boolean>
  forgetTeam(team: string): Promise<void>
}

const REMEMBERED_MS = 86_400_000
/**
 * The keys of usage limits have the same beginning. Limits may have counted before they were turned off, so their keys
 * are deleted with the team too.
 */
const NAMES = /^limit:/

export function createOncePerDay(kv: Kv): OncePerDay {
  return {
    isFirst: (team, what) =>
      kv.swap(kvKey(team, `limit:said:${what}`), { before: undefined, after: '1', ttlMs: REMEMBERED_MS }),
    forgetTeam: (team) => forgetKeys(kv, escapeGlob(team), NAMES),
  }
}
