/**
 * What happens to questions, as plain facts for the metrics and the traces. Each is reported once, when it is over.
 * Durations are milliseconds; `from` is milliseconds since the epoch.
 */
import type { ModelRequest, ToolCall, Usage } from '../agent/types.ts'
import type { Accepted } from '../queue/types.ts'
import type { Question } from '../run/types.ts'

/**
 * How a question ended: answered by the model; `stopped` by a budget, with its best answer; `gave_up` without one; `failed`,
 * and the asker was told so; `undelivered`, because Slack takes no answer there; `given_up` by the queue.
 */
export type Outcome = 'answered' | 'stopped' | 'gave_up' | 'failed' | 'undelivered' | 'given_up'
export const OUTCOMES: Outcome[] = ['answered', 'stopped', 'gave_up', 'failed', 'undelivered', 'given_up']

/** A delivery: taken in, seen before, or not for the bot; `failed` was not acked. */
export interface IntakeFact {
  kind: 'intake'
  question: Question
  outcome: Accepted | 'failed'
  ms: number
}

/** A worker took a question up for the first time; `ms` since it came in. */
export interface TakenUpFact {
  kind: 'taken_up'
  question: Question
  ms: number
}

/** The asker sees for the first time that somebody is at it; `ms` since the question came in. */
export interface FirstSignFact {
  kind: 'first_sign'
  question: Question
  ms: number
}

/** One call of one model, its retries included. */
export interface ModelFact {
  kind: 'model'
  model: string
  outcome: 'ok' | 'failed' | 'timeout' | 'aborted'
  from: number
  ms: number
  /** Until the first word; absent where none came. */
  firstMs?: number
  retries: number
  /** One for each try that cost something. */
  usages: Usage[]
  /** A short, low-cardinality name for what went wrong, such as `429`. */
  error?: string
  /** What was sent and what came back: content, which only a reader that was asked to may keep. */
  request: ModelRequest
  text: string
  toolCalls: ToolCall[]
}

/** One tool call of the agent. `tool` is one of the known names or `unknown`, whatever the model wrote. */
export interface ToolFact {
  kind: 'tool'
  tool: string
  ok: boolean
  from: number
  ms: number
  callId?: string
  /** Content, as in ModelFact. */
  input: unknown
  output: string
}

/** One try at one call of Slack's Web API. `outcome` is `ok`, Slack's error code, or a word for a broken line. */
export interface SlackFact {
  kind: 'slack'
  method: string
  outcome: string
  ms: number
  /** How many tries went before. */
  attempt: number
}

/** A question is done with; `ms` since it came in. */
export interface EndingFact {
  kind: 'ending'
  question: Question
  outcome: Outcome
  steps: number
  ms: number
}

/** A worker put a question down that another attempt will take up. */
export interface PutDownFact {
  kind: 'put_down'
  question: Question
}

/** A limit stood against a question; it was not answered. */
export interface RefusedFact {
  kind: 'refused'
  question: Question
  limit: string
}

/** A circuit breaker opened (the model is spared) or closed. */
export interface BreakerFact {
  kind: 'breaker'
  model: string
  isOpen: boolean
}

/** Socket Mode's connection is there, or not. */
export interface SocketFact {
  kind: 'socket'
  isConnected: boolean
}

/** What others than the telemetry itself tell of. */
export type ReportedEvent = SlackFact | RefusedFact | BreakerFact | SocketFact
export type TelemetryEvent =
  ReportedEvent | IntakeFact | TakenUpFact | FirstSignFact | ModelFact | ToolFact | EndingFact | PutDownFact
