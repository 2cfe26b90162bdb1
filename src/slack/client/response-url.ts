import { backoffMs, sleep } from '../../base/backoff.ts'
import { messageOf } from '../../base/errors.ts'
import { warnWith, type Log } from '../../base/log.ts'
import { sanitize } from '../format/escape.ts'
import { UNPARSED } from './send-content.ts'
import { addressAtSlack } from './check-slack-address.ts'
import type { SlackWeb } from './web-api.ts'

/** Slack accepts five uses of a response_url, within 30 minutes. */
const TRIES = 3
/** A longer wait is not worth it, because nobody is looking any more. */
const WAIT_MS = 5 * 60_000
const TIMEOUT_MS = 10_000

/**
 * Posts a message to the response_url of a command or a press. It goes only to Slack, or to the server of
 * `SLACK_API_URL`: to no other host, and without redirects. Transient errors are retried, after a 429 not before its
 * Retry-After. Never rejects. `asker`: the person it may mention. @returns whether Slack accepted it
 */
export async function respond(
  url: string,
  message: object,
  { apiUrl, fetch }: Pick<SlackWeb, 'apiUrl' | 'fetch'>,
  log: Log,
  asker?: string,
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
 * Replaces a message for all who see it. `responseUrl`: that of a press on it. `place`: absent where only one person
 * sees it. `simple`: the content's form for `chat.update`. `asker`: the person it may mention. Never rejects: a failure
 * is only logged.
 */
export async function replaceMessage(
  { responseUrl, place }: { responseUrl?: string | undefined; place?: { channel: string; ts: string } | undefined },
  { content, simple = content }: { content: object; simple?: object },
  client: SlackWeb,
  log: Log,
  asker = '',
): Promise<void> {
  const ephemeral = { replace_original: true, ...content, ...UNPARSED }
  if (responseUrl && (await respond(responseUrl, ephemeral, client, log, asker))) return
  // An ephemeral message cannot be changed in any other way.
  if (!place) return
  await client
    .call('chat.update', { ...place, ...simple, ...UNPARSED }, { effort: 'patient', asker })
    .catch(warnWith(log, place, 'a message could not be replaced'))
}

async function outcomeOf(response: Response): Promise<{ status: number; waitMs: number }> {
  await response.body?.cancel().catch(() => undefined)
  const seconds = Number(response.headers.get('retry-after') ?? 0)
  return { status: response.status, waitMs: Number.isFinite(seconds) ? seconds * 1000 : 0 }
}
