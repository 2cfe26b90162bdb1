import { ExpiringMap } from '../../base/expiring-map.ts'
import { escapeGlob, forgetKeys, threadKey, type RedisClient } from '../../base/redis/redis.ts'

/** Remembers what people were told, so that nobody is told the same again and again. Over all processes that share a Redis. */
export interface SaidOnce {
  /** Whether something has not been said in the team for a day; from now on it has. */
  isFirst(team: string, what: string): Promise<boolean>
  forgetTeam(team: string): Promise<void>
}

const REMEMBERED_MS = 86_400_000
const MAX_REMEMBERED = 10_000

/** In this process; the clock is in ms. */
export function memorySaidOnce(now: () => number = Date.now): SaidOnce {
  const said = new ExpiringMap<true>({ ttlMs: REMEMBERED_MS, maxSize: MAX_REMEMBERED, now })
  return {
    async isFirst(team, what) {
      const key = `${team}:${what}`
      if (said.has(key)) return false
      said.set(key, true)
      return true
    },
    async forgetTeam(team) {
      for (const key of said.keys()) if (key.startsWith(`${team}:`)) said.delete(key)
    },
  }
}

/** Its keys are among those of fair use (`limit:`), which go with their team. */
export function redisSaidOnce({ redis, prefix }: { redis: RedisClient; prefix: string }): SaidOnce {
  return {
    async isFirst(team, what) {
      const key = threadKey(prefix, team, `limit:said:${what}`)
      return (await redis.set(key, '1', 'PX', REMEMBERED_MS, 'NX')) === 'OK'
    },
    // Those of fair use too, which it may have counted before it was turned off.
    forgetTeam: (team) => forgetKeys(redis, { prefix, tag: escapeGlob(team), name: /^limit:/ }),
  }
}
