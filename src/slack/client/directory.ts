import { messageOf } from '../../base/errors.ts'
import { deleteBeginning, expiringCache, type ExpiringCache } from '../../base/expiring-cache.ts'
import type { Log } from '../../base/log.ts'
import type { NamedInTeam } from '../../base/place.ts'
import { inTime, settledWithin } from '../../base/async.ts'
import { cleanName } from '../format/escape.ts'
import {
  channelEntry,
  channelSchema,
  groupsSchema,
  isGroup,
  isNamesakes,
  personEntry,
  personFacts,
  personSchema,
  STRANGER,
  type DirectoryEntry,
  type PersonFacts,
} from './people-and-channels.ts'
import { SlackRefusal } from './slack-errors.ts'
import type { SlackResult, SlackWeb } from './web-api.ts'

/**
 * Why there are no facts. `hidden`: the person does not exist or is hidden from the bot. `untold`: Slack refuses, for
 * example because the app lacks a scope. `unreachable`: no answer in time.
 */
export type NoFacts = 'hidden' | 'untold' | 'unreachable'

/** How long a name is kept, in ms. */
const KNOWN_MS = 60 * 60_000
/** How long an id without a name is kept, in ms. Short, because the bot may soon join a channel or get a scope. */
const NONE_MS = 5 * 60_000
const MAX_KNOWN = 10_000
/** How long facts count as fresh, in ms. Together with the time that an admission holds, that makes an hour. */
const FACTS_FRESH_MS = 50 * 60_000
/** How long facts are kept in case Slack does not answer, in ms. */
const FACTS_MS = 24 * KNOWN_MS
/** Time limits (ms): for a look-up of facts, for a question that waits for it, and for one with older facts. */
const FACTS_TRIED_MS = 15_000
const FACTS_PATIENCE_MS = 5_000
const RENEWAL_PATIENCE_MS = 1_000
/** How many ids are looked up at once; the others stay ids. Slack allows about 50 such calls a minute. */
const MAX_AT_ONCE = 20
/** How long look-ups pause after one was too slow, failed or was rate limited, in ms. */
const PAUSE_MS = 30_000

/**
 * Names of people, channels and user groups by id, from `users.info`, `conversations.info` and `usergroups.list`,
 * cached for an hour. Never throws.
 */
export class Directory {
  readonly #web: SlackWeb
  readonly #log: Log
  readonly #enterprise: string | undefined
  /** The clock, in milliseconds. */
  readonly now: () => number
  readonly #known: ExpiringCache<DirectoryEntry>
  readonly #none: ExpiringCache<DirectoryEntry>
  /** The warnings that were logged within the last hour. */
  readonly #warned: ExpiringCache<true>
  readonly #facts: ExpiringCache<{ facts: PersonFacts; at: number }>
  readonly #noFacts: ExpiringCache<NoFacts>
  readonly #pending = new Map<string, Promise<void>>()
  readonly #asking = new Map<string, Promise<PersonFacts | NoFacts>>()
  #pausedUntil = 0

  /** `enterprise`: the organisation of the bot's workspace, if it has one. */
  constructor(web: SlackWeb, log: Log, now: () => number, enterprise?: string) {
    this.#web = web
    this.#enterprise = enterprise
    this.#log = log
    this.now = now
    this.#known = expiringCache({ ttlMs: KNOWN_MS, max: MAX_KNOWN, now })
    this.#none = expiringCache({ ttlMs: NONE_MS, max: MAX_KNOWN, now })
    this.#facts = expiringCache({ ttlMs: FACTS_MS, max: MAX_KNOWN, now })
    this.#noFacts = expiringCache({ ttlMs: NONE_MS, max: MAX_KNOWN, now })
    this.#warned = expiringCache({ ttlMs: KNOWN_MS, max: 100, now })
  }

  /** Returns what is cached about an id, without a call. */
  get(team: string, id: string): DirectoryEntry | undefined {
    return this.#known.get(`${team}:${id}`) ?? this.#none.get(`${team}:${id}`)
  }

  /** Returns the cached name of a person, without a call. */
  personName(team: string, user: string): string | undefined {
    const known = this.get(team, user)
    return known?.kind === 'person' ? known.name : undefined
  }

