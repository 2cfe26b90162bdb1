import { backoffMs, sleep } from '../../base/backoff.ts'
import { messageOf } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { sanitize } from '../format/escape.ts'
import { UNPARSED } from './send-content.ts'
import { addressAtSlack } from './slack-address.ts'
import type { SlackWeb } from './web-api.ts'

/** Slack accepts five uses of a response_url, within 30 minutes. */
const TRIES = 3
/** A longer wait is not worth it, because nobody is looking any more. */
const WAIT_MS = 5 * 60_000
const TIMEOUT_MS = 10_000

interface RespondOptions {
  apiUrl: string
  fetch: typeof globalThis.fetch
  log: Log
  asker?: string
}

/**
 * Posts a message to the response_url of a command or a press. It goes only to Slack, or to the server of
 * `SLACK_API_URL`: to no other host, and without redirects. Transient errors are retried, after a 429 not before its
 * Retry-After. Never rejects. `asker`: the person it may mention. @returns whether Slack accepted it
 */
export async function respond(
  url: string,
  message: object,
  { apiUrl, fetch, log, asker }: RespondOptions,
): Promise<boolean> {
  const address = addressAtSlack(url, apiUrl)
  if (!address) {
    log.warn({}, 'response_url is not at a host of Slack: not used')
    return false
  }
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify(sanitize(message, asker))
  for (let attempt = 0; ; attempt++) {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const sent = fetch(address, { method: 'POST', headers, body, signal, redirect: 'manual' })
    const { status, waitMs } = await sent.then(outcomeOf, (error: unknown) => ({ status: messageOf(error), waitMs: 0 }))
    if (typeof status === 'number' && status >= 200 && status < 300) return true
    log.warn({ attempt: attempt + 1, status }, 'Slack rejected a response_url post')
    const isTransient = typeof status === 'string' || status === 429 || status >= 500
    if (!isTransient || attempt + 1 >= TRIES || waitMs > WAIT_MS) return false
    await sleep(Math.max(waitMs, backoffMs(attempt, { base: 500, max: 5_000 })))
  }
}

/**
 * How a message can be reached. `responseUrl`: that of a press on it. `place`: absent where only one person sees it.
 */
interface ReplacedMessage {
  responseUrl?: string | undefined
  place?: { channel: string; ts: string } | undefined
}

interface ReplaceOptions {
  client: SlackWeb
  fetch?: typeof globalThis.fetch | undefined
  log: Log
  asker?: string
}

/**
 * Replaces a message for all who see it. `simple`: the content's form for `chat.update`. `asker`: the person it may
 * mention. Never rejects: a failure is only logged.
 */
export async function replaceMessage(
  { responseUrl, place }: ReplacedMessage,
  { content, simple = content }: { content: object; simple?: object },
  { client, fetch = globalThis.fetch, log, asker = '' }: ReplaceOptions,
): Promise<void> {
  const at = { apiUrl: client.apiUrl, fetch, log, asker }
  if (responseUrl && (await respond(responseUrl, { replace_original: true, ...content, ...UNPARSED }, at))) return
  // An ephemeral message cannot be changed in any other way.
  if (!place) return
  await client
    .call('chat.update', { ...place, ...simple, ...UNPARSED }, { effort: 'patient', asker })
    .catch((error: unknown) => log.warn({ ...place, error: messageOf(error) }, 'a message could not be replaced'))
}

async function outcomeOf(response: Response): Promise<{ status: number; waitMs: number }> {
  await response.body?.cancel().catch(() => undefined)
  const seconds = Number(response.headers.get('retry-after') ?? 0)
  return { status: response.status, waitMs: Number.isFinite(seconds) ? seconds * 1000 : 0 }
}
