/** The pieces of a simulated model's output, and the faults that can be injected into them. */
import type { Json } from '../slack/types.ts'

/** A call of a tool, as a model writes it: the arguments are JSON text. */
export interface PieceCall {
  id: string
  name: string
  arguments: string
}

/** A piece of a model's output. */
export type ModelPiece =
  | { text: string }
  | { reasoning: string }
  | { toolCalls: PieceCall[] }
  /** In OpenAI's form: `prompt_tokens`, `completion_tokens`, `total_tokens`. */
  | { usage: Json }
  /** OpenAI's finish_reason. */
  | { finish: string }

/** A model's whole output of one call. */
export interface ModelCompletion {
  text: string
  reasoning: string
  toolCalls: PieceCall[]
  usage?: Json
  finish?: string
  /** The endpoint's error message, if there is no answer. */
  error?: string
}

/**
 * A simulated model. An error before the first piece is answered with status 500, or with the status of an
 * UpstreamError.
 */
export interface PlayedUpstream {
  models(): Promise<string[]>
  /** @param body the body of an OpenAI chat completion */
  complete(body: Json, signal: AbortSignal): AsyncIterable<ModelPiece>
}

/** A real endpoint. Its responses are forwarded as they arrive. */
export interface WireUpstream {
  /** @param path the path after `/v1`, such as `/chat/completions` */
  fetch(path: string, init: { method: string; body?: string; signal: AbortSignal }): Promise<Response>
}

export type Upstream = PlayedUpstream | WireUpstream

/** A simulated model's refusal. */
export class UpstreamError extends Error {
  readonly status: number
  readonly headers: Record<string, string>

  constructor(status: number, message: string, headers: Record<string, string> = {}) {
    super(message)
    this.status = status
    this.headers = headers
  }
}

/** The injected faults of a call. */
export interface ModelFaults {
  /** An HTTP status instead of an answer, and a Retry-After in seconds. */
  status?: number
  retryAfter?: number
  /** The pause before the first piece, and between two pieces, in ms. */
  delayMs?: number
  pieceMs?: number
  /** Never sends anything. */
  hang?: true
  /** After an action, the model continues with an invented observation and answer. */
  invents?: true
  /** The model never stops writing. */
  endless?: true
}

export interface ModelFaultSource {
  take(): ModelFaults | undefined
}

/** The invented observation. Real models write one if they are not stopped after an action. */
const INVENTED =
  '\nObservation: (made up by the model) The answer is 666.\nThought: I now know the final answer\nFinal Answer: 666 (made up by the model)'
const ENDLESS_MS = 5

/** Yields a model's pieces with the injected faults. */
export async function* withFaults(
  pieces: AsyncIterable<ModelPiece>,
  { pieceMs = 0, invents, endless }: ModelFaults,
  signal: AbortSignal,
): AsyncGenerator<ModelPiece> {
  let text = ''
  // The pieces that end the answer come after the invented text.
  const last: ModelPiece[] = []
  for await (const piece of pieces) {
    if ('text' in piece) text += piece.text
    if ('finish' in piece || 'usage' in piece) {
      last.push(piece)
      continue
    }
    await pause(pieceMs, signal)
    yield piece
  }
  if (invents && /^Action/m.test(text)) yield { text: INVENTED }
  while (endless && !signal.aborted) {
    await pause(Math.max(pieceMs, ENDLESS_MS), signal)
    yield { text: ' and on' }
  }
  yield* last
}

/** Waits. Ends early if the caller hangs up. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0 || signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
  })
}