  /** Looks up the unknown ids in parallel and waits at most `ms`. Later answers are cached too. */
  async lookUp(team: string, ids: string[], ms: number): Promise<void> {
    // One call returns all user groups.
    const wanted = new Set(ids.filter((id) => !this.get(team, id)).map((id) => (isGroup(id) ? GROUPS : id)))
    const unknown = [...wanted].filter((id) => !this.get(team, id)).slice(0, MAX_AT_ONCE)
    if (unknown.length === 0 || ms <= 0 || this.#pausedUntil > this.now()) return
    const isInTime = await settledWithin(
      ms,
      unknown.map((id) => this.#fetchOnce(team, id)),
    )
    if (!isInTime) this.#pause('no answer in time')
  }

  /**
   * Returns the facts about a person. It calls Slack if they are 50 minutes old, or always with `isFresh`; `onCall`
   * runs before that. Rate limits and short faults are waited out. If Slack does not answer soon, facts from the last
   * day are returned.
   */
  async factsOf(
    team: string,
    user: string,
    { isFresh = false, onCall = () => {} } = {},
  ): Promise<PersonFacts | NoFacts> {
    const key = `${team}:${user}`
    const known = this.#facts.get(key)
    if (!isFresh && known && this.now() - known.at < FACTS_FRESH_MS) return known.facts
    const refused = isFresh ? undefined : this.#noFacts.get(key)
    if (refused) return refused
    onCall()
    const asking = this.#asking.get(key) ?? this.#askFacts(team, user).finally(() => this.#asking.delete(key))
    this.#asking.set(key, asking)
    const patienceMs = known && !isFresh ? RENEWAL_PATIENCE_MS : FACTS_PATIENCE_MS
    const answer = await inTime(patienceMs, asking, 'unreachable' as const)
    return answer === 'unreachable' && known ? known.facts : answer
  }

  /**
   * Returns the facts about the author of a message. If they are of another workspace (`userTeam`), facts about a
   * person here with the same id are not theirs.
   */
  async factsOfAuthor(
    { team, user, userTeam = team }: NamedInTeam,
    options: { isFresh?: boolean; onCall?: () => void } = {},
  ): Promise<PersonFacts | NoFacts> {
    const facts = await this.factsOf(team, user, options)
    return typeof facts !== 'string' && isNamesakes(facts, { team, userTeam }) ? STRANGER : facts
  }

  /** Returns whether an author is of another company and has the id of somebody here. */
  async isNamesake(author: NamedInTeam, options: { onCall?: () => void } = {}): Promise<boolean> {
    const isForeign = author.userTeam !== undefined && author.userTeam !== author.team
    return isForeign && (await this.factsOfAuthor(author, options)) === STRANGER
  }

  /**
   * Returns the workspaces in which a person's id is theirs, and not that of somebody of another company.
   * @returns 'unreachable' if Slack does not answer
   */
  async homesOf({ team, user, userTeam = team }: NamedInTeam): Promise<string[] | 'unreachable'> {
    const facts = await this.factsOf(team, user)
    if (facts === 'unreachable') return facts
    if (typeof facts === 'string' || isNamesakes(facts, { team, userTeam })) return [userTeam]
    return [team, userTeam, ...facts.homes]
  }

  /** Returns the facts of the last day about a person, without a call. Every person with a known name has facts. */
  knownFacts(team: string, user: string): PersonFacts | undefined {
    return this.#facts.get(`${team}:${user}`)?.facts
  }

  async #askFacts(team: string, user: string): Promise<PersonFacts | NoFacts> {
    const key = `${team}:${user}`
    try {
      const signal = AbortSignal.timeout(FACTS_TRIED_MS)
      const { facts } = this.#learn(key, await this.#web.call('users.info', { user }, { effort: 'patient', signal }))
      if (facts) return facts
      this.#noFacts.set(key, 'untold')
      return 'untold'
    } catch (error) {
      const code = error instanceof SlackRefusal ? error.code : undefined
      this.#warn(
        `facts ${code}`,
        `could not look up who a person is: ${messageOf(error)}; the manifest asks for users:read`,
      )
      if (code === undefined) return 'unreachable'
      const why = NOT_FOUND.has(code) ? 'hidden' : 'untold'
      this.#noFacts.set(key, why)
      return why
    }
  }

  /** Forgets all names and facts of a team. */
  forget(team: string): void {
    for (const cache of [this.#known, this.#none, this.#facts, this.#noFacts]) deleteBeginning(cache, `${team}:`)
  }

  /** Shares one call between concurrent look-ups of the same id. */
  #fetchOnce(team: string, id: string): Promise<void> {
    const key = `${team}:${id}`
    const pending = this.#pending.get(key) ?? this.#fetch(id, key).finally(() => this.#pending.delete(key))
    this.#pending.set(key, pending)
    return pending
  }

  async #fetch(id: string, key: string): Promise<void> {
    try {
      if (id === GROUPS) await this.#learnGroups(key)
      else if (isChannel(id)) this.#known.set(key, await this.#channel(id))
      else this.#learn(key, await this.#web.call('users.info', { user: id }, { effort: 'once' }))
    } catch (error) {
      const code = error instanceof SlackRefusal ? error.code : ''
      if (code === '' || code === 'ratelimited') return this.#pause(messageOf(error))
      // A workspace may decline the scope for user groups.
      if (!NOT_FOUND.has(code) && id !== GROUPS) this.#warn(code, `Slack refused a name look-up (${code}); ${SCOPES}`)
      this.#none.set(key, { kind: NOT_FOUND.has(code) ? 'none' : 'untold' })
    }
  }

  /** Caches the name and the facts in an answer of `users.info`. */
  #learn(key: string, answer: SlackResult): { facts?: PersonFacts } {
    const read = personSchema.safeParse(answer)
    this.#known.set(key, read.success ? personEntry(read.data.user) : { kind: 'untold' })
    if (!read.success) return {}
    const facts = personFacts(read.data.user, { team: key.slice(0, key.indexOf(':')), enterprise: this.#enterprise })
    this.#facts.set(key, { facts, at: this.now() })
    return { facts }
  }

  async #channel(channel: string): Promise<DirectoryEntry> {
    const answer = channelSchema.safeParse(await this.#web.call('conversations.info', { channel }, { effort: 'once' }))
    if (!answer.success) return { kind: 'untold' }
    return channelEntry(answer.data.channel)
  }

  /** Caches the names by which people mention user groups. */
  async #learnGroups(key: string): Promise<void> {
    const team = key.slice(0, key.indexOf(':'))
    const answer = await this.#web.call('usergroups.list', { include_disabled: true }, { effort: 'once' })
    for (const { id, handle } of groupsSchema.parse(answer).usergroups.slice(0, MAX_KNOWN / 2)) {
      const name = cleanName(handle)
      if (name !== '') this.#known.set(`${team}:${id}`, { kind: 'group', name })
    }
    this.#none.set(key, { kind: 'untold' })
  }

  #pause(why: string): void {
    this.#pausedUntil = this.now() + PAUSE_MS
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

/** Cache key: the team's user groups were looked up. */
const GROUPS = 'usergroups'

const NOT_FOUND = new Set(['user_not_found', 'user_not_visible', 'channel_not_found'])

const SCOPES = 'the manifest asks for users:read, channels:read and groups:read'
