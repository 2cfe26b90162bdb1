import { z } from 'zod'
import { messageOf } from '../../errors.ts'
import { ExpiringMap } from '../../history/expiring-map.ts'
import type { Log } from '../../log.ts'
import { settledWithin } from '../../async.ts'
import { cleanName } from '../format/escape.ts'
import { SlackRefusal } from './slack-errors.ts'
import type { SlackWeb } from './slack-web.ts'

/**
 * What Slack tells about an id. `none`: there is no such person or channel, or it is hidden from the bot, such as a private
 * channel that the bot is not in. `untold`: Slack gives no name, for example because the app lacks a scope.
 */
export type Known =
  | { kind: 'person'; name: string }
  | { kind: 'channel'; name: string; isPrivate: boolean }
  | { kind: 'none' }
  | { kind: 'untold' }

export interface DirectoryOptions {
  web: SlackWeb
  log: Log
  /** The clock, in milliseconds. */
  now?: () => number
}

/** How long a name is kept, in ms. */
const KNOWN_MS = 60 * 60_000
/** How long an id without a name is kept, in ms. Shorter: the bot may be added to a channel, or get a scope, a minute later. */
const NONE_MS = 5 * 60_000
const MAX_KNOWN = 10_000
/** How many ids are looked up at once; the rest keep their ids. Slack allows about 50 such calls a minute. */
const MAX_AT_ONCE = 20
/** How long look-ups pause, in ms, after one was too slow, failed or was rate limited. */
const PAUSE_MS = 30_000

/** Names of people and channels by their ids, from `users.info` and `conversations.info`, kept for an hour. Never throws. */
export class Directory {
  readonly #web: SlackWeb
  readonly #log: Log
  readonly #now: () => number
  readonly #known: ExpiringMap<Known>
  readonly #none: ExpiringMap<Known>
  /** The warnings that were logged within the last hour. */
  readonly #warned: ExpiringMap<true>
  readonly #pending = new Map<string, Promise<void>>()
  #pausedUntil = 0

  constructor({ web, log, now = Date.now }: DirectoryOptions) {
    this.#web = web
    this.#log = log
    this.#now = now
    this.#known = new ExpiringMap({ ttlMs: KNOWN_MS, maxSize: MAX_KNOWN, now })
    this.#none = new ExpiringMap({ ttlMs: NONE_MS, maxSize: MAX_KNOWN, now })
    this.#warned = new ExpiringMap({ ttlMs: KNOWN_MS, maxSize: 100, now })
  }

  /** What is known about an id, without a call. */
  get(team: string, id: string): Known | undefined {
    return this.#known.get(`${team}:${id}`) ?? this.#none.get(`${team}:${id}`)
  }

  /** Looks up the ids that are not known, all at once, and waits for at most `ms`. Answers that come later are kept too. */
  async lookUp(team: string, ids: string[], ms: number): Promise<void> {
    const unknown = [...new Set(ids)].filter((id) => !this.get(team, id)).slice(0, MAX_AT_ONCE)
    if (unknown.length === 0 || ms <= 0 || this.#pausedUntil > this.#now()) return
    const isInTime = await settledWithin(
      ms,
      unknown.map((id) => this.#fetchOnce(team, id)),
    )
    if (!isInTime) this.#pause('no answer in time')
  }

  /** Callers that look up the same id at the same time share one call. */
  #fetchOnce(team: string, id: string): Promise<void> {
    const key = `${team}:${id}`
    const pending = this.#pending.get(key) ?? this.#fetch(id, key).finally(() => this.#pending.delete(key))
    this.#pending.set(key, pending)
    return pending
  }

  async #fetch(id: string, key: string): Promise<void> {
    try {
      this.#known.set(key, isChannel(id) ? await this.#channel(id) : await this.#person(id))
    } catch (error) {
      const code = error instanceof SlackRefusal ? error.code : ''
      if (code === '' || code === 'ratelimited') return this.#pause(messageOf(error))
      if (!NOT_FOUND.has(code)) this.#warn(code, `Slack refused a name look-up (${code}); ${SCOPES}`)
      this.#none.set(key, { kind: NOT_FOUND.has(code) ? 'none' : 'untold' })
    }
  }

  async #person(user: string): Promise<Known> {
    const answer = personSchema.safeParse(await this.#web.call('users.info', { user }, { effort: 'once' }))
    if (!answer.success) return { kind: 'untold' }
    const { profile, real_name, name } = answer.data.user
    const names = [profile?.display_name, profile?.real_name, real_name, name]
    const shown = names.map((one) => cleanName(one ?? '')).find((one) => one !== '')
    return shown === undefined ? { kind: 'untold' } : { kind: 'person', name: shown }
  }

  async #channel(channel: string): Promise<Known> {
    const answer = channelSchema.safeParse(await this.#web.call('conversations.info', { channel }, { effort: 'once' }))
    if (!answer.success) return { kind: 'untold' }
    const { name, is_private } = answer.data.channel
    return { kind: 'channel', name: cleanName(name ?? ''), isPrivate: is_private !== false }
  }

  #pause(why: string): void {
    this.#pausedUntil = this.#now() + PAUSE_MS
    this.#warn('pause', `name look-ups pause for ${PAUSE_MS / 1000} s: ${why}`)
  }

  /** Logs at most one line an hour for each key. */
  #warn(key: string, line: string): void {
    if (this.#warned.has(key)) return
    this.#warned.set(key, true)
    this.#log.warn({}, line)
  }
}

function isChannel(id: string): boolean {
  return /^[CG]/.test(id)
}

const NOT_FOUND = new Set(['user_not_found', 'user_not_visible', 'channel_not_found'])

const SCOPES = 'the manifest asks for users:read, channels:read and groups:read'

const text = z.string().optional().catch(undefined)

const personSchema = z.object({
  user: z.object({
    name: text,
    real_name: text,
    profile: z.object({ display_name: text, real_name: text }).optional().catch(undefined),
  }),
})

const channelSchema = z.object({
  channel: z.object({ name: text, is_private: z.boolean().optional().catch(undefined) }),
})
