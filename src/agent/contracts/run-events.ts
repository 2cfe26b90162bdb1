/** The steps and events of a run. */
import type { KeptReasoning, Usage } from './model.ts'
import type { MadeFile, PersonsAnswer, Series, Source, ToolMemory, ToolQuestion } from './tool.ts'

/** A tool call: the tool's name as the model wrote it, and the input (text, or fields if the dialect writes JSON). */
export interface Action {
  tool: string
  /** The tool's name for people, if it does not follow from the name (agent/tool-title.ts). */
  title?: string
  input: unknown
  /** The id of a native tool call. Other dialects have none. */
  callId?: string
}

/** The output of a tool, or the loop's reply to a mistake. `ok` is false for a failure of any kind. */
export interface Observation {
  text: string
  ok: boolean
  sources?: Source[]
  series?: Series
  file?: MadeFile
  /** A repeatable tool has nothing more to return, see `ToolOutput`. */
  exhausted?: true
  /** The text is deleted when the run is over, see `ToolOutput`. */
  passing?: true
  /** Only the asker may see it, see `ToolOutput`. */
  forAsker?: true
  /** The text is the operator's instructions, see `ToolOutput`. */
  instructions?: true
  /** The loop wrote it, not a tool: it is not a finding. */
  hint?: true
  /** The service behind the tool could not be reached, or was too slow. */
  down?: true
  /** It is unknown whether the call took effect, because its process or its time ended first. */
  unknown?: true
  /** A note from the loop, for the model and for people. */
  note?: string
}

/** A thought and its tool call. Without an observation, the tool is running or waits for a person. */
export interface ToolStep {
  kind: 'tool'
  /** Counts the model's completions from 1. Calls of one completion share a turn. */
  turn: number
  /** The model's text before its action. */
  thought: string
  /** The model's own reasoning, if its endpoint sends it. Only for people: no prompt contains it. */
  reasoning?: string
  /**
   * On the first step of a turn: the reasoning that the endpoint wants back with the turn's calls. It is not archived.
   */
  kept?: KeptReasoning
  action: Action
  observation?: Observation
  /** How many more calls the model asked for, which were dropped. Only on the last step of a turn. */
  dropped?: number
  /** How long the tool took, in ms. Absent if it was not saved. */
  ms?: number
  /** The wait for a person, current or past. */
  waiting?: Waiting
  /** People's answers to the tool's questions, in order. */
  answers?: PersonsAnswer[]
  /**
   * The time at which the call of a tool with `effects: 'write'` was about to be made (ms since the epoch). Saved
   * before the call.
   */
  begun?: number
}

/**
 * `round` counts a step's waits from 1, and is absent for the first. `from` is when the first of several began, `until`
 * when the run continued after the last (both as `since`). The archive does not store a question's `for`, because it
 * contains what a person was asked.
 */
export interface Waiting {
  since: number
  round?: number
  from?: number
  until?: number
  for?: AwaitedDecision
}

/** The approval or answer that a step waits for, with everything that a process without the tool needs to show it. */
export type AwaitedDecision =
  | {
      kind: 'approval'
      /** The arguments that will be sent. */
      input: unknown
      server?: string
      /** See `Tool`. */
      ruleName?: string
      version?: string
      /** See `Tool`. */
      title?: string
      /** See `Tool`. */
      asAsker?: true
      /** The tool's description of itself. */
      says: string
      /** The call may have taken effect before: see `PendingCall`. */
      isRepeat?: true
    }
  | AwaitedAnswer

interface AwaitedAnswer extends ToolQuestion {
  kind: 'question'
  version?: string
}

/**
 * A completion that the dialect could not read. `text` is its beginning. The observation tells the model the expected
 * form.
 */
export interface UnreadableStep {
  kind: 'unreadable'
  turn: number
  thought: string
  /** See ToolStep. */
  reasoning?: string
  text: string
  /** It is an answer with figures that no source has. The model was asked for another one. */
  isAnswer?: true
  observation: Observation
}

/** A message that the person `user` added during the run; `turn` is that of the step before. */
export interface MessageStep {
  kind: 'message'
  turn: number
  /** A message with a known id is not added again. */
  id: string
  text: string
  user: string
}

export type Step = ToolStep | UnreadableStep | MessageStep

/** Why a run ended before the model answered by itself. */
export type StopReason = 'steps' | 'time' | 'tokens' | 'cost' | 'loop' | 'unreadable' | 'stopped'

/**
 * The events of a run, in order. `n` is the step's number, from 1. Each event about a step carries the whole step, so
 * that the events alone rebuild the run (`applyEvent`). The data of an event never changes later. An unreadable step
 * has a thought and an observation. A tool step has an action between them.
 */
export type AgentEvent =
  | { type: 'thought'; n: number; step: ToolStep | UnreadableStep }
  | { type: 'action'; n: number; step: ToolStep }
  /** `ms`: how long the tool took. `memory`: the tools' whole memory, if it has changed. */
  | { type: 'observation'; n: number; step: ObservedStep; ms: number; memory?: ToolMemory }
  /** A person added something. The model's next completion takes it into account. */
  | { type: 'message'; n: number; step: MessageStep }
  /** A tool waits for a person's approval or answer. */
  | { type: 'waiting'; n: number; step: ToolStep }
  /** A tool with effects is about to be called. The reader saves this before it asks for the next event. */
  | { type: 'begun'; n: number; step: ToolStep }
  /**
   * More text of the answer, in order, while the model writes it. Only sent if a reader streams the answer. It is not
   * saved, and the complete answer follows in any case.
   */
  | { type: 'answer_delta'; text: string }
  /** The deltas since the last answer or withdrawal are not the answer. */
  | { type: 'answer_withdrawn' }
  /** `unseen` (also of `gave_up`): the model could not see the question's pictures. */
  | { type: 'answer'; text: string; sources: Source[]; stopped?: StopReason; unseen?: true }
  | { type: 'gave_up'; reason: StopReason; text: string; unseen?: true }
  /** The usage of one model call, by the loop or a tool. `ms`: how long it took; 0 for a tool's call. */
  | { type: 'usage'; usage: Usage; ms: number }

/** A tool step whose call has ended. */
export interface ObservedToolStep extends ToolStep {
  observation: Observation
}

export type ObservedStep = ObservedToolStep | UnreadableStep
