/** Classifies failed model calls and chooses the sentence for people. retry.ts decides on retries and waits. */
import { APIError } from 'openai/core/error'
import { causesOf, ModelError } from '../base/errors.ts'
import { hasNoMoney, isContextLength, isUnknownModel, refusesKey, statusOf } from './error-words.ts'

/** A stream that ended before the model was done. */
export class BrokenStream extends Error {
  override name = 'BrokenStream'
}

/**
 * A failure with a known reason. The message is for the log and contains no text of an endpoint. The hint is for
 * people. `retryable`: the same call may succeed later.
 */
export class KnownFailure extends Error {
  override name = 'KnownFailure'
  readonly hint: string
  readonly retryable: boolean

  constructor(message: string, hint: string, { retryable = false } = {}) {
    super(message)
    this.hint = hint
    this.retryable = retryable
  }
}

/** A filter withheld the model's answer. */
export function filtered(): KnownFailure {
  return new KnownFailure('the content filter refused it', HINTS.filter)
}

/** The model declined in its `refusal` field. */
export function declined(): KnownFailure {
  return new KnownFailure('the model declined to answer', HINTS.declined)
}

/** A request that cannot be short enough. */
class TooLong extends KnownFailure {
  override name = 'TooLong'
}

/** Returns whether a call failed because its prompt was too long. */
export function isTooLong(error: unknown): boolean {
  return [...causesOf(error)].some((cause) => cause instanceof TooLong || isContextLength(cause))
}

/** A request that stays too long, although everything but the question was shortened. Sizes in tokens. */
export function tooLong({ window, left, question }: { window: number; left: number; question: number }): KnownFailure {
  const [takes, asked, all] = [window, question, left].map((size) => Math.round(size).toLocaleString('en-US'))
  const message = `a prompt of ${all} tokens does not fit into its window of ${takes}`
  if (question === 0) return new TooLong(message, HINTS.length)
  const hint =
    question >= window / 4
      ? `Your question is too long for the model: it has about ${asked} tokens, and the model takes ${takes} at once, ` +
        'together with my instructions. Please ask something shorter, or send the text as a file.'
      : `My instructions and tools are too long for the model: they have about ${all} tokens, and it takes ${takes} ` +
        'at once. The person who runs me should give it a larger window, or fewer tools.'
  return new TooLong(message, hint)
}

/** A conversation that is too long for a model whose window is unknown. */
export function longConversation(): KnownFailure {
  return new TooLong('the prompt is too long', HINTS.length)
}

/** The endpoint has no Responses API. Nothing falls back to chat completions. */
export function noResponses(cause: unknown): KnownFailure {
  const status = statusOf(cause) ?? 404
  return new KnownFailure(
    `its endpoint has no Responses API (status ${status}), so OPENAI_API=responses cannot work`,
    `The model’s address has no Responses API (status ${status}). The person who runs me should check OPENAI_API and OPENAI_BASE_URL.`,
  )
}

/** Returns whether the address exists, but not this path. A bare 404 may also be an unknown model. */
export function isNoEndpoint(error: unknown): boolean {
  if (!(error instanceof APIError) || error.param) return false
  return NO_ENDPOINT.has(error.status ?? 0) && !isUnknownModel(error)
}

const NO_ENDPOINT = new Set([404, 405, 501])

/** The endpoint is not a model. Retried, since a gateway also shows a page while the service behind it restarts. */
export function noModel(message: string, { retryable = true } = {}): KnownFailure {
  return new KnownFailure(message, HINTS.noModel, { retryable })
}

/** Classifies an error of the SDK, the network or a malformed stream. Not for calls that their caller has aborted. */
export function failureOf(error: unknown, model: string): ModelError {
  const known = knownFailureIn(error)
  if (known) {
    const { message, hint, retryable } = known
    return new ModelError(`model ${model}: ${message}`, { hint, retryable, cause: error })
  }
  const status = statusOf(error)
  // Without a status it is the connection or its content: a bad chunk, a truncated stream.
  const mayPass = status === undefined || RETRYABLE.has(status) || status >= 500
  const isQuotaUsedUp = hasNoMoney(error)
  const retryable = mayPass && !isQuotaUsedUp && !isContextLength(error)
  const hint = isQuotaUsedUp ? HINTS.quota : hintOf(error, status, model)
  return new ModelError(`model ${model}: ${factsOf(error, status)}`, { hint, retryable, cause: error })
}

