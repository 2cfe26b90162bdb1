/** OpenAI's chat completions: writes answers from pieces, and reads the answers of both APIs, streamed or whole. */
import { isObject } from '../slack/args.ts'
import type { ModelPiece, PieceCall, ModelCompletion } from './model-pieces.ts'
import { isResponse, piecesOfEvent } from './responses-wire.ts'
import type { Json } from '../slack/types.ts'

/** The maximum number of characters that are collected, because a model may be endless. */
const MAX_TEXT = 2_000_000

/** Collects an answer, piece by piece or chunk by chunk. */
export class WrittenSoFar {
  readonly written: ModelCompletion = { text: '', reasoning: '', toolCalls: [] }

  take(piece: ModelPiece) {
    const { written } = this
    if ('text' in piece && written.text.length < MAX_TEXT) written.text += piece.text
    if ('reasoning' in piece && written.reasoning.length < MAX_TEXT) written.reasoning += piece.reasoning
    if ('toolCalls' in piece) written.toolCalls.push(...piece.toolCalls)
    if ('usage' in piece) written.usage = piece.usage
    if ('finish' in piece) written.finish = piece.finish
  }

  /** Adds a chunk of a stream, or a whole answer. The parts of a tool call are joined by `index`. */
  takeChunk(chunk: unknown): ModelPiece[] {
    if (!isObject(chunk)) return []
    const { usage, error } = chunk
    if (isObject(error)) this.written.error = String(error['message'] ?? 'error')
    // Tool calls are returned at the end, like those of chat completions.
    if (isResponse(chunk)) return this.takeAll(piecesOfEvent(chunk)).filter((piece) => !('toolCalls' in piece))
    const choice: unknown = Array.isArray(chunk['choices']) ? chunk['choices'][0] : undefined
    const pieces = isObject(choice) ? this.piecesIn(choice) : []
    if (isObject(usage)) pieces.push({ usage })
    return this.takeAll(pieces)
  }

  private takeAll(pieces: ModelPiece[]): ModelPiece[] {
    for (const piece of pieces) this.take(piece)
    return pieces
  }

  private piecesIn(choice: Json): ModelPiece[] {
    const said: unknown = choice['delta'] ?? choice['message']
    const pieces: ModelPiece[] = []
    if (isObject(said)) {
      const reasoning = said['reasoning_content'] ?? said['reasoning']
      if (typeof reasoning === 'string' && reasoning !== '') pieces.push({ reasoning })
      if (typeof said['content'] === 'string' && said['content'] !== '') pieces.push({ text: said['content'] })
      if (Array.isArray(said['tool_calls'])) for (const call of said['tool_calls']) this.takeCall(call)
    }
    if (typeof choice['finish_reason'] === 'string') pieces.push({ finish: choice['finish_reason'] })
    return pieces
  }

  private takeCall(given: unknown) {
    if (!isObject(given)) return
    const { toolCalls } = this.written
    const fn = isObject(given['function']) ? given['function'] : {}
    const more = typeof fn['arguments'] === 'string' ? fn['arguments'] : ''
    const index = Number(given['index'] ?? toolCalls.length)
    const known = toolCalls[index]
    if (known && known.arguments.length < MAX_TEXT) known.arguments += more
    else if (toolCalls.length < MAX_CALLS)
      toolCalls.push({ id: String(given['id'] ?? ''), name: String(fn['name'] ?? ''), arguments: more })
  }
}

const MAX_CALLS = 200

/** Reads the data of server-sent events as their bytes arrive. */
export class EventLines {
  private rest = ''
  private readonly decoder = new TextDecoder()

  /** Returns the JSON of the events that are complete so far. Skips what is not JSON. */
  push(bytes: Uint8Array): unknown[] {
    const lines = (this.rest + this.decoder.decode(bytes, { stream: true })).split('\n')
    this.rest = lines.pop() ?? ''
    return lines.flatMap((line) => (line.startsWith('data:') ? jsonIn(line.slice(5)) : []))
  }
}

/** Reads an answer from its bytes. */
export function readAnswer(raw: Uint8Array, isStream: boolean): ModelCompletion {
  const soFar = new WrittenSoFar()
  const chunks = isStream
    ? new EventLines().push(Buffer.concat([raw, Buffer.from('\n')]))
    : jsonIn(Buffer.from(raw).toString())
  for (const chunk of chunks) soFar.takeChunk(chunk)
  return soFar.written
}

function jsonIn(text: string): unknown[] {
  try {
    return [JSON.parse(text)]
  } catch {
    return []
  }
}

/** Returns one chunk of a stream. Without choices it carries only the usage. */
export function chunkOf(model: string, piece: ModelPiece): Json {
  const base = { id: 'playground', object: 'chat.completion.chunk', created: 0, model }
  if ('usage' in piece) return { ...base, choices: [], usage: piece.usage }
  const finish_reason = 'finish' in piece ? piece.finish : null
  return { ...base, choices: [{ index: 0, delta: deltaOf(piece), finish_reason }] }
}

function deltaOf(piece: ModelPiece): Json {
  if ('text' in piece) return { content: piece.text }
  if ('reasoning' in piece) return { reasoning_content: piece.reasoning }
  return 'toolCalls' in piece ? { tool_calls: piece.toolCalls.map(callOf) } : {}
}

/** Returns a whole answer. */
export function answerOf(model: string, written: ModelCompletion): Json {
  const { text, reasoning, toolCalls, usage, finish } = written
  const message = {
    role: 'assistant',
    content: text === '' && toolCalls.length > 0 ? null : text,
    ...(reasoning && { reasoning_content: reasoning }),
    ...(toolCalls.length > 0 && { tool_calls: toolCalls.map(callOf) }),
  }
  const choices = [{ index: 0, message, finish_reason: finish ?? finishOf(written) }]
  return { id: 'playground', object: 'chat.completion', created: 0, model, choices, ...(usage && { usage }) }
}

/** Returns the finish_reason for a model that gives none. */
export function finishOf({ toolCalls }: ModelCompletion): string {
  return toolCalls.length > 0 ? 'tool_calls' : 'stop'
}

function callOf({ id, name, arguments: written }: PieceCall, index: number): Json {
  return { index, id, type: 'function', function: { name, arguments: written } }
}

/** Returns an error in OpenAI's form. */
export function errorBody(message: string, type = 'server_error'): Json {
  return { error: { message, type, param: null, code: null } }
}
