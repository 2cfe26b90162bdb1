import { once } from '../base/async.ts'
import { memoryArchive } from '../stores/archive/memory-archive.ts'
import { redisArchive } from '../stores/archive/redis-archive.ts'
import { memoryPeople, redisPeople, type PeopleStore } from '../stores/mcp/people-store.ts'
import type { RunArchive } from '../stores/archive/types.ts'
import { memoryAudit } from '../stores/audit/memory-audit.ts'
import { redisAudit } from '../stores/audit/redis-audit.ts'
import type { AuditLog } from '../stores/audit/types.ts'
import type { Config } from '../config.ts'
import type { FileStore } from '../files/file-store.ts'
import { memoryHistory } from '../stores/history/memory-history.ts'
import { redisHistory } from '../stores/history/redis-history.ts'
import type { History } from '../stores/history/types.ts'
import type { Log } from '../base/log.ts'
import { memoryFiles } from '../files/memory-files.ts'
import { redisFiles } from '../files/redis-files.ts'
import { sealerFrom } from '../base/seal.ts'
import { memoryMcpStore, redisMcpStore, type McpStore } from '../stores/mcp/mcp-store.ts'
import { memoryQueue } from '../queue/memory-queue.ts'
import type { Queue } from '../queue/types.ts'
import type { RunControl } from '../stores/runs/control.ts'
import { connect, type RedisClient, type RedisSettings } from '../base/redis/redis.ts'
import { scanKeys, threadKey } from '../base/redis/redis-keys.ts'
import { requireUsableRedis } from '../base/redis/redis-check.ts'
import { memoryRemembered, redisRemembered } from '../stores/remembered/remembered.ts'
import type { RememberedStore } from '../stores/remembered/types.ts'
import { memoryOncePerDay, redisOncePerDay, type OncePerDay } from '../stores/limits/once-per-day.ts'
import { createUsageLimits, type UsageLimits } from '../stores/limits/usage-limits.ts'
import { memoryActionTokens, redisActionTokens, type ActionTokens } from '../stores/tokens/action-tokens.ts'
import { memoryInstallations, redisInstallations } from '../stores/installations/installation-store.ts'
import type { InstallationStore } from '../stores/installations/types.ts'
import { memorySchedules } from '../stores/schedules/memory-schedules.ts'
import { redisSchedules } from '../stores/schedules/redis-schedules.ts'
import type { ScheduleStore } from '../stores/schedules/types.ts'
import { memoryThreads } from '../stores/threads/memory-threads.ts'
import { redisThreads } from '../stores/threads/redis-threads.ts'
import { memoryRecentList, redisRecentList, type RecentList } from '../stores/recent-list.ts'
import { memoryUse } from '../stores/use/memory-use.ts'
import { redisUse } from '../stores/use/redis-use.ts'
import { forgettingIn, type ForgettingAll } from './forget-all.ts'
import { USE_TTL_MS, type UseStore } from '../stores/use/types.ts'
import type { ThreadStates } from '../stores/threads/types.ts'
import { memoryChannelSettings, redisChannelSettings, type ChannelSettingsStore } from '../stores/settings/settings.ts'

/** The stores of conversations and work. */
export interface Stores {
  history: History
  /** The runs that have ended. */
  archive: RunArchive
  /** Every write of a run. */
  audit: AuditLog
  threads: ThreadStates
  actionTokens: ActionTokens
  channelSettings: ChannelSettingsStore
  schedules: ScheduleStore
  /** The texts that people asked the bot to remember. */
  remembered: RememberedStore
  /** Opened when the first file comes, or before forgetting. */
  files(): Promise<FileStore>
  forgetting: ForgettingAll
  queue: Queue
  /** Reaches the runs of the queue's questions. */
  control: RunControl
  /** Absent if there are no limits. */
  limits?: UsageLimits | undefined
  oncePerDay: OncePerDay
  /** How much the bot was used. */
  use: UseStore
  /** The ids of questions that could not be answered. */
  unanswered: RecentList
  /** The ids of the admins who have opened the Home. */
  homeAdmins: RecentList
  /**
   * The people whose Home may still be open, with their direct messages with the bot (slack/intake/publish-home.ts).
   */
  openHomes: RecentList
  /** Only if MCP_CONFIG is set. */
  mcp: McpStore | undefined
  /** Values that belong to single people, above all their logins. */
  people: PeopleStore
  /** Only if SLACK_CLIENT_ID is set. */
  installs: InstallStores | undefined
  /** Whether an accepted question outlives this process. */
  durable: boolean
  close(): Promise<void>
}

