import type { Log } from '../../base/log.ts'
import type { FileStore } from '../../files/store/types.ts'
import type { RedisClient } from '../../base/redis/redis.ts'
import type { ControlledQueue, Queue } from '../../queue/types.ts'
import type { Kv } from '../../stores/kv/kv.ts'
import type { RunArchive } from '../../stores/archive/types.ts'
import type { AuditLog } from '../../stores/audit/types.ts'
import type { History } from '../../stores/history/types.ts'
import type { InstallationStore } from '../../stores/installations/types.ts'
import type { OncePerDay } from '../../stores/limits/once-per-day.ts'
import type { FreeRequests } from '../../stores/limits/free-requests.ts'
import type { UsageLimits } from '../../stores/limits/usage-limits.ts'
import type { ValueStore } from '../../stores/values/value-store.ts'
import type { PeopleStore } from '../../stores/values/people-store.ts'
import type { RecentList } from '../../stores/recent-list.ts'
import type { RememberedStore } from '../../stores/remembered/types.ts'
import type { RunControl } from '../../stores/runs/run-control.ts'
import type { ScheduleStore } from '../../stores/schedules/types.ts'
import type { ChannelSettingsStore } from '../../stores/settings/settings.ts'
import type { ThreadStates } from '../../stores/threads/types.ts'
import type { ActionTokens } from '../../stores/tokens/action-tokens.ts'
import type { UseStore } from '../../stores/use/types.ts'
import type { ForgettingAll } from './forget-all.ts'

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
  oncePerDay: OncePerDay
  usage: UsageStores
  home: HomeStores
  /** Only if MCP_CONFIG is set. */
  mcp: ValueStore | undefined
  /** Values that belong to single people, above all their logins. */
  people: PeopleStore
  /** Only if SLACK_CLIENT_ID is set. */
  installs: InstallStores | undefined
  /** Whether an accepted question outlives this process. */
  durable: boolean
  close(): Promise<void>
}

/** How much the bot is used, and may be. */
interface UsageStores {
  /** Absent if there are no limits. */
  limits?: UsageLimits | undefined
  freeRequests: FreeRequests
  records: UseStore
  /** The ids of questions that could not be answered. */
  unanswered: RecentList
}

/** Who has opened the Home. */
interface HomeStores {
  /** The ids of the admins among them. */
  admins: RecentList
  /** The people whose Home may still be open, with their direct messages with the bot (slack/home/publish-home.ts). */
  open: RecentList
}

/** The names that MCP's and the installations' shared values have in Redis. */
export const MCP_ROOM = 'mcp'
export const INSTALLS_ROOM = 'installs'

/**
 * The installations of the distributed app, and the values about them that processes share: one-use states, locks,
 * notes.
 */
export interface InstallStores {
  records: InstallationStore
  shared: ValueStore
}

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
