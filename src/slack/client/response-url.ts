import { backoffMs, sleep } from '../../base/backoff.ts'
import { messageOf } from '../../base/errors.ts'
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
 * @returns whether Slack took it
 */
export async function respond(
  url: string,
  message: object,
  { apiUrl, fetch, log }: { apiUrl: string; fetch: typeof globalThis.fetch; log(fields: object, line: string): void },
): Promise<boolean> {
  const address = addressAtSlack(url, apiUrl)
  if (!address) {
    log({}, 'response_url is not at a host of Slack: not used')
    return false
  }
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify(sanitize(message))
  for (let attempt = 0; ; attempt++) {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const sent = fetch(address, { method: 'POST', headers, body, signal, redirect: 'manual' })
    const { status, waitMs } = await sent.then(outcomeOf, (error: unknown) => ({ status: messageOf(error), waitMs: 0 }))
    if (typeof status === 'number' && status >= 200 && status < 300) return true
    log({ attempt: attempt + 1, status }, 'Slack rejected a response_url post')
    const isTransient = typeof status === 'string' || status === 429 || status >= 500
    if (!isTransient || attempt + 1 >= TRIES || waitMs > WAIT_MS) return false
    await sleep(Math.max(waitMs, backoffMs(attempt, { base: 500, max: 5_000 })))
  }
}

/** The Web API, as far as it is used here. */
export interface Client {
  readonly apiUrl: string
  call(
    method: string,
    args: Record<string, unknown>,
    options: { effort: 'patient' | 'once'; signal?: AbortSignal | undefined; asker?: string },
  ): Promise<unknown>
}

/** How a message can be reached. `responseUrl`: that of a press on it. `place`: absent where only one person sees it. */
interface ReplacedMessage {
  responseUrl?: string | undefined
  place?: { channel: string; ts: string } | undefined
}

interface ReplaceOptions {
  client: Client
  fetch?: typeof globalThis.fetch | undefined
  log(fields: object, line: string): void
  asker?: string
}

/**
 * Shows something in place of a message, for all who see it. `simple`: its form for `chat.update`. `asker`: whom it may mention.
 * Never rejects: what Slack does not take is a line in the log.
 */
export async function replaceMessage(
  { responseUrl, place }: ReplacedMessage,
  { content, simple = content }: { content: object; simple?: object },
  { client, fetch = globalThis.fetch, log, asker = '' }: ReplaceOptions,
): Promise<void> {
  const at = { apiUrl: client.apiUrl, fetch, log }
  if (responseUrl && (await respond(responseUrl, { replace_original: true, ...content, ...UNPARSED }, at))) return
  // What only one person sees can be changed in no other way.
  if (!place) return
  await client
    .call('chat.update', { ...place, ...simple, ...UNPARSED }, { effort: 'patient', asker })
    .catch((error: unknown) => log({ ...place, error: messageOf(error) }, 'a message could not be replaced'))
}

/** Slack makes no links of its own from the text that notifications and screen readers get. */
export const UNPARSED = { parse: 'none' }

async function outcomeOf(response: Response): Promise<{ status: number; waitMs: number }> {
  await response.body?.cancel().catch(() => undefined)
  const seconds = Number(response.headers.get('retry-after') ?? 0)
  return { status: response.status, waitMs: Number.isFinite(seconds) ? seconds * 1000 : 0 }
}
