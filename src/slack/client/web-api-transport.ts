/**
 * One call of Slack's Web API, as the SDK's WebClient makes it, with the SDK's errors. WebClient itself formats all
 * arguments and results for its log, even if it is silent, and queues and retries calls, which `SlackWeb` does already:
 * without it, a question takes a tenth less CPU.
 */
import { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError, WebAPIRequestError } from '@slack/web-api'
import { stringify } from 'node:querystring'
import { parseJson } from '../../base/parse-json.ts'

type FormFields = Record<string, unknown>

interface FormTarget {
  apiUrl: string
  /** Empty for the calls that need none. */
  token: string
  /** Sent as `team_id` unless the arguments have one. */
  team?: string | undefined
  /** The time for the whole call, in ms. */
  timeoutMs: number
  fetch?: typeof globalThis.fetch | undefined
}

/** @throws WebAPIPlatformError if Slack refuses it, WebAPIRateLimitedError, WebAPIHTTPError, WebAPIRequestError */
export async function postForm(method: string, args: FormFields, target: FormTarget): Promise<FormFields> {
  const { apiUrl, token, team, timeoutMs, fetch = globalThis.fetch } = target
  const time = new AbortController()
  const timer = setTimeout(
    () => time.abort(new DOMException('Slack did not answer in time.', 'TimeoutError')),
    timeoutMs,
  )
  try {
    const response = await fetch(`${apiUrl}${apiUrl.endsWith('/') ? '' : '/'}${method}`, {
      method: 'POST',
      headers: { ...HEADERS, ...(token === '' ? {} : { authorization: `Bearer ${token}` }) },
      body: formOf({ team_id: team, ...args }),
      redirect: 'error',
      signal: time.signal,
    }).catch((error: unknown) => {
      throw new WebAPIRequestError(error instanceof Error ? error : new Error(String(error)))
    })
    return await resultOf(response)
  } finally {
    clearTimeout(timer)
  }
}

const HEADERS = {
  accept: 'application/json',
  'content-type': 'application/x-www-form-urlencoded',
  'user-agent': 'Thinkaloud/0.1 (self-hosted Slack bot)',
}

/** Objects are sent as JSON. */
function formOf(args: FormFields): string {
  const form: Record<string, string> = {}
  for (const [name, value] of Object.entries(args))
    if (value !== undefined && value !== null)
      form[name] = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return stringify(form)
}

async function resultOf(response: Response): Promise<FormFields> {
  const { status, statusText, headers } = response
  const retryAfter = Number.parseInt(headers.get('retry-after') ?? '', 10)
  if (status === 429 && !Number.isNaN(retryAfter)) throw new WebAPIRateLimitedError(retryAfter)
  const text = await response.text()
  const result = status === 200 ? (Object(parseJson(text)) as FormFields) : {}
  // A proxy may answer in Slack's place, also with 200.
  if (result.ok !== true && typeof result.error !== 'string')
    throw new WebAPIHTTPError(status, statusText, Object.fromEntries(headers.entries()), text)
  if (result.ok !== true) throw new WebAPIPlatformError({ ...result, ok: false, error: String(result.error) })
  const scopes = headers.get('x-oauth-scopes')
  if (scopes === null) return result
  return {
    ...result,
    response_metadata: { ...(result.response_metadata as object), scopes: scopes.trim().split(/\s*,\s*/) },
  }
}
