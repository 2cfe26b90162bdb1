import { once } from '../../base/async.ts'
import { sealerFrom } from '../../base/encryption.ts'
import type { Config } from '../../config.ts'
import { memoryFiles } from '../../files/memory-files.ts'
import { memoryQueue } from '../../queue/memory-queue.ts'
import { memoryArchive } from '../../stores/archive/memory-archive.ts'
import { memoryAudit } from '../../stores/audit/memory-audit.ts'
import { memoryHistory } from '../../stores/history/memory-history.ts'
import { memoryInstallations } from '../../stores/installations/installation-store.ts'
import { memoryOncePerDay } from '../../stores/limits/once-per-day.ts'
import { memoryMcpStore } from '../../stores/mcp/mcp-store.ts'
import { memoryPeople } from '../../stores/mcp/people-store.ts'
import { memoryRecentList } from '../../stores/recent-list.ts'
import { memoryRemembered } from '../../stores/remembered/remembered.ts'
import { memorySchedules } from '../../stores/schedules/memory-schedules.ts'
import { memoryChannelSettings } from '../../stores/settings/settings.ts'
import { memoryThreads } from '../../stores/threads/memory-threads.ts'
import { memoryActionTokens } from '../../stores/tokens/action-tokens.ts'
import { memoryUse } from '../../stores/use/memory-use.ts'
import { forgettingIn } from './forget-all.ts'
import { boundsOf, freeRequestsOf, HOME_ADMINS, limitsOf, OPEN_HOMES, UNANSWERED } from './store-bounds.ts'
import type { StoreContext, Stores } from './stores.ts'

/** Opens the stores in this process's memory. */
export function storesInMemory(config: Config, { log, now }: StoreContext): Stores {
  const { ttlMs, rememberedTtlMs, queue: queueBounds } = boundsOf(config)
  const sealer = sealerFrom(config)
  const queue = memoryQueue({ ...queueBounds, log, now })
  const stores = {
    history: memoryHistory({ ttlMs, now }),
    archive: memoryArchive({ ttlMs, now }),
    audit: memoryAudit({ now }),
    threads: memoryThreads({ ttlMs, now }),
    actionTokens: memoryActionTokens({ now }),
    channelSettings: memoryChannelSettings({ now }),
    schedules: memorySchedules({ log, now }),
    remembered: memoryRemembered({ ttlMs: rememberedTtlMs, now }),
    files: once(async () => memoryFiles({ ttlMs, now })),
    queue,
    limits: limitsOf(config, { now }),
    freeRequests: freeRequestsOf(config, { now }),
    oncePerDay: memoryOncePerDay({ now }),
    use: memoryUse({ now }),
    unanswered: memoryRecentList({ ...UNANSWERED, now }),
    homeAdmins: memoryRecentList({ ...HOME_ADMINS, now }),
    openHomes: memoryRecentList({ ...OPEN_HOMES, now }),
    people: memoryPeople({ now }),
  }
  return {
    ...stores,
    forgetting: forgettingIn(stores, { now, teams: async () => [] }),
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
