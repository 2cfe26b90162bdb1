import type { IncomingMessage, ServerResponse } from 'node:http'
import { listen } from '../../playground/base/loopback-server.ts'
import type { Ends } from './ends.ts'
import { asChat, eventsOf, outputOf, responseOf, writeEvent, wrongWith, type ResponseItem } from './played-responses.ts'

/** An answer of the simulated model: its text, more than text, or a fault. */
export type Turn = string | TurnParts

export interface TurnParts {
  text?: string
  reasoning?: string
  /** The field of the reasoning in chat completions. Default: `reasoning_content`. */
  reasoningField?: string
  /** Further fields in the first chunk. */
  fields?: Record<string, unknown>
  /** Responses API: a refusal, output items that replace all above, an error instead of the end. */
  refusal?: string
  output?: ResponseItem[]
  /** Responses API: the number of output items with their own events. The others come only with the end. */
  streamed?: number
  failure?: { code: string; message: string }
  toolCalls?: { name: string; arguments: string; id?: string }[]
  /** The pause before the answer, and between two chunks, in ms. */
  delayMs?: number
  chunkMs?: number
  /** Characters per chunk. Default: a word. */
  chunkChars?: number
  /** False: sends no usage. */
  usage?: false | Record<string, unknown>
  /** The finish_reason. False: the stream ends without one. */
  finish?: false | string
  /** An HTTP status instead of an answer, with this body and these headers. */
  status?: number
  body?: unknown
  headers?: Record<string, string>
  /** The number of characters after which the connection is cut. */
  cutAfter?: number
  /** The number of characters after which the stream stalls without ending. */
  stallAfter?: number
  /** The number of characters after which a chunk is not JSON. */
  brokenAfter?: number
  /** Sends nothing. */
  hang?: boolean
}

export interface PlayedRequest {
  /** The body in the form of chat completions, with the parts of a content separated. */
  body: Body
  api: 'chat' | 'responses'
  /** The body as it was received. */
  raw: string
  /** The addresses of all pictures in it. */
  images: string[]
  /** All messages as `role: content`, one after the other. */
  prompt: string
  /** The current question, or the message to condense. */
  question: string
  kind: 'condense' | 'turn'
  headers: IncomingMessage['headers']
  /** The text that was sent so far. */
  sent: string
  /** The caller hung up before the end. */
  aborted: boolean
  /** The end was sent, and when, by performance.now(). */
  done: boolean
  endedAt?: number
}

export interface Body {
  [field: string]: unknown
  model: string
  /** The messages. `images` are the addresses of the pictures in a content of parts, and `content` is its text. */
  messages: {
    role: string
    content: string | null
    images?: string[]
    tool_calls?: unknown[]
    tool_call_id?: string
  }[]
  stop?: string[]
  temperature?: number
  stream?: boolean
  stream_options?: { include_usage?: boolean }
  tools?: { function: { name: string; parameters: unknown } }[]
  tool_choice?: string
}

export type Script = Turn[] | ((request: PlayedRequest, n: number) => Turn | Promise<Turn>)

export interface PlayedModel {
  /** For OPENAI_BASE_URL. */
  url: string
  requests: PlayedRequest[]
  /** Answers questions that contain `key` by this script, turn by turn. The last turn is repeated. */
  on(key: string, ...turns: Turn[]): void
  /** Answers by a function of the request and of the number of earlier ones. */
  decide(key: string, script: (request: PlayedRequest, n: number) => Turn | Promise<Turn>): void
  /** Sets the standalone form of a follow-up that contains `key`. */
  condenses(key: string, standalone: Turn): void
  /** The requests about a question that contains `key`. */
  about(key: string): PlayedRequest[]
  /** Parameters that a request may not have. A 400 names the first one. */
  refuses: Set<string>
  /** APIs that answer 404. */
  lacks: Set<PlayedRequest['api']>
  /** What GET answers, by path. Every other path has an empty list of models. */
  lists: Map<string, object>
  /** Refuses requests with pictures from now on. Default: with OpenAI's own refusal. */
  takesNoPictures(refusal?: TurnParts): void
}

/**
 * A simulated model: an OpenAI-compatible server on 127.0.0.1 that answers by script. It honours `stop`. Without
 * `stop`, it continues after an action and invents an observation and an answer, as real models do.
 */
