/** A dialect: what a prompt is made of, and what a completion is read as. */
import type { Message, Picture, ToolCall, ToolSpec } from './model-contract.ts'
import type { Action, Step, StopReason } from './run-events.ts'
import type { Tool } from './tool-contract.ts'

/** One line of what was said before, for dialects that carry the history inside the prompt. */
export interface PastTurn {
  question: string
  answer: string
}

/** All that a prompt is made of. */
export interface RunView {
  question: string
  /** The pictures that came with the question. They stand in the prompt once, with it. */
  images?: Picture[]
  tools: Tool[]
  steps: readonly Step[]
  /** ISO date, `2026-11-21`. */
  today: string
  /** Marks where an observation begins and ends, so that a page cannot forge the end. */
  nonce: string
  history: PastTurn[]
  /** What people wrote in the thread before the question, a message a line. It is data, as observations are. */
  said?: string
  /** What the model is given of the files that came with it. Data too. */
  filesText?: string
  /** Set on the final turn: the model must answer now, without tools, for this reason. */
  finalTurn?: StopReason
}

export interface Rendered {
  messages: Message[]
  tools?: ToolSpec[]
  toolChoice?: 'none'
}

/** What the model produced in one turn, already cut at its first invented observation. */
export interface Completion {
  text: string
  reasoning?: string
  toolCalls?: ToolCall[]
  /** Why it is not whole: its length limit, the run's time, or a model that stalled until that was over. */
  cutOff?: CutOff
}

export type CutOff = 'length' | 'time' | 'silence'

export type ParsedTurn =
  | { kind: 'actions'; thought: string; actions: Action[] }
  /** Never an answer of nothing: that is unreadable. */
  | { kind: 'finish'; thought: string; answer: string }
  /** `hint` shows the expected form; it goes back to the model as the observation. */
  | { kind: 'unreadable'; thought: string; hint: string }

/** A place in a line of model output where an answer may begin. Whether it does, `Dialect.read` says. */
export interface AnswerOpening {
  /** Offset of the answer's first character in the line. */
  at: number
  /** How it is written: as it stands, inside a JSON string, or up to a closing bracket. */
  form: 'text' | 'json' | 'bracket'
  /** Spaces that stand before each of its lines and are no part of it. */
  indent?: number
  /** As many characters are awaited before any is told: a beginning of prose may still become a call. */
  hold?: number
  /** Whether a later line shows that the answer has ended, or that there is none. */
  endsAt?(line: string): boolean
}

/** How a prompt teaches ReAct and how its output is read. Neither method ever throws on anything a model wrote. */
export interface Dialect {
  readonly name: string
  /** True where the prompt carries the history itself, so that a follow-up need not be condensed. */
  readonly carriesHistory?: boolean
  /** Sent as `stop` where the model takes it. */
  readonly stop: string[]
  /** Tells whether a line of model output begins an invented observation; the stream is cut before it. */
  beginsObservation(line: string): boolean
  render(view: RunView): Rendered
  read(completion: Completion, tools: Tool[]): ParsedTurn
  /**
   * Where an answer may begin in a line that may still grow, for readers who read along; `isFirst` for the first line with
   * words. Absent where answers come whole.
   */
  opensAnswer?(line: string, isFirst: boolean): AnswerOpening | undefined
}
