/**
 * The trace of a run: its exchanges with models and tools. RUN_TRACES keeps it with the run; the playground draws it,
 * `npm run runs -- trace ID` prints it, and `npm run trace FILE` opens it.
 */
import type { Message, ModelRequest, ToolCall, Usage } from '../../agent/contracts/model.ts'
import type { StopReason } from '../../agent/contracts/run-events.ts'
import type { ToolOutput } from '../../agent/contracts/tool.ts'

/**
 * A run's trace, as plain JSON. Pictures are reduced to name and type, and data that workspaces do not let us keep is
 * left out.
 */
export interface RunTrace {
  version: 1
  /** The question's id, and its place: `thread` is the root's ts. */
  id: string
  team: string
  channel: string
  thread: string
  user: string
  /** The question as it was asked, and the standalone form of a follow-up. */
  question: string
  standalone?: string
  model: string
  dialect: string
  /** Milliseconds since the epoch. */
  startedAt: number
  endedAt?: number
  /** How many processes have worked on it. */
  attempts: number
  /** The calls in the order in which they began. */
  calls: TracedCall[]
  /** The times for which the run waited for a person. */
  waits?: TracedWait[]
  /** The messages that people added during the run, each before the step with its number. */
  added?: { step: number; at: number; user: string; text: string }[]
  /** Post key (`step-1`, `answer-1`, …) to the post's Slack ts. */
  posts?: Record<string, string>
  end?: 'answered' | 'gave_up' | 'stopped' | 'failed'
  /** The budget, or the person, that ended the run. */
  stopped?: StopReason
  answer?: string
  /** A sentence on what was left out because the run was larger than a trace may be. */
  cut?: string
}

interface TracedRequest extends Pick<ModelRequest, 'stop' | 'tools' | 'toolChoice' | 'schema'> {
  messages: TracedMessage[]
}

export type TracedCall = TracedModelCall | TracedToolCall

/**
 * `step` is a step's number, from 1. Times are milliseconds since the epoch; `until` is absent while the run waits.
 */
interface TracedWait {
  step: number
  from: number
  until?: number
  for: 'approval' | 'question'
}

interface CallTimes {
  /** Milliseconds since the epoch. */
  at: number
  /** How long the call took. Absent while it is under way, and if its process ended before it did. */
  ms?: number
  error?: string
}

/** A message as it was sent, without encrypted reasoning. */
export interface TracedMessage extends Omit<Message, 'images' | 'kept'> {
  images?: { name: string; mime: string }[]
}

export interface TracedModelCall extends CallTimes {
  kind: 'model'
  /** `condense`: the standalone question; `step`: the loop's; `tool`: a tool asked (`llm_math`). */
  for: 'condense' | 'step' | 'tool'
  /** The turn that it opened, from 1 (`Step.turn`); absent for `condense`. */
  turn?: number
  /** The step whose tool asked, for `tool`. */
  step?: number
  model: string
  request: TracedRequest
  /** Milliseconds until the first piece. */
  firstMs?: number
  /** The complete output as the model wrote it. */
  output: { text: string; reasoning?: string; toolCalls?: ToolCall[] }
  /** How the output was read. Absent for calls that are no step, and for failed ones. */
  read?: TracedReading
  /** How often the call was retried. */
  retries?: number
  usage: Usage[]
  /** The caller had read enough, and cancelled the call. */
  isCut?: true
}

/** The dialect's reading of an output. `step` is the number of the resulting step. */
export type TracedReading =
  | { kind: 'actions'; thought: string; actions: { step: number; tool: string; input: unknown }[]; dropped?: number }
  | { kind: 'finish'; answer: string }
  | { kind: 'unreadable'; step: number; thought: string; hint: string }

export interface TracedToolCall extends CallTimes {
  kind: 'tool'
  /** The number of its step, from 1. */
  step: number
  tool: string
  /** The input as the tool got it, or as the model wrote it if no tool was called. */
  input: unknown
  /** The tool's output, before the loop cut and fenced it. Absent if the tool failed or asks a person. */
  output?: ToolOutput | string
  ok: boolean
  /** The observation that the model was shown, without its fence, and the loop's addition to it. */
  shown?: string
  note?: string
  /** No tool was called: the loop answered itself, as for a tool that does not exist. */
  notCalled?: true
  /** The workspace does not let us keep the output, so it is in no stored trace. */
  passing?: true
}
