import { escapeGlob, forgetKeys, threadKey, type RedisKeyspace } from '../base/redis/redis-keys.ts'

/** The newest ids of each team, such as questions that could not be answered. */
export interface RecentList {
  /** Adds an id, or moves it, to its time (ms since the epoch). */
  add(team: string, id: string, at: number): Promise<void>
  remove(team: string, id: string): Promise<void>
  /** The newest first, at most `n`. */
  newest(team: string, n: number): Promise<string[]>
  forgetTeam(team: string): Promise<void>
}

interface RecentListOptions {
  /** How long an id stays after its time. The key in Redis expires as long after the team's last id. Milliseconds. */
  ttlMs: number
  /** The maximum number of a team's ids; beyond it the oldest go. */
  max: number
  now: () => number
}

/** Keeps the list in this process's memory. */
export function memoryRecentList({ ttlMs, max, now }: RecentListOptions): RecentList {
  const teams = new Map<string, Map<string, number>>()
  const sorted = (team: string) =>
    [...(teams.get(team) ?? [])].filter(([, at]) => at > now() - ttlMs).sort(([, one], [, other]) => other - one)
  return {
    async add(team, id, at) {
      teams.set(team, new Map([...sorted(team), [id, at]]))
      teams.set(team, new Map(sorted(team).slice(0, max)))
    },
    remove: async (team, id) => void teams.get(team)?.delete(id),
    newest: async (team, n) =>
      sorted(team)
        .slice(0, n)
        .map(([id]) => id),
    forgetTeam: async (team) => void teams.delete(team),
  }
}

interface RedisRecentListOptions extends RedisKeyspace, RecentListOptions {
  name: string
}

/** Keeps the list in Redis, as a sorted set `PREFIX:{T}:NAME`, scored by time (ms). */
export function redisRecentList({ redis, prefix, name, ttlMs, max, now }: RedisRecentListOptions): RecentList {
  const keyOf = (team: string) => threadKey(prefix, team, name)
  return {
    async add(team, id, at) {
      const key = keyOf(team)
      await redis
        .multi()
        .zadd(key, at, id)
        .zremrangebyscore(key, '-inf', now() - ttlMs)
        .zremrangebyrank(key, 0, -max - 1)
        .pexpire(key, ttlMs)
        .exec()
    },
    async remove(team, id) {
      await redis.zrem(keyOf(team), id)
    },
    newest: (team, n) => redis.zrevrangebyscore(keyOf(team), '+inf', `(${now() - ttlMs}`, 'LIMIT', 0, n),
    forgetTeam: (team) => forgetKeys(redis, { prefix, tag: escapeGlob(team), name: new RegExp(`^${name}$`) }),
  }
}