export async function playModel(t: Ends, script: Script = []): Promise<PlayedModel> {
  const scripts: { kind: PlayedRequest['kind']; key: string; script: Script; count: number }[] = []
  const requests: PlayedRequest[] = []
  const refuses = new Set<string>()
  const lacks = new Set<PlayedRequest['api']>()
  const lists = new Map<string, object>()
  const any = { script, count: 0 }
  let pictureRefusal: TurnParts | undefined
  const { base, close } = await listen((request, response) => {
    serve(request, response).catch(() => response.destroy())
  })

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'GET')
      return sendJson(response, { body: lists.get(request.url ?? '') ?? { object: 'list', data: [] } })
    const played = recordOf(await textOf(request), request)
    const { body } = played
    requests.push(played)
    if (lacks.has(played.api)) return sendJson(response, { status: 404, body: { detail: 'Not Found' } })
    const wrong = played.api === 'responses' ? wrongWith(body) : undefined
    if (wrong) return sendJson(response, { status: 400, body: { error: { message: wrong, param: 'input' } } })
    response.on('close', () => (played.aborted = !played.done))
    const refused = [...refuses].find((name) => isIn(body, name))
    if (refused) return sendJson(response, { status: 400, body: refusalOf(refused) })
    if (pictureRefusal && played.images.length > 0) return sendJson(response, pictureRefusal)
    const entry = scripts.findLast((one) => one.kind === played.kind && played.question.includes(one.key)) ?? any
    const turn = await turnOf(entry.script, played, entry.count++)
    await play(response, played, typeof turn === 'string' ? { text: turn } : turn)
  }

  t.onTestFinished(close)
  const add = (kind: PlayedRequest['kind'], key: string, added: Script) => {
    scripts.push({ kind, key, script: added, count: 0 })
  }
  return {
    url: `${base}/v1`,
    requests,
    refuses,
    lacks,
    lists,
    takesNoPictures: (refusal = { status: 400, body: PICTURES_REFUSED }) => void (pictureRefusal = refusal),
    on: (key, ...turns) => add('turn', key, turns),
    decide: (key, decided) => add('turn', key, decided),
    condenses: (key, standalone) => add('condense', key, [standalone]),
    about: (key) => requests.filter((one) => one.question.includes(key)),
  }
}

/** Returns a turn that uses a tool, in the text dialect. */
export function act(thought: string, tool: string, input: string): string {
  return ` ${thought}\nAction: ${tool}\nAction Input: ${input}`
}

/** Returns a turn that answers, in the text dialect. */
export function finish(answer: string): string {
  return ` I now know the final answer\nFinal Answer: ${answer}`
}

/** The text that the model invents after its action if it is not stopped. */
export const INVENTED = '\nObservation: INVENTED 666\nThought: I now know the final answer\nFinal Answer: INVENTED 666'

async function turnOf(script: Script, request: PlayedRequest, n: number): Promise<Turn> {
  if (typeof script === 'function') return script(request, n)
  return script[Math.min(n, script.length - 1)] ?? finish('(Nobody has scripted this question.)')
}

/** Returns the text of a content in parts. */
type Part = { type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string } }

function bodyOf(raw: string): Body {
  const body = JSON.parse(raw) as Body & { messages: { content: string | null | Part[] }[] }
  for (const message of body.messages) {
    const { content } = message
    if (!Array.isArray(content)) continue
    message.content = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
    message.images = content.flatMap((part) => (part.type === 'image_url' ? [part.image_url.url] : []))
  }
  return body
}

function recordOf(raw: string, request: IncomingMessage): PlayedRequest {
  const api = request.url?.split('?')[0]?.endsWith('/responses') ? 'responses' : 'chat'
  const body = api === 'responses' ? asChat(raw) : bodyOf(raw)
  const prompt = body.messages.map(({ role, content }) => `${role}: ${content ?? ''}`).join('\n')
  const isCondensing = /standalone question/i.test(prompt) && !body.tools
  const said = body.messages.filter(({ role }) => role === 'user').map(({ content }) => content ?? '')
  const last = said.findLast((content) => /^Question: /m.test(content)) ?? said.at(-1) ?? ''
  const question = isCondensing ? (prompt.split('\nMessage: ').at(-1) ?? '') : questionIn(last, body)
  return {
    body,
    api,
    raw,
    images: body.messages.flatMap(({ images = [] }) => images),
    prompt,
    question,
    kind: isCondensing ? 'condense' : 'turn',
    headers: request.headers,
    sent: '',
    aborted: false,
    done: false,
  }
}

