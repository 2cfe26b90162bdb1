/** The model: messages in, a stream of text and tool calls out, and the usage. */
import { z } from 'zod'

export interface ToolCall {
  id: string
  name: string
  /** JSON text as the model wrote it. */
  arguments: string
}

/** A picture for a model: `image/png`, `image/jpeg`, `image/gif` or `image/webp`. Never logged, traced or saved. */
export interface Picture {
  /** The file name that a person gave. */
  name: string
  mime: string
  base64: string
}

/**
 * A model's own reasoning beside its tool calls, as its endpoint wants it back within the run. Opaque outside
 * `src/model/`, which wrote it, and never sent to another model.
 */
export type KeptReasoning = z.infer<typeof keptReasoning>

const anyFields = z.record(z.string(), z.unknown())

export const keptReasoning = z.object({
  model: z.string(),
  /** Chat completions: the fields of the message, under the names that the endpoint gave them. */
  fields: anyFields.optional(),
  /** Responses API: the output items, in order. */
  items: z.array(anyFields).optional(),
})

export interface Message {
  role: 'system' | 'user' | 'assistant' | 'tool'
  content: string
  /** Pictures in a user's message. */
  images?: Picture[]
  /** Precedes the content instead of the pictures if the model does not accept them. */
  unseen?: string
  toolCalls?: ToolCall[]
  /** The reasoning that came with the tool calls. */
  kept?: KeptReasoning
  toolCallId?: string
}

/** A tool definition for native tool calls; `parameters` is a JSON schema. */
export interface ToolSpec {
  name: string
  description: string
  parameters: Record<string, unknown>
}

/** A shorter form of a request. */
export interface FittedRequest extends Pick<ModelRequest, 'messages' | 'tools'> {
  /** The tokens of the part that cannot be shortened because it is what was asked. 0 if the request fits. */
  question: number
  /** The parts that lost text, in words for people. */
  leftOut: string[]
}

export interface ModelRequest {
  messages: Message[]
  /**
   * Shortens the request to `max` tokens as far as possible, if it does not fit into the model's window. `count`
   * estimates the tokens of a prompt. Absent: the longest message loses its middle.
   */
  fit?(max: number, count: (prompt: Pick<ModelRequest, 'messages' | 'tools'>) => number): FittedRequest
  /**
   * Strings at which the model should stop. Sent if the model supports them. The caller cuts the output in any case.
   */
  stop?: string[]
  tools?: ToolSpec[]
  /**
   * `none`: tools are listed because the messages mention them, but none may be called. `required`: one must be called;
   * with a `schema`, only if the endpoint refuses that.
   */
  toolChoice?: 'none' | 'required'
  /** A JSON schema in the strict subset, which the text should follow. Endpoints may refuse or ignore it. */
  schema?: Record<string, unknown>
  signal: AbortSignal
  /** How long the caller waits at most, in ms. A model that has sent nothing by then has failed. */
  timeMs?: number
  /** Called for everything that the endpoint sends, including chunks without an event. */
  onSign?(): void
  /** Called once per call, at its end. If the caller ended the stream early, the tokens are estimated. */
  onUsage?(usage: Usage): void
}

export type ModelEvent =
  | { type: 'text'; text: string }
  /** Reasoning that a model sends beside the text. */
  | { type: 'reasoning'; text: string }
  | { type: 'tool_calls'; calls: ToolCall[] }
  /** The reasoning to send back with the answer's tool calls. Comes before them. */
  | { type: 'kept'; kept: KeptReasoning }
  /** The model declined in these words, which are the answer in every dialect. */
  | { type: 'refusal'; text: string }
  /** The answer reached a length limit and is incomplete. `isEndless`: ours, which no answer needs. */
  | { type: 'cut_off'; isEndless?: true }
  /**
   * The following text was written without the pictures, because the model does not accept them. A restart resets this.
   */
  | { type: 'unseen' }
  /** The call failed and is being repeated: discard the text so far. */
  | { type: 'restart' }

/**
 * Messages in, a stream out. Ending the iteration early (`break`, `return`) aborts the request and stops the spending.
 * @throws ModelError if the retries and the fallback have failed, or the time is up.
 */
export interface Model {
  readonly name: string
  stream(request: ModelRequest): AsyncIterable<ModelEvent>
}

/**
 * The usage of one model call, in tokens. `estimated`: the endpoint sent no usage. `costUsd` is set if a price is
 * known.
 */
export type Usage = z.infer<typeof usageSchema>

export const usageSchema = z.object({
  model: z.string(),
  inputTokens: z.number(),
  outputTokens: z.number(),
  /** Input tokens that came from the provider's cache. */
  cachedTokens: z.number().optional(),
  /** Output tokens that the model used for reasoning. */
  reasoningTokens: z.number().optional(),
  estimated: z.boolean(),
  costUsd: z.number().optional(),
  /** The parts of the prompt that lost text so that it fits into the model's window, in words for people. */
  leftOut: z.array(z.string()).optional(),
  /** The input tokens that were sent, as estimated, if the endpoint read clearly fewer without an error. */
  sentTokens: z.number().optional(),
})
