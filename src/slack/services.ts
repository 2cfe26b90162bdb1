import type { Connections } from '../question/connections/connections.ts'
import type { AnswerServices, AnswerTelemetry } from '../question/services.ts'
import type { Transcribe } from '../model/transcribe.ts'
import type { Queue } from '../queue/types.ts'
import type { SettingsFor } from '../stores/settings/settings.ts'
import type { Installation, Installations } from './client/installations.ts'
import type { SlackAccount } from './client/search-grant.ts'
import type { SearchInfo } from './client/is-search-on.ts'

/**
 * The services of the Slack adapter, by role. `bot.ts` builds them once; all listeners and handlers get this one
 * object.
 */
export interface Services extends AnswerServices {
  /** The queue as telemetry observes it, for people's questions. Our own requeueing uses `queue`. */
  intake: Queue
  installations: Installations
  /** Returns the settings of a place: the operator's, replaced by the channel's own. */
  settingsFor: SettingsFor
  operator: OperatorSettings
  /** Transcribes recordings. Absent without TRANSCRIBE_MODEL. */
  transcribe?: Transcribe | undefined
  search: WorkspaceSearch
  /** People's connections to their own accounts. Absent if there are none. */
  connections?: Connections | undefined
  telemetry: SlackTelemetry
  fetch?: typeof globalThis.fetch | undefined
}

/** What no channel changes. */
interface OperatorSettings {
  /** Returns the operator's settings of a place, without the channel's own. */
  settingsFor: SettingsFor
  /** SCHEDULES_PER_USER, 0 if schedules are turned off, and SCHEDULE_MIN_MINUTES. */
  scheduling: { perUser: number; minMinutes: number }
  /** Example questions, on Home and in direct messages; instead of `EXAMPLES`. */
  examples?: readonly string[] | undefined
  /** The emoji that asks about a message (ASK_REACTION), without colons. Absent if none does. */
  askReaction?: string | undefined
}

/** The search in Slack. */
interface WorkspaceSearch {
  /** Whether workspaces let apps search. Absent if nothing searches. */
  info?: SearchInfo | undefined
  /** People's own search. Absent without a client id. */
  account?: SlackAccount | undefined
}

/** What observes the adapter. Empty if nothing is measured. */
interface SlackTelemetry extends AnswerTelemetry {
  /** Called with each thumb. */
  onFeedback?: ((rating: 'up' | 'down') => void) | undefined
  /** Called at the start and at each change of Socket Mode's connection. */
  onConnection?: ((isConnected: boolean) => void) | undefined
}

/** The services, with the installation of the workspace that they are needed for. */
export interface WorkspaceServices {
  installation: Installation
  services: Services
}

/** Returns whether SCHEDULES_PER_USER turns schedules off. */
export function areSchedulesOff({ operator }: Services): boolean {
  return operator.scheduling.perUser === 0
}
