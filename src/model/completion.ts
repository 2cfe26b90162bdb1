/** Reads what an endpoint answers, whole or streamed, as tolerantly as endpoints differ. */
import type { OpenAI } from 'openai'
import { APIError } from 'openai/core/error'
import type { ChatCompletion, ChatCompletionChunk } from 'openai/resources/chat/completions'
import type { ModelEvent, ModelRequest, ToolCall, Usage } from '../agent/types.ts'
import { BrokenStream } from './failures.ts'
import { estimateUsage } from './tokens.ts'
import { Written } from './written.ts'

/**
 * @throws BrokenStream for an answer without a message, APIError for an error that came with status 200, KnownFailure for one
 * that a filter or the model itself refused.
 */
export async function* wholeAnswer(
  answer: ChatCompletion & { error?: object },
  model: string,
  request: ModelRequest,
): AsyncGenerator<ModelEvent> {
  const choice = answer.choices?.[0]
  const message: ChatCompletion.Choice['message'] | undefined = choice?.message
  if (!message && answer.error) throw new APIError(undefined, answer.error, undefined, undefined)
  const written = new Written()
  const events = message ? written.take(message) : []
  const usage = usageOf(answer.usage, model)
  if (usage || message) request.onUsage?.(usage ?? (await estimateUsage(model, request.messages, written.all())))
  if (!message) throw new BrokenStream('the answer holds no message')
  yield* events
  written.finish(choice?.finish_reason)
  written.check()
  if (written.isCutOff) yield { type: 'cut_off' }
  const calls = written.calls()
  if (calls.length > 0) yield { type: 'tool_calls', calls }
}

export interface StreamEnd {
  /** The endpoint said that it was done, rather than falling silent. */
  isDone: boolean
  hasText: boolean
  calls: ToolCall[]
}

/**
 * Yields what is said as it comes in; the tool calls are the caller's to yield, once it believes the end. Left early, it
 * aborts the request (the batches do so on return) and reports estimated tokens.
 */
export async function* streamedAnswer(
  batches: AsyncIterable<ChatCompletionChunk[]>,
  model: string,
  request: ModelRequest,
): AsyncGenerator<ModelEvent, StreamEnd> {
  const written = new Written()
  let isDone = false
  let isBilled = false
  let usage: Usage | undefined
  try {
    for await (const batch of batches) {
      request.onSign?.()
      const events: ModelEvent[] = []
      for (const chunk of batch) {
        isBilled ||= Boolean(chunk.usage)
        usage = usageOf(chunk.usage, model) ?? usage
        const choice = chunk.choices?.[0]
        for (const event of choice?.delta ? written.take(choice.delta) : []) addTo(events, event)
        written.finish(choice?.finish_reason)
        isDone ||= Boolean(choice?.finish_reason) || written.isFull
        if (written.isFull) break
      }
      for (const event of events) yield event
      if (written.isFull) break
    }
    if (request.signal.aborted) throw request.signal.reason
    if (isDone) written.check()
    if (written.isCutOff) yield { type: 'cut_off' }
    return { isDone, hasText: written.hasText, calls: written.calls() }
  } finally {
    const all = written.all()
    if (all !== '' || isBilled) request.onUsage?.(usage ?? (await estimateUsage(model, request.messages, all)))
  }
}

/** Pieces of the same kind that came in together are one event. */
function addTo(events: ModelEvent[], event: ModelEvent): void {
  const last = events.at(-1)
  if (last?.type === 'text' && event.type === 'text') last.text += event.text
  else if (last?.type === 'reasoning' && event.type === 'reasoning') last.text += event.text
  else events.push(event)
}

/** More tokens than any model takes: a count beyond is none. */
const MOST_TOKENS = 20_000_000

/** What the endpoint says that the call took; undefined where it does not say, or says what cannot be. */
function usageOf(usage: OpenAI.CompletionUsage | null | undefined, model: string): Usage | undefined {
  const [inputTokens, outputTokens] = [usage?.prompt_tokens, usage?.completion_tokens]
  if (!isCount(inputTokens) || !isCount(outputTokens)) return undefined
  const cached = usage?.prompt_tokens_details?.cached_tokens
  const cachedTokens = isCount(cached) ? Math.min(cached, inputTokens) : 0
  return { model, inputTokens, outputTokens, ...(cachedTokens > 0 ? { cachedTokens } : {}), estimated: false }
}

function isCount(count: unknown): count is number {
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 && count <= MOST_TOKENS
}