/**
 * Returns the text after the last `Question:`, up to the steps. Without the label, returns the person's first message.
 */
function questionIn(last: string, body: Body): string {
  if (/^Question: /m.test(last)) return (last.split(/^Question: /m).at(-1) ?? '').split(/\nThought/)[0] ?? ''
  return body.messages.find(({ role }) => role === 'user')?.content ?? ''
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk as string
  return text
}

/** Returns whether the body has a parameter. `a.b` is a field of one, or of a message. */
function isIn(body: Body, name: string): boolean {
  const [first = '', second] = name.split('.')
  const value = body[first]
  if (second === undefined) return first in body
  return [value].flat().some((one) => typeof one === 'object' && one !== null && second in one)
}

/** OpenAI's error for a model without vision. */
const PICTURES_REFUSED = {
  error: {
    message: 'Invalid content type. image_url is only supported by certain models.',
    type: 'invalid_request_error',
    param: 'messages.[1].content.[1].type',
    code: null,
  },
}

/** Returns OpenAI's error for an unsupported parameter. */
function refusalOf(param: string): object {
  const message = `Unsupported parameter: '${param}' is not supported with this model.`
  return { error: { message, type: 'invalid_request_error', param, code: 'unsupported_parameter' } }
}

function sendJson(response: ServerResponse, { status = 200, body, headers = {} }: TurnParts): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

async function play(response: ServerResponse, played: PlayedRequest, turn: TurnParts): Promise<void> {
  if (turn.hang) return
  if (turn.delayMs) await pause(turn.delayMs)
  if (turn.status !== undefined) {
    end(played)
    return sendJson(response, { body: { error: { message: 'played fault', type: 'server_error' } }, ...turn })
  }
  const { text, isInvented } = writtenText(turn, played.body)
  if (played.api === 'responses') return respond(response, played, { ...turn, text })
  if (played.body.stream)
    return stream(response, played, { ...turn, text, ...(isInvented ? { chunkMs: turn.chunkMs ?? 4 } : {}) })
  played.sent = text
  end(played)
  sendJson(response, { body: wholeAnswer(played.body, { ...turn, text }) })
}

function end(played: PlayedRequest): void {
  played.done = true
  played.endedAt = performance.now()
}

/** Returns the text that the model writes: up to a `stop`, or beyond an action without one. */
function writtenText(turn: TurnParts, body: Body): { text: string; isInvented: boolean } {
  const written = turn.text ?? ''
  const isAction = /^Action/m.test(written) && !/^Observation/m.test(written)
  const text = isAction ? `${written}${INVENTED}${' and so on'.repeat(200)}` : written
  const cuts = (body.stop ?? []).map((stop) => text.indexOf(stop)).filter((at) => at >= 0)
  return cuts.length > 0
    ? { text: text.slice(0, Math.min(...cuts)), isInvented: false }
    : { text, isInvented: isAction }
}

