/** What happens in a run: its steps, and the events that tell of them. */
import type { Usage } from './model-contract.ts'
import type { MadeFile, PersonsAnswer, Series, Source, ToolMemory, ToolQuestion } from './tool-contract.ts'

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
  file?: MadeFile
  /** A repeatable tool has nothing more to give, see `ToolOutput`. */
  exhausted?: true
  /** The text goes when the run is over, see `ToolOutput`. */
  passing?: true
  /** The loop wrote it, not a tool: nothing was found. */
  hint?: true
  /** What the tool asks could not be reached, or was too slow. */
  down?: true
  /** Nobody heard how the call ended, since its process or its time was over before: it is not known whether it took effect. */
  unknown?: true
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
  /** A person is waited for, or was, since then (milliseconds since the epoch). */
  waiting?: Waiting
  /** What people answered to what the tool asked them, in order. */
  answers?: PersonsAnswer[]
  /** The call of a tool with `effects: 'write'` was about to be made then (milliseconds since the epoch). Saved before it is made. */
  begun?: number
}

/**
 * `round` counts a step's waits from 1, and is absent for the first. `from` is when the first of several began, `until` when the run
 * went on after the last (both as `since`). The archive keeps no `for` of a question: it has what a person was asked.
 */
export interface Waiting {
  since: number
  round?: number
  from?: number
  until?: number
  for?: Awaited
}

/** What is waited for, with all that a process needs to show it which has not the tool. */
export type Awaited =
  | {
      kind: 'approval'
      /** The arguments as they will be sent. */
      input: unknown
      server?: string
      /** As the tool has them, see `Tool`. */
      ruleName?: string
      version?: string
      /** What the tool says that it does. */
      says: string
      /** The same call was made before, and it is not known whether it took effect. */
      isRepeat?: true
    }
  | ({ kind: 'question'; version?: string } & ToolQuestion)

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
  /** A tool waits for a person: for an approval, or for an answer. */
  | { type: 'waiting'; n: number; step: ToolStep }
  /** A tool that changes the world is about to be called. Its reader saves that before it asks for the next event. */
  | { type: 'begun'; n: number; step: ToolStep }
  /**
   * More of the answer that the model is writing, where a reader of the run reads along: in order, the beginning of its text.
   * It is not saved and no part of the run's truth; the answer comes whole all the same.
   */
  | { type: 'answer_delta'; text: string }
  /** What the deltas have told since the last answer or withdrawal is no answer, or not this one. */
  | { type: 'answer_withdrawn' }
  /** Here and where the run is given up, `unseen`: the model could not see the question's pictures. */
  | { type: 'answer'; text: string; sources: Source[]; stopped?: StopReason; unseen?: true }
  | { type: 'gave_up'; reason: StopReason; text: string; unseen?: true }
  /** What one call of the model used, made by the loop or by a tool. `ms`: how long it took; 0 for a tool's. */
  | { type: 'usage'; usage: Usage; ms: number }

export type ObservedStep = (ToolStep | UnreadableStep) & { observation: Observation }
