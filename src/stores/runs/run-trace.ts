/**
 * What a run exchanged with its models and tools, for whoever wants to see exactly why it said what it said. RUN_TRACES keeps it
 * with the run; the playground draws it, `npm run runs -- trace ID` prints it, `npm run trace FILE` opens it.
 */
import type { Message, StopReason, ToolCall, ToolOutput, ToolSpec, Usage } from '../../agent/types.ts'

/** A run's trace. Plain JSON; pictures stand in it by name and type alone, what workspaces do not let us keep not at all. */
export interface RunTrace {
  version: 1
  /** The question's id, and its place: `thread` is the root's ts. */
  id: string
  team: string
  channel: string
  thread: string
  user: string
  /** As it was asked, and as a follow-up was understood. */
  question: string
  standalone?: string
  model: string
  dialect: string
  /** Milliseconds since the epoch. */
  startedAt: number
  endedAt?: number
  /** How many processes have worked on it. */
  attempts: number
  /** In the order of their beginning. */
  calls: TracedCall[]
  /** When the run waited for a person. */
  waits?: TracedWait[]
  /** What people added while it was under way, each before the step with its number. */
  added?: { step: number; at: number; user: string; text: string }[]
  /** Post key (`step-1`, `answer-1`, …) to the post's Slack ts. */
  posts?: Record<string, string>
  end?: 'answered' | 'gave_up' | 'stopped' | 'failed'
  /** The budget, or the person, that ended it. */
  stopped?: StopReason
  answer?: string
  /** A sentence: what was left out because the run said more than a trace keeps. */
  cut?: string
}

export type TracedCall = TracedModelCall | TracedToolCall

/** `step` is a step's number, from 1. Milliseconds since the epoch; `until` is absent while it waits. */
export interface TracedWait {
  step: number
  from: number
  until?: number
  for: 'approval' | 'question'
}

interface CallTimes {
  /** Milliseconds since the epoch. */
  at: number
  /** How long it took; absent while it is under way, and where its process ended before it did. */
  ms?: number
  error?: string
}

/** A message as it was sent. */
export interface TracedMessage extends Omit<Message, 'images'> {
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
  request: { messages: TracedMessage[]; stop?: string[]; tools?: ToolSpec[]; toolChoice?: 'none' }
  /** Milliseconds to the first piece. */
  firstMs?: number
  /** What came, whole, as the model wrote it. */
  output: { text: string; reasoning?: string; toolCalls?: ToolCall[] }
  /** What was read of it; absent for what is no step, and where the call failed. */
  read?: TracedReading
  /** How often the call was made again. */
  retries?: number
  usage: Usage[]
  /** The caller had read enough, and hung up. */
  isCut?: true
}

/** What the dialect read in an output. `step` is the number of the step that it became. */
export type TracedReading =
  | { kind: 'actions'; thought: string; actions: { step: number; tool: string; input: unknown }[]; dropped?: number }
  | { kind: 'finish'; answer: string }
  | { kind: 'unreadable'; step: number; thought: string; hint: string }

export interface TracedToolCall extends CallTimes {
  kind: 'tool'
  /** The number of its step, from 1. */
  step: number
  tool: string
  /** As the tool got it; what the model wrote where no tool was called. */
  input: unknown
  /** What the tool gave, before the loop cut and fenced it; absent where it failed or asks a person. */
  output?: ToolOutput | string
  ok: boolean
  /** The observation as the model was shown it, without its fence; and what the loop added to it. */
  shown?: string
  note?: string
  /** No tool was called: the loop answered by itself, as to a tool that is not there. */
  notCalled?: true
  /** The workspace does not let us keep the output: it is gone once the run is over. */
  passing?: true
}
