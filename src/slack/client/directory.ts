import { z } from 'zod'
import { messageOf } from '../../errors.ts'
import { ExpiringMap } from '../../history/expiring-map.ts'
import type { Log } from '../../log.ts'
import { settledWithin } from '../../async.ts'
import { cleanName } from '../format/clean-name.ts'
import { SlackRefusal, type SlackWeb } from './slack-web.ts'

/**
 * What Slack tells of an id. `none`: there is nobody, or none that the bot may know of (a private channel that it is not in).
 * `untold`: Slack refuses to say, for want of a scope perhaps.
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

const KNOWN_MS = 60 * 60_000
/** Somebody may be added, or a scope granted, a minute later. */
const NONE_MS = 5 * 60_000
const MOST_KNOWN = 10_000
/** Ids that are looked up for one text: the first. Slack takes about 50 such calls a minute. */
const MOST_AT_ONCE = 20
/** After a fault of Slack's (slow, down, a limit) nobody is looked up for so long. */
const REST_MS = 30_000

/** People and channels by their ids, as `users.info` and `conversations.info` tell. Kept for an hour; never throws, never waits for long. */
export class Directory {
  readonly #web: SlackWeb
  readonly #log: Log
  readonly #now: () => number
  readonly #known: ExpiringMap<Known>
  readonly #none: ExpiringMap<Known>
  /** What was logged a while ago. */
  readonly #told: ExpiringMap<true>
  readonly #asked = new Map<string, Promise<void>>()
  #restsUntil = 0

  constructor({ web, log, now = Date.now }: DirectoryOptions) {
    this.#web = web
    this.#log = log
    this.#now = now
    this.#known = new ExpiringMap({ ttlMs: KNOWN_MS, maxSize: MOST_KNOWN, now })
    this.#none = new ExpiringMap({ ttlMs: NONE_MS, maxSize: MOST_KNOWN, now })
    this.#told = new ExpiringMap({ ttlMs: KNOWN_MS, maxSize: 100, now })
  }

  /** What is known of an id by now, without asking. */
  get(team: string, id: string): Known | undefined {
    return this.#known.get(`${team}:${id}`) ?? this.#none.get(`${team}:${id}`)
  }

  /** Looks up those of the ids that are not known, all at once, and waits for `ms` at most. What comes later is kept too. */
  async meet(team: string, ids: string[], ms: number): Promise<void> {
    const news = [...new Set(ids)].filter((id) => !this.get(team, id)).slice(0, MOST_AT_ONCE)
    if (news.length === 0 || ms <= 0 || this.#restsUntil > this.#now()) return
    const isInTime = await settledWithin(
      ms,
      news.map((id) => this.#ask(team, id)),
    )
    if (!isInTime) this.#rest('Slack does not tell in time who is named')
  }

  /** One look-up an id at a time, whoever asks. */
  #ask(team: string, id: string): Promise<void> {
    const key = `${team}:${id}`
    const asked = this.#asked.get(key) ?? this.#lookUp(id, key).finally(() => this.#asked.delete(key))
    this.#asked.set(key, asked)
    return asked
  }

  async #lookUp(id: string, key: string): Promise<void> {
    try {
      this.#known.set(key, isChannel(id) ? await this.#channel(id) : await this.#person(id))
    } catch (error) {
      const code = error instanceof SlackRefusal ? error.code : ''
      if (code === '' || code === 'ratelimited') return this.#rest(messageOf(error))
      if (!UNKNOWN.has(code)) this.#tell(code, `Slack does not tell who is named (${code}); ${SCOPES}`)
      this.#none.set(key, { kind: UNKNOWN.has(code) ? 'none' : 'untold' })
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

  #rest(why: string): void {
    this.#restsUntil = this.#now() + REST_MS
    this.#tell('rest', `names are not looked up for a while: ${why}`)
  }

  /** At most once an hour. */
  #tell(key: string, line: string): void {
    if (this.#told.has(key)) return
    this.#told.set(key, true)
    this.#log.warn({}, line)
  }
}

function isChannel(id: string): boolean {
  return /^[CG]/.test(id)
}

const UNKNOWN = new Set(['user_not_found', 'user_not_visible', 'channel_not_found'])

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
