import { APIError } from 'openai'
import type { ChatCompletionCreateParams } from 'openai/resources/chat/completions'
import type { Message, ModelRequest } from '../agent/types.ts'

/** What we would like to send but not every endpoint takes. o3, gpt-5 and grok refuse `stop`; some refuse `temperature`. */
const OPTIONAL = ['stop', 'temperature', 'stream_options', 'tool_choice'] as const
type Optional = (typeof OPTIONAL)[number]

/** What each model has refused, learnt from its 400 once a process. */
export class UnsupportedParameters {
  readonly #byModel = new Map<string, Set<Optional>>()

  of(model: string): Set<Optional> {
    const known = this.#byModel.get(model) ?? new Set()
    this.#byModel.set(model, known)
    return known
  }

  /** True when the error refuses a parameter that was sent: it is remembered, and the request is worth repeating without. */
  learn(model: string, error: unknown, sent: object): boolean {
    if (!(error instanceof APIError) || (error.status !== 400 && error.status !== 422)) return false
    const { param, message } = error
    const named = OPTIONAL.filter((name) => (param ? isParam(param, name) : mentions(message, name)))
    // An endpoint may refuse something and not say what: then all goes that can be done without.
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

/** The words in which endpoints refuse a parameter. A message that only uses its name in a sentence refuses nothing. */
const REFUSES =
  /support|unrecogni[sz]ed|unknown|unexpected|not (?:allowed|permitted|accepted|valid|available|implemented|compatible)|extra (?:inputs|fields)|invalid|incompatible|deprecated|must (?:not )?be/i

function mentions(message: string, name: string): boolean {
  const named = new RegExp(`(^|[^\\w-])['"\`]?${name}['"\`]?([^\\w-]|$)`, 'i').test(message)
  return named && REFUSES.test(message)
}

/** The body of one chat completion, without what the model is known to refuse. */
export function bodyOf(
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
  const { role, content, toolCalls, toolCallId } = message
  if (role === 'tool') return { role, content, tool_call_id: toolCallId ?? '' }
  if (role !== 'assistant') return { role, content }
  const calls = toolCalls?.map((c) => ({
    id: c.id,
    type: 'function' as const,
    function: { name: c.name, arguments: c.arguments },
  }))
  return { role, content: content === '' && calls ? null : content, ...(calls ? { tool_calls: calls } : {}) }
}
