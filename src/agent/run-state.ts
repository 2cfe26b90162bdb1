/** What a run is given and what it knows while it runs: types alone. */
import type { ObservationCut } from './parser/observation-cut.ts'
import type { RunProgress } from './run-progress.ts'
import type {
  CutOff,
  Dialect,
  Model,
  PastTurn,
  PersonsAnswer,
  Picture,
  RunFiles,
  StopReason,
  Tool,
  ToolFetch,
  ToolMemory,
  ToolStep,
  Usage,
  WorkspaceReader,
} from './types.ts'

/** What one run may spend, with the settings that say so (create-agent.ts); budget.ts holds it to that. Times in milliseconds. */
export interface RunLimits {
  /** AGENT_MAX_STEPS: uses of tools, each of those that a turn asks for at once, and unreadable turns; the answer comes besides. */
  maxSteps: number
  /** AGENT_TIMEOUT_MS: the whole run, but for the condensing before it. */
  timeoutMs: number
  /** TOOL_TIMEOUT_MS: one use of a tool. */
  toolTimeoutMs: number
  /** TOOL_OUTPUT_CHARS: longer observations lose their middle. */
  toolOutputChars: number
  /** RUN_MAX_TOKENS: tokens in and out, all calls together. */
  maxTokens?: number
  /** RUN_MAX_USD: dollars, all calls together. */
  maxCostUsd?: number
  /** False only for the replay of recordings, which repeat actions and go on after unreadable turns. */
  breakLoops?: boolean
}

/** The effects that tools get through their context. */
export interface ToolEnv {
  fetch: ToolFetch
  now(): Date
  workspace?: (() => Promise<WorkspaceReader>) | undefined
  /** The files of the conversation; absent where it has none. */
  files?: RunFiles | undefined
  /** Whether the file that a tool makes goes out with the answer. */
  sendsFiles?: boolean | undefined
}

/** What one run works on. */
export interface Task extends Partial<RunProgress> {
  // `steps`, `memory` and `usage` (of RunProgress) are what an earlier process did of the run; `usage` holds what condensing
  // took too, since the budgets count it. They are starting values and never changed: events tell what the run does.
  question: string
  /** The pictures that came with it. */
  images?: Picture[]
  /** What the model is given of the conversation's files at first (files/question-files.ts). */
  filesText?: string
  history?: PastTurn[]
  /** What people wrote in the thread before the question. */
  said?: string
  /** Aborted when the process hands the run over: then it throws the signal's reason. */
  signal: AbortSignal
}

/** What a person added to the question while the agent works on it. */
export interface Addition {
  /** Whoever keeps the run knows by it which additions the model has got. */
  id: string
  user: string
  text: string
}

/** Whether a tool may run now. A refusal's reason becomes the observation; with `wait` the run ends until a person decides. */
export type Permission = 'yes' | 'wait' | { no: string }

/** A call that is about to be made. */
export interface PendingCall {
  n: number
  step: ToolStep
  tool: Tool
  input: unknown
  /** The same call was made before in the run, and it is not known whether it took effect. */
  isRepeat: boolean
}

/** How people reach into a run that is under way: four optional functions among the agent's settings. */
export interface Steering {
  /**
   * Is a stop asked for? The signal is aborted as soon as it is: the model's call and the tools are cut off, and the run ends
   * with what is known.
   */
  stopAsked?: () => AbortSignal
  /** What did people add since the last call? Asked before each thought, and once more before an answer is given. */
  added?: () => Addition[]
  /** May this tool run? Asked once its input is known to be right; `input` is what it will get. `n` is the step's number. */
  mayRun?: (call: PendingCall) => Permission | Promise<Permission>
  /**
   * What did the asker say to what the step's tool asked (`step.waiting`)? `wait`: nothing yet. Undefined: nobody can be asked.
   * `n` is the step's number.
   */
  answered?: (n: number, step: ToolStep) => Pick<PersonsAnswer, 'action' | 'content'> | 'wait' | undefined
}

/** Reads an answer while the model writes it. */
export interface AnswerReader {
  /** Takes the next piece of a completion that `cut` has taken. @returns what it adds to the answer for certain */
  push(piece: string, cut: ObservationCut): string
  /** All that `push` has returned. */
  readonly told: string
}

/** The parts of an agent that a channel may choose. */
export interface AgentSetup {
  model: Model
  dialect: Dialect
  tools: Tool[]
}

export interface AgentDeps extends AgentSetup, ToolEnv, Steering {
  limits: RunLimits
  /** A few characters that no page can guess: they fence a run's observations in the prompt. */
  newNonce(): string
  /** Makes the reader of one completion, where somebody wants to see the answer grow (`answer_delta`). */
  readAlong?: (dialect: Dialect, tools: Tool[]) => AnswerReader
  /** The same tool, for the call of one step: somebody keeps what it is given and gives. */
  watchCall?: (tool: Tool, step: number) => Tool
}

/** Everything that a run knows while it runs. */
export interface RunState extends AgentDeps {
  task: Task
  /** Aborted with the task's own signal, and when a person asks to stop. */
  signal: AbortSignal
  /** Ends what listens on behalf of the run. */
  release(): void
  /** What has been done, as the events have told it. */
  progress: RunProgress
  /** What the tools change in place while they run. The events carry copies. */
  memory: ToolMemory
  /** What calls of the model have used and no event has told yet. */
  unreported: { usage: Usage; ms: number }[]
  nonce: string
  startedAt: number
  /** The date at its start, so that all of its prompts share their beginning, midnight or not. */
  today: string
  /** Set once the model must answer now, for this reason. */
  finalTurn?: StopReason | undefined
  /** The text of the model's last completion, and why it is not whole. */
  written: string
  /** What of that completion the readers of its answer have been told. */
  told: string
  cutOff?: CutOff | undefined
  /** The model that wrote it could not see the question's pictures. */
  unseen?: true | undefined
}
