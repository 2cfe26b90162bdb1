import { backoffMs, sleep } from '../../base/backoff.ts'
import { messageOf } from '../../base/errors.ts'
import { expiringCache, type ExpiringCache } from '../../base/expiring-cache.ts'
import type { Log } from '../../base/log.ts'
import { sanitize } from '../format/escape.ts'
import { postForm } from './web-api-transport.ts'
import { RateLimits } from './rate-limits.ts'
import { slackFault, outcomeOf, SlackRefusal } from './slack-errors.ts'

export type SlackArgs = Record<string, unknown>
export type SlackResult = Record<string, unknown>

export interface CallOptions {
  signal?: AbortSignal | undefined
  /** `once`: one try, such as for a status. `patient`: retried until Slack accepts it or `PATIENCE_MS` are over. */
  effort: 'once' | 'patient'
  /** The only people that the call may mention: the asker, or those whom a card asks. If absent, nobody. */
  asker?: string | readonly string[] | undefined
  /**
   * Called before a retry if the last try may have taken effect (connection cut, 5xx). A result means that it did, and
   * ends the call. Leave it out for methods that are safe to repeat.
   */
  lookUp?: ((error: unknown) => Promise<SlackResult | undefined>) | undefined
  /** Called right before each try, after any wait. If it throws, the call is not made. */
  checkLease?: (() => Promise<void>) | undefined
}

/** One try at one call. `outcome` is `ok`, Slack's error code, or a word for a failed connection. */
export interface SlackCall {
  method: string
  outcome: string
  /** Its duration. */
  ms: number
  /** The number of earlier tries. */
  attempt: number
}

/** The token of an installation whose tokens rotate. */
interface TokenSource {
  /** Returns a token that has not ended. */
  current(): Promise<string>
  /** Replaces a token that Slack says has ended. @returns whether there is another one now */
  replace(ended: string): Promise<boolean>
}

/** How to reach Slack's Web API, with any token. */
export interface ApiOptions {
  apiUrl: string
  log: Log
  /** Milliseconds since the epoch. */
  now: () => number
  fetch?: typeof globalThis.fetch | undefined
  /** Called after each try. */
  onCall?: ((call: SlackCall) => void) | undefined
}

export interface WebOptions extends ApiOptions {
  token: string | TokenSource
  /** Sent with each call as `team_id`: a token of a whole organisation needs it. */
  team?: string | undefined
  /** Returns the id that a channel has been given since. */
  movedTo?: ((channel: string) => Promise<string | undefined>) | undefined
}

/** Yields the pages of a method's answer, at most `max`. @throws the errors of the calls */
export async function* pagesOf(
  client: SlackWeb,
  method: string,
  args: SlackArgs,
  options: CallOptions,
  max = Infinity,
): AsyncGenerator<SlackResult> {
  let cursor: string | undefined
  for (let count = 0; count < max; count++) {
    const page = await client.call(method, { ...args, cursor }, options)
    yield page
    const next = nextCursor(page)
    if (next === undefined || next === cursor) return
    cursor = next
  }
}

/** Returns where the next page of an answer begins; undefined after the last one. */
export function nextCursor({ response_metadata: more }: SlackResult): string | undefined {
  return (more as { next_cursor?: string } | undefined)?.next_cursor || undefined
}

/** Error codes that mean this app cannot use the method in the workspace, with any arguments. */
const NOT_GIVEN = new Set(['not_authorized', 'unknown_method'])

/** How long a patient call is retried: enough for a short outage. After that the whole run is tried again. */
const PATIENCE_MS = 10 * 60_000
const TIMEOUT_MS = 20_000
/** Shorter for calls that are tried once, because the calls after them wait. */
const ONCE_TIMEOUT_MS = 4_000

/**
 * Calls Slack's Web API. It sanitizes every argument, honours the Retry-After of a 429 for the calls that share its
 * rate limit (other calls go on), and looks up a call that may have taken effect instead of sending it again.
 */
export class SlackWeb {
  readonly apiUrl: string
  readonly refusals: Refusals
  readonly #options: WebOptions
  readonly #now: () => number
  readonly #rateLimits: RateLimits

