/**
 * The events behind metrics and traces. Each is reported once, when its subject is over. Durations are milliseconds;
 * `from` is milliseconds since the epoch.
 */
import type { ModelRequest, ToolCall, Usage } from '../agent/contracts/model.ts'
import type { AcceptOutcome } from '../queue/types.ts'
import type { Question } from '../stores/runs/types.ts'
import type { Outcome } from './question-outcome.ts'

/** The state of one call of one model, its retries included. */
export interface MeasuredCall {
  model: string
  from: number
  /** Milliseconds until the first piece of the stream; absent if none came. */
  firstMs?: number
  retries: number
  /** One for each try that used tokens. */
  usages: Usage[]
  /** The call's request and response. Spans have them only if OTEL_CAPTURE_CONTENT asks for it. */
  request: ModelRequest
  text: string
  reasoning: string
  toolCalls: ToolCall[]
}

/** A call that has ended. */
export interface ModelCallEvent extends MeasuredCall {
  kind: 'model'
  outcome: 'ok' | 'failed' | 'timeout' | 'aborted'
  ms: number
  /** A short, low-cardinality name for the error, such as `429`. */
  error?: string
}

/** One tool call of the agent. `tool` is one of the known names or `unknown`, whatever the model wrote. */
export interface ToolCallEvent {
  kind: 'tool'
  tool: string
  ok: boolean
  from: number
  ms: number
  callId?: string
  /** Content, as in ModelCallEvent. */
  input: unknown
  output: string
}

/** One try at one call of Slack's Web API. `outcome` is `ok`, Slack's error code, or a word for a failed connection. */
export interface SlackCallEvent {
  kind: 'slack'
  method: string
  outcome: string
  ms: number
  /** How many tries were made before it. */
  attempt: number
}

/** The events that are reported from outside the telemetry. */
export type ReportedEvent =
  | SlackCallEvent
  /** A limit refused a question. */
  | { kind: 'refused'; question: Question; limit: string }
  /** The circuit breaker of a model opened (it is not called) or closed. */
  | { kind: 'breaker'; model: string; isOpen: boolean }
  /** Socket Mode has connected or lost its connection. */
  | { kind: 'socket'; isConnected: boolean }
  /** A person rated an answer. */
  | { kind: 'feedback'; rating: 'up' | 'down' }

export type TelemetryEvent =
  | ReportedEvent
  | ModelCallEvent
  | ToolCallEvent
  /** A delivery from Slack: accepted, a duplicate or not for the bot. `failed`: it was not acked. */
  | { kind: 'intake'; question: Question; outcome: AcceptOutcome | 'failed'; ms: number }
  /** A worker starts on a question for the first time; `ms` since it came in. */
  | { kind: 'started'; question: Question; ms: number }
  /** The asker sees the first sign that the bot is at work; `ms` since the question came in. */
  | { kind: 'first_sign'; question: Question; ms: number }
  /** The work on a question has ended; `ms` since it came in. */
  | { kind: 'ending'; question: Question; outcome: Outcome; steps: number; ms: number }
  /** A worker released a question, which the queue hands out again. */
  | { kind: 'released'; question: Question }
