import type { WorkspaceReader } from '../agent/types.ts'
import type { AgentDeps } from '../agent/agent.ts'
import type { AnswerDeps, AnswerWatch } from '../question/answer.ts'
import type { RunArchive } from '../stores/archive/types.ts'
import type { AuditLog } from '../stores/audit/types.ts'
import type { FileStore } from '../files/file-store.ts'
import type { SaidOnce } from '../stores/limits/said-once.ts'
import type { UsageLimits } from '../stores/limits/usage-limits.ts'
import type { Log } from '../base/log.ts'
import type { Queue } from '../queue/types.ts'
import type { FileRef, Question, Run } from '../stores/runs/types.ts'
import type { ThreadStates } from '../stores/threads/types.ts'
import type { ActionTokens } from '../stores/tokens/action-tokens.ts'
import type { SearchInfo } from './reading/search-info.ts'
import type { Installation, Installations } from './client/installations.ts'
import type { Settings, SettingsFor } from '../stores/settings/settings.ts'

/** A file and the person who gave it, with their workspace if Slack names it. */
export interface GivenFile extends FileRef {
  user: string
  userTeam?: string
}

/** The question and the workspace that a tool reads for it. */
export interface WorkspaceWork {
  question: Question
  installation: Installation
  /** The tokens with which a question may search. */
  actionTokens: ActionTokens
  now(): Date
}

/** The dependencies of the question handlers. */
export interface HandleQuestionOptions {
  installations: Installations
  settingsFor: SettingsFor
  /** The dependencies of answering, without the settings of the question's place. */
  answer: Omit<AnswerDeps, 'agent'> & { agent: Omit<AgentDeps, 'model' | 'dialect' | 'tools'> }
  /** Stores the records of runs that ended. */
  archive: RunArchive
  /** Records every write. */
  audit: AuditLog
  threads: ThreadStates
  /** Opened for the first question with files. */
  files(): Promise<FileStore>
  queue: Queue
  /** The tokens with which a question may search. */
  actionTokens: ActionTokens
  /** Opens a question's workspace for a tool that reads it. */
  openWorkspace(work: WorkspaceWork): Promise<WorkspaceReader>
  /** Whether the workspace lets apps search; absent if Slack is not asked. */
  search?: SearchInfo | undefined
  /** Fair use; absent if nothing is limited. */
  limits?: UsageLimits | undefined
  /** Remembers who was told that they may not ask, so that they are told once a day. */
  saidOnce: SaidOnce
  /** Whether the queue hands a run over when this process stops; otherwise the asker is told. */
  durable: boolean
  /** Absent if nothing is measured. */
  watch?: AnswerWatch | undefined
  log: Log
  fetch?: typeof globalThis.fetch | undefined
  now(): Date
}

/** The part of a question's work that its files need. */
export interface FileWork {
  question: Question
  run: Run
  settings: Pick<Settings, 'access'>
  installation: Installation
  signal: AbortSignal
  log: Log
  options: Pick<HandleQuestionOptions, 'files' | 'answer' | 'fetch' | 'now'>
}
