import { once } from '../../base/async.ts'
import { sealerFrom } from '../../base/encryption.ts'
import type { Config } from '../../config.ts'
import { memoryFiles } from '../../files/memory-files.ts'
import { memoryQueue } from '../../queue/memory-queue.ts'
import { memoryArchive } from '../../stores/archive/memory-archive.ts'
import { memoryAudit } from '../../stores/audit/memory-audit.ts'
import { memoryHistory } from '../../stores/history/memory-history.ts'
import { createInstallations } from '../../stores/installations/installation-store.ts'
import { createOncePerDay } from '../../stores/limits/once-per-day.ts'
import { createValues } from '../../stores/values/value-store.ts'
import { createPeople } from '../../stores/values/people-store.ts'
import { createRecentList } from '../../stores/recent-list.ts'
import { createRemembered } from '../../stores/remembered/remembered.ts'
import { Schedules } from '../../stores/schedules/schedule-store.ts'
import { createChannelSettings } from '../../stores/settings/settings.ts'
import { memoryThreads } from '../../stores/threads/memory-threads.ts'
import { createActionTokens } from '../../stores/tokens/action-tokens.ts'
import { memoryUse } from '../../stores/use/memory-use.ts'
import { forgettingIn } from './forget-all.ts'
import { boundsOf, freeRequestsOf, HOME_ADMINS, limitsOf, OPEN_HOMES, UNANSWERED } from './store-bounds.ts'
import { INSTALLS_ROOM, type StoreContext, type Stores } from './stores.ts'
import { memoryKv } from '../../stores/kv/memory-kv.ts'

/** Opens the stores in this process's memory. */
export function storesInMemory(config: Config, { log, now }: StoreContext): Stores {
  const { ttlMs, rememberedTtlMs, queue: queueBounds } = boundsOf(config)
  const sealer = sealerFrom(config)
  const kv = () => memoryKv({ now })
  const queue = memoryQueue({ ...queueBounds, log, now })
  const stores = {
    history: memoryHistory({ ttlMs, now }),
    archive: memoryArchive({ ttlMs, now }),
    audit: memoryAudit({ now }),
    threads: memoryThreads({ ttlMs, now }),
    actionTokens: createActionTokens(kv(), { log, sealer }),
    channelSettings: createChannelSettings(kv(), { log, now }),
    schedules: new Schedules(kv(), { log, now, sealer }),
    remembered: createRemembered(kv(), { ttlMs: rememberedTtlMs, log, now, sealer }),
    files: once(async () => memoryFiles({ ttlMs, now })),
    queue,
    limits: limitsOf(config, { now }),
    freeRequests: freeRequestsOf(config, { now }),
    oncePerDay: createOncePerDay(kv()),
    use: memoryUse({ now }),
    unanswered: createRecentList(kv(), { ...UNANSWERED, now }),
    homeAdmins: createRecentList(kv(), { ...HOME_ADMINS, now }),
    openHomes: createRecentList(kv(), { ...OPEN_HOMES, now }),
    people: createPeople(kv()),
  }
  return {
    ...stores,
    forgetting: forgettingIn(stores, { now, teams: async () => [] }),
    mcp: config.MCP_CONFIG ? createValues(kv(), { room: 'mcp' }) : undefined,
    installs:
      config.SLACK_CLIENT_ID && sealer
        ? { records: createInstallations(kv(), sealer), shared: createValues(kv(), { room: INSTALLS_ROOM }) }
        : undefined,
    control: queue.control,
    durable: false,
    close: async () => {},
  }
}
