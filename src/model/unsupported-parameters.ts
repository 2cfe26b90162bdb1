/** Learns from an endpoint's refusals, once per process, what its model does not accept. */
import { APIError } from 'openai/core/error'
import { isRecord } from '../base/parse-json.ts'
import { isContextLength, statusOf, errorWords } from './error-words.ts'

/** The known facts about the requests of one model. */
export interface ModelQuirks {
  /** Refused parameters. o3, gpt-5 and grok refuse `stop`; some refuse `temperature`. */
  readonly refused: ReadonlySet<string>
  /** DeepSeek wants `reasoning_content` with every tool call, even if another model made it. */
  readonly needsReasoning: boolean
  /** It has no system role. The instructions stand at the head of the first user message. */
  readonly noSystem?: boolean
}

export class UnsupportedParameters implements ModelQuirks {
  readonly refused = new Set<string>()
  needsReasoning = false
  noSystem = false
  readonly #optional: readonly string[]

  constructor(optional: readonly string[]) {
    this.#optional = optional
  }

  /**
   * Remembers refused parameters. Returns true if the request should be repeated without them, also if another call has
   * learnt it meanwhile.
   */
  learnFromError(error: unknown, sent: object): boolean {
    if (!(error instanceof APIError)) return false
    const words = errorWords(error)
    const status = statusOf(error) ?? 0
    const isLong = isContextLength(error)
    const mayRefuseRole = !isLong && (REFUSED.has(status) || status === 500)
    if (mayRefuseRole && refusesSystem(error.message) && hasSystem(sent)) return (this.noSystem = true)
    if (refusesStop(words, status) && isIn(sent, 'stop')) return Boolean(this.refused.add('stop'))
    // Ollama answers 500 where a model cannot be held to a form.
    const mayRefuse = REFUSED.has(status) || (status === 500 && NAMES_FORMAT.test(words))
    if (!mayRefuse || isLong) return false
    if (NEEDS_REASONING.test(words)) return !this.needsReasoning && (this.needsReasoning = true)
    const { param } = error
    const named = this.#optional.filter(
      (name) => isRefused(param, words, name) || (FORMATS.has(name) && NAMES_FORMAT.test(words)),
    )
    // An endpoint may refuse something without naming it. Then all optional parameters are dropped.
    const isNameless = !param && named.length === 0 && NAMELESS.test(words)
    const refused = (isNameless ? this.#optional : mostSpecific(named)).filter((name) => isIn(sent, name))
    for (const name of refused) this.refused.add(name)
    return refused.length > 0
  }
}

const REFUSED = new Set([400, 422])

/** Names the role for instructions, or the roles that there are, in the words of chat templates and endpoints. */
const NAMES_SYSTEM =
  /['"`]system['"`]|\bsystem['"`]?\s?(?:roles?|messages?|prompts?|instructions?|field|角色|消息|提示)|\brole['"`]?:?\s?system\b|\bgot system\b|\bdeveloper instructions?\b/i
const NAMES_ROLES =
  /\broles?\b[^]{0,80}\buser\b[^]{0,20}\b(?:assistant|model)\b|\buser\b[^]{0,20}\b(?:assistant|model)\b[^]{0,20}\broles?\b|\bfirst message\b[^.]{0,40}\buser\b/i
const REFUSES_ROLE =
  /\b(?:not|invalid|only|must|one of|permitted|expected|remove|valid roles|un(?:known|expected|supported|recogni[sz]ed))\b|n't|不支持/i
/** Says that there may be instructions, or that something else is wrong with the roles. */
const HAS_SYSTEM =
  /optional system message|in a row|supported values|\b(?:one of|permitted|expected|valid roles?|only)\b(?:(?!\b(?:got|found|not|but)\b)[^.]){0,60}\bsystem\b/i

function refusesSystem(words: string): boolean {
  const isNamed = NAMES_SYSTEM.test(words) || NAMES_ROLES.test(words)
  return isNamed && REFUSES_ROLE.test(words) && !HAS_SYSTEM.test(words)
}

/** Returns whether a request has instructions in the system's role. */
export function hasSystem(sent: object): boolean {
  const messages: unknown[] = 'messages' in sent && Array.isArray(sent.messages) ? sent.messages : []
  return messages.some((message) => isRecord(message) && message.role === 'system')
}

/** The parameters with a schema for the text. Refusals also name it by a part or by what the endpoint makes of it. */
const FORMATS = new Set(['response_format', 'text.format'])
const NAMES_FORMAT = new RegExp(
  [
    '\\b(?:response|output)[ _-]?(?:format|schema)\\b',
    '\\bjson[ _-]?(?:schema|mode)\\b',
    '\\bstructured[ _-]?(?:outputs?|generation)\\b',
    '\\b(?:guided|constrained)[ _-]?(?:json|decoding|generation)\\b',
    'grammar\\b',
    '\\brequired for format\\b',
    '\\bjson_validate_failed\\b',
    '\\bfailed to generate json\\b',
    '\\btext\\.format\\b',
  ].join('|'),
  'i',
)

/** DeepSeek's two wordings. */
const NEEDS_REASONING = /reasoning_content.{0,80}must be passed back|missing.{0,5}reasoning_content/i

/** "Extra inputs are not permitted", "Unknown field", "Unrecognized request arguments". */
const NAMELESS =
  /\b(?:extra|additional|unknown|unrecogni[sz]ed|unexpected|unsupported)\s+(?:request\s+|keyword\s+)?(?:inputs?|fields?|propert(?:y|ies)|parameters?|arguments?|keys?)\b/i

/** `stream_options.include_usage` is a part of `stream_options`, and `messages.2.reasoning` names a message's field. */
function isParam(param: string, name: string): boolean {
  return param === name || param.startsWith(`${name}.`) || (/^messages\b/.test(param) && param.endsWith(`.${name}`))
}

/** Names `stop` as a field: at its place, in quotes, or in the words of Bedrock and others. */
const NAMES_STOP =
  /['"`[(]stop['"`\])]|\bstop[_ ]?(?:sequences?|words?|tokens?|strings?)\b|^(?:\d{3} )?stop\b|\bstop['"`]?\s?:|\b(?:parameters?|params?|fields?|arguments?|options?|supplied:?)\b[^.]{0,20}\bstop\b|\bstop (?:parameter|field|option|argument|参数)/i

/** Returns whether an error is about `stop`. Leaving it out is harmless, since our reader cuts the text itself. */
function refusesStop(words: string, status: number): boolean {
  if (!NAMES_STOP.test(words) || /\btools?\b|\bschema\b/i.test(words)) return false
  return REFUSED.has(status) || (status >= 500 && REFUSES.test(words))
}

function isRefused(param: string | null | undefined, message: string, name: string): boolean {
  // The Responses API also names the field that the format is in.
  if (param && FORMATS.has(name) && name.startsWith(`${param}.`)) return true
  return param ? isParam(param, name) : mentions(message, name)
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
