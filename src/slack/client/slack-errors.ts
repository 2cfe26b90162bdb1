import { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError, WebAPIRequestError } from '@slack/web-api'
import { causesOf, LeaseLost } from '../../base/errors.ts'

/** Slack's refusal of a call, with its error code. Trying again would not help. */
export class SlackRefusal extends Error {
  override name = 'SlackRefusal'
  readonly code: string
  /** What Slack says beside the code, such as which block it does not take. */
  readonly details: string[]

  constructor(method: string, code: string, details: string[] = []) {
    super(`${method}: ${code}`)
    this.code = code
    this.details = details
  }
}

/** The code with which Slack refused something for good; undefined for any other error, and for a fault that may pass. */
export function refusalCode(error: unknown): string | undefined {
  if (error instanceof SlackRefusal) return error.code
  const code = error instanceof WebAPIPlatformError ? String(error.data.error) : undefined
  return code === undefined || TRANSIENT.has(code) ? undefined : code
}

/** Error codes of Slack that mean a transient fault, not a refusal. */
const TRANSIENT = new Set([
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'request_timeout',
  'team_added_to_org',
  'ratelimited',
])

/** A failed try that another one may mend. */
interface TransientFault {
  error: unknown
  /** How long Slack takes no more calls of this kind, in ms. */
  limitedMs?: number
  /** The try may have taken effect. */
  unsure?: boolean
}

/** What a failed try means. @throws SlackRefusal if Slack refused it for good, LeaseLost if the run is not ours any more. */
export function faultOf(error: unknown, method: string): TransientFault {
  if (error instanceof LeaseLost) throw error
  if (error instanceof WebAPIRateLimitedError) return { error, limitedMs: Math.max(1, error.retryAfter) * 1000 }
  if (error instanceof WebAPIPlatformError) {
    const code = refusalCode(error)
    if (code !== undefined) throw new SlackRefusal(method, code, error.data.response_metadata?.messages)
    return { error, unsure: error.data.error !== 'ratelimited' }
  }
  if (error instanceof WebAPIHTTPError) return { error, unsure: true }
  return { error, unsure: !(error instanceof WebAPIRequestError && neverSent(error)) }
}

/** A connection that was refused carried nothing. */
function neverSent(error: WebAPIRequestError): boolean {
  for (const cause of causesOf(error))
    if ('code' in cause && (cause.code === 'ECONNREFUSED' || cause.code === 'ENOTFOUND')) return true
  return false
}

/** One word for how a try failed: Slack's own, where it has one. */
export function outcomeOf(error: unknown): string {
  if (error instanceof WebAPIRateLimitedError) return 'ratelimited'
  if (error instanceof WebAPIPlatformError) return String(error.data.error)
  return error instanceof WebAPIHTTPError ? `http_${error.statusCode}` : 'connection'
}

/** No simpler form is shorter. */
export const TOO_LONG = new Set(['msg_too_long', 'msg_blocks_too_long'])

/** Refusals of how a message looks; its text alone may still be taken. */
const OF_FORM = new Set(['invalid_blocks', 'invalid_blocks_format', 'invalid_metadata_format', ...TOO_LONG])

export function isOfForm(error: unknown): error is SlackRefusal {
  return error instanceof SlackRefusal && OF_FORM.has(error.code)
}
