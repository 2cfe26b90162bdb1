/**
 * Delivers to an app as Slack does: by signed requests or Socket Mode envelopes, with retries if there is no ack.
 * https://docs.slack.dev/authentication/verifying-requests-from-slack and
 * https://docs.slack.dev/apis/events-api#retries.
 */
import { createHmac } from 'node:crypto'
import type { DeliveryAttempt, DeliveryKind } from './delivery-attempt.ts'
import { deliveryEntry, tryTold } from '../../journal/delivery-journal.ts'
import type { JournalEntry, Journal } from '../../journal/journal.ts'
import type { Sockets } from './sockets.ts'
import type { Json } from '../types.ts'

/** A delivery with all its tries. */
export interface Delivery {
  kind: DeliveryKind
  payload: Json
  attempts: DeliveryAttempt[]
  /** The journal's entry. */
  entry?: JournalEntry | undefined
  /** Resolves after the first try. */
  first: Promise<DeliveryAttempt>
  /** Resolves when it was acked, or after the last try. True if it was acked. */
  done: Promise<boolean>
}

/** The pauses before an event is sent again although it was acked, in ms. */
const UNHEARD_MS = [0, 1_000, 2_000]

/** The fields of a delivery that a try needs. */
type Envelope = Pick<Delivery, 'kind' | 'payload' | 'attempts' | 'entry'>

/** The app's address, and Slack's time limits. */
interface DeliveryOptions {
  secret: string
  now: () => number
  sockets: Sockets
  /** The URL on which the app listens; undefined for Socket Mode. */
  target: () => string | undefined
  /** How long Slack waits for an ack, in milliseconds. */
  ackMs: () => number
  /** The pauses before retries of an event, in milliseconds after the previous failure. */
  retryMs: () => number[]
  /** The number of times that an event is sent even if it is acked. 1 if Slack receives every ack. */
  times: () => number
  journal?: Journal | undefined
}

export interface Deliveries {
  deliver(kind: DeliveryKind, payload: Json): Delivery
  /** Repeats a delivery, as a retry. */
  redeliver(delivery: Envelope, options?: { reason?: string }): Promise<DeliveryAttempt>
  /** Returns the number of tries in progress. */
  busy(): number
  close(): void
}

/** Creates the deliveries. Retries wait on timers, which `close` clears. */
export function createDeliveries(options: DeliveryOptions): Deliveries {
  const { journal } = options
  const pauses = createPauses()
  let busy = 0
  let closed = false

  async function attempt(delivery: Envelope, retry: Retry): Promise<DeliveryAttempt> {
    const made = await tried(delivery, retry)
    delivery.attempts.push(made)
    if (delivery.entry) journal?.end(delivery.entry, tryTold(delivery.attempts, acked(made)))
    return made
  }

  async function tried(delivery: Envelope, retry: Retry): Promise<DeliveryAttempt> {
    busy += 1
    const at = options.now()
    const start = performance.now()
    const way = options.target() === undefined ? bySocket : byHttp
    const result = await way(options, delivery, retry).catch(() => ({ status: 0, body: '' }))
    busy -= 1
    return { at, ms: performance.now() - start, retry: retry.number, reason: retry.reason, ...result }
  }

  async function again(delivery: Envelope, first: Promise<DeliveryAttempt>): Promise<boolean> {
    let last = await first
    for (const [index, ms] of pausesOf(options).entries()) {
      // Only events are retried. A person whose command failed gets a message instead.
      if ((acked(last) && index + 1 >= options.times()) || closed || delivery.kind !== 'events_api') break
      await pauses.pause(ms)
      if (closed) break
      last = await attempt(delivery, { number: index + 1, reason: reasonOf(last) })
    }
    return acked(last)
  }

  async function redeliver(delivery: Envelope, { reason = 'http_timeout' } = {}): Promise<DeliveryAttempt> {
    const { kind, payload, entry: first } = delivery
    const entry = journal?.begin({ ...deliveryEntry(kind, payload), ...(first && { of: first.n }) })
    const made = await tried(delivery, { number: delivery.attempts.length, reason })
    delivery.attempts.push(made)
    if (entry) journal?.end(entry, tryTold([made], acked(made)))
    return made
  }

  return {
    deliver(kind, payload) {
      const envelope: Envelope = { kind, payload, attempts: [], entry: journal?.begin(deliveryEntry(kind, payload)) }
      const first = attempt(envelope, { number: 0, reason: '' })
      return { ...envelope, first, done: again(envelope, first) }
    },
    redeliver,
    busy: () => busy,
    close() {
      closed = true
      pauses.endAll()
    },
  }
}

