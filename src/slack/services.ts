import type { Connections } from '../question/connections/connections.ts'
import type { AnswerServices } from '../question/services.ts'
import type { McpAdmin } from '../mcp/tools/mcp-admin.ts'
import type { Transcribe } from '../model/transcribe.ts'
import type { Queue } from '../queue/types.ts'
import type { SettingsFor } from '../stores/settings/settings.ts'
import type { Installation, Installations } from './client/installations.ts'
import type { SlackAccount } from './client/slack-account.ts'
import type { SearchInfo } from './client/is-search-on.ts'

/** The services of the Slack adapter. `bot.ts` builds them once; all listeners and handlers get this one object. */
export interface Services extends AnswerServices {
  /** The queue as telemetry observes it, for people's questions. Our own requeueing uses `queue`. */
  intake: Queue
  installations: Installations
  /** Returns the settings of a place: the operator's, replaced by the channel's own. */
  settingsFor: SettingsFor
  /** Returns the operator's settings of a place, without the channel's own. */
  defaultsFor: SettingsFor
  /** SCHEDULES_PER_USER and SCHEDULE_MIN_MINUTES. Absent if schedules are turned off. */
  scheduling?: { perUser: number; minMinutes: number } | undefined
  /** Example questions, on Home and in direct messages; the operator's instead of `EXAMPLES`. */
  examples?: readonly string[] | undefined
  /** The emoji that asks about a message (ASK_REACTION), without colons. Absent if none does. */
  askReaction?: string | undefined
  /** Transcribes recordings. Absent without TRANSCRIBE_MODEL. */
  transcribe?: Transcribe | undefined
  /** Whether workspaces let apps search. Absent if nothing searches. */
  search?: SearchInfo | undefined
  /** The MCP servers as admins see and accept them. Absent without MCP_CONFIG. */
  mcpAdmin?: McpAdmin | undefined
  /** People's connections to their own accounts. Absent if there are none. */
  connections?: Connections | undefined
  /** People's own search in Slack. Absent without a client id. */
  slackAccount?: SlackAccount | undefined
  /** Called with each thumb. Absent if nothing is measured. */
  onFeedback?: ((rating: 'up' | 'down') => void) | undefined
  /** Called at the start and at each change of Socket Mode's connection. Absent if nothing is measured. */
  onConnection?: ((isConnected: boolean) => void) | undefined
  fetch?: typeof globalThis.fetch | undefined
}

/** The services, with the installation of the workspace that they are needed for. */
export interface WorkspaceServices {
  installation: Installation
  services: Services
}

/** Returns whether SCHEDULES_PER_USER turns schedules off. */
export function areSchedulesOff({ scheduling }: Pick<Services, 'scheduling'>): boolean {
  return (scheduling?.perUser ?? 0) === 0
}
