/** Writes a journal entry as a curl command that repeats it. */
import { isObject } from '../slack/args.ts'
import { formOf, sign } from '../slack/events/deliveries.ts'
import type { DeliveryKind } from '../slack/events/delivery-attempt.ts'
import type { JournalEntry } from './journal.ts'
import type { Json } from '../slack/types.ts'

/** The addresses that a command needs. */
interface CurlPlace {
  /** The addresses of the page, the Web API, the model endpoint and the bot. The bot has none in Socket Mode. */
  page: string
  apiUrl: string
  modelUrl: string
  target: string | undefined
  signingSecret: string
  /** Milliseconds since the epoch. A signature is valid for five minutes. */
  now: number
}

/**
 * Returns a curl command. Returns undefined if there is nothing to send, or if part of the request is missing. `whole`
 * is the request before it was shortened.
 */
export function curlOf(entry: JournalEntry, whole: Json | undefined, place: CurlPlace): string | undefined {
  if (entry.kind === 'fault') return undefined
  const byPage = entry.kind === 'tool' || (entry.kind === 'delivery' && place.target === undefined)
  if (byPage) return post(`${place.page}/journal/again`, [JSON_TYPE], JSON.stringify({ n: entry.n }))
  if (!whole) return undefined
  if (entry.kind === 'delivery') return signed(whole, place)
  return entry.kind === 'model' ? modelCall(whole, place) : apiCall(entry, whole, place)
}

const JSON_TYPE = quoted('content-type: application/json; charset=utf-8')

function signed({ type, payload }: Json, { target = '', signingSecret, now }: CurlPlace): string {
  const { kind, body, contentType } = deliveryBody(type, isObject(payload) ? payload : {})
  const timestamp = String(Math.floor(now / 1000))
  const signature = sign(signingSecret, timestamp, body)
  const headers = [`content-type: ${contentType}`, `x-slack-request-timestamp: ${timestamp}`]
  const retry = kind === 'events_api' ? ['x-slack-retry-num: 1', 'x-slack-retry-reason: http_timeout'] : []
  return post(target, [...headers, `x-slack-signature: ${signature}`, ...retry].map(quoted), body)
}

function deliveryBody(type: unknown, payload: Json): { kind: DeliveryKind; body: string; contentType: string } {
  if (type === 'events_api') return { kind: type, body: JSON.stringify(payload), contentType: 'application/json' }
  const kind = type === 'interactive' ? type : 'slash_commands'
  return { kind, body: formOf(kind, payload), contentType: 'application/x-www-form-urlencoded' }
}

function modelCall({ path, body }: Json, { modelUrl }: CurlPlace): string {
  const url = new URL(modelUrl).origin + String(path)
  return path === '/v1/models' ? `curl -sS ${quoted(url)}` : post(url, [JSON_TYPE], JSON.stringify(body))
}

function apiCall({ name }: JournalEntry, whole: Json, { apiUrl }: CurlPlace): string {
  const { path, args, headers } = whole
  const url = new URL(apiUrl).origin + String(path)
  const { authorization }: Json = isObject(headers) ? headers : {}
  // The shell inserts the token.
  const token = authorization === undefined ? [] : [`"Authorization: ${shellText(String(authorization))}"`]
  const headersArgs = token.map((one) => ` -H ${one}`).join('')
  if (name === 'download') return `curl -sS -L -O${headersArgs} ${quoted(url)}`
  if (name === 'upload') return `curl -sS -X POST${headersArgs} --data-binary @FILE ${quoted(url)}`
  const plain = url.split('?')[0] ?? url
  return post(plain, [JSON_TYPE, ...token], JSON.stringify(args))
}

function post(url: string, headers: string[], body: string): string {
  const parts = [`curl -sS -X POST ${quoted(url)}`, ...headers.map((one) => `-H ${one}`), `--data-raw ${quoted(body)}`]
  return parts.join(' \\\n  ')
}

/** Quotes a text for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** Escapes a text for double quotes, in which only `$SLACK_…` is expanded. */
function shellText(text: string): string {
  return text.replace(/[\\"`]/g, '').replace(/\$(?!SLACK_(?:BOT|APP)_TOKEN\b)/g, '')
}
