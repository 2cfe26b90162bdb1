/** What a run exchanged with its models and tools, for whoever wants to see exactly why it said what it said. */
import type { Message, ToolCall, ToolOutput, ToolSpec, Usage } from '../agent/types.ts'
import type { RunEnd } from '../archive/types.ts'

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
  /** In the order of their beginning. */
  calls: TracedCall[]
  end?: RunEnd
  answer?: string
}

export type TracedCall = TracedModelCall | TracedToolCall

interface CallTimes {
  /** Milliseconds since the epoch. */
  at: number
  /** How long it took; absent while it is under way. */
  ms?: number
  error?: string
}

export interface TracedModelCall extends CallTimes {
  kind: 'model'
  /** `condense`: the standalone question; `step`: the loop's; `tool`: a tool asked (`llm_math`). */
  for: 'condense' | 'step' | 'tool'
  /** The turn that it opened, from 1 (`Step.turn`); absent for `condense`. */
  turn?: number
  model: string
  request: { messages: Message[]; stop?: string[]; tools?: ToolSpec[]; toolChoice?: 'none' }
  /** Milliseconds to the first piece. */
  firstMs?: number
  /** What came, whole, as the model wrote it. */
  output: { text: string; reasoning?: string; toolCalls?: ToolCall[] }
  /** How often the call was made again. */
  retries?: number
  usage: Usage[]
  /** The caller had read enough, and hung up. */
  isCut?: true
}

export interface TracedToolCall extends CallTimes {
  kind: 'tool'
  /** The number of its step, from 1, where one is known. */
  step?: number
  tool: string
  input: unknown
  /** What the tool gave, before the loop cut and fenced it; absent where it failed or asks a person. */
  output?: ToolOutput | string
  ok: boolean
}
