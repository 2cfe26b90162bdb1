import { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError, WebAPIRequestError } from '@slack/web-api'
import { causesOf, LeaseLost } from '../../base/errors.ts'

/** Slack's refusal of a call, with its error code. A retry would not help. */
export class SlackRefusal extends Error {
  override name = 'SlackRefusal'
  readonly code: string
  /** Slack's messages besides the code, such as which block it does not accept. */
  readonly details: string[]

  constructor(method: string, code: string, details: string[] = []) {
    super(`${method}: ${code}`)
    this.code = code
    this.details = details
  }
}

/** Returns a handler of Slack's refusals. @throws other errors */
export function ifRefused<T>(handle: (refusal: SlackRefusal) => T): (error: unknown) => T {
  return (error) => {
    if (error instanceof SlackRefusal) return handle(error)
    throw error
  }
}

/** Returns Slack's error code of a permanent refusal; undefined for transient faults and any other error. */
export function refusalCode(error: unknown): string | undefined {
  if (error instanceof SlackRefusal) return error.code
  const code = error instanceof WebAPIPlatformError ? String(error.data.error) : undefined
  return code === undefined || TRANSIENT.has(code) ? undefined : code
}

/** Slack's error codes for transient faults. */
const TRANSIENT = new Set([
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'request_timeout',
  'team_added_to_org',
  'org_login_required',
  'ratelimited',
])

/** The error of a try that is worth a retry. */
interface TransientFault {
  error: unknown
  /** How long Slack rejects calls under this rate limit, in ms. */
  limitedMs?: number
  /** Whether the try may have taken effect. */
  unsure?: boolean
}

/** Classifies a failed try. @throws SlackRefusal if Slack refused it for good, LeaseLost if the lease is lost */
export function slackFault(error: unknown, method: string): TransientFault {
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

/** Returns whether Slack has answered a failed try, so that it has hardly taken effect. */
export function isAnswer(error: unknown): boolean {
  return error instanceof WebAPIPlatformError || error instanceof WebAPIHTTPError
}

/** Returns whether no connection was made, so that nothing was sent. */
function neverSent(error: WebAPIRequestError): boolean {
  for (const cause of causesOf(error))
    if ('code' in cause && (cause.code === 'ECONNREFUSED' || cause.code === 'ENOTFOUND')) return true
  return false
}

/** Names the failure of a try in one word: Slack's error code, if it sent one. */
export function outcomeOf(error: unknown): string {
  if (error instanceof WebAPIRateLimitedError) return 'ratelimited'
  if (error instanceof WebAPIPlatformError) return String(error.data.error)
  return error instanceof WebAPIHTTPError ? `http_${error.statusCode}` : 'connection'
}

/** Refusals of a message's length. Simpler blocks do not help, because they are not shorter. */
export const TOO_LONG = new Set(['msg_too_long', 'msg_blocks_too_long'])

/** Refusals of a message's form. Slack may still accept its text alone. */
const OF_FORM = new Set(['invalid_blocks', 'invalid_blocks_format', 'invalid_metadata_format', ...TOO_LONG])

export function isOfForm(error: unknown): error is SlackRefusal {
  return error instanceof SlackRefusal && OF_FORM.has(error.code)
}
