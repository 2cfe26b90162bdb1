import type { RedisKeyspace } from '../../base/redis/redis-keys.ts'
import { memoryKeyedStore, redisKeyedStore, type KeyedStore } from '../keyed-store.ts'

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
const MAX_REMEMBERED = 10_000
/**
 * The keys of usage limits have the same prefix. Limits may have counted before they were turned off, so their keys are
 * deleted with the team too.
 */
const NAMES = /^limit:/

/** Remembers in this process; the clock is in milliseconds. */
export function memoryOncePerDay({ now }: { now: () => number }): OncePerDay {
  return oncePerDay(memoryKeyedStore({ ttlMs: REMEMBERED_MS, maxSize: MAX_REMEMBERED, now }))
}

export function redisOncePerDay(place: RedisKeyspace): OncePerDay {
  return oncePerDay(redisKeyedStore({ ...place, ttlMs: REMEMBERED_MS, names: NAMES }))
}

function oncePerDay(store: KeyedStore): OncePerDay {
  return {
    isFirst: (team, what) => store.setIfAbsent(team, `limit:said:${what}`, '1'),
    forgetTeam: (team) => store.forgetTeam(team),
  }
}
