import {
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebAPIRequestError,
  WebClient,
} from '@slack/web-api'
import { backoffMs, sleep } from '../../backoff.ts'
import { LeaseLost, messageOf } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { RateLimits } from './rate-limits.ts'

export type SlackArgs = Record<string, unknown>
export type SlackResult = Record<string, unknown>

/** Slack's refusal of a call, with its error code. Trying again would not help. */
export class SlackRefusal extends Error {
  override name = 'SlackRefusal'
  readonly code: string

  constructor(method: string, code: string) {
    super(`${method}: ${code}`)
    this.code = code
  }
}

export interface CallOptions {
  signal?: AbortSignal | undefined
  /** `once`: a progress sign, not worth a wait. `patient`: tried until Slack takes it or `PATIENCE_MS` are over. */
  effort: 'once' | 'patient'
  /**
   * Called after a try that may have taken effect (connection cut, 5xx), before the next try. A result means that it had
   * taken effect, and ends the call. Leave it out for methods that are safe to repeat.
   */
  lookUp?: (() => Promise<SlackResult | undefined>) | undefined
  /** Called right before each try, after any wait. If it throws, the call is not made. */
  checkLease?: (() => Promise<void>) | undefined
}

export interface WebOptions {
  token: string
  apiUrl: string
  log: Log
  fetch?: typeof globalThis.fetch | undefined
  /** Told of every try once it is over: `ok` or what went wrong, how long it took (ms), and how many tries came before. */
  onCall?: ((call: { method: string; outcome: string; ms: number; attempt: number }) => void) | undefined
}

/** How long a patient call is tried: it survives an outage of some minutes. After that the run as a whole is tried again. */
const PATIENCE_MS = 10 * 60_000
const TIMEOUT_MS = 20_000
/** A sign of life is worth no longer wait than this: the calls after it wait for it. */
const SIGN_TIMEOUT_MS = 4_000

/** Error codes of Slack that mean a passing fault, not a refusal. */
const PASSING = new Set([
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'request_timeout',
  'team_added_to_org',
  'ratelimited',
])

/**
 * Slack's Web API with the two things that a bot needs besides: a 429's Retry-After is honoured for whatever Slack counts
 * together (others go on), and what may have taken effect is looked up rather than sent again.
 */
export class SlackWeb {
  /** Where this Slack is. */
  readonly apiUrl: string
  readonly #clients: Record<CallOptions['effort'], WebClient>
  readonly #log: Log
  readonly #gates = new RateLimits()
  readonly #onCall: WebOptions['onCall']

  constructor(options: WebOptions) {
    this.#clients = { patient: clientOf(options, TIMEOUT_MS), once: clientOf(options, SIGN_TIMEOUT_MS) }
    this.apiUrl = options.apiUrl
    this.#log = options.log
    this.#onCall = options.onCall
  }

  /** @throws SlackRefusal, or the last fault when patience (or the signal) ended the call. */
  async call(method: string, args: SlackArgs, options: CallOptions): Promise<SlackResult> {
    const giveUpAt = Date.now() + PATIENCE_MS
    for (let attempt = 0; ; attempt++) {
      options.signal?.throwIfAborted()
      try {
        return await this.#try(method, args, { ...options, attempt })
      } catch (error) {
        const fault = this.#faultOf(error, method, args)
        // Unlike a broken line, a limit says for sure that nothing took effect.
        if (options.effort === 'once' && fault.limited) throw new SlackRefusal(method, 'ratelimited')
        if (options.effort === 'once' || Date.now() > giveUpAt) throw fault.error
        this.#log.warn(
          { method, channel: args.channel, attempt: attempt + 1, error: messageOf(error) },
          'slack call failed, retrying',
        )
        if (!fault.limited) await sleep(backoffMs(attempt, { base: 500, max: 15_000 }), options.signal)
        const found = fault.unsure ? await options.lookUp?.() : undefined
        if (found) return found
      }
    }
  }

  async #try(method: string, args: SlackArgs, options: CallOptions & { attempt: number }): Promise<SlackResult> {
    const gate = gateOf(method, args)
    if (options.effort === 'once' && this.#gates.isClosed(gate)) throw new SlackRefusal(method, 'ratelimited')
    const leave = await this.#gates.enter(gate, options.signal)
    try {
      await options.checkLease?.()
      return await this.#send(method, args, options)
    } finally {
      leave()
    }
  }

  async #send(method: string, args: SlackArgs, { effort, attempt }: CallOptions & { attempt: number }) {
    const from = Date.now()
    let outcome = 'ok'
    try {
      return { ...(await this.#clients[effort].apiCall(method, args)) }
    } catch (error) {
      outcome = outcomeOf(error)
      throw error
    } finally {
      this.#onCall?.({ method, outcome, ms: Date.now() - from, attempt })
    }
  }

  /** What a failed try means. @throws SlackRefusal if Slack refused it for good, LeaseLost if the run is not ours any more. */
  #faultOf(error: unknown, method: string, args: SlackArgs): { error: unknown; limited?: boolean; unsure?: boolean } {
    if (error instanceof LeaseLost) throw error
    if (error instanceof WebAPIRateLimitedError) {
      this.#gates.close(gateOf(method, args), Math.max(1, error.retryAfter) * 1000)
      return { error, limited: true }
    }
    if (error instanceof WebAPIPlatformError) {
      const code = String(error.data.error)
      if (!PASSING.has(code)) throw new SlackRefusal(method, code)
      return { error, unsure: code !== 'ratelimited' }
    }
    if (error instanceof WebAPIHTTPError) return { error, unsure: true }
    return { error, unsure: !(error instanceof WebAPIRequestError && neverSent(error)) }
  }
}

function clientOf({ token, apiUrl, fetch }: WebOptions, timeout: number): WebClient {
  return new WebClient(token, {
    slackApiUrl: apiUrl,
    timeout,
    rejectRateLimitedCalls: true,
    retryConfig: { retries: 0 },
    allowAbsoluteUrls: false,
    logger: quiet,
    ...(fetch ? { fetch: fetch as never } : {}),
  })
}

/** Slack's own no, such as `invalid_auth`; undefined for everything else that can go wrong. */
export function refusalCode(error: unknown): string | undefined {
  if (error instanceof SlackRefusal) return error.code
  return error instanceof WebAPIPlatformError ? String(error.data.error) : undefined
}

/** One word for how a try failed: Slack's own, where it has one. */
function outcomeOf(error: unknown): string {
  if (error instanceof WebAPIRateLimitedError) return 'ratelimited'
  if (error instanceof WebAPIPlatformError) return String(error.data.error)
  return error instanceof WebAPIHTTPError ? `http_${error.statusCode}` : 'connection'
}

/**
 * What Slack counts together: posts by channel, the calls of any other method by workspace, which for us is a token.
 * https://docs.slack.dev/apis/web-api/rate-limits
 */
function gateOf(method: string, args: SlackArgs): string {
  return method === 'chat.postMessage' ? `${method}:${String(args.channel)}` : method
}

/** A connection that was refused carried nothing. */
function neverSent(error: WebAPIRequestError): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    if ('code' in cause && (cause.code === 'ECONNREFUSED' || cause.code === 'ENOTFOUND')) return true
  return false
}

/** The SDK's own log lines would repeat ours and can carry arguments. */
const quiet = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  setLevel() {},
  getLevel: () => 'error' as never,
  setName() {},
}
