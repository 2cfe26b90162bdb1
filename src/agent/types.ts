/**
 * The contracts of the agent. Everything here is plain data or a seam with at least two implementations;
 * nothing here knows of Slack, Redis or OpenAI.
 */
import type { z } from 'zod'

// ---- what happens in a run ----

/** A page or record that an observation came from. `url` is absolute http(s). */
export interface Source {
  title: string
  url: string
}

/** Numbers in their order, such as amounts by company or values by year: a reader may draw them. The text says them too. */
export interface Series {
  title: string
  points: { label: string; value: number }[]
}

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

/** What one model call cost. Tokens; `estimated` where the endpoint sent no usage; dollars where a price is known. */
export interface Usage {
  model: string
  inputTokens: number
  outputTokens: number
  cachedTokens?: number
  estimated: boolean
  costUsd?: number
}

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

/** What tools remember between the steps of a run, by key of their choosing. JSON only: it is saved with the run. */
export type ToolMemory = Record<string, unknown>

// ---- the model ----

export interface ToolCall {
  id: string
  name: string
  /** JSON text, as the model wrote it. */
  arguments: string
}

export interface Message {
  role: 'system' | 'user' | 'assistant' | 'tool'
  content: string
  toolCalls?: ToolCall[]
  toolCallId?: string
}

/** A tool as a native-tools model is told of it; `parameters` is a JSON schema. */
export interface ToolSpec {
  name: string
  description: string
  parameters: Record<string, unknown>
}

export interface ModelRequest {
  messages: Message[]
  /** Strings at which the model should stop. Sent where the model takes them; the caller cuts besides. */
  stop?: string[]
  tools?: ToolSpec[]
  /** `none`: tools are listed because the messages speak of them, but none may be called. */
  toolChoice?: 'none'
  signal: AbortSignal
  /** How long the caller waits at most, in ms: a model that has sent nothing by then has failed. */
  timeMs?: number
  /** Called for everything that the endpoint sends, also for what brings no event. */
  onSign?(): void
  /** Told once a call, at its end, also when the caller ended the stream early (the tokens are then estimated). */
  onUsage?(usage: Usage): void
}

export type ModelEvent =
  | { type: 'text'; text: string }
  /** What a reasoning model tells of its thinking beside the text. */
  | { type: 'reasoning'; text: string }
  | { type: 'tool_calls'; calls: ToolCall[] }
  /** The answer has reached a limit of its length, the endpoint's or ours, and is not whole. */
  | { type: 'cut_off' }
  /** The call broke off and is being made again: forget the text so far. */
  | { type: 'restart' }

/**
 * Messages in, a stream out. Ending the iteration early (`break`, `return`) aborts the request and stops the spending.
 * @throws ModelError when the retries and the fallback have failed, or the time is up.
 */
export interface Model {
  readonly name: string
  stream(request: ModelRequest): AsyncIterable<ModelEvent>
}

// ---- tools ----

/** The answer to a tool's fetch: the body as text, already capped in size. */
export interface Fetched {
  status: number
  headers: Record<string, string>
  body: string
}

/**
 * The only way a tool reaches the network: a GET. A 4xx is an answer like any other.
 * @throws ToolError with a sentence when the host is refused, slow or broken.
 */
export type ToolFetch = (
  url: string | URL,
  options?: { headers?: Record<string, string>; signal?: AbortSignal },
) => Promise<Fetched>

/** What a tool may use. Everything it reaches comes through here. */
export interface ToolContext {
  /** Aborted when the tool's time is up or the run is stopped. */
  signal: AbortSignal
  fetch: ToolFetch
  now(): Date
  /** Asks the model one thing, without tools; for tools such as llm_math. */
  ask(prompt: string): Promise<string>
  /** A tool may change it in place; it is saved with the step's observation and may come back in another process. */
  memory: ToolMemory
}

/**
 * What a tool returns: text for the model, the pages it came from, and a series for people to see. With `exhausted` a repeatable tool says that it has
 * nothing more: from then on the same input is a repetition, until another tool has run.
 */
export interface ToolOutput {
  text: string
  sources?: Source[]
  /** At most 100 points; the labels and the title are cut at 200 characters. */
  series?: Series
  exhausted?: boolean
}

/**
 * A tool. `schema` is a zod object; a tool with one field also takes plain text. `run` gets checked input.
 * `effects: 'write'` marks what changes the world. `returnDirect` ends the run with the tool's output.
 */
export interface Tool<Input = unknown> {
  name: string
  description: string
  schema: z.ZodType<Input>
  effects: 'read' | 'write'
  returnDirect?: boolean
  /** A person must allow each call: the run waits until somebody does. */
  needsApproval?: boolean
  /** Called again with the same input it gives something new (a lookup's next hit): no loop. */
  repeatable?: boolean
  /** @throws ToolError (or anything else): its message becomes the observation. */
  run(input: Input, context: ToolContext): Promise<ToolOutput | string>
}

// ---- dialects ----

/** One line of what was said before, for dialects that carry the history inside the prompt. */
export interface PastTurn {
  question: string
  answer: string
}

/** All that a prompt is made of. */
export interface RunView {
  question: string
  tools: Tool[]
  steps: readonly Step[]
  /** ISO date, `2026-11-21`. */
  today: string
  /** Marks where an observation begins and ends, so that a page cannot forge the end. */
  nonce: string
  history: PastTurn[]
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
}
