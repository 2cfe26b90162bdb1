import { once } from '../../base/async.ts'
import { requireUsableRedis } from '../../base/redis/redis-check.ts'
import { scanKeys, threadKey } from '../../base/redis/redis-keys.ts'
import { connect, type RedisClient } from '../../base/redis/redis.ts'
import { sealerFrom } from '../../base/encryption.ts'
import { systemNow } from '../../base/system-clock.ts'
import type { Config } from '../../config.ts'
import { redisFiles } from '../../files/redis-files.ts'
import { redisQueue } from '../../queue/redis-queue.ts'
import { redisArchive } from '../../stores/archive/redis-archive.ts'
import { redisAudit } from '../../stores/audit/redis-audit.ts'
import { redisHistory } from '../../stores/history/redis-history.ts'
import { createInstallations } from '../../stores/installations/installation-store.ts'
import { createOncePerDay } from '../../stores/limits/once-per-day.ts'
import { createValues } from '../../stores/values/value-store.ts'
import { createPeople } from '../../stores/values/people-store.ts'
import { createRecentList } from '../../stores/recent-list.ts'
import { createRemembered } from '../../stores/remembered/remembered.ts'
import { Schedules } from '../../stores/schedules/schedule-store.ts'
import { createChannelSettings } from '../../stores/settings/settings.ts'
import { redisThreads } from '../../stores/threads/redis-threads.ts'
import { createActionTokens } from '../../stores/tokens/action-tokens.ts'
import { redisUse } from '../../stores/use/redis-use.ts'
import { forgettingIn } from './forget-all.ts'
import { boundsOf, freeRequestsOf, HOME_ADMINS, limitsOf, OPEN_HOMES, UNANSWERED } from './store-bounds.ts'
import { INSTALLS_ROOM, type StoreContext, type Stores } from './stores.ts'
import { redisKv } from '../../stores/kv/redis-kv.ts'

/**
 * Opens the stores in the Redis at `url`. The queue has the system's clock, as BullMQ does.
 * @throws ConfigError if Redis does not answer
 */
export async function storesInRedis(url: string, config: Config, { log, now }: StoreContext): Promise<Stores> {
  const { REDIS_PREFIX: prefix, ROLE: role, WORKER_LOCK_MS: lockMs } = config
  const { ttlMs, rememberedTtlMs, queue: queueBounds } = boundsOf(config)
  await requireUsableRedis({ url }, { log, prefix })
  const redis = connect({ url }, { purpose: 'work', log })
  // BullMQ gives a lost job to another worker at the first check after its lock expired. The workers share these
  // checks, each at its own times, so it may take up to two intervals.
  const locks = { lockMs, stalledMs: Math.ceil(lockMs / 3) }
  const queue = redisQueue({ ...queueBounds, ...locks, redis: { url }, log, now: systemNow, prefix, role })
  const place = { redis, log, prefix, now }
  const sealer = sealerFrom(config)
  const kv = redisKv(place)
  const stores = {
    history: redisHistory({ ...place, ttlMs }),
    archive: redisArchive({ ...place, ttlMs, sealer }),
    audit: redisAudit(place),
    threads: redisThreads({ ...place, ttlMs }),
    actionTokens: createActionTokens(kv, { log, sealer }),
    channelSettings: createChannelSettings(kv, { log, now }),
    schedules: new Schedules(kv, { log, now, sealer }),
    remembered: createRemembered(kv, { ttlMs: rememberedTtlMs, log, now, sealer }),
    files: once(async () => redisFiles({ ...place, ttlMs, sealer })),
    queue,
    limits: limitsOf(config, { redis, now }),
    freeRequests: freeRequestsOf(config, { redis, now }),
    oncePerDay: createOncePerDay(kv),
    use: redisUse(place),
    unanswered: createRecentList(kv, { ...UNANSWERED, now }),
    homeAdmins: createRecentList(kv, { ...HOME_ADMINS, now }),
    openHomes: createRecentList(kv, { ...OPEN_HOMES, now }),
    people: createPeople(kv),
  }
  return {
    ...stores,
    forgetting: forgettingIn(stores, { now, teams: () => teamsIn(redis, prefix) }),
    mcp: config.MCP_CONFIG ? createValues(kv, { room: 'mcp' }) : undefined,
    installs:
      config.SLACK_CLIENT_ID && sealer
        ? {
            records: createInstallations(kv, sealer),
            shared: createValues(kv, { room: INSTALLS_ROOM }),
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