function usageOf(body: Body, { text = '', usage }: TurnParts): object | undefined {
  if (usage === false) return undefined
  const prompt_tokens = Math.ceil(JSON.stringify(body.messages).length / 4)
  const completion_tokens = Math.ceil(text.length / 4)
  return usage ?? { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
}

interface CallPart {
  index: number
  id: string
  type: string
  function: { name: string; arguments: string }
}

function callsOf({ toolCalls }: TurnParts): CallPart[] | undefined {
  return toolCalls?.map(({ name, arguments: written, id }, index) => ({
    index,
    id: id ?? `call_${index}`,
    type: 'function',
    function: { name, arguments: written },
  }))
}

function wholeAnswer(body: Body, turn: TurnParts): object {
  const tool_calls = callsOf(turn)
  const message = {
    role: 'assistant',
    content: turn.text,
    ...reasoningOf(turn),
    ...turn.fields,
    ...(tool_calls && { tool_calls }),
  }
  const finish_reason = turn.finish || (tool_calls ? 'tool_calls' : 'stop')
  const usage = usageOf(body, turn)
  return {
    id: 'played',
    object: 'chat.completion',
    created: 1,
    model: body.model,
    choices: [{ index: 0, message, finish_reason }],
    ...(usage && { usage }),
  }
}

function reasoningOf({ reasoning, reasoningField = 'reasoning_content' }: TurnParts): object {
  return reasoning ? { [reasoningField]: reasoning } : {}
}

/** Answers over the Responses API. */
async function respond(response: ServerResponse, played: PlayedRequest, turn: TurnParts): Promise<void> {
  const { body } = played
  const output = outputOf(turn, body.messages.length)
  const whole = responseOf(body, output, turn)
  if (!body.stream) {
    played.sent = turn.text ?? ''
    end(played)
    return sendJson(response, { body: whole })
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  const streamed = output.slice(0, turn.streamed)
  const items = streamed.flatMap((item, i) => eventsOf(item, i, (text) => piecesOf(text, turn.chunkChars)))
  const begun = { ...whole, status: 'in_progress', output: [], error: null, usage: null }
  const begin = ['response.created', 'response.in_progress'].map((type) => ({ type, response: begun }))
  for (const [n, event] of [...begin, ...items].entries()) {
    if (played.sent.length >= (turn.cutAfter ?? Infinity)) return void response.destroy()
    if (response.destroyed || played.sent.length >= (turn.stallAfter ?? Infinity)) return
    writeEvent(response, event, n)
    if (event.type === 'response.output_text.delta') played.sent += String((event as { delta?: string }).delta)
    if (turn.chunkMs) await pause(turn.chunkMs)
  }
  if (turn.finish !== false)
    writeEvent(response, { type: `response.${String(whole['status'])}`, response: whole }, items.length + 2)
  end(played)
  response.end()
}

async function stream(response: ServerResponse, played: PlayedRequest, turn: TurnParts): Promise<void> {
  const { text = '', cutAfter = Infinity, stallAfter = Infinity, brokenAfter = Infinity } = turn
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  const send = (choices: object[], more: object = {}) => {
    const chunk = {
      id: 'played',
      object: 'chat.completion.chunk',
      created: 1,
      model: played.body.model,
      choices,
      ...more,
    }
    response.write(`data: ${JSON.stringify(chunk)}\n\n`)
  }
  const delta = (part: object, finish_reason: string | null = null) => send([{ index: 0, delta: part, finish_reason }])
  delta({ role: 'assistant', content: '' })
  if (turn.reasoning) delta(reasoningOf(turn))
  if (turn.fields) delta(turn.fields)
  for (const piece of piecesOf(text, turn.chunkChars)) {
    if (played.sent.length >= brokenAfter) response.write('data: {"choices": [{"del\n\n')
    if (played.sent.length >= cutAfter) return void response.destroy()
    if (response.destroyed || played.sent.length >= stallAfter) return
    delta({ content: piece })
    played.sent += piece
    if (turn.chunkMs) await pause(turn.chunkMs)
  }
  const calls = callsOf(turn)
  for (const part of partsOf(calls ?? [], turn)) {
    delta({ tool_calls: part })
    if (turn.chunkMs) await pause(turn.chunkMs)
  }
  if (turn.finish !== false) delta({}, turn.finish ?? (calls ? 'tool_calls' : 'stop'))
  const usage = usageOf(played.body, turn)
  if (usage && played.body.stream_options?.include_usage) send([], { usage })
  // Nobody can use an answer with a broken chunk. A caller on a busy machine may leave only after its end.
  if (played.sent.length < brokenAfter) end(played)
  response.end('data: [DONE]\n\n')
}

/** Returns the calls in one piece, or each call's arguments in as many pieces as the text would have. */
function partsOf(calls: CallPart[], { chunkMs, chunkChars }: TurnParts): object[][] {
  if (chunkMs === undefined) return calls.length > 0 ? [calls] : []
  return calls.flatMap((call) =>
    piecesOf(call.function.arguments, chunkChars).map((written, i) =>
      i === 0 ? [{ ...call, function: { ...call.function, arguments: written } }] : [pieceOf(call, written)],
    ),
  )
}

function pieceOf({ index }: CallPart, written: string): object {
  return { index, function: { arguments: written } }
}

function piecesOf(text: string, chars?: number): string[] {
  if (chars === undefined) return text.match(/\s*\S+|\s+$/g) ?? []
  return Array.from({ length: Math.ceil(text.length / chars) }, (_, i) => text.slice(i * chars, (i + 1) * chars))
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** Returns a turn of the structured dialect: a tool with its input, or `answer` with the answer. */
export function structured(action: string, input: unknown, thought = 'so'): string {
  return JSON.stringify({ thought, step: { action, input } })
}
