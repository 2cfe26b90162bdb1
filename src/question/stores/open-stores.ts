import { once } from '../../base/async.ts'
import { sealerFrom } from '../../base/encryption.ts'
import type { Config } from '../../config.ts'
import { createFiles } from '../../files/store/file-store.ts'
import { memoryQueue } from '../../queue/memory-queue.ts'
import { createArchive } from '../../stores/archive/run-archive.ts'
import { createAuditLog } from '../../stores/audit/audit-log.ts'
import { createHistory } from '../../stores/history/history-store.ts'
import { createInstallations } from '../../stores/installations/installation-store.ts'
import { kvKey, tagsMatching, type Kv } from '../../stores/kv/kv.ts'
import { memoryKv } from '../../stores/kv/memory-kv.ts'
import { createOncePerDay } from '../../stores/limits/once-per-day.ts'
import { createRecentList } from '../../stores/recent-list.ts'
import { createRemembered } from '../../stores/remembered/remembered.ts'
import { Schedules } from '../../stores/schedules/schedule-store.ts'
import { createChannelSettings } from '../../stores/settings/settings.ts'
import { createThreadStates } from '../../stores/threads/thread-states.ts'
import { createActionTokens } from '../../stores/tokens/action-tokens.ts'
import { createUseStore } from '../../stores/use/use-store.ts'
import { createPeople } from '../../stores/values/people-store.ts'
import { createValues } from '../../stores/values/value-store.ts'
import { forgettingAll } from './forget-all.ts'
import { boundsOf, freeRequestsOf, HOME_ADMINS, limitsOf, OPEN_HOMES, UNANSWERED } from './store-bounds.ts'
import { INSTALLS_ROOM, MCP_ROOM, type Storage, type StoreContext, type Stores } from './stores.ts'

/** The bounds of the largest stores in memory. */
const MEMORY = { archive: { maxBytes: 128_000_000 }, files: { maxBytes: 256_000_000 } }

/**
 * Opens the stores in Redis if REDIS_URL is set, else in this process's memory.
 * @throws ConfigError if Redis does not answer
 */
export async function createStores(config: Config, context: StoreContext): Promise<Stores> {
  const { log, now } = context
  const storage = await openStorage(config, context)
  const { kvFor, queue, redis } = storage
  const { ttlMs, rememberedTtlMs } = boundsOf(config)
  const sealer = sealerFrom(config)
  const stores = {
    history: createHistory(kvFor(), { log, ttlMs }),
    archive: createArchive(kvFor(MEMORY.archive), { log, prefix: config.REDIS_PREFIX, ttlMs, sealer, now }),
    audit: createAuditLog(kvFor(), { now }),
    threads: createThreadStates(kvFor(), { ttlMs }),
    actionTokens: createActionTokens(kvFor(), { log, sealer }),
    channelSettings: createChannelSettings(kvFor(), { log, now }),
    schedules: new Schedules(kvFor(), { log, now, sealer }),
    remembered: createRemembered(kvFor(), { ttlMs: rememberedTtlMs, log, now, sealer }),
    files: once(async () => createFiles(kvFor(MEMORY.files), { log, ttlMs, sealer })),
    queue,
    oncePerDay: createOncePerDay(kvFor()),
    usage: {
      limits: limitsOf(config, { redis, now }),
      freeRequests: freeRequestsOf(config, { redis, now }),
      records: createUseStore(kvFor()),
      unanswered: createRecentList(kvFor(), { ...UNANSWERED, now }),
    },
    home: {
      admins: createRecentList(kvFor(), { ...HOME_ADMINS, now }),
      open: createRecentList(kvFor(), { ...OPEN_HOMES, now }),
    },
    people: createPeople(kvFor()),
  }
  return {
    ...stores,
    forgetting: forgettingAll(stores, now, () => teamsIn(kvFor())),
    mcp: config.MCP_CONFIG ? createValues(kvFor(), { room: MCP_ROOM }) : undefined,
    installs:
      config.SLACK_CLIENT_ID && sealer
        ? { records: createInstallations(kvFor(), sealer), shared: createValues(kvFor(), { room: INSTALLS_ROOM }) }
        : undefined,
    control: queue.control,
    durable: redis !== undefined,
    close: async () => storage.close(),
  }
}

async function openStorage(config: Config, context: StoreContext): Promise<Storage> {
  if (config.REDIS_URL) {
    // BullMQ and ioredis are loaded only with Redis.
    const { openRedis } = await import('./open-redis.ts')
    return openRedis(config.REDIS_URL, config, context)
  }
  const { log, now } = context
  const queue = memoryQueue({ ...boundsOf(config).queue, log, now })
  return { kvFor: (options) => memoryKv({ ...options, now }), queue, close() {} }
}

/** The tag of each of our keys in Redis begins with its team, which is a Slack id. */
async function teamsIn(kv: Kv): Promise<string[]> {
  const tags = await tagsMatching(kv, kvKey('*', '*'))
  return [...new Set(tags.flatMap((tag) => /^[TE][A-Z0-9]+(?=:|$)/.exec(tag) ?? []))]
}
