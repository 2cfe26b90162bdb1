import type { Config } from './config.ts'
import { memoryHistory } from './history/memory-history.ts'
import { redisHistory } from './history/redis-history.ts'
import type { History } from './history/types.ts'
import type { Log } from './log.ts'
import { memoryQueue } from './queue/memory-queue.ts'
import { redisQueue } from './queue/redis-queue.ts'
import type { Queue } from './queue/types.ts'
import type { RunControl } from './run/control.ts'
import { checkRedis, connect, type RedisClient, type RedisSettings } from './redis.ts'
import { createLimits, type Limits } from './limits/limits.ts'
import { memorySaidOnce, redisSaidOnce, type SaidOnce } from './limits/said-once.ts'

/** Where conversations and work are kept. */
export interface Stores {
  history: History
  queue: Queue
  /** How the runs of the queue's questions are reached. */
  control: RunControl
  /** Absent where nothing is limited. */
  limits?: Limits | undefined
  saidOnce: SaidOnce
  /** True where an accepted question outlives this process. */
  durable: boolean
  close(): Promise<void>
}

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** Redis if REDIS_URL is set, else this process's memory, with the same bounds. @throws ConfigError if Redis does not answer. */
export async function createStores(config: Config, log: Log): Promise<Stores> {
  if (!config.REDIS_URL) return inMemory(config, log)
  const settings = redisSettings(config, config.REDIS_URL)
  await checkRedis(settings)
  return inRedis(config, settings, log)
}

function inMemory(config: Config, log: Log): Stores {
  const ttlMs = config.HISTORY_TTL_DAYS * DAY_MS
  const queue = memoryQueue({
    concurrency: config.WORKER_CONCURRENCY,
    knownTtlMs: ttlMs,
    dmMemoryMs: config.DM_MEMORY_MINUTES * MINUTE_MS,
    log,
  })
  return {
    history: memoryHistory({ maxTurns: config.HISTORY_MAX_TURNS, ttlMs }),
    queue,
    control: queue.control,
    limits: limitsOf(config),
    saidOnce: memorySaidOnce(),
    durable: false,
    close: async () => {},
  }
}

function inRedis(config: Config, settings: RedisSettings, log: Log): Stores {
  const { REDIS_PREFIX: prefix, ROLE: role, WORKER_CONCURRENCY: concurrency, WORKER_LOCK_MS: lockMs } = config
  const ttlMs = config.HISTORY_TTL_DAYS * DAY_MS
  // BullMQ gives a lost job to another worker at the first check after its lock ran out. The workers share these checks, each
  // at times of its own, so that it may take up to two of the intervals.
  const dmMemoryMs = config.DM_MEMORY_MINUTES * MINUTE_MS
  const times = { knownTtlMs: ttlMs, dmMemoryMs, lockMs, stalledMs: Math.ceil(lockMs / 3) }
  const redis = connect(settings, { purpose: 'work', log })
  const queue = redisQueue({ redis: settings, log, prefix, role, concurrency, ...times })
  return {
    history: redisHistory({ redis, log, prefix, maxTurns: config.HISTORY_MAX_TURNS, ttlMs }),
    queue,
    control: queue.control,
    limits: limitsOf(config, redis),
    saidOnce: redisSaidOnce({ redis, prefix }),
    durable: true,
    close: async () => redis.disconnect(),
  }
}

/** How long a run may wait for Slack, in addition to the time for condensing (half of the agent's) and for the agent. */
const DELIVERY_MS = 120_000

function limitsOf(config: Config, redis?: RedisClient): Limits | undefined {
  const settings = {
    userHour: config.LIMIT_USER_HOUR,
    channelHour: config.LIMIT_CHANNEL_HOUR,
    teamDay: config.LIMIT_TEAM_DAY,
    teamRuns: config.LIMIT_TEAM_RUNS,
    userDayTokens: config.BUDGET_USER_DAY_TOKENS,
    teamDayTokens: config.BUDGET_TEAM_DAY_TOKENS,
    teamDayUsd: config.BUDGET_TEAM_DAY_USD,
  }
  return createLimits(settings, {
    redis,
    prefix: config.REDIS_PREFIX,
    runMs: 2 * config.AGENT_TIMEOUT_MS + DELIVERY_MS,
  })
}

/** How Redis is reached; shared with the `runs` command. */
export function redisSettings(config: Config, url: string): RedisSettings {
  const {
    REDIS_SENTINELS: sentinels,
    REDIS_SENTINEL_NAME: sentinelName,
    REDIS_SENTINEL_PASSWORD: sentinelPassword,
  } = config
  return {
    url,
    cluster: config.REDIS_CLUSTER,
    ...(sentinels ? { sentinels } : {}),
    ...(sentinelName ? { sentinelName } : {}),
    ...(sentinelPassword ? { sentinelPassword } : {}),
  }
}
