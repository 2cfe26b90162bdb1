/** The input and the state of a run: types only. */
import type { ObservationCut } from './parser/observation-cut.ts'
import type { RunProgress } from './run-progress.ts'
import type { Completion, Dialect, ParsedTurn, PastTurn } from './contracts/dialect.ts'
import type { Model, Picture, Usage } from './contracts/model.ts'
import type { Step, StopReason, ToolStep } from './contracts/run-events.ts'
import type { PersonsAnswer, RunFiles, Tool, ToolFetch, ToolMemory, WorkspaceReader } from './contracts/tool.ts'
import type { Source } from './contracts/evidence.ts'

/**
 * The limits of one run (create-agent.ts sets them from the settings, budget.ts enforces them). Times in milliseconds.
 */
export interface RunLimits {
  /** AGENT_MAX_STEPS: tool calls (parallel ones count each) and unreadable turns. The answer does not count. */
  maxSteps: number
  /** AGENT_TIMEOUT_MS: the whole run, without condensing. */
  timeoutMs: number
  /** TOOL_TIMEOUT_MS: one tool call. */
  toolTimeoutMs: number
  /** TOOL_OUTPUT_CHARS: longer observations lose their middle. */
  toolOutputChars: number
  /** RUN_MAX_TOKENS: input and output tokens of all calls. */
  maxTokens?: number
  /** RUN_MAX_USD: dollars for all calls. */
  maxCostUsd?: number
  /** False only for replaying recordings, which repeat actions and continue after unreadable turns. */
  breakLoops?: boolean
}

/** The effects that tools get through their context. */
interface ToolEnv {
  fetch: ToolFetch
  now(): Date
  workspace?: (() => Promise<WorkspaceReader>) | undefined
  /** The asker, as an opaque key. Absent if no person asks. */
  asker?: string | undefined
  /** The files of the conversation. Absent if it has none. */
  files?: RunFiles | undefined
  /** Whether a file from a tool is sent with the answer. */
  sendsFiles?: boolean | undefined
}

/** The input of one run. */
export interface Task extends Partial<RunProgress> {
  // `steps`, `memory` and `usage` (from RunProgress) are from an earlier process of this run. `usage` includes
  // condensing, because the budgets count it. They are starting values and never change: the events report what the run
  // does.
  question: string
  /** The pictures that came with the question. */
  images?: Picture[]
  /** The text of the conversation's files for the first prompt (files/files-in-prompt.ts). */
  filesText?: string
  history?: PastTurn[]
  /** What people wrote in the questions of the thread, before a model made it standalone. Default: the question. */
  asked?: readonly string[]
  /** Whether the question is about the history itself. */
  aboutHistory?: boolean
  /** The thread's messages before the question. */
  said?: string
  /** The alerts, forwards and tables among these messages. They are numbered after what the tools found. */
  sources?: readonly Source[]
  /** The texts that are remembered in the question's place, a line each. */
  remembered?: string
  /** What earlier tries of the question have changed, a line each, and with which tools. */
  doneBefore?: { lines: string; tools: readonly string[] } | undefined
  /** The date where the asker is, YYYY-MM-DD. Default: in UTC. */
  today?: string | undefined
  /** Where the question is asked, by whom and when, in a sentence. */
  askedIn?: string | undefined
  /** Aborted when the process hands the run over. The run then throws the signal's reason. */
  signal: AbortSignal
}

/** A message that a person adds to the question while the agent works on it. */
export interface Addition {
  /** The addition's id, by which the store of the run knows which ones the model has received. */
  id: string
  user: string
  text: string
}

/**
 * The permission of a tool to run now. The reason of a refusal becomes the observation. `wait` suspends the run until a
 * person decides.
 */
export type Permission = 'yes' | 'wait' | { no: string }

/** A call that is about to be made. */
export interface PendingCall {
  n: number
  step: ToolStep
  tool: Tool
  input: unknown
  /**
   * The same call was made before in this run, and it is unknown whether it took effect; or an earlier try of the
   * question used its tool.
   */
  isRepeat: boolean
}

/** How people steer a running agent: four optional functions. */
export interface Steering {
  /**
   * A signal that is aborted when somebody asks to stop. The model's call and the tools are then aborted, and the run
   * ends with its findings.
   */
  stopAsked?: () => AbortSignal
  /** People's additions since the last call. Called before each thought, and again before an answer is given. */
  added?: () => Addition[]
  /** Returns whether this tool may run. Called after its input was checked. `input` is what the tool will get. */
  mayRun?: (call: PendingCall) => Permission | Promise<Permission>
  /**
   * The asker's answer to the question of the step's tool (`step.waiting`). `wait`: no answer yet. Undefined: nobody
   * can be asked. `n` is the step's number.
   */
  answered?: (n: number, step: ToolStep) => Pick<PersonsAnswer, 'action' | 'content'> | 'wait' | undefined
}

/** Reads an answer while the model writes it. */
export interface AnswerReader {
  /**
   * Takes the next piece of a completion, after `cut` has taken it. @returns the text that it certainly adds to the
   * answer
   */
  push(piece: string, cut: ObservationCut): string
  /** Everything that `push` has returned. */
  readonly streamedText: string
}

/** The parts of an agent that a channel may choose. */
export interface AgentSetup {
  model: Model
  dialect: Dialect
  tools: Tool[]
  /** The names of the skills that it can read, for people. */
  skills?: string[]
}

export interface AgentDeps extends AgentSetup, ToolEnv, Steering {
  limits: RunLimits
  /** Creates a few characters that no page can guess. They enclose a run's observations in the prompt. */
  newNonce(): string
  /** Creates the reader of one completion, if somebody wants to stream the answer (`answer_delta`). */
  readAlong?: (dialect: Dialect, tools: Tool[]) => AnswerReader
  /** Returns the figures of an answer that no source of the run yields. Absent if nobody checks them. */
  doubtful?: (answer: string, steps: readonly Step[]) => string[]
  /** Wraps a tool for the call of one step, to record its input and output. */
  watchCall?: (tool: Tool, step: number) => Tool
}

/** The state of a run. */
export interface RunState extends AgentDeps {
  task: Task
  /** Aborted with the task's signal, and when a person asks to stop. */
  signal: AbortSignal
  /** Removes the run's listeners. */
  release(): void
  /** The progress that the events have reported. */
  progress: RunProgress
  /** The tools change it in place. The events carry copies. */
  memory: ToolMemory
  /** Usage that no event has reported yet. */
  unreported: { usage: Usage; ms: number }[]
  nonce: string
  startedAt: number
  /** The date at the start, so that all prompts share their beginning, even across midnight. */
  today: string
}

/** One completion of the model, and what the dialect reads in it. */
export interface ModelTurn extends Completion {
  read: ParsedTurn
  /** Why the model had to answer now. Undefined before the final turn. */
  finalTurn?: StopReason | undefined
  /** The beginning of the answer that has been streamed. Empty if what was streamed is no answer. */
  streamed: string
  /** Whether the model could not see the question's pictures. */
  unseen?: true | undefined
}
