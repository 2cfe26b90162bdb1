import { once } from '../../base/async.ts'
import { sealerFrom } from '../../base/encryption.ts'
import type { Log } from '../../base/log.ts'
import type { RedisClient } from '../../base/redis/redis.ts'
import type { Config } from '../../config.ts'
import { createFiles } from '../../files/store/file-store.ts'
import type { ControlledQueue } from '../../queue/types.ts'
import { createArchive } from '../../stores/archive/run-archive.ts'
import { createAuditLog } from '../../stores/audit/audit-log.ts'
import { createHistory } from '../../stores/history/history-store.ts'
import { installStores } from '../../stores/installations/installation-store.ts'
import type { Kv } from '../../stores/kv/kv.ts'
import { createOncePerDay } from '../../stores/limits/once-per-day.ts'
import { createRecentList } from '../../stores/recent-list.ts'
import { createRemembered } from '../../stores/remembered/remembered.ts'
import { Schedules } from '../../stores/schedules/schedule-store.ts'
import type { ScheduleStore } from '../../stores/schedules/types.ts'
import { createChannelSettings } from '../../stores/settings/settings.ts'
import { createThreadStates } from '../../stores/threads/thread-states.ts'
import { createSearchTokens } from '../../stores/search-tokens/search-tokens.ts'
import { createUseStore } from '../../stores/use/use-store.ts'
import { createPeople } from '../../stores/values/people-store.ts'
import { createValues, MCP_ROOM } from '../../stores/values/value-store.ts'
import { boundsOf, freeRequestsOf, HOME_ADMINS, limitsOf, OPEN_HOMES, UNANSWERED } from './store-bounds.ts'

/** The dependencies of the stores. */
export interface StoreContext {
  log: Log
  now: () => number
}

/** Where everything is stored: Redis, or this process's memory. */
export interface Storage {
  /** Each store has its own bound in memory; Redis has none. */
  kvFor(options?: { maxBytes: number }): Kv
  queue: ControlledQueue
  redis?: RedisClient
  close(): void
}

/** The bounds of the largest stores in memory. */
const MEMORY = { archive: { maxBytes: 128_000_000 }, files: { maxBytes: 256_000_000 } }

/** The stores of conversations and work, each over its own part of the storage. */
export type EachStore = ReturnType<typeof openEach>

export function openEach(config: Config, { kvFor, queue, redis }: Storage, { log, now }: StoreContext) {
  const { ttlMs, rememberedTtlMs } = boundsOf(config)
  const sealer = sealerFrom(config)
  const schedules: ScheduleStore = new Schedules(kvFor(), { log, now, sealer })
  return {
    history: createHistory(kvFor(), { log, ttlMs }),
    /** The runs that have ended. */
    archive: createArchive(kvFor(MEMORY.archive), { log, prefix: config.REDIS_PREFIX, ttlMs, sealer, now }),
    /** Every write of a run. */
    audit: createAuditLog(kvFor(), { now }),
    threads: createThreadStates(kvFor(), { ttlMs }),
    searchTokens: createSearchTokens(kvFor(), { log, sealer }),
    channelSettings: createChannelSettings(kvFor(), { log, now }),
    schedules,
    /** The texts that people asked the bot to remember. */
    remembered: createRemembered(kvFor(), { ttlMs: rememberedTtlMs, log, now, sealer }),
    /** Opened when the first file comes, or before forgetting. */
    files: once(async () => createFiles(kvFor(MEMORY.files), { log, ttlMs, sealer })),
    queue,
    oncePerDay: createOncePerDay(kvFor()),
    /** The use of the bot, and its limits. */
    usage: {
      /** Undefined if there are no limits. */
      limits: limitsOf(config, redis, now),
      freeRequests: freeRequestsOf(config, redis, now),
      records: createUseStore(kvFor()),
      /** The ids of questions that could not be answered. */
      unanswered: createRecentList(kvFor(), { ...UNANSWERED, now }),
    },
    /** The people who have opened the Home. */
    home: {
      /** The ids of the admins among them. */
      admins: createRecentList(kvFor(), { ...HOME_ADMINS, now }),
      /**
       * The people whose Home may still be open, with their direct messages with the bot (slack/home/publish-home.ts).
       */
      open: createRecentList(kvFor(), { ...OPEN_HOMES, now }),
    },
    /** Values that belong to single people, above all their logins. */
    people: createPeople(kvFor()),
    /** Only if MCP_CONFIG is set. */
    mcp: config.MCP_CONFIG ? createValues(kvFor(), { room: MCP_ROOM }) : undefined,
    /** Only if SLACK_CLIENT_ID is set. */
    installs: config.SLACK_CLIENT_ID && sealer ? installStores(kvFor(), sealer) : undefined,
  }
}
