/** One API of an endpoint: its requests, and how its answers are read, whole or streamed. */
import type OpenAI from 'openai'
import type { KeptReasoning, ModelEvent, ModelRequest, ToolCall, Usage } from '../agent/contracts/model.ts'
import type { ContextWindow } from './context-window.ts'
import { estimateUsage } from './tokens.ts'
import type { ModelQuirks } from './unsupported-parameters.ts'
import type { AnswerBuffer } from './answer-buffer.ts'

export interface BodyOptions {
  model: string
  stream: boolean
  /** OPENAI_REASONING_EFFORT. */
  effort?: string | undefined
  learnt: ModelQuirks
}

/** A request under way. Awaited, it is a whole answer. */
interface SentRequest extends PromiseLike<unknown> {
  asResponse(): Promise<Response>
}

/** chat-completions.ts and responses.ts implement it. */
export interface Wire {
  /** The parameters that not every endpoint accepts; `a.b` is a field of one. */
  readonly optional: readonly string[]
  /** The body of a request, without parameters that the model is known to refuse. */
  body(request: ModelRequest, options: BodyOptions): object
  send(client: OpenAI, body: object, signal: AbortSignal): SentRequest
  reader(model: string): CompletionReader
}

/** The request as an endpoint gets it that may refuse schemas: a schema wins over a forced choice of a tool. */
export function withSchemaOrChoice(request: ModelRequest, refusesSchema: boolean): ModelRequest {
  const { schema, toolChoice, ...rest } = request
  if (schema && refusesSchema) return { ...rest, toolChoice }
  return schema && toolChoice === 'required' ? { ...request, toolChoice: 'none' } : request
}

/** A schema that the model's text should follow, as both APIs take it. */
export function formatOf(schema: Record<string, unknown>) {
  return { name: 'turn', strict: true, schema }
}

/** Reads one answer. A whole answer is read like a stream of one chunk. */
export interface CompletionReader {
  readonly model: string
  readonly written: AnswerBuffer
  readonly usage: Usage | undefined
  /** Whether tokens were used, although nothing was written. */
  readonly isBilled: boolean
  /** Whether the endpoint reported the end. */
  readonly isDone: boolean
  /** @throws APIError for an error instead of an answer */
  take(chunk: unknown): ModelEvent[]
  /** The reasoning that has to accompany this answer's tool calls. */
  kept(): KeptReasoning | undefined
}

interface AnswerEnd {
  /** Whether the endpoint reported the end, rather than falling silent. */
  isDone: boolean
  hasText: boolean
  calls: ToolCall[]
  kept: KeptReasoning | undefined
}

/**
 * Yields events as they arrive. The caller yields the tool calls once it accepts the end. Leaving early aborts the
 * request (`batches` does so on return) and reports estimated tokens.
 * @throws KnownFailure for a refusal by a filter or the model itself
 */
export async function* readAnswer(
  reader: CompletionReader,
  batches: AsyncIterable<unknown[]>,
  { request, window }: { request: ModelRequest; window: ContextWindow },
): AsyncGenerator<ModelEvent, AnswerEnd> {
  const { model, written } = reader
  try {
    for await (const batch of batches) {
      request.onSign?.()
      const events: ModelEvent[] = []
      for (const chunk of batch) {
        for (const event of reader.take(chunk)) addTo(events, event)
        if (written.isFull) break
      }
      for (const event of events) yield event
      if (written.isFull) break
    }
    if (request.signal.aborted) throw request.signal.reason
    const isDone = reader.isDone || written.isFull
    if (isDone) written.check()
    if (written.isCutOff) yield { type: 'cut_off', ...(written.isFull ? { isEndless: true as const } : {}) }
    const calls = written.calls()
    return { isDone, hasText: written.hasText, calls, kept: calls.length > 0 ? reader.kept() : undefined }
  } finally {
    const all = written.all()
    const { usage } = reader
    if (all !== '' || reader.isBilled)
      request.onUsage?.(await (usage ? window.check(usage, request) : estimateUsage(model, request.messages, all)))
  }
}

/** Merges consecutive pieces of the same kind into one event. */
function addTo(events: ModelEvent[], event: ModelEvent): void {
  const last = events.at(-1)
  if (last?.type === 'text' && event.type === 'text') last.text += event.text
  else if (last?.type === 'reasoning' && event.type === 'reasoning') last.text += event.text
  else events.push(event)
}