/** Creates pauses that can all be ended at once. */
function createPauses() {
  const timers = new Map<NodeJS.Timeout, () => void>()
  return {
    pause: (ms: number) =>
      new Promise<void>((resolve) => {
        const timer = setTimeout(() => (timers.delete(timer), resolve()), ms)
        timers.set(timer, resolve)
      }),
    endAll() {
      for (const [timer, resolve] of timers) {
        clearTimeout(timer)
        resolve()
      }
    },
  }
}

/** Returns the pauses before further tries, first those that are made even after an ack. */
function pausesOf({ times, retryMs }: DeliveryOptions): number[] {
  const unheard = UNHEARD_MS.slice(0, times() - 1)
  return [...unheard, ...retryMs().slice(unheard.length)]
}

/** Returns whether a try was acked: Slack accepts any 2xx. */
export function acked(attempt: DeliveryAttempt): boolean {
  return attempt.status >= 200 && attempt.status < 300
}

/** Returns the reason of a retry. Slack distinguishes an app that was too slow from one that failed. */
function reasonOf(attempt: DeliveryAttempt): string {
  return attempt.status === 0 || acked(attempt) ? 'http_timeout' : 'http_error'
}

/** The number of a retry, from 0, and its reason. */
interface Retry {
  number: number
  reason: string
}

/** A transport of deliveries. */
type Transport = (
  options: DeliveryOptions,
  delivery: Envelope,
  retry: Retry,
) => Promise<{ status: number; body: string }>

/** The minimum time before a request is cut off, in ms. An impatient Slack has still sent its event. */
const SENT_MS = 1_000

/** Sends a signed request. Redirects are not followed. */
const byHttp: Transport = async (options, { kind, payload }, retry) => {
  const json = kind === 'events_api'
  const body = json ? JSON.stringify(payload) : formOf(kind, payload)
  const timestamp = String(Math.floor(options.now() / 1000))
  const waits = AbortSignal.timeout(options.ackMs())
  const isOver = new Promise<never>((_, reject) => waits.addEventListener('abort', () => reject(waits.reason)))
  const response = fetch(options.target() ?? '', {
    method: 'POST',
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(Math.max(SENT_MS, options.ackMs())),
    headers: {
      'content-type': json ? 'application/json' : 'application/x-www-form-urlencoded',
      'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)',
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': sign(options.secret, timestamp, body),
      ...(retry.number > 0 && { 'x-slack-retry-num': String(retry.number), 'x-slack-retry-reason': retry.reason }),
    },
  })
  const answered = response.then(async (one) => ({ status: one.status, body: await one.text() }))
  return Promise.race([answered, isOver])
}

/** Sends an envelope on one socket. The SDK acks events with an empty object, and commands with the message to show. */
const bySocket: Transport = async (options, { kind, payload }, retry) => {
  const again = retry.number > 0 && { retry_attempt: retry.number, retry_reason: retry.reason }
  const envelope = { type: kind, payload, accepts_response_payload: kind !== 'events_api', ...again }
  const ack = await options.sockets.send(envelope, options.ackMs())
  if (!ack) return { status: 0, body: '' }
  const { payload: answer } = ack
  return { status: 200, body: answer === undefined ? '' : JSON.stringify(answer) }
}

/** Encodes a delivery as a form: a command as its fields, an interaction as JSON in `payload`. */
export function formOf(kind: DeliveryKind, payload: Json): string {
  if (kind === 'interactive') return new URLSearchParams({ payload: JSON.stringify(payload) }).toString()
  const form = new URLSearchParams()
  for (const [key, value] of Object.entries(payload)) form.set(key, String(value))
  return form.toString()
}

/** Returns Slack's v0 signature: an HMAC of version, time and body. */
export function sign(secret: string, timestamp: string, body: string): string {
  return `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')}`
}
