import { backoffMs, sleep } from '../../backoff.ts'
import { messageOf } from '../../errors.ts'
import { sanitize } from '../format/escape.ts'
import { addressAtSlack } from './slack-address.ts'

/** Slack takes five uses of a response_url, within 30 minutes. */
const TRIES = 3
/** A longer wait than this is not worth it: nobody looks any more. */
const WAIT_MS = 5 * 60_000
const TIMEOUT_MS = 10_000

/**
 * Posts a message to the response_url of a command. It goes to Slack, or to the server that `SLACK_API_URL` names, and nowhere else:
 * no other host, no redirect. What may pass is tried again, after a 429 not before its Retry-After. Never rejects.
 */
export async function respond(
  url: string,
  message: object,
  { apiUrl, fetch, log }: { apiUrl: string; fetch: typeof globalThis.fetch; log(fields: object, line: string): void },
): Promise<void> {
  const address = addressAtSlack(url, apiUrl)
  if (!address) return log({}, 'response_url is not at a host of Slack: not used')
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify(sanitize(message))
  for (let attempt = 0; ; attempt++) {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const sent = fetch(address, { method: 'POST', headers, body, signal, redirect: 'manual' })
    const { status, waitMs } = await sent.then(outcomeOf, (error: unknown) => ({ status: messageOf(error), waitMs: 0 }))
    if (typeof status === 'number' && status >= 200 && status < 300) return
    log({ attempt: attempt + 1, status }, 'Slack rejected a response_url post')
    const isTransient = typeof status === 'string' || status === 429 || status >= 500
    if (!isTransient || attempt + 1 >= TRIES || waitMs > WAIT_MS) return
    await sleep(Math.max(waitMs, backoffMs(attempt, { base: 500, max: 5_000 })))
  }
}

async function outcomeOf(response: Response): Promise<{ status: number; waitMs: number }> {
  await response.body?.cancel().catch(() => undefined)
  const seconds = Number(response.headers.get('retry-after') ?? 0)
  return { status: response.status, waitMs: Number.isFinite(seconds) ? seconds * 1000 : 0 }
}
