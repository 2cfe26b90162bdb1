/** Chat completions: the body of a request, and how an answer is read. */
import type { ChatCompletionCreateParams } from 'openai/resources/chat/completions'
import type { KeptReasoning, Message, ModelEvent, ModelRequest, Picture, Usage } from '../agent/contracts/model.ts'
import type { ModelQuirks } from './unsupported-parameters.ts'
import { formatOf, withSchemaOrChoice, type CompletionReader, type BodyOptions, type Wire } from './api-format.ts'
import { apiErrorIn } from './error-words.ts'
import { MAX_OTHER_CHARS, AnswerBuffer, partsText, plainReason, usageOf, type MessagePiece } from './answer-buffer.ts'

export const chatWire: Wire = {
  // The last three are fields of messages.
  optional: [
    ...['stop', 'temperature', 'stream_options', 'tool_choice', 'reasoning_effort', 'response_format'],
    ...['reasoning_content', 'reasoning', 'reasoning_details'],
  ],
  body: bodyOf,
  send: (client, body, signal) => client.chat.completions.create(body as ChatCompletionCreateParams, { signal }),
  reader: (model) => new ChatReader(model),
}

function bodyOf(given: ModelRequest, { model, stream, effort, learnt }: BodyOptions): ChatCompletionCreateParams {
  const { refused } = learnt
  const request = withSchemaOrChoice(given, refused.has('response_format'))
  return {
    model,
    messages: (learnt.noSystem ? withoutSystem(request.messages) : request.messages).map((message) =>
      toWire(message, model, learnt),
    ),
    stream,
    ...(stream && !refused.has('stream_options') ? { stream_options: { include_usage: true } } : {}),
    ...(refused.has('temperature') ? {} : { temperature: 0 }),
    ...(effort === undefined || refused.has('reasoning_effort') ? {} : ({ reasoning_effort: effort } as object)),
    ...(request.stop?.length && !refused.has('stop') ? { stop: request.stop } : {}),
    ...(request.tools?.length
      ? { tools: request.tools.map((fn) => ({ type: 'function' as const, function: fn })) }
      : {}),
    ...(request.tools?.length && request.toolChoice && !refused.has('tool_choice')
      ? { tool_choice: request.toolChoice }
      : {}),
    ...(request.schema ? { response_format: { type: 'json_schema', json_schema: formatOf(request.schema) } } : {}),
  }
}

/** The instructions at the head of the first user message, for a model without a system role. */
function withoutSystem(messages: readonly Message[]): Message[] {
  const instructions = messages.flatMap(({ role, content }) => (role === 'system' ? [content] : []))
  const rest = messages.filter(({ role }) => role !== 'system')
  const first = rest.findIndex(({ role }) => role === 'user')
  if (first < 0) return [{ role: 'user', content: instructions.join('\n\n') }, ...rest]
  return rest.map((message, i) =>
    i === first ? { ...message, content: [...instructions, message.content].join('\n\n') } : message,
  )
}

function toWire(message: Message, model: string, learnt: ModelQuirks): ChatCompletionCreateParams['messages'][number] {
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
  const answer = { role, content: content === '' && calls ? null : content }
  return calls ? { ...answer, ...reasoningOf(message, model, learnt), tool_calls: calls } : answer
}

/** The model's own reasoning, under the names that its endpoint used. Only sent with the model's tool calls. */
function reasoningOf({ kept }: Message, model: string, { refused, needsReasoning }: ModelQuirks): object {
  const own = kept?.model === model ? Object.entries(kept.fields ?? {}) : []
  const fields = own.filter(([name]) => !refused.has(name))
  const isNeeded = needsReasoning && !refused.has('reasoning_content')
  return { ...(isNeeded ? { reasoning_content: '' } : {}), ...Object.fromEntries(fields) }
}

