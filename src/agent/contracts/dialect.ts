/** A dialect: builds the prompt and reads the completion. */
import type { KeptReasoning, Message, ModelRequest, Picture, ToolCall, ToolSpec } from './model.ts'
import type { Action, Step, StopReason } from './run-events.ts'
import type { Tool } from './tool.ts'

/** An earlier turn, for dialects that carry the history inside the prompt. */
export interface PastTurn {
  question: string
  answer: string
}

/** Everything that a prompt is built from. */
export interface RunView {
  question: string
  /** The pictures that came with the question. They appear once, with it. */
  images?: Picture[]
  tools: Tool[]
  steps: readonly Step[]
  /** ISO date, `2026-11-21`. */
  today: string
  /** Marks the beginning and end of an observation, so that a page cannot forge the end. */
  nonce: string
  history: PastTurn[]
  /** Whether the question is about the history, which then comes before it. */
  aboutHistory?: boolean | undefined
  /** Where the question is asked, by whom and when, in a sentence. */
  askedIn?: string | undefined
  /** The thread's messages before the question, one per line. Untrusted data, like observations. */
  said?: string | undefined
  /** The text of the files that came with the question. Untrusted data too. */
  filesText?: string | undefined
  /** The texts that are remembered in the question's place. Untrusted data too. */
  remembered?: string | undefined
  /** What earlier tries of the question have changed. Untrusted data too. */
  doneBefore?: string | undefined
  /** Set if not all worked turns fit into the model's window. */
  examples?: 'fewer' | 'none'
  /** The reason why this is the final turn: the model must answer now, without tools. */
  finalTurn?: StopReason
}

export interface RenderedPrompt {
  messages: Message[]
  tools?: ToolSpec[]
  toolChoice?: ModelRequest['toolChoice']
  /** The JSON schema of the turn, see `ModelRequest`. */
  schema?: Record<string, unknown>
}

/** A model's output in one turn, cut before its first invented observation. */
export interface Completion {
  text: string
  /** The model's own reasoning, which came beside the text. Shown to people, and never read as a turn. */
  reasoning?: string
  /** The words in which the model declined. They are the answer. */
  refusal?: string
  toolCalls?: ToolCall[]
  kept?: KeptReasoning
  /**
   * The reason for an incomplete text: its length limit, a model that does not end, the run's time, a stalled model.
   */
  cutOff?: CutOff
}

type CutOff = 'length' | 'endless' | 'time' | 'silence'

export type ParsedTurn =
  | { kind: 'actions'; thought: string; actions: Action[] }
  /** The answer is never empty: an empty one is unreadable. */
  | { kind: 'finish'; thought: string; answer: string }
  /** `hint` shows the expected form. The model gets it as the observation. `isAnswer`: see UnreadableStep. */
  | { kind: 'unreadable'; thought: string; hint: string; isAnswer?: true }

/** A place in a line of model output where an answer may begin. `Dialect.read` decides whether it does. */
export interface AnswerOpening {
  /** Offset of the answer's first character in the line. */
  at: number
  /** How it is written: as plain text, inside a JSON string, or up to a closing bracket. */
  form: 'text' | 'json' | 'bracket'
  /** Leading spaces of each line that do not belong to the answer. */
  indent?: number
  /** How many characters to wait for before sending any, because prose may still become a call. */
  hold?: number
  /** Whether a later line ends the answer, or shows that there is none. */
  endsAt?(line: string): boolean
}

/** The questions and answers of a prompt's worked turns. */
export interface Examples {
  questions: string[]
  answers: string[]
}

/** How a prompt teaches ReAct and how its output is read. No method throws on anything a model wrote. */
export interface Dialect {
  readonly name: string
  /** Whether the prompt contains the history, so that a follow-up need not be condensed. */
  readonly carriesHistory?: boolean
  /**
   * After a hint, `any` prose counts as the answer, and with `none` no prose ever does. By default only the same prose
   * counts, written a second time.
   */
  readonly takesProse?: 'any' | 'none'
  /** A repeated action takes its tool out of the next turn, so that the third time, later, need not end the run. */
  readonly omitsRepeated?: true
  /** The examples before every question. What they answer is no answer to it. */
  readonly examples?: Examples
  /** Sent as `stop` if the model supports it. */
  readonly stop: string[]
  /** Returns whether a line of model output begins an invented observation. The stream is cut before it. */
  beginsObservation(line: string): boolean
  render(view: RunView): RenderedPrompt
  read(completion: Completion, tools: Tool[]): ParsedTurn
  /** Returns whether a text's calls have the form that the prompt teaches, and no other model's. Absent: always. */
  isOwnForm?(written: string): boolean
  /**
   * Finds where an answer may begin in a line that may still grow, for streaming. `isFirst` is true up to the first
   * line with words. Absent if answers are sent whole.
   */
  opensAnswer?(line: string, isFirst: boolean): AnswerOpening | undefined
}
