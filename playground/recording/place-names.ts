/**
 * Names for ids and times of one workspace. `⟦#general/2⟧` is the second message of #general, and `⟦#general/2/1⟧` its
 * first reply. `@alice` is Alice's direct messages with the bot. `⟦#general~alice/1⟧` is the first ephemeral message
 * for Alice there, `⟦modal alice 1⟧` the first modal that she saw, `⟦home alice⟧` her Home. Deleted messages keep their
 * numbers.
 */
import type { LocalSlack } from '../slack/local-slack.ts'
import { BOT_USER } from '../slack/store.ts'
import type { Change, Channel, Json } from '../slack/types.ts'

const TS = /\b\d{10}\.\d{6}\b/g
/** Matches the ts in the address of a message. */
const IN_ADDRESS = /(?<=\/p)(\d{10})(\d{6})\b/g
const VIEW = /\bV\d{10}\b/g
/** `⟦⟦⟧` stands for the character itself in people's texts. */
const NAMED = /⟦(?:⟦|((?:[#@]|modal |home )[^⟦⟧\n]{1,200}))⟧/g

/** The scope of names: everything, one channel or one thread. */
export interface NameScope {
  channel?: string
  thread?: string
}

/** Maps of a workspace: ids to names, and names to ids. */
export interface PlaceNames {
  byId: Map<string, string>
  byName: Map<string, string>
}

/** A message in a channel, posted or ephemeral. */
interface PlacedMessage {
  ts: string
  channel: string
  thread?: string
  by: string
  ephemeralTo?: string
}

/** Collects the messages, views and people of the workspace from now on. */
export class Places {
  readonly slack: LocalSlack
  /** Messages by ts, in the order of their arrival. */
  readonly placed = new Map<string, PlacedMessage>()
  readonly #views = new Map<string, string>()
  readonly #count = new Map<string, number>()
  readonly end: () => void

  constructor(slack: LocalSlack) {
    this.slack = slack
    for (const { id, messages } of slack.store.channels.values())
      for (const message of messages) this.#take({ type: 'message', channel: id, message })
    this.end = slack.store.watch((change) => this.#take(change))
  }

  /** The number of named things. It never decreases. */
  get size(): number {
    return this.placed.size + this.views
  }

  get views(): number {
    return this.#views.size
  }

  names(scope: NameScope = {}): PlaceNames {
    const numbers = new Map<string, number>()
    const byId = new Map(this.#views)
    const meant = [...this.placed.values()].filter((one) => isMeant(one, scope))
    // Roots come before replies, because replies are named after them. Both are ordered by time.
    const inTime = meant.toSorted((a, b) => Number(a.ts) - Number(b.ts))
    for (const one of [...inTime.filter(isRoot), ...inTime.filter((each) => !isRoot(each))]) {
      const where = this.#where(one, byId)
      const n = (numbers.get(where) ?? 0) + 1
      numbers.set(where, n)
      byId.set(one.ts, `${where}/${n}`)
    }
    return { byId, byName: new Map([...byId].map(([id, name]) => [name, id])) }
  }

  #where({ channel: id, thread, ts, ephemeralTo }: PlacedMessage, byId: Map<string, string>): string {
    const channel = this.slack.store.channels.get(id)
    const where = channel ? channelName(this.slack, channel) : id
    if (ephemeralTo !== undefined) return `${where}~${this.nameOf(ephemeralTo)}`
    return thread && thread !== ts ? (byId.get(thread) ?? where) : where
  }

  nameOf(user: string): string {
    return this.slack.store.users.get(user)?.name ?? user
  }

  #take(change: Change) {
    if (change.type === 'view' && change.view) this.#takeView(change.user, change.view)
    if (change.type === 'message' && !this.placed.has(change.message.ts)) {
      const { ts, thread_ts: thread, user = '' } = change.message
      this.placed.set(ts, { ts, channel: change.channel, by: user, ...(thread && { thread }) })
    }
    if (change.type !== 'ephemeral' || this.placed.has(change.ephemeral.ts)) return
    const { ts, thread_ts: thread, user } = change.ephemeral
    const { channel } = change
    this.placed.set(ts, { ts, channel, by: BOT_USER, ephemeralTo: user, ...(thread && { thread }) })
  }

  #takeView(user: string, { id, type }: Json) {
    if (typeof id !== 'string' || this.#views.has(id)) return
    const name = this.nameOf(user)
    if (type === 'home') return void this.#views.set(id, `home ${name}`)
    const n = (this.#count.get(user) ?? 0) + 1
    this.#count.set(user, n)
    this.#views.set(id, `modal ${name} ${n}`)
  }
}

function isRoot({ ts, thread, ephemeralTo }: PlacedMessage): boolean {
  return ephemeralTo === undefined && (thread === undefined || thread === ts)
}

export function isMeant(
  { ts, channel, thread }: Pick<PlacedMessage, 'ts' | 'channel' | 'thread'>,
  scope: NameScope,
): boolean {
  if (scope.channel !== undefined && channel !== scope.channel) return false
  return scope.thread === undefined || (thread ?? ts) === scope.thread
}

/** Returns `#general`, or `@alice` for a person's direct messages with the bot. */
export function channelName({ store }: LocalSlack, { id, name, kind, members }: Channel): string {
  if (kind !== 'im') return `#${name}`
  const person = [...members].find((member) => member !== BOT_USER) ?? id
  return `@${store.users.get(person)?.name ?? person}`
}

/** Replaces ids and times by names, at every depth. An id without a name becomes `?`. */
export function withPlaceNames<T>(value: T, { byId }: PlaceNames): T {
  const name = (id: string) => `⟦${byId.get(id) ?? '?'}⟧`
  const inAddress = (_: string, seconds: string, rest: string) => name(`${seconds}.${rest}`)
  return eachText(value, (text) => text.replace(TS, name).replace(IN_ADDRESS, inAddress).replace(VIEW, name))
}

/** Replaces ids in people's texts by names, so that `unnamed` can restore them. Ids without a name stay. */
export function namedForReplay<T>(value: T, { byId }: PlaceNames): T {
  const name = (id: string) => {
    const known = byId.get(id)
    return known === undefined ? id : `⟦${known}⟧`
  }
  return eachText(value, (text) => text.replaceAll('⟦', '⟦⟦⟧').replace(TS, name).replace(VIEW, name))
}

/** Replaces names by ids and times. @throws Error for an unknown name */
export function unnamed<T>(value: T, { byName }: PlaceNames): T {
  return eachText(value, (text) =>
    text.replace(NAMED, (_, name: string | undefined) => {
      if (name === undefined) return '⟦'
      const id = byName.get(name)
      if (id === undefined) throw new Error(`There is no ${name} in the workspace.`)
      return id
    }),
  )
}

/** Returns the names in a value. */
export function namesIn(value: Json): string[] {
  return [...JSON.stringify(value).matchAll(NAMED)].flatMap(([, name]) => name ?? [])
}

/** Returns a copy with each text and key changed. */
export function eachText<T>(value: T, change: (text: string) => string): T {
  const walk = (one: unknown): unknown => {
    if (typeof one === 'string') return change(one)
    if (Array.isArray(one)) return one.map(walk)
    if (typeof one !== 'object' || one === null) return one
    return Object.fromEntries(Object.entries(one).map(([key, inner]) => [change(key), walk(inner)]))
  }
  return walk(value) as T
}
