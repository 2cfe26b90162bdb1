import type { RedisClient } from '../../base/redis/redis.ts'
import { escapeGlob, forgetKeys, scanKeys, threadKey, type RedisKeyspace } from '../../base/redis/redis-keys.ts'
import { redisScript } from '../../base/redis/redis-script.ts'
import { threadInKey } from '../runs/thread-keys.ts'
import { dayOf, USE_TTL_MS, type UseStore } from './types.ts'

const bookUse = redisScript(new URL('./lua/book-use.lua', import.meta.url), {
  keys: ['day', 'booked'],
  args: ['grows', 'ttlMs'],
})

const NAMES = /^use:/

/**
 * The counts, in Redis:
 *
 *     PREFIX:{T}:use:2026-11-26  hash: a field to its number, for all of the day
 *     PREFIX:{T}:use:of:ID       what an id adds to its day, as JSON
 */
export function redisUse({ redis, prefix }: RedisKeyspace): UseStore {
  const keyOf = (team: string, name: string) => threadKey(prefix, team, `use:${name}`)
  return {
    async book({ team, id, at }, counts, { grows = false } = {}) {
      const keys = { day: keyOf(team, dayOf(at)), booked: keyOf(team, `of:${id}`) }
      const args = Object.entries(counts).flat()
      await bookUse(redis, { ...keys, grows: grows ? 1 : 0, ttlMs: USE_TTL_MS }, { args })
    },
    days: (team, days) =>
      Promise.all(
        days.map(async (day) => {
          const fields = Object.entries(await redis.hgetall(keyOf(team, day)))
          return Object.fromEntries(fields.map(([field, number]) => [field, Number(number)]))
        }),
      ),
    async drop(team, days, beginnings) {
      for (const key of days.map((day) => keyOf(team, day))) {
        const fields = await redis.hkeys(key)
        const gone = fields.filter((field) => beginnings.some((beginning) => field.startsWith(beginning)))
        if (gone.length > 0) await redis.hdel(key, ...gone)
      }
    },
    forgetTeam: (team) => forgetKeys(redis, { prefix, tag: escapeGlob(team), name: NAMES }),
  }
}

/** Returns the teams that have counts. Slow: it scans all keys. */
export async function teamsWithUse(redis: RedisClient, prefix: string): Promise<string[]> {
  const teams = new Set<string>()
  for await (const keys of scanKeys(redis, threadKey(prefix, '*', 'use:20*')))
    for (const key of keys) teams.add(threadInKey(key))
  return [...teams].sort()
}
