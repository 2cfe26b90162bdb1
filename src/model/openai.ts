import OpenAI from 'openai'
import type { ChatCompletion, ChatCompletionChunk } from 'openai/resources/chat/completions'
import type { Model, ModelEvent, ModelRequest, ToolCall, Usage } from '../agent/types.ts'
import { backoffMs, sleep } from '../backoff.ts'
import type { Log } from '../log.ts'
import { BrokenStream, failureOf } from './failures.ts'
import { bodyOf, Refused } from './parameters.ts'
import { estimateUsage } from './tokens.ts'

export interface OpenAiOptions {
  model: string
  apiKey?: string | undefined
  baseUrl?: string | undefined
  /** Extra headers, for gateways. */
  headers?: Record<string, string> | undefined
  /** False asks for whole answers instead of streams. */
  stream: boolean
  fetch?: typeof globalThis.fetch | undefined
  log: Log
}

/** Calls made besides the first before a failing model is given up; the run's time may end it earlier. */
const RETRIES = 3

/** Any OpenAI-compatible endpoint's chat completions. Retries what is worth it within the caller's time. */
export function openAiModel(options: OpenAiOptions): Model {
  const client = new OpenAI({
    apiKey: options.apiKey ?? 'none',
    ...addressOf(options.baseUrl),
    maxRetries: 0,
    logLevel: 'off',
    ...(options.headers ? { defaultHeaders: options.headers } : {}),
    ...(options.fetch ? { fetch: options.fetch } : {}),
  })
  const refused = new Refused()
  return { name: options.model, stream: (request) => withRetries({ client, options, refused }, request) }
}

/** Azure's older form carries its version in the address, `…/deployments/NAME?api-version=…`: the query goes along with each call. */
function addressOf(baseUrl: string | undefined): { baseURL: string | null; defaultQuery?: Record<string, string> } {
  if (baseUrl === undefined) return { baseURL: null }
  const url = new URL(baseUrl)
  const query = Object.fromEntries(url.searchParams)
  url.search = ''
  return { baseURL: url.href.replace(/\/$/, ''), ...(Object.keys(query).length > 0 ? { defaultQuery: query } : {}) }
}

interface Endpoint {
  client: OpenAI
  options: OpenAiOptions
  refused: Refused
}

async function* withRetries(endpoint: Endpoint, request: ModelRequest): AsyncGenerator<ModelEvent> {
  for (let attempt = 0; ; ) {
    try {
      return yield* once(endpoint, request, attempt === RETRIES)
    } catch (error) {
      if (request.signal.aborted) throw request.signal.reason
      if (!(error instanceof Learnt)) await waitOrGiveUp(endpoint, request, { error, attempt: attempt++ })
      yield { type: 'restart' }
    }
  }
}

/** @throws ModelError when there is no point in another try. */
async function waitOrGiveUp({ options }: Endpoint, request: ModelRequest, tried: { error: unknown; attempt: number }): Promise<void> {
  const failure = failureOf(tried.error, options.model)
  if (!failure) throw tried.error
  if (!failure.retryable || tried.attempt >= RETRIES) throw failure.error
  const ms = Math.max(failure.retryAfterMs ?? 0, backoffMs(tried.attempt, { base: 500, max: 8000 }))
  options.log.warn({ model: options.model, attempt: tried.attempt + 1, ms: Math.round(ms), error: failure.error.message }, 'model call failed, retrying')
  await sleep(ms, request.signal)
}

/** The endpoint refused a parameter: it is known now, and the call is repeated at once without it. */
class Learnt extends Error {
  override name = 'Learnt'
}

async function* once(endpoint: Endpoint, request: ModelRequest, last: boolean): AsyncGenerator<ModelEvent> {
  const { client, options, refused } = endpoint
  const body = bodyOf(request, options.model, { stream: options.stream, refused: refused.of(options.model) })
  try {
    const answer = await client.chat.completions.create(body, { signal: request.signal })
    if (isWhole(answer)) yield* whole(answer, options.model, request)
    else yield* streamed(answer, options.model, { request, last })
  } catch (error) {
    throw refused.learn(options.model, error, body) ? new Learnt() : error
  }
}

function isWhole(answer: ChatCompletion | AsyncIterable<ChatCompletionChunk>): answer is ChatCompletion {
  return !(Symbol.asyncIterator in answer)
}

async function* whole(answer: ChatCompletion, model: string, request: ModelRequest): AsyncGenerator<ModelEvent> {
  const message = answer.choices?.[0]?.message
  if (!message) throw new BrokenStream('the answer holds no message')
  const text = message.content ?? ''
  request.onUsage?.(answer.usage ? usageOf(answer.usage, model) : await estimateUsage(model, request.messages, text))
  const calls = message.tool_calls?.flatMap((call) => (call.type === 'function' ? [{ id: call.id, ...call.function }] : []))
  if (text !== '') yield { type: 'text', text }
  if (calls?.length) yield { type: 'tool_calls', calls }
}

type Delta = ChatCompletionChunk.Choice.Delta & { reasoning_content?: string | null; reasoning?: string | null }

/** Yields what comes in. Left early, it aborts the request (the SDK does so on return) and reports estimated tokens. */
async function* streamed(
  chunks: AsyncIterable<ChatCompletionChunk>,
  model: string,
  { request, last }: { request: ModelRequest; last: boolean },
): AsyncGenerator<ModelEvent> {
  const calls: ToolCall[] = []
  let [text, finished] = ['', false]
  let usage: Usage | undefined
  try {
    for await (const chunk of chunks) {
      if (chunk.usage) usage = usageOf(chunk.usage, model)
      const choice = chunk.choices?.[0]
      if (!choice) continue
      const delta: Delta = choice.delta ?? {}
      const reasoning = delta.reasoning_content ?? delta.reasoning
      if (reasoning) yield { type: 'reasoning', text: reasoning }
      if (delta.content) {
        text += delta.content
        yield { type: 'text', text: delta.content }
      }
      for (const part of delta.tool_calls ?? []) addCall(calls, part)
      finished ||= Boolean(choice.finish_reason)
    }
    if (request.signal.aborted) throw request.signal.reason
    // A few servers never send a finish_reason: after the last retry a text without one is taken as it is.
    if (!finished && !(last && text !== '')) throw new BrokenStream('the stream ended before the model was done')
    if (calls.length > 0) yield { type: 'tool_calls', calls }
  } finally {
    if (text !== '' || usage) request.onUsage?.(usage ?? (await estimateUsage(model, request.messages, text)))
  }
}

function addCall(calls: ToolCall[], part: ChatCompletionChunk.Choice.Delta.ToolCall): void {
  const call = (calls[part.index ?? calls.length] ??= { id: `call_${calls.length}`, name: '', arguments: '' })
  if (part.id) call.id = part.id
  call.name += part.function?.name ?? ''
  call.arguments += part.function?.arguments ?? ''
}

function usageOf(usage: OpenAI.CompletionUsage, model: string): Usage {
  const cached = usage.prompt_tokens_details?.cached_tokens
  const counts = { inputTokens: usage.prompt_tokens ?? 0, outputTokens: usage.completion_tokens ?? 0 }
  return { model, ...counts, ...(cached ? { cachedTokens: cached } : {}), estimated: false }
}
