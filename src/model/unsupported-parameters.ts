/** Learns from an endpoint's refusals, once per process, what its model does not accept. */
import { APIError } from 'openai/core/error'

/** The known facts about the requests of one model. */
export interface ModelQuirks {
  /** Refused parameters. o3, gpt-5 and grok refuse `stop`; some refuse `temperature`. */
  readonly refused: ReadonlySet<string>
  /** DeepSeek wants `reasoning_content` with every tool call, even if another model made it. */
  readonly needsReasoning: boolean
}

export class UnsupportedParameters implements ModelQuirks {
  readonly refused = new Set<string>()
  needsReasoning = false
  readonly #optional: readonly string[]

  constructor(optional: readonly string[]) {
    this.#optional = optional
  }

  /** Remembers refused parameters. Returns true if the request should be repeated without them. */
  learnFromError(error: unknown, sent: object): boolean {
    if (!(error instanceof APIError) || (error.status !== 400 && error.status !== 422)) return false
    if (NEEDS_REASONING.test(error.message)) return !this.needsReasoning && (this.needsReasoning = true)
    const { param, message } = error
    const named = this.#optional.filter(
      (name) =>
        (param ? isParam(param, name) : mentions(message, name)) || (FORMATS.has(name) && NAMES_FORMAT.test(message)),
    )
    // An endpoint may refuse something without naming it. Then all optional parameters are dropped.
    const isNameless = !param && named.length === 0 && NAMELESS.test(message)
    const refused = (isNameless ? this.#optional : mostSpecific(named)).filter(
      (name) => !this.refused.has(name) && isIn(sent, name),
    )
    for (const name of refused) this.refused.add(name)
    return refused.length > 0
  }
}

/** The parameters with a schema for the text. Refusals also name it by a part or by what the endpoint makes of it. */
const FORMATS = new Set(['response_format', 'text.format'])
const NAMES_FORMAT =
  /\bresponse_?format\b|\bjson[ _-]?schema\b|\bstructured[ _]outputs?\b|\bgrammar\b|\btext\.format\b/i

/** DeepSeek's two wordings. */
const NEEDS_REASONING = /reasoning_content.{0,80}must be passed back|missing.{0,5}reasoning_content/i

/** "Extra inputs are not permitted", "Unknown field", "Unrecognized request arguments". */
const NAMELESS =
  /\b(?:extra|additional|unknown|unrecogni[sz]ed|unexpected|unsupported)\s+(?:request\s+|keyword\s+)?(?:inputs?|fields?|propert(?:y|ies)|parameters?|arguments?|keys?)\b/i

/** `stream_options.include_usage` is a part of `stream_options`, and `messages.2.reasoning` names a message's field. */
function isParam(param: string, name: string): boolean {
  return param === name || param.startsWith(`${name}.`) || (/^messages\b/.test(param) && param.endsWith(`.${name}`))
}

/** The words in which endpoints refuse a parameter. A message that only mentions its name refuses nothing. */
const REFUSES =
  /support|unrecogni[sz]ed|unknown|unexpected|not (?:allowed|permitted|accepted|valid|available|implemented|compatible)|extra (?:inputs|fields)|invalid|incompatible|deprecated|must (?:not )?be/i

function mentions(message: string, name: string): boolean {
  const named = new RegExp(`(^|[^\\w-])['"\`]?${name.replace('.', '\\.')}['"\`]?([^\\w-]|$)`, 'i').test(message)
  return named && REFUSES.test(message)
}

/** A refused field does not refuse the parameter that contains it. */
function mostSpecific(names: string[]): string[] {
  return names.filter((name) => !names.some((other) => other.startsWith(`${name}.`)))
}

/** Returns whether a body, or one of its messages, has this parameter or field. */
function isIn(body: object, name: string): boolean {
  const messages = 'messages' in body && Array.isArray(body.messages) ? body.messages : []
  return hasPath(body, name.split('.')) || messages.some((message) => hasPath(message, [name]))
}

function hasPath(value: unknown, [first = '', ...rest]: string[]): boolean {
  if (typeof value !== 'object' || value === null || !(first in value)) return false
  return rest.length === 0 || hasPath((value as Record<string, unknown>)[first], rest)
}
