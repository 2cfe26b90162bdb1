import { applyEvent, NO_PROGRESS, type RunProgress } from './apply-event.ts'
import type { AgentEvent, CutOff, Dialect, Model, PastTurn, StopReason, Tool, ToolFetch, ToolMemory } from './types.ts'

/** What one run may spend. Times in milliseconds. */
export interface Limits {
  /** Uses of tools, each of those that a turn asks for at once, and unreadable turns; the answer comes besides. */
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

/** What one run works on. */
export interface Task extends Partial<RunProgress> {
  // `steps`, `memory` and `usage` are what an earlier process had done of it; usage, which the budgets count, also what
  // condensing took. They are starting values and never changed: what the run does is told by its events.
  question: string
  history?: PastTurn[]
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
  /** What has been done, as the events have told it. */
  progress: RunProgress
  /** What the tools change in place while they run. The events carry copies. */
  memory: ToolMemory
  nonce: string
  startedAt: number
  /** The date at its start, so that all of its prompts share their beginning, midnight or not. */
  today: string
  /** Set once the model must answer now, for this reason. */
  finalTurn?: StopReason | undefined
  /** The model's last completion, as it was written, and why it is not whole. */
  written: string
  cutOff?: CutOff | undefined
}

export function startRun(task: Task, deps: AgentDeps): RunState {
  const { steps, memory, usage } = { ...NO_PROGRESS, ...task }
  const now = deps.now()
  return {
    ...deps,
    task,
    progress: { steps, memory, usage },
    memory: structuredClone(memory),
    nonce: deps.newNonce(),
    startedAt: now.getTime(),
    today: now.toISOString().slice(0, 10),
    written: '',
  }
}

/** Takes an event into the run's own progress, before its readers get it: `yield tell(run, event)`. */
export function tell(run: RunState, event: AgentEvent): AgentEvent {
  run.progress = applyEvent(run.progress, event)
  return event
}
