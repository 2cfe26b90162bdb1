import type { Dialect, Model, PastTurn, Step, StopReason, Tool, ToolFetch, Usage } from './types.ts'

/** What one run may spend. Times in milliseconds. */
export interface Limits {
  /** Turns of the model that use tools; the answer comes besides. */
  maxSteps: number
  timeoutMs: number
  toolTimeoutMs: number
  /** Longer observations lose their middle. */
  toolOutputChars: number
  /** Tokens in and out, all calls together. */
  maxTokens?: number
  maxCostUsd?: number
  /** False only for the replay of recordings, which repeat themselves and go on after what nobody could read. */
  breakLoops?: boolean
}

/** What tools reach the world by. */
export interface ToolEnv {
  fetch: ToolFetch
  now(): Date
}

/** What one run works on. `steps` and `memory` (of the tools) are what an earlier process had done of it. */
export interface Task {
  question: string
  history?: PastTurn[]
  /** These are changed in place as the run goes on, so that the reader of the events can save them. */
  steps?: Step[]
  memory?: Record<string, unknown>
  /** What the model's calls have cost, those of tools included: all of it, also where the run is cut off. */
  usage?: Usage[]
  /** Aborted when a person stops the run or the process hands it over. */
  signal: AbortSignal
}

export interface AgentDeps extends ToolEnv {
  model: Model
  dialect: Dialect
  tools: Tool[]
  limits: Limits
  /** A few characters that no page can guess; they mark a run's observations. */
  newNonce(): string
}

/** Everything that a run knows while it runs. */
export interface RunState extends AgentDeps {
  task: Task
  steps: Step[]
  memory: Record<string, unknown>
  nonce: string
  startedAt: number
  /** The date at its start, so that all of its prompts share their beginning, midnight or not. */
  today: string
  usage: Usage[]
  finalTurn?: StopReason
  /** The model's last completion, as it was written. */
  written: string
}
