/** The model: messages in, a stream of text and tool calls out, and what that cost. */

export interface ToolCall {
  id: string
  name: string
  /** JSON text, as the model wrote it. */
  arguments: string
}

/** A picture as a model gets it: `image/png`, `image/jpeg`, `image/gif` or `image/webp`. Never logged, traced or saved. */
export interface Picture {
  /** The file's, as a person gave it. */
  name: string
  mime: string
  base64: string
}

export interface Message {
  role: 'system' | 'user' | 'assistant' | 'tool'
  content: string
  /** Pictures that a user's message holds besides. */
  images?: Picture[]
  /** What stands before the content in place of the pictures, where the model does not take them. */
  unseen?: string
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
  /** What follows was written without the messages' pictures, since the model does not take them. A restart takes this back. */
  | { type: 'unseen' }
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

/** What one model call cost. Tokens; `estimated` where the endpoint sent no usage; dollars where a price is known. */
export interface Usage {
  model: string
  inputTokens: number
  outputTokens: number
  cachedTokens?: number
  estimated: boolean
  costUsd?: number
}
