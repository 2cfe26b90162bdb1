import OpenAI from 'openai'
import type { ChatCompletion, ChatCompletionChunk } from 'openai/resources/chat/completions'
import type { Model, ModelEvent, ModelRequest } from '../agent/types.ts'
import { backoffMs, sleep } from '../backoff.ts'
import type { Log } from '../log.ts'
import { streamedAnswer, wholeAnswer } from './completion.ts'
import { withOpenAiErrors } from './error-bodies.ts'
import { BrokenStream, failureOf } from './failures.ts'
import { bodyOf, UnsupportedParameters } from './parameters.ts'

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
    ...addressOf(options.baseUrl),
    ...accessOf(options),
    maxRetries: 0,
    logLevel: 'off',
    fetch: withOpenAiErrors(options.fetch ?? globalThis.fetch),
  })
  const endpoint: Endpoint = { client, options, refused: new UnsupportedParameters(), saysWhenDone: true }
  return { name: options.model, stream: (request) => withRetries(endpoint, request) }
}

/** Azure's older form carries its version in the address, `…/deployments/NAME?api-version=…`: the query goes along with each call. */
function addressOf(baseUrl: string | undefined): { baseURL: string | null; defaultQuery?: Record<string, string> } {
  if (baseUrl === undefined) return { baseURL: null }
  const url = new URL(baseUrl)
  const query = Object.fromEntries(url.searchParams)
  url.search = ''
  return { baseURL: url.href.replace(/\/$/, ''), ...(Object.keys(query).length > 0 ? { defaultQuery: query } : {}) }
}

/** Without a key none is sent, so that it does not stand in the way of one among the headers. The SDK insists on one. */
function accessOf({ apiKey, headers }: OpenAiOptions) {
  const bearer = apiKey === undefined ? { Authorization: null } : {}
  return { apiKey: apiKey ?? 'none', defaultHeaders: { ...bearer, ...headers } }
}

interface Endpoint {
  client: OpenAI
  options: OpenAiOptions
  refused: UnsupportedParameters
  /** False once it has turned out that its streams never carry a finish_reason. */
  saysWhenDone: boolean
}

async function* withRetries(endpoint: Endpoint, request: ModelRequest): AsyncGenerator<ModelEvent> {
  for (let attempt = 0; ;) {
    try {
      return yield* once(endpoint, request, attempt === RETRIES)
    } catch (error) {
      if (request.signal.aborted) throw request.signal.reason
      if (!(error instanceof ParameterRejected)) await waitOrGiveUp(endpoint, request, { error, attempt: attempt++ })
      yield { type: 'restart' }
    }
  }
}

/** An endpoint that asks for a longer pause than this is told of to the person at once. */
const PATIENCE_MS = 30_000

/** @throws ModelError when there is no point in another try. */
async function waitOrGiveUp(
  { options }: Endpoint,
  request: ModelRequest,
  tried: { error: unknown; attempt: number },
): Promise<void> {
  const failure = failureOf(tried.error, options.model)
  const isTooLong = (failure.retryAfterMs ?? 0) > PATIENCE_MS
  if (!failure.retryable || tried.attempt >= RETRIES || isTooLong) throw failure.error
  const ms = Math.max(failure.retryAfterMs ?? 0, backoffMs(tried.attempt, { base: 500, max: 8000 }))
  options.log.warn(
    { model: options.model, attempt: tried.attempt + 1, ms: Math.round(ms), error: failure.error.message },
    'model call failed, retrying',
  )
  await sleep(ms, request.signal)
}

/** The endpoint refused a parameter: it is known now, and the call is repeated at once without it. */
class ParameterRejected extends Error {
  override name = 'Learnt'
}

async function* once(endpoint: Endpoint, request: ModelRequest, last: boolean): AsyncGenerator<ModelEvent> {
  const { client, options, refused } = endpoint
  const body = bodyOf(request, options.model, { stream: options.stream, refused: refused.of(options.model) })
  try {
    const answer = await client.chat.completions.create(body, { signal: request.signal })
    if (isWhole(answer)) return yield* wholeAnswer(answer, options.model, request)
    const end = yield* streamedAnswer(answer, options.model, request)
    // A few servers never say that they are done: after the last retry, what they wrote is taken as it is, and from then on.
    const isSomething = end.hasText || end.calls.length > 0
    if (!end.isDone && !(isSomething && (last || !endpoint.saysWhenDone))) throw new BrokenStream(CUT)
    endpoint.saysWhenDone = end.isDone
    if (end.calls.length > 0) yield { type: 'tool_calls', calls: end.calls }
  } catch (error) {
    throw refused.learn(options.model, error, body) ? new ParameterRejected() : error
  }
}

const CUT = 'the stream ended before the model was done'

function isWhole(answer: ChatCompletion | AsyncIterable<ChatCompletionChunk>): answer is ChatCompletion {
  return !(Symbol.asyncIterator in answer)
}
