/**
 * An OpenAI-compatible server on 127.0.0.1, through which the playground's bot calls every model. The calls are real
 * HTTP calls, which are recorded and into which faults can be injected.
 * https://platform.openai.com/docs/api-reference/chat
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isObject } from '../slack/args.ts'
import { errorText } from '../base/error-text.ts'
import type { Journal } from '../journal/journal.ts'
import { hasOwnHost, listen, readBody, sendJson } from '../base/loopback-server.ts'
import { ModelCall } from './model-call-journal.ts'
import { withFaults, pause, UpstreamError } from './model-pieces.ts'
import type {
  ModelFaults,
  ModelFaultSource,
  ModelPiece,
  Upstream,
  WireUpstream,
  ModelCompletion,
} from './model-pieces.ts'
import { answerOf, chunkOf, errorBody, EventLines, finishOf, WrittenSoFar } from './model-wire.ts'
import { asChatBody, eventOf, lastEvents, responseOf } from './responses-wire.ts'
import type { Json } from '../slack/types.ts'

interface ModelEndpointOptions {
  upstream: Upstream
  /** Returns the upstream of a model that another one answers for. */
  upstreamOf?: (model: string) => Upstream | undefined
  journal?: Journal
  faults?: ModelFaultSource
  port?: number
}

interface ModelEndpoint {
  /** The value for OPENAI_BASE_URL, ending in `/v1`. */
  url: string
  close(): Promise<void>
}

/** The maximum size of a request with its pictures, in bytes. */
const MAX_BYTES = 100_000_000

/** The headers of a real endpoint's response that are forwarded. */
const PASSED_HEADERS =
  /^(?:content-type|retry-after|retry-after-ms|location|x-should-retry|x-request-id|x-ratelimit-.*)$/

/** The two APIs of a model. */
const RESPONSES = '/responses'
const CALLS = new Set(['/chat/completions', RESPONSES])

/** A call in progress. */
interface EndpointCall {
  options: ModelEndpointOptions
  response: ServerResponse
  /** Aborted when the caller hangs up. */
  signal: AbortSignal
  call: ModelCall
  path: string
}

/** Starts the endpoint. @throws Error if the port is in use */
export async function startModelEndpoint(options: ModelEndpointOptions): Promise<ModelEndpoint> {
  const server = await listen((request, response) => {
    serve(options, request, response).catch(() => response.destroy())
  }, options.port)
  return { url: `${server.base}/v1`, close: server.close }
}

async function serve(options: ModelEndpointOptions, request: IncomingMessage, response: ServerResponse) {
  const path = (request.url ?? '').replace(/^\/v1(?=\/)/, '').split('?')[0] ?? ''
  if (!isFromHere(request)) return sendJson(response, errorBody('only for this machine'), { status: 403 })
  const isList = path === '/models' && request.method === 'GET'
  if (!isList && !(CALLS.has(path) && request.method === 'POST'))
    return sendJson(response, errorBody(`There is no ${request.method} ${path} here.`), { status: 404 })
  const text = isList ? '' : await readBody(request, MAX_BYTES)
  const controller = new AbortController()
  response.on('close', () => controller.abort())
  const body = bodyOf(text)
  const call = new ModelCall(options.journal, { path, body: body ?? {}, headers: request.headers })
  const answering = { options, response, signal: controller.signal, call, path }
  try {
    if (isList) await list(answering)
    else if (!body)
      call.json(response, errorBody('The body is no JSON object.', 'invalid_request_error'), { status: 400 })
    else await complete(answering, body, text)
    call.end(controller.signal.aborted && !response.writableFinished)
  } catch (error) {
    if (controller.signal.aborted) return call.end(true)
    call.fail(error)
    response.destroy()
  }
}

/**
 * Returns whether a request is not from a website, which must not spend the operator's money. A browser sends an
 * Origin, and a form cannot send JSON.
 */
function isFromHere(request: IncomingMessage): boolean {
  const { origin, 'content-type': type = '' } = request.headers
  const { method } = request
  return hasOwnHost(request) && origin === undefined && (method === 'GET' || /^application\/json\b/.test(type))
}

function bodyOf(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

async function list({ options: { upstream }, response, signal, call }: Omit<EndpointCall, 'path'>) {
  if ('fetch' in upstream)
    return pass({ response, call, signal }, await upstream.fetch('/models', { method: 'GET', signal }))
  const names = await upstream.models()
  call.json(response, { object: 'list', data: names.map((id) => ({ id, object: 'model', created: 0 })) })
}

async function complete(answering: EndpointCall, body: Json, text: string) {
  const { options, response, signal, call } = answering
  const injected = options.faults?.take() ?? {}
  if (injected.hang) return pause(LONGEST_MS, signal)
  await pause(injected.delayMs ?? 0, signal)
  if (injected.status !== undefined) {
    const { status, retryAfter } = injected
    const headers = { ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }) }
    return call.json(response, errorBody('injected fault'), { status, headers })
  }
  const upstream = options.upstreamOf?.(String(body['model'])) ?? options.upstream
  if ('fetch' in upstream) return forward(answering, upstream, body, text, injected)
  const asked = answering.path === RESPONSES ? asChatBody(body) : body
  return play(answering, body, withFaults(upstream.complete(asked, signal), injected, signal))
}

