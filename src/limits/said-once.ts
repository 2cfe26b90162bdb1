import { ExpiringMap } from '../history/expiring-map.ts'
import { scanKeys, threadKey, type RedisClient } from '../redis.ts'

/** Remembers what people were told, so that nobody is told the same again and again. Over all processes that share a Redis. */
export interface SaidOnce {
  /** Whether something has not been said in the team for a day; from now on it has. */
  isFirst(team: string, what: string): Promise<boolean>
  forgetTeam(team: string): Promise<void>
}

const REMEMBERED_MS = 86_400_000
const MOST_REMEMBERED = 10_000

/** In this process; the clock is in ms. */
export function memorySaidOnce(now: () => number = Date.now): SaidOnce {
  const said = new ExpiringMap<true>({ ttlMs: REMEMBERED_MS, maxSize: MOST_REMEMBERED, now })
  return {
    isFirst: async (team, what) => {
      const key = `${team}:${what}`
      if (said.has(key)) return false
      said.set(key, true)
      return true
    },
    forgetTeam: async (team) => said.deleteAll((key) => key.startsWith(`${team}:`)),
  }
}

export function redisSaidOnce({ redis, prefix }: { redis: RedisClient; prefix: string }): SaidOnce {
  const keyOf = (team: string, what: string) => threadKey(prefix, team, `said:${what}`)
  return {
    isFirst: async (team, what) => (await redis.set(keyOf(team, what), '1', 'PX', REMEMBERED_MS, 'NX')) === 'OK',
    async forgetTeam(team) {
      for await (const keys of scanKeys(redis, keyOf(team, '*')))
        await Promise.all(keys.map((key) => redis.unlink(key)))
    },
  }
}
