/** The bounds of the stores, the same in memory and in Redis. */
import type { RedisClient } from '../../base/redis/redis.ts'
import type { Config } from '../../config.ts'
import { createFreeRequests, type FreeRequests } from '../../stores/limits/free-requests.ts'
import { createUsageLimits, type UsageLimits } from '../../stores/limits/usage-limits.ts'
import { USE_TTL_MS } from '../../stores/use/types.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000

/** The lists about use. */
export const UNANSWERED = { name: 'unanswered', ttlMs: USE_TTL_MS, max: 200 }
export const HOME_ADMINS = { name: 'home-admins', ttlMs: 365 * DAY_MS, max: 50 }
export const OPEN_HOMES = { name: 'open-homes', ttlMs: 10 * MINUTE_MS, max: 100 }

/** The lifetimes of conversations, remembered texts, and the queue's questions. */
export function boundsOf(config: Config) {
  const ttlMs = config.HISTORY_TTL_DAYS * DAY_MS
  return {
    ttlMs,
    rememberedTtlMs: config.MEMORY_TTL_DAYS * DAY_MS,
    queue: {
      concurrency: config.WORKER_CONCURRENCY,
      knownTtlMs: ttlMs,
      dmMemoryMs: config.DM_MEMORY_MINUTES * MINUTE_MS,
      suspendedMs: suspendedMs(config),
    },
  }
}

/**
 * How long a run may wait for Slack, in addition to the time for condensing (half of the agent's) and for the agent.
 */
const DELIVERY_MS = 120_000

export function limitsOf(config: Config, redis: RedisClient | undefined, now: () => number): UsageLimits | undefined {
  const settings = {
    userHour: config.LIMIT_USER_HOUR,
    channelHour: config.LIMIT_CHANNEL_HOUR,
    teamRuns: config.LIMIT_TEAM_RUNS,
    userDayTokens: config.BUDGET_USER_DAY_TOKENS,
    teamDayTokens: config.BUDGET_TEAM_DAY_TOKENS,
    teamDayUsd: config.BUDGET_TEAM_DAY_USD,
  }
  return createUsageLimits(settings, {
    redis,
    now,
    prefix: config.REDIS_PREFIX,
    runMs: 2 * config.AGENT_TIMEOUT_MS + DELIVERY_MS,
    suspendedMs: suspendedMs(config),
  })
}

/** Free requests of a person in an hour at least, and for each schedule that a person may have. */
const MIN_FREE_REQUESTS = 20
const REQUESTS_PER_SCHEDULE = 2

export function freeRequestsOf(config: Config, redis: RedisClient | undefined, now: () => number): FreeRequests {
  const max = Math.max(MIN_FREE_REQUESTS, REQUESTS_PER_SCHEDULE * config.SCHEDULES_PER_USER)
  return createFreeRequests(redis, config.REDIS_PREFIX, max, now)
}

function suspendedMs({ APPROVAL_HOURS }: Config): number {
  return APPROVAL_HOURS * HOUR_MS
}
