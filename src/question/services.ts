import type { Question, Run } from '../stores/runs/types.ts'
import type { Usage } from '../agent/contracts/model.ts'
import type { Log } from '../base/log.ts'
import type { Settings } from '../stores/settings/settings.ts'
import type { AnswerWatch } from './answer.ts'
import type { AgentParts } from './agent/agent-parts.ts'
import type { Stores } from './stores/open-stores.ts'

/** The services for answering questions, for any display. */
export interface AnswerServices extends Stores {
  agent: AgentParts
  telemetry: AnswerTelemetry
  log: Log
  now(): Date
}

export interface AnswerTelemetry {
  /** Observes each answer. Absent if nothing is measured. */
  watch?: AnswerWatch | undefined
}

/** One question that a worker has taken, and everything that the work on it needs. */
export interface RunWork {
  question: Question
  run: Run
  /** Aborted when this process hands the run over. */
  signal: AbortSignal
  /** The settings of the question's channel at this moment. */
  settings: Settings
  services: AnswerServices
}

/** Options for releasing a question from the usage limits. */
export interface Release {
  /** The question is not counted. Its cost is booked in any case. */
  refund?: boolean
  /** The model calls so far, if they are more than the run has saved. */
  usage?: Usage[]
}
