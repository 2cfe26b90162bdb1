import type { Connections } from '../question/connections.ts'
import type { AnswerServices } from '../question/services.ts'
import type { McpAdmin } from '../mcp/tools/mcp-admin.ts'
import type { Queue } from '../queue/types.ts'
import type { SettingsFor } from '../stores/settings/settings.ts'
import type { Installations } from './client/installations.ts'
import type { SlackAccount } from './client/slack-account.ts'
import type { SearchInfo } from './client/search-info.ts'

/** What the Slack adapter works with. `bot.ts` builds it once; every listener and every handler gets this one object. */
export interface Services extends AnswerServices {
  /** The queue as people's questions go in and come out; telemetry sees them. Our own requeueing takes `queue`. */
  intake: Queue
  installations: Installations
  /** Returns the settings of a place: the operator's, and in their place what the channel has set. */
  settingsFor: SettingsFor
  /** Returns the operator's settings of a place, without what the channel has set. */
  defaultsFor: SettingsFor
  /** SCHEDULES_PER_USER and SCHEDULE_MIN_MINUTES. Absent where nobody makes schedules. */
  scheduling?: { perUser: number; minMinutes: number } | undefined
  /** Questions to try, on Home and in direct messages; the operator's in place of `EXAMPLES`. */
  examples?: readonly string[] | undefined
  /** Whether workspaces let apps search. Absent where Slack is not asked. */
  search?: SearchInfo | undefined
  /** What admins see of MCP servers and decide about them. Absent without MCP_CONFIG. */
  mcpAdmin?: McpAdmin | undefined
  /** What people connect with logins of their own. Absent where there is nothing. */
  connections?: Connections | undefined
  /** People's own search in Slack. Absent without a client id. */
  slackAccount?: SlackAccount | undefined
  /** Called with each thumb. Absent where nothing is measured. */
  onFeedback?: ((rating: 'up' | 'down') => void) | undefined
  /** Called at the start and at each change of Socket Mode's connection. Absent where nothing is measured. */
  onConnection?: ((isConnected: boolean) => void) | undefined
  fetch?: typeof globalThis.fetch | undefined
}