/** The name that the installations' shared values have in Redis. */
export const INSTALLS_ROOM = 'installs'

/**
 * The installations of the distributed app, and the values about them that processes share: one-use states, locks,
 * notes.
 */
export interface InstallStores {
  records: InstallationStore
  shared: McpStore
}

/** Bounds of the lists about use. */
const UNANSWERED = { ttlMs: USE_TTL_MS, max: 200 }
const HOME_ADMINS = { ttlMs: 365 * 86_400_000, max: 50 }
const OPEN_HOMES = { ttlMs: 10 * 60_000, max: 100 }

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000

/**
 * Opens Redis if REDIS_URL is set, else this process's memory, with the same bounds. In Redis the queue has the
 * system's clock, as BullMQ does.
 * @throws ConfigError if Redis does not answer
 */
export async function createStores(config: Config, log: Log, now = Date.now): Promise<Stores> {
  if (!config.REDIS_URL) return inMemory(config, { log, now })
  const settings = { url: config.REDIS_URL }
  await requireUsableRedis(settings, { log, prefix: config.REDIS_PREFIX })
  return inRedis(config, settings, { log, now })
}

interface Observed {
  log: Log
  now: () => number
}

async function inMemory(config: Config, { log, now }: Observed): Promise<Stores> {
  const sealer = sealerFrom(config)
  const ttlMs = config.HISTORY_TTL_DAYS * DAY_MS
  const queue = memoryQueue({
    concurrency: config.WORKER_CONCURRENCY,
    knownTtlMs: ttlMs,
    dmMemoryMs: config.DM_MEMORY_MINUTES * MINUTE_MS,
    suspendedMs: suspendedMs(config),
    log,
    now,
  })
  const kept = {
    history: memoryHistory({ ttlMs, now }),
    archive: memoryArchive({ ttlMs, now }),
    audit: memoryAudit({ now }),
    threads: memoryThreads({ ttlMs, now }),
    actionTokens: memoryActionTokens(now),
    channelSettings: memoryChannelSettings({ now }),
    schedules: memorySchedules({ log, now }),
    remembered: memoryRemembered({ ttlMs: config.MEMORY_TTL_DAYS * DAY_MS, now }),
    files: once(async () => memoryFiles({ ttlMs, now })),
    queue,
    limits: limitsOf(config, { now }),
    oncePerDay: memoryOncePerDay(now),
    use: memoryUse({ now }),
    unanswered: memoryRecentList({ ...UNANSWERED, now }),
    homeAdmins: memoryRecentList({ ...HOME_ADMINS, now }),
    openHomes: memoryRecentList({ ...OPEN_HOMES, now }),
    people: memoryPeople({ now }),
  }
  return {
    ...kept,
    forgetting: forgettingIn(kept, { now, teams: async () => [] }),
    mcp: config.MCP_CONFIG ? memoryMcpStore({ now }) : undefined,
    installs:
      config.SLACK_CLIENT_ID && sealer
        ? { records: memoryInstallations(sealer), shared: memoryMcpStore({ now }) }
        : undefined,
    control: queue.control,
    durable: false,
    close: async () => {},
  }
}