/**
 * The facts for the log: the status and the codes. An endpoint's text can quote people or the model, and so can a
 * parser's message about a broken chunk.
 */
function factsOf(error: unknown, status: number | undefined): string {
  if (error instanceof APIError && status !== undefined) {
    const { code, type, param } = error
    return [
      `status ${status}`,
      ...[code, type, param].filter((fact) => typeof fact === 'string' && /^[\w.-]{1,60}$/.test(fact)),
    ].join(' ')
  }
  if (error instanceof BrokenStream) return error.message
  return [error instanceof Error ? error.name : 'failure', causeCode(error)].filter(Boolean).join(' ')
}

/** ECONNREFUSED and similar codes, at any depth of causes. */
function causeCode(error: unknown): string | undefined {
  for (const cause of causesOf(error)) if ('code' in cause && typeof cause.code === 'string') return cause.code
  return undefined
}

/** The KnownFailure at any depth of causes. */
export function knownFailureIn(error: unknown): KnownFailure | undefined {
  for (const cause of causesOf(error)) if (cause instanceof KnownFailure) return cause
  return error instanceof APIError && isFiltered(error) ? filtered() : undefined
}

/** Azure's 400 with the code `content_filter`, and the equivalents of others. */
function isFiltered({ status, code, type }: APIError): boolean {
  const codes = [code, type].filter((one) => typeof one === 'string').join(' ')
  return (status === undefined || status === 400 || status === 403) && FILTER.test(codes)
}

const FILTER = /content_?(?:filter|policy|management)|responsible_?ai|data_inspection|moderation/i

const RETRYABLE = new Set([408, 409, 424, 425, 429])

function hintOf(error: unknown, status: number | undefined, model: string): string {
  if (isContextLength(error) || status === 413) return HINTS.length
  if (refusesKey(error)) return HINTS.key
  if (isUnknownModel(error))
    return `My endpoint has no model "${model}". If it was chosen with /ask settings, please choose another there; otherwise the person who runs me should check OPENAI_MODEL and OPENAI_BASE_URL.`
  if (status === 404) return HINTS.noEndpoint
  if (status === 429) return HINTS.busy
  if (status !== undefined && status < 500 && !RETRYABLE.has(status)) return HINTS.refused
  return HINTS.down
}

const HINTS = {
  noModel: 'The model’s address shows a web page, not a model. The person who runs me should check OPENAI_BASE_URL.',
  noEndpoint:
    'The model’s address has no chat completions (404 Not Found). The person who runs me should check OPENAI_BASE_URL.',
  key: 'The model refused my key. The person who runs me should check OPENAI_API_KEY.',
  busy: 'The model is overloaded right now. Please ask again in a few minutes.',
  quota: 'My model account has used up its quota. The person who runs me should check its plan and billing.',
  length: 'This conversation has become too long for the model. Please ask in a new thread, or ask something shorter.',
  refused: 'The model refused the request. The person who runs me can find the reason in the log.',
  filter: 'The content filter of the model refused this. Please rephrase the question, or ask something else.',
  declined: 'The model declined to answer this. Please rephrase the question, or ask something else.',
  down: 'The model cannot be reached right now. Please ask again in a few minutes.',
}

/** Returns the wait that the endpoint asked for, in ms; undefined if it asked for none. */
export function retryAfterMs(error: unknown, now: () => number): number | undefined {
  if (!(error instanceof APIError)) return undefined
  const { headers } = error
  const ms = headers?.get('retry-after-ms')
  if (ms && Number(ms) >= 0) return Number(ms)
  const value = headers?.get('retry-after')
  if (!value) return undefined
  const seconds = Number(value)
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - now()
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined
}
