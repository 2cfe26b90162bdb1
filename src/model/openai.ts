import type OpenAI from 'openai'
import { APIError } from 'openai/core/error'
import type { ChatCompletion, ChatCompletionCreateParams } from 'openai/resources/chat/completions'
import type { Message, Model, ModelEvent, ModelRequest, Picture } from '../agent/types.ts'
import { sleep } from '../base/backoff.ts'
import type { Log } from '../base/log.ts'
import { streamedAnswer, wholeAnswer } from './completion.ts'
import { BrokenStream } from './failures.ts'
import { chunkBatches, modelFetch } from './model-fetch.ts'
import { PictureRefusals, type PreparedRequest } from './picture-refusals.ts'
import { patienceFor, RETRIES } from './retry.ts'

export interface OpenAiOptions {
  model: string
  apiKey?: string | undefined
  baseUrl?: string | undefined
  /** Extra headers, for gateways. */
  headers?: Record<string, string> | undefined
  /** Whether to stream. False requests whole answers. */
  stream: boolean
  fetch?: typeof globalThis.fetch | undefined
  /** The models that are known not to accept pictures. This one is added if it turns out not to. */
  blindModels?: Set<string> | undefined
  log: Log
}

/** Chat completions of any OpenAI-compatible endpoint. Retries within the caller's time (retry.ts). */
export function openAiModel(options: OpenAiOptions): Model {
  const client = clientOf(options)
  // Each call reports the error itself.
  client.catch(() => {})
  const endpoint: Endpoint = { client, options, refused: new UnsupportedParameters(), saysWhenDone: true }
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
    logLevel: 'off',
    fetch: modelFetch(options.fetch ?? globalThis.fetch),
  })
}

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
  refused: UnsupportedParameters
  /** False once the endpoint's streams are known to carry no finish_reason. */
  saysWhenDone: boolean
  /** Created by the first call with a picture. */
  pictures?: PictureRefusals
}

