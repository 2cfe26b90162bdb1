import type { Journal } from './journal.ts'
import type { Json } from './types.ts'

/** A call of a tool, as a model writes it: the arguments are JSON text. */
export interface PieceCall {
  id: string
  name: string
  arguments: string
}

/** A piece of what a model writes. */
export type Piece =
  | { text: string }
  | { reasoning: string }
  | { toolCalls: PieceCall[] }
  /** As OpenAI has it: `prompt_tokens`, `completion_tokens`, `total_tokens`. */
  | { usage: Json }
  /** OpenAI's finish_reason. */
  | { finish: string }

/** A model that is played. What it throws before its first piece is answered as an UpstreamError's status, 500 for others. */
export interface PlayedUpstream {
  models(): Promise<string[]>
  /** @param body a chat completion's request, as OpenAI has it */
  complete(body: Json, signal: AbortSignal, headers: Record<string, string>): AsyncIterable<Piece>
}

/** A real endpoint: what it answers goes on as it comes. */
export interface WireUpstream {
  /** @param path behind `/v1`, such as `/chat/completions` */
  fetch(path: string, init: { method: string; body?: string; signal: AbortSignal }): Promise<Response>
}

export type Upstream = PlayedUpstream | WireUpstream

/** What goes wrong with a call on purpose. */
export interface MetTrouble {
  /** An HTTP status in place of an answer. */
  status?: number
  /** A pause before anything is sent, and one between two pieces, in milliseconds. */
  delayMs?: number
  pieceMs?: number
  /** Nothing is ever sent. */
  hang?: true
  /** After an action the model goes on, with an observation and an answer of its own making. */
  invents?: true
  /** The model writes on and on. */
  endless?: true
}

export interface ModelTrouble {
  meet(body: Json): MetTrouble | undefined
}

export interface ModelEndpointOptions {
  upstream: Upstream
  journal?: Journal
  trouble?: ModelTrouble
  port?: number
}

export interface ModelEndpoint {
  /** For OPENAI_BASE_URL: it ends in `/v1`. */
  url: string
  close(): Promise<void>
}