async function inRedis(config: Config, settings: RedisSettings, { log, now }: Observed): Promise<Stores> {
  const { REDIS_PREFIX: prefix, ROLE: role, WORKER_CONCURRENCY: concurrency, WORKER_LOCK_MS: lockMs } = config
  const ttlMs = config.HISTORY_TTL_DAYS * DAY_MS
  // BullMQ gives a lost job to another worker at the first check after its lock expired. The workers share these
  // checks, each at its own times, so it may take up to two intervals.
  const dmMemoryMs = config.DM_MEMORY_MINUTES * MINUTE_MS
  const times = {
    knownTtlMs: ttlMs,
    dmMemoryMs,
    suspendedMs: suspendedMs(config),
    lockMs,
    stalledMs: Math.ceil(lockMs / 3),
  }
  // BullMQ is loaded only with Redis.
  const { redisQueue } = await import('../queue/redis-queue.ts')
  const redis = connect(settings, { purpose: 'work', log })
  const queue = redisQueue({ redis: settings, log, prefix, role, concurrency, ...times })
  const place = { redis, log, prefix, now }
  const sealer = sealerFrom(config)
  const kept = {
    history: redisHistory({ ...place, ttlMs }),
    archive: redisArchive({ ...place, ttlMs, sealer }),
    audit: redisAudit(place),
    threads: redisThreads({ ...place, ttlMs }),
    actionTokens: redisActionTokens({ ...place, sealer }),
    channelSettings: redisChannelSettings(place),
    schedules: redisSchedules({ ...place, sealer }),
    remembered: redisRemembered({ ...place, ttlMs: config.MEMORY_TTL_DAYS * DAY_MS, sealer }),
    files: once(async () => redisFiles({ ...place, ttlMs, sealer })),
    queue,
    limits: limitsOf(config, { redis, now }),
    oncePerDay: redisOncePerDay({ redis, prefix }),
    use: redisUse(place),
    unanswered: redisRecentList({ ...place, ...UNANSWERED, name: 'unanswered' }),
    homeAdmins: redisRecentList({ ...place, ...HOME_ADMINS, name: 'home-admins' }),
    openHomes: redisRecentList({ ...place, ...OPEN_HOMES, name: 'open-homes' }),
    people: redisPeople(place),
  }
  return {
    ...kept,
    forgetting: forgettingIn(kept, { now, teams: () => teamsIn(redis, prefix) }),
    mcp: config.MCP_CONFIG ? redisMcpStore(place) : undefined,
    installs:
      config.SLACK_CLIENT_ID && sealer
        ? {
            records: redisInstallations({ ...place, sealer }),
            shared: redisMcpStore({ ...place, room: INSTALLS_ROOM }),
          }
        : undefined,
    control: queue.control,
    durable: true,
    close: async () => redis.disconnect(),
  }
}

/** The tag of each of our keys begins with its team, which is a Slack id. */
async function teamsIn(redis: RedisClient, prefix: string): Promise<string[]> {
  const teams = new Set<string>()
  for await (const keys of scanKeys(redis, threadKey(prefix, '*', '*')))
    for (const key of keys) teams.add(/^[TE][A-Z0-9]+(?=[:}])/.exec(key.slice(prefix.length + 2))?.[0] ?? '')
  teams.delete('')
  return [...teams]
}

/**
 * How long a run may wait for Slack, in addition to the time for condensing (half of the agent's) and for the agent.
 */
const DELIVERY_MS = 120_000

function limitsOf(config: Config, parts: { redis?: RedisClient; now: () => number }): UsageLimits | undefined {
  const settings = {
    userHour: config.LIMIT_USER_HOUR,
    channelHour: config.LIMIT_CHANNEL_HOUR,
    teamRuns: config.LIMIT_TEAM_RUNS,
    userDayTokens: config.BUDGET_USER_DAY_TOKENS,
    teamDayTokens: config.BUDGET_TEAM_DAY_TOKENS,
    teamDayUsd: config.BUDGET_TEAM_DAY_USD,
  }
  return createUsageLimits(settings, {
    ...parts,
    prefix: config.REDIS_PREFIX,
    runMs: 2 * config.AGENT_TIMEOUT_MS + DELIVERY_MS,
    suspendedMs: suspendedMs(config),
  })
}

function suspendedMs({ APPROVAL_HOURS }: Config): number {
  return APPROVAL_HOURS * HOUR_MS
}
