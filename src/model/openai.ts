import type OpenAI from 'openai'
import type { Model, ModelEvent, ModelRequest, Usage } from '../agent/contracts/model.ts'
import { sleep } from '../base/backoff.ts'
import { ModelError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import { chatWire } from './chat-completions.ts'
import { isContextLength, statusOf } from './error-words.ts'
import { BrokenStream, isNoEndpoint, noResponses } from './failures.ts'
import { ContextWindow, isShorter } from './context-window.ts'
import { modelFetch, parseAnswer } from './model-fetch.ts'
import { chunkBatches } from './event-stream.ts'
import { PictureRefusals, type PreparedRequest } from './picture-refusals.ts'
import { RecentPrompts } from './recent-prompts.ts'
import { ReadingSpeed } from './reading-speed.ts'
import { responsesWire } from './responses-api.ts'
import { retryDelay, RETRIES } from './retry.ts'
import { estimateUsage } from './tokens.ts'
import { UnsupportedParameters } from './unsupported-parameters.ts'
import { readAnswer, type Wire } from './api-format.ts'

export interface OpenAiOptions {
  model: string
  apiKey?: string | undefined
  baseUrl?: string | undefined
  /** Extra headers, for gateways. */
  headers?: Record<string, string> | undefined
  /** Whether to stream. False requests whole answers. */
  stream: boolean
  /** Chat completions unless given. */
  api?: 'chat' | 'responses'
  /** OPENAI_REASONING_EFFORT; not sent unless given. */
  effort?: string | undefined
  fetch?: typeof globalThis.fetch | undefined
  /** The models that are known not to accept pictures. This one is added if it turns out not to. */
  blindModels?: Set<string> | undefined
  /** The model's window in tokens, from the settings or the endpoint's list. */
  knownWindow?: (() => Promise<number | undefined>) | undefined
  log: Log
  /** Milliseconds since the epoch. */
  now: () => number
}

/** A model of any OpenAI-compatible endpoint, over either API. Retries within the caller's time (retry.ts). */
export function openAiModel(options: OpenAiOptions): Model {
  const client = clientOf(options)
  // Each call reports the error itself.
  client.catch(() => {})
  const wire = options.api === 'responses' ? responsesWire : chatWire
  const learnt = new UnsupportedParameters(wire.optional)
  const recent = new RecentPrompts()
  const window = new ContextWindow({ model: options.model, known: options.knownWindow, log: options.log, recent })
  const speed = new ReadingSpeed(options.now, recent)
  const endpoint: Endpoint = { client, options, wire, learnt, window, speed, saysWhenDone: true }
  return { name: options.model, stream: (request) => withRetries(endpoint, request) }
}

/**
 * Loading the SDK takes as long as the rest of the agent, so it starts with the model, and the first call waits for it.
 */
async function clientOf(options: OpenAiOptions): Promise<OpenAI> {
  const { default: Client } = await import('openai')
  return new Client({
    ...addressOf(options.baseUrl),
    ...accessOf(options),
    maxRetries: 0,
    timeout: LONGEST_MS,
    logLevel: 'off',
    fetch: modelFetch(options.fetch ?? globalThis.fetch),
  })
}

/** The SDK's own limit, above AGENT_TIMEOUT_MS: the caller's signal ends a call. */
const LONGEST_MS = 86_400_000

/** Azure's older URLs contain the version, `…/deployments/NAME?api-version=…`. The query is sent with each call. */
function addressOf(baseUrl: string | undefined): { baseURL: string | null; defaultQuery?: Record<string, string> } {
  if (baseUrl === undefined) return { baseURL: null }
  const url = new URL(baseUrl)
  const query = Object.fromEntries(url.searchParams)
  url.search = ''
  return { baseURL: url.href.replace(/\/$/, ''), ...(Object.keys(query).length > 0 ? { defaultQuery: query } : {}) }
}

/**
 * Without a key, no Authorization is sent, so that it does not override a configured header. The SDK requires some key.
 */
function accessOf({ apiKey, headers }: OpenAiOptions) {
  const bearer = apiKey === undefined ? { Authorization: null } : {}
  return { apiKey: apiKey ?? 'none', defaultHeaders: { ...bearer, ...headers } }
}

interface Endpoint {
  client: Promise<OpenAI>
  options: OpenAiOptions
  wire: Wire
  learnt: UnsupportedParameters
  window: ContextWindow
  speed: ReadingSpeed
  /** False once the endpoint's streams are known to never say that they are done. */
  saysWhenDone: boolean
  /** Created by the first call with a picture. */
  pictures?: PictureRefusals
}

async function* withRetries(endpoint: Endpoint, request: ModelRequest): AsyncGenerator<ModelEvent> {
  let refused: PromptRefused | undefined
  for (let attempt = 0; ;) {
    try {
      return yield* once(endpoint, request, { isLast: attempt === RETRIES, refused })
    } catch (error) {
      if (request.signal.aborted) throw request.signal.reason
      if (error instanceof PromptRefused) refused = error
      const isAtOnce = error instanceof ParameterRejected || error instanceof PromptRefused
      const ms = isAtOnce ? 0 : retryDelay(error, attempt++, endpoint.options)
      // Sent before the wait, because the run may end during it and must not end with half an answer.
      yield { type: 'restart' }
      if (ms > 0) await sleep(ms, request.signal)
    }
  }
}

/** The endpoint refused a parameter or the pictures. The call is repeated at once without them. */
class ParameterRejected extends Error {
  override name = 'ParameterRejected'
}

/** The endpoint refused the prompt as too long. The call is repeated once with a shorter one. */
class PromptRefused extends Error {
  override name = 'PromptRefused'
  /** The most tokens, by our estimate, if the refusal names no number. */
  readonly limit: number | undefined

  constructor(limit: number | undefined) {
    super()
    this.limit = limit
  }
}

interface ModelTry {
  isLast: boolean
  refused: PromptRefused | undefined
}

async function* once(
  endpoint: Endpoint,
  given: ModelRequest,
  { isLast, refused }: ModelTry,
): AsyncGenerator<ModelEvent> {
  const { options, wire, learnt, window } = endpoint
  const { model, stream, effort } = options
  const { leftOut = [], ...fitted } = await window.fit(given, refused?.limit)
  const prepared = fitted.messages.some(({ images }) => images?.length) ? await prepareFor(endpoint, fitted) : undefined
  let isReported = false
  const onUsage = (usage: Usage) => {
    isReported = true
    given.onUsage?.(leftOut.length > 0 ? { ...usage, leftOut } : usage)
  }
  const request = { ...(prepared?.request ?? fitted), onUsage }
  if (prepared?.imagesStripped) yield { type: 'unseen' }
  const body = wire.body(request, { model, stream, effort, learnt })
  given.signal.throwIfAborted()
  const reading = endpoint.speed.watch(request)
  // The SDK never removes its listener, so each call has a signal of its own. Node 20 keeps those of AbortSignal.any.
  const own = new AbortController()
  const abort = () => own.abort(request.signal.reason)
  request.signal.addEventListener('abort', abort)
  try {
    const response = wire.send(await endpoint.client, body, own.signal)
    const batches = stream ? chunkBatches(await response.asResponse()) : whole(response)
    const end = yield* readAnswer(wire.reader(model), batches, { request: reading.request, window })
    if (!stream && !end.isDone) throw new BrokenStream('the answer holds no message')
    // A few servers never say that they are done. Their text is accepted after the last retry, and always from then on.
    const isSomething = end.hasText || end.calls.length > 0
    if (!end.isDone && !(isSomething && (isLast || !endpoint.saysWhenDone))) throw new BrokenStream(CUT)
    endpoint.saysWhenDone = end.isDone
    if (end.kept) yield { type: 'kept', kept: end.kept }
    if (end.calls.length > 0) yield { type: 'tool_calls', calls: end.calls }
  } catch (error) {
    const isRejected =
      (prepared && endpoint.pictures?.learnFromError(error, prepared)) ||
      learnt.learnFromError(error, body) ||
      (prepared && endpoint.pictures?.isMaybeImageError(error, prepared))
    if (isRejected) throw new ParameterRejected()
    if ((isContextLength(error) || statusOf(error) === 413) && !refused) {
      const limit = await window.learnFromRefusal(error, request)
      if (isShorter(await window.fit(given, limit), request)) throw new PromptRefused(limit)
    }
    throw options.api === 'responses' && isNoEndpoint(error) ? noResponses(error) : error
  } finally {
    request.signal.removeEventListener('abort', abort)
    reading.release()
    // The endpoint has read the prompt of a call that its caller aborts before its first token. A silent one has not.
    const isAborted = given.signal.aborted && !(given.signal.reason instanceof ModelError)
    if (isAborted && !isReported) onUsage(await estimateUsage(model, request.messages, ''))
  }
}

/** A whole answer, as a stream of one chunk. */
async function* whole(answer: PromiseLike<unknown>): AsyncGenerator<unknown[]> {
  const read = await answer
  // The SDK leaves it as text unless its content type is JSON.
  yield [typeof read === 'string' ? parseAnswer(read) : read]
}

/** Prepares the request for its model: without the pictures if it does not accept them. */
async function prepareFor(endpoint: Endpoint, request: ModelRequest): Promise<PreparedRequest> {
  endpoint.pictures ??= new PictureRefusals(endpoint.options)
  return endpoint.pictures.prepare(request)
}

const CUT = 'the stream ended before the model was done'