/** The longest delay that a timer accepts. */
const LONGEST_MS = 2 ** 31 - 1

/** Writes the output of a simulated model in the requested form. */
async function play({ response, signal, call, path }: EndpointCall, body: Json, pieces: AsyncIterable<ModelPiece>) {
  const soFar = new WrittenSoFar()
  const model = String(body['model'] ?? '')
  const form = path === RESPONSES ? responsesForm(model) : chatForm(model, body)
  const send = (chunks: Json[]) => {
    for (const chunk of chunks) call.write(response, `data: ${JSON.stringify(chunk)}\n\n`)
  }
  try {
    for await (const piece of pieces) {
      if (signal.aborted) return
      soFar.take(piece)
      // Finish and usage are sent at the end.
      if (body['stream'] !== true || 'finish' in piece || 'usage' in piece) continue
      if (!response.headersSent) call.begin(response, 200, EVENT_STREAM)
      send(form.piece(piece))
    }
  } catch (error) {
    if (response.headersSent) throw error
    return call.json(response, errorBody(errorText(error)), error instanceof UpstreamError ? error : { status: 500 })
  }
  const { written } = soFar
  if (body['stream'] !== true) return call.json(response, form.whole(written))
  if (!response.headersSent) call.begin(response, 200, EVENT_STREAM)
  send(form.end(written))
  if (path !== RESPONSES) call.write(response, 'data: [DONE]\n\n')
  response.end()
}

/** The form in which one of the APIs writes an answer. */
interface AnswerForm {
  piece(piece: ModelPiece): Json[]
  end(written: ModelCompletion): Json[]
  whole(written: ModelCompletion): Json
}

function chatForm(model: string, body: Json): AnswerForm {
  const options = isObject(body['stream_options']) ? body['stream_options'] : {}
  return {
    piece: (piece) => [chunkOf(model, piece)],
    end: (written) => [
      chunkOf(model, { finish: written.finish ?? finishOf(written) }),
      ...(written.usage && options['include_usage'] === true ? [chunkOf(model, { usage: written.usage })] : []),
    ],
    whole: (written) => answerOf(model, written),
  }
}

function responsesForm(model: string): AnswerForm {
  return {
    piece: (piece) => [eventOf(piece)].filter((event) => event !== undefined),
    end: (written) => lastEvents(model, written),
    whole: (written) => responseOf(model, written),
  }
}

const EVENT_STREAM = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' }

/** Forwards a call. An answer is rewritten only to inject a fault. `text`: the body as it was received. */
async function forward(
  answering: EndpointCall,
  upstream: WireUpstream,
  body: Json,
  text: string,
  injected: ModelFaults,
) {
  const { response, signal, call } = answering
  const answer = await upstream.fetch(answering.path, { method: 'POST', body: text, signal })
  if (answer.ok && (injected.invents || injected.endless))
    return play(answering, body, withFaults(piecesFrom(answer, body['stream'] === true), injected, signal))
  return pass({ response, call, signal }, answer, injected.pieceMs)
}

/** Forwards an answer as it arrives: its status, some headers, its bytes. */
async function pass({ response, call, signal }: Omit<EndpointCall, 'options' | 'path'>, answer: Response, pieceMs = 0) {
  const headers = [...answer.headers].filter(([name]) => PASSED_HEADERS.test(name))
  call.begin(response, answer.status, Object.fromEntries(headers))
  for await (const bytes of answer.body ?? []) {
    if (!call.write(response, bytes)) await drained(response)
    await pause(pieceMs, signal)
  }
  response.end()
}

async function* piecesFrom(answer: Response, isStream: boolean): AsyncGenerator<ModelPiece> {
  const soFar = new WrittenSoFar()
  const lines = new EventLines()
  if (!isStream) yield* soFar.takeChunk(await answer.json())
  else for await (const bytes of answer.body ?? []) for (const chunk of lines.push(bytes)) yield* soFar.takeChunk(chunk)
  if (soFar.written.toolCalls.length > 0) yield { toolCalls: soFar.written.toolCalls }
}

/** Waits until the response can take more, or is closed. */
function drained(response: ServerResponse): Promise<void> {
  if (response.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    const end = () => {
      response.off('drain', end).off('close', end)
      resolve()
    }
    response.on('drain', end).on('close', end)
  })
}