function toPart({ mime, base64 }: Picture) {
  return { type: 'image_url' as const, image_url: { url: `data:${mime};base64,${base64}`, detail: 'auto' as const } }
}

/** The fields that are read of a chunk of a stream, or of a whole answer. */
interface CompletionChunk {
  /** `done`: the stream's `[DONE]`. */
  type?: unknown
  choices?: Choice[]
  usage?: ReportedUsage | null
}

interface Choice {
  index?: unknown
  delta?: Delta | null
  message?: Delta | null
  /** The older completions'. */
  text?: unknown
  finish_reason?: unknown
  /** OpenRouter's: what its provider said. */
  native_finish_reason?: unknown
  error?: object | null
}

/** Endpoints give a model's reasoning these names: DeepSeek and others the first, OpenRouter and vLLM the second. */
interface Delta extends MessagePiece {
  reasoning_content?: unknown
  reasoning_details?: unknown
}

interface ReportedUsage {
  prompt_tokens?: unknown
  completion_tokens?: unknown
  prompt_tokens_details?: { cached_tokens?: unknown } | null
  completion_tokens_details?: { reasoning_tokens?: unknown } | null
  /** DeepSeek's. */
  prompt_cache_hit_tokens?: unknown
}

class ChatReader implements CompletionReader {
  readonly model: string
  readonly written = new AnswerBuffer()
  usage: Usage | undefined
  isBilled = false
  isDone = false
  /** Whether an empty finish_reason came, which is an end before `[DONE]`. */
  #hasEmptyEnd = false
  /** Chunks have a message in place of a delta. */
  #hasMessages = false
  readonly #texts = new MessageTexts()
  readonly #fields: { reasoning_content?: string; reasoning?: string } = {}
  readonly #details = new ReasoningDetails()

  constructor(model: string) {
    this.model = model
  }

  take(chunk: CompletionChunk): ModelEvent[] {
    // Only the first choice: others are other answers.
    const choice = chunk.choices?.find((one) => Number(one?.index ?? 0) === 0)
    const error = apiErrorIn(chunk.type === 'error' ? { ...chunk, type: undefined } : chunk)
    const ofChoice = choice?.error ? apiErrorIn({ error: choice.error }) : undefined
    if (ofChoice ?? (error && !choice?.message)) throw ofChoice ?? error
    const { usage } = chunk
    // Perplexity's chunks hold a message too, with everything so far.
    const isWhole = Boolean(choice?.message) && !choice?.delta
    this.isBilled ||= Boolean(usage) || isWhole
    this.usage = (usage && reportedBy(usage, this.model)) ?? this.usage
    const text = typeof choice?.text === 'string' ? { content: choice.text } : undefined
    const delta = choice?.delta ?? choice?.message ?? text
    // A few endpoints repeat the whole message at the end of its stream.
    const isPiece = isWhole && this.#hasMessages
    const isRepeated = isWhole && !isPiece && (this.written.hasText || this.written.hasCalls)
    // Calls may stand in the repeated message alone.
    const calls = isRepeated && !this.written.hasCalls ? choice?.message?.tool_calls : undefined
    const fresh = isRepeated ? calls && { tool_calls: calls } : isWhole ? this.#newOf(choice?.message ?? {}) : delta
    const events = fresh ? this.#readDelta(fresh) : []
    const reason = choice?.finish_reason
    this.written.finish(reason)
    // A few endpoints send a number or an object.
    const isEnd = typeof reason === 'string' ? plainReason(reason) !== '' : Boolean(reason)
    if (isEnd) this.written.finishNatively(choice?.native_finish_reason)
    this.#hasEmptyEnd ||= !isEnd && typeof reason === 'string'
    if (isPiece) this.isDone = false
    this.isDone ||=
      isEnd || (isWhole && !isPiece) || (chunk.type === 'done' && (this.#hasEmptyEnd || this.#hasMessages))
    return events
  }

  /** Returns the part of a message, in place of a delta, that those before it do not have. */
  #newOf(message: Delta): Delta {
    const { content, reasoning_content: thinking, reasoning } = message
    this.#hasMessages = true
    return {
      ...message,
      content: this.#texts.newOf('content', content),
      reasoning_content: this.#texts.newOf('reasoning_content', thinking),
      reasoning: this.#texts.newOf('reasoning', reasoning),
    }
  }

  kept(): KeptReasoning | undefined {
    const details = this.#details.all()
    const fields = { ...this.#fields, ...(details.length > 0 ? { reasoning_details: details } : {}) }
    return Object.keys(fields).length > 0 ? { model: this.model, fields } : undefined
  }

  #readDelta(said: Delta): ModelEvent[] {
    const { reasoning_content: thinking, reasoning, ...message } = said
    const name = thinking ? 'reasoning_content' : 'reasoning'
    const details = this.#details.take(said.reasoning_details)
    const events = this.written.take({ ...message, reasoning: thinking || reasoning || details })
    const [first] = events
    if (first?.type === 'reasoning' && (thinking || reasoning))
      this.#fields[name] = (this.#fields[name] ?? '') + first.text
    return events
  }
}

/** The longest piece that may follow an equal one, in characters. */
const LONGEST_PIECE = 3

/** The texts of messages in place of deltas, by field: pieces, or each holds everything so far. */
class MessageTexts {
  readonly #texts = new Map<string, { all: string; count: number }>()