  constructor(options: WebOptions) {
    this.#options = options
    this.apiUrl = options.apiUrl
    this.#now = options.now
    this.#rateLimits = new RateLimits(this.#now)
    this.refusals = expiringCache({ ttlMs: REMEMBERED_MS, max: MAX_REMEMBERED, now: this.#now })
  }

  get log(): Log {
    return this.#options.log
  }

  get fetch(): typeof globalThis.fetch {
    return this.#options.fetch ?? globalThis.fetch
  }

  async token(): Promise<string> {
    const { token } = this.#options
    return typeof token === 'string' ? token : token.current()
  }

  /**
   * Calls with the new id of a channel if Slack no longer knows the one that the arguments name.
   * @throws SlackRefusal, or the last error if the patience or the signal ended the call
   */
  async call(method: string, args: SlackArgs, options: CallOptions): Promise<SlackResult> {
    return this.#call(method, args, options).catch(async (error: unknown) => {
      const isUnknown = error instanceof SlackRefusal && error.code === 'channel_not_found'
      const name = 'channel' in args ? 'channel' : 'channel_id'
      const to = isUnknown ? await this.#options.movedTo?.(String(args[name])) : undefined
      if (to === undefined) throw error
      return this.#call(method, { ...args, [name]: to }, options)
    })
  }

  async #call(method: string, args: SlackArgs, options: CallOptions): Promise<SlackResult> {
    const giveUpAt = this.#now() + PATIENCE_MS
    const sent = sanitize(args, options.asker)
    for (let attempt = 0; ; attempt++) {
      options.signal?.throwIfAborted()
      try {
        return await this.#try(method, sent, options, attempt)
      } catch (error) {
        const fault = slackFault(error, method)
        if (fault.limitedMs) this.#rateLimits.close(rateLimitKey(method, args), fault.limitedMs)
        // Unlike a broken connection, a rate limit means for certain that the call did not take effect.
        if (options.effort === 'once' && fault.limitedMs) throw new SlackRefusal(method, 'ratelimited')
        if (options.effort === 'once' || this.#now() > giveUpAt) throw fault.error
        this.#options.log.warn(
          { method, channel: args.channel, attempt: attempt + 1, error: messageOf(error) },
          'Slack call failed, retrying',
        )
        if (!fault.limitedMs) await sleep(backoffMs(attempt, { base: 500, max: 15_000 }), options.signal)
        const found = fault.unsure ? await options.lookUp?.(error) : undefined
        if (found) return found
      }
    }
  }

  /** `attempt`: the number of earlier tries. */
  async #try(method: string, args: SlackArgs, options: CallOptions, attempt: number): Promise<SlackResult> {
    const key = rateLimitKey(method, args)
    if (options.effort === 'once' && this.#rateLimits.isClosed(key)) throw new SlackRefusal(method, 'ratelimited')
    const leave = await this.#rateLimits.enter(key, options.signal)
    try {
      // Fetching a token may take seconds.
      const token = await this.token()
      await options.checkLease?.()
      try {
        return await this.#send(method, args, options.effort, attempt, token)
      } catch (error) {
        const source = this.#options.token
        if (typeof source === 'string' || outcomeOf(error) !== 'token_expired') throw error
        if (!(await source.replace(token))) throw error
        const other = await this.token()
        await options.checkLease?.()
        return await this.#send(method, args, options.effort, attempt, other)
      }
    } finally {
      leave()
    }
  }

  async #send(method: string, args: SlackArgs, effort: CallOptions['effort'], attempt: number, token: string) {
    const from = this.#now()
    let outcome = 'ok'
    try {
      const timeoutMs = effort === 'once' ? ONCE_TIMEOUT_MS : TIMEOUT_MS
      return await postForm(method, args, { ...this.#options, token, timeoutMs })
    } catch (error) {
      outcome = outcomeOf(error)
      if (NOT_GIVEN.has(outcome)) this.refusals.set(method, true)
      throw error
    } finally {
      this.#options.onCall?.({ method, outcome, ms: this.#now() - from, attempt })
    }
  }
}

/** How long a refusal counts. A workspace gets new features, and an app new scopes, without notice. */
const REMEMBERED_MS = 60 * 60_000
const MAX_REMEMBERED = 1_000

/**
 * The recent refusals of a workspace: block types, scopes and methods, by Slack's names. Callers check it first, and
 * use the simpler form at once. Kept only in this process.
 */
export type Refusals = ExpiringCache<true>

/** Ends the token of a client, within 20 seconds. @throws SlackRefusal, and if Slack does not answer */
export async function revokeToken(client: SlackWeb): Promise<void> {
  await client.call('auth.revoke', {}, { effort: 'patient', signal: AbortSignal.timeout(20_000) })
}

/**
 * Returns the key of the rate limit that a call falls under: posts count per channel, other methods per workspace,
 * which for us is a token. https://docs.slack.dev/apis/web-api/rate-limits
 */
function rateLimitKey(method: string, args: SlackArgs): string {
  return method === 'chat.postMessage' ? `${method}:${String(args.channel)}` : method
}
