import type { RedisClient } from '../../base/redis/redis.ts'
import { memoryKeyedStore, redisKeyedStore, type KeyedStore } from '../keyed-store.ts'

/** Remembers what people were told, so that nobody is told the same again and again. Over all processes that share a Redis. */
export interface SaidOnce {
  /** Returns whether something has not been said in the team for a day. From now on it has. */
  isFirst(team: string, what: string): Promise<boolean>
  forgetTeam(team: string): Promise<void>
}

const REMEMBERED_MS = 86_400_000
const MAX_REMEMBERED = 10_000
/** Keys of fair use begin so as well. It may have counted before it was turned off: they go with the team too. */
const NAMES = /^limit:/

/** In this process; the clock is in milliseconds. */
export function memorySaidOnce(now: () => number = Date.now): SaidOnce {
  return saidOnce(memoryKeyedStore({ ttlMs: REMEMBERED_MS, maxSize: MAX_REMEMBERED, now }))
}

export function redisSaidOnce(place: { redis: RedisClient; prefix: string }): SaidOnce {
  return saidOnce(redisKeyedStore({ ...place, ttlMs: REMEMBERED_MS, names: NAMES }))
}

function saidOnce(store: KeyedStore): SaidOnce {
  return {
    isFirst: (team, what) => store.setIfAbsent(team, `limit:said:${what}`, '1'),
    forgetTeam: (team) => store.forgetTeam(team),
  }
}