  /** @returns what a text adds to those before it */
  newOf(field: string, given: unknown): unknown {
    const { all, count } = this.#texts.get(field) ?? { all: '', count: 0 }
    const text = partsText(given)
    if (text === '') return given
    // The first two pieces may be equal, such as two digits. A longer text that comes twice is the whole answer.
    const isGrown = count > 0 && text.startsWith(all) && (count > 1 || text !== all || text.length > LONGEST_PIECE)
    this.#texts.set(field, { all: isGrown ? text : all + text, count: count + 1 })
    return isGrown ? text.slice(all.length) : given
  }
}

function reportedBy(usage: ReportedUsage, model: string): Usage | undefined {
  return usageOf(model, {
    input: usage.prompt_tokens,
    output: usage.completion_tokens,
    cached: usage.prompt_tokens_details?.cached_tokens ?? usage.prompt_cache_hit_tokens,
    reasoning: usage.completion_tokens_details?.reasoning_tokens,
  })
}

/** OpenRouter's `reasoning_details`: a list of blocks, in a stream in pieces. It wants them back as they were. */
class ReasoningDetails {
  #blocks: Record<string, unknown>[] = []
  #chars = 0

  /** @returns the words in the given pieces */
  take(given: unknown): string {
    if (!Array.isArray(given)) return ''
    const pieces = given.filter((one): one is Record<string, unknown> => typeof one === 'object' && one !== null)
    this.#chars += JSON.stringify(pieces).length
    if (this.#chars <= MAX_OTHER_CHARS) for (const piece of pieces) this.#add(piece)
    return pieces.map((piece) => String(piece['text'] ?? piece['summary'] ?? '')).join('')
  }

  /** All blocks, or none if they are too large. */
  all(): object[] {
    return this.#chars <= MAX_OTHER_CHARS ? this.#blocks : []
  }

  #add(piece: Record<string, unknown>): void {
    const last = this.#blocks.at(-1)
    const field = piece['type'] === 'reasoning.text' ? 'text' : piece['type'] === 'reasoning.summary' ? 'summary' : ''
    if (!last || field === '' || last['type'] !== piece['type'] || last['index'] !== piece['index'])
      return void this.#blocks.push({ ...piece })
    const words = String(last[field] ?? '') + String(piece[field] ?? '')
    const present = Object.entries(piece).filter(([, value]) => value !== null && value !== undefined)
    Object.assign(last, Object.fromEntries(present), { [field]: words })
  }
}
