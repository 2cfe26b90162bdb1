/** Limits the requests of a person that need no model, such as a new schedule or `help`: no other limit counts them. */
import type { RedisClient } from '../../base/redis/redis.ts'
import type { Question } from '../runs/types.ts'
import { MemoryRateLimiter } from './memory-rate-limiter.ts'
import { personIn } from '../../base/place.ts'
import type { RateLimiter } from './rate-limiter.ts'
import { redisRateLimiter } from './redis-rate-limiter.ts'
import type { LimitRefusal } from './usage-limits.ts'

const HOUR_MS = 3_600_000

/** Counts over all processes that share a Redis; without Redis, in this process. */
export interface FreeRequests {
  /** Counts a request once, however often it is handled. @returns the limit, if it exceeds it */
  admit(question: Question): Promise<LimitRefusal | undefined>
  forgetTeam(team: string): Promise<void>
}

/** `max`: requests of a person in an hour. `now`: the clock in memory mode, in milliseconds. */
export function createFreeRequests(
  redis: RedisClient | undefined,
  prefix: string,
  max: number,
  now: () => number,
): FreeRequests {
  const noSlots = { max: undefined, ttlMs: HOUR_MS }
  const limiter: RateLimiter = redis
    ? redisRateLimiter(noSlots, HOUR_MS, { redis, prefix })
    : new MemoryRateLimiter(noSlots, { now, questionTtlMs: HOUR_MS })
  return {
    async admit(question) {
      const { team, id } = question
      const rule = { windowMs: HOUR_MS, pointMs: HOUR_MS / max, reserve: 1 }
      const obstacle = await limiter.admit({ team, id: `free:${id}` }, [{ key: `free:${personIn(question)}`, ...rule }])
      if (!obstacle || obstacle === 'slots') return undefined
      return { limit: 'freeHour', allowed: max, resetsInMs: obstacle.waitMs }
    },
    forgetTeam: (team) => limiter.forgetTeam(team),
  }
}