async function* withRetries(endpoint: Endpoint, request: ModelRequest): AsyncGenerator<ModelEvent> {
  for (let attempt = 0; ;) {
    try {
      return yield* once(endpoint, request, attempt === RETRIES)
    } catch (error) {
      if (request.signal.aborted) throw request.signal.reason
      const ms = error instanceof ParameterRejected ? 0 : patienceFor({ error, attempt: attempt++ }, endpoint.options)
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

async function* once(endpoint: Endpoint, given: ModelRequest, last: boolean): AsyncGenerator<ModelEvent> {
  const { client, options, refused } = endpoint
  const sight = given.messages.some(({ images }) => images?.length) ? await lookAt(endpoint, given) : undefined
  const request = sight?.request ?? given
  if (sight?.imagesStripped) yield { type: 'unseen' }
  const body = bodyOf(request, options.model, { stream: options.stream, refused: refused.of(options.model) })
  try {
    const asked = (await client).chat.completions.create(body, { signal: request.signal })
    if (!options.stream) return yield* wholeAnswer((await asked) as ChatCompletion, options.model, request)
    const end = yield* streamedAnswer(chunkBatches(await asked.asResponse()), options.model, request)
    // A few servers never say that they are done. Their text is accepted after the last retry, and always from then on.
    const isSomething = end.hasText || end.calls.length > 0
    if (!end.isDone && !(isSomething && (last || !endpoint.saysWhenDone))) throw new BrokenStream(CUT)
    endpoint.saysWhenDone = end.isDone
    if (end.calls.length > 0) yield { type: 'tool_calls', calls: end.calls }
  } catch (error) {
    const isRejected =
      (sight && endpoint.pictures?.learn(error, sight)) ||
      refused.learn(options.model, error, body) ||
      (sight && endpoint.pictures?.suspect(error, sight))
    throw isRejected ? new ParameterRejected() : error
  }
}

/** Prepares the request for its model: without the pictures if it does not accept them. */
async function lookAt(endpoint: Endpoint, request: ModelRequest): Promise<PreparedRequest> {
  endpoint.pictures ??= new PictureRefusals(endpoint.options)
  return endpoint.pictures.sightOf(request)
}

const CUT = 'the stream ended before the model was done'

/** Parameters that not every endpoint accepts. o3, gpt-5 and grok refuse `stop`; some refuse `temperature`. */
const OPTIONAL = ['stop', 'temperature', 'stream_options', 'tool_choice'] as const
type Optional = (typeof OPTIONAL)[number]

/** The parameters that each model has refused. Learnt from a 400 once per process. */
class UnsupportedParameters {
  readonly #byModel = new Map<string, Set<Optional>>()

  of(model: string): Set<Optional> {
    const known = this.#byModel.get(model) ?? new Set()
    this.#byModel.set(model, known)
    return known
  }

  /** Remembers refused parameters. Returns true if the request should be repeated without them. */
  learn(model: string, error: unknown, sent: object): boolean {
    if (!(error instanceof APIError) || (error.status !== 400 && error.status !== 422)) return false
    const { param, message } = error
    const named = OPTIONAL.filter((name) => (param ? isParam(param, name) : mentions(message, name)))
    // An endpoint may refuse something without naming it. Then all optional parameters are dropped.
    const isNameless = !param && named.length === 0 && NAMELESS.test(message)
    const refused = (isNameless ? OPTIONAL : named).filter((name) => name in sent)
    for (const name of refused) this.of(model).add(name)
    return refused.length > 0
  }
}

/** "Extra inputs are not permitted", "Unknown field", "Unrecognized request arguments". */
const NAMELESS =
  /\b(?:extra|additional|unknown|unrecogni[sz]ed|unexpected|unsupported)\s+(?:request\s+|keyword\s+)?(?:inputs?|fields?|propert(?:y|ies)|parameters?|arguments?|keys?)\b/i

/** `stream_options.include_usage` is a part of `stream_options`. */
function isParam(param: string, name: string): boolean {
  return param === name || param.startsWith(`${name}.`)
}

/** The words in which endpoints refuse a parameter. A message that only mentions its name refuses nothing. */
const REFUSES =
  /support|unrecogni[sz]ed|unknown|unexpected|not (?:allowed|permitted|accepted|valid|available|implemented|compatible)|extra (?:inputs|fields)|invalid|incompatible|deprecated|must (?:not )?be/i

function mentions(message: string, name: string): boolean {
  const named = new RegExp(`(^|[^\\w-])['"\`]?${name}['"\`]?([^\\w-]|$)`, 'i').test(message)
  return named && REFUSES.test(message)
}

/** The body of one chat completion, without what the model is known to refuse. */
function bodyOf(
  request: ModelRequest,
  model: string,
  options: { stream: boolean; refused: Set<Optional> },
): ChatCompletionCreateParams {
  const { stream, refused } = options
  return {
    model,
    messages: request.messages.map(toWire),
    stream,
    ...(stream && !refused.has('stream_options') ? { stream_options: { include_usage: true } } : {}),
    ...(refused.has('temperature') ? {} : { temperature: 0 }),
    ...(request.stop?.length && !refused.has('stop') ? { stop: request.stop } : {}),
    ...(request.tools?.length
      ? { tools: request.tools.map((fn) => ({ type: 'function' as const, function: fn })) }
      : {}),
    ...(request.tools?.length && request.toolChoice && !refused.has('tool_choice')
      ? { tool_choice: request.toolChoice }
      : {}),
  }
}

function toWire(message: Message): ChatCompletionCreateParams['messages'][number] {
  const { role, content, images, toolCalls, toolCallId } = message
  if (role === 'user' && images?.length)
    return { role, content: [{ type: 'text', text: content }, ...images.map(toPart)] }
  if (role === 'tool') return { role, content, tool_call_id: toolCallId ?? '' }
  if (role !== 'assistant') return { role, content }
  const calls = toolCalls?.map((c) => ({
    id: c.id,
    type: 'function' as const,
    function: { name: c.name, arguments: c.arguments },
  }))
  return { role, content: content === '' && calls ? null : content, ...(calls ? { tool_calls: calls } : {}) }
}

function toPart({ mime, base64 }: Picture) {
  return { type: 'image_url' as const, image_url: { url: `data:${mime};base64,${base64}`, detail: 'auto' as const } }
}
