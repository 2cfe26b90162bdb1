/** What happens in a run: its steps, and the events that tell of them. */
import type { Usage } from './model-contract.ts'
import type { Series, Source, ToolMemory } from './tool-contract.ts'

/** What the model asked for: the tool's name as it wrote it, and the input (text, or fields where the dialect writes JSON). */
export interface Action {
  tool: string
  input: unknown
  /** The id of a native tool call; other dialects have none. */
  callId?: string
}

/** What a tool (or the loop, about a mistake) said back. `ok` is false for a failure of any kind. */
export interface Observation {
  text: string
  ok: boolean
  sources?: Source[]
  series?: Series
  /** A repeatable tool has nothing more to give, see `ToolOutput`. */
  exhausted?: true
  /** The loop wrote it, not a tool: nothing was found. */
  hint?: true
  /** What the tool asks could not be reached, or was too slow. */
  down?: true
  /** What the loop adds to it, for the model and for people. */
  note?: string
}

/** A thought and the tool that it led to. Without an observation the tool is still running, or it waits for a person. */
export interface ToolStep {
  kind: 'tool'
  /** Counts the model's completions from 1. Several steps share a turn when the model asked for several tools at once. */
  turn: number
  thought: string
  action: Action
  observation?: Observation
  /** On the last step of a turn: how many more calls the model asked for, which were dropped. */
  dropped?: number
  /** How long the tool took, in ms, as far as it was saved. */
  ms?: number
  /** The tool runs only after a person's approval, which has been awaited since then (milliseconds since the epoch). */
  waiting?: { since: number }
}

/** A completion that no dialect could read: `text` is its beginning, the observation tells the model the expected form. */
export interface UnreadableStep {
  kind: 'unreadable'
  turn: number
  thought: string
  text: string
  observation: Observation
}

/** What a person added while the run was under way. `user` is who wrote it; `turn` is that of the step before. */
export interface MessageStep {
  kind: 'message'
  turn: number
  /** No message with the same id is added again. */
  id: string
  text: string
  user: string
}

export type Step = ToolStep | UnreadableStep | MessageStep

/** Why a run was ended before the model ended it by itself. */
export type StopReason = 'steps' | 'time' | 'tokens' | 'cost' | 'loop' | 'unreadable' | 'stopped'

/**
 * The closed union that a run yields, in order. `n` is the step's number, from 1. Each event about a step carries the step
 * whole, as it is from then on, so that the events alone rebuild the run (`applyEvent`). What an event carries is never
 * changed later. An unreadable step has a thought and an observation; a tool step has an action between them.
 */
export type AgentEvent =
  | { type: 'thought'; n: number; step: ToolStep | UnreadableStep }
  | { type: 'action'; n: number; step: ToolStep }
  /** `ms`: how long the tool took. `memory`: all that the tools remember, where that has changed. */
  | { type: 'observation'; n: number; step: ObservedStep; ms: number; memory?: ToolMemory }
  /** A person added something, which the model's next completion takes into account. */
  | { type: 'message'; n: number; step: MessageStep }
  /** A tool waits for a person's approval. */
  | { type: 'waiting'; n: number; step: ToolStep }
  | { type: 'answer'; text: string; sources: Source[]; stopped?: StopReason }
  | { type: 'gave_up'; reason: StopReason; text: string }
  /** What one call of the model used, made by the loop or by a tool. `ms`: how long it took; 0 for a tool's. */
  | { type: 'usage'; usage: Usage; ms: number }

export type ObservedStep = (ToolStep | UnreadableStep) & { observation: Observation }
