import {
  declined,
  Refusal,
  type Change,
  type Channel,
  type Ephemeral,
  type Json,
  type StoredMessage,
  type Session,
  type StoredFile,
  type User,
} from './types.ts'

/** Ids with the length and the first letters of Slack’s own. */
export const TEAM = 'T0LOCAL0001'
export const APP = 'A0LOCAL0001'
export const BOT_USER = 'U0THINK0001'
export const BOT = 'B0THINK0001'
export const ALICE = 'U0ALICE0001'
export const BOB = 'U0BOB000001'
export const GENERAL = 'C0GENERAL01'
export const RANDOM = 'C0RANDOM001'

/** The lifetime of a status, and of a session that nobody ends, in ms. */
const STATUS_MS = 120_000
const SESSION_MS = 3_600_000

/** A person's reaction. */
interface ReactionChange {
  name: string
  user: string
  removed?: boolean
}

interface NewMessage extends Omit<StoredMessage, 'type' | 'ts'> {
  text: string
}

/** The workspace: channels, people, messages. Every change is reported to the watchers. */
export class Store {
  readonly channels = new Map<string, Channel>()
  readonly users = new Map<string, User>()
  /** The members of user groups, by the group's id. */
  readonly usergroups = new Map<string, string[]>()
  /** Every modal and Home that the app showed, in order. `Views` knows the open ones. */
  readonly views: Json[] = []
  readonly files = new Map<string, StoredFile>()
  private readonly watchers = new Set<(change: Change) => void>()
  private readonly now: () => number
  private lastTs = 0
  private count = 0

  constructor(now: () => number) {
    this.now = now
    this.addUser(BOT_USER, { name: 'thinkaloud', real_name: 'Thinkaloud', is_bot: true })
    this.addUser(ALICE, { name: 'alice', real_name: 'Alice' })
    this.addUser(BOB, { name: 'bob', real_name: 'Bob' })
    this.addChannel(GENERAL, { name: 'general' })
    this.addChannel(RANDOM, { name: 'random' })
    this.directChannel(ALICE)
  }

  /** Calls back at every change. Returns a function that ends this. */
  watch(watcher: (change: Change) => void): () => void {
    this.watchers.add(watcher)
    return () => void this.watchers.delete(watcher)
  }

  /** Calls all watchers, in the order in which they began. */
  tell(change: Change) {
    for (const watcher of this.watchers) watcher(change)
  }

  /** Returns a fresh message ts: seconds and microseconds, unique. */
  ts(): string {
    this.lastTs = Math.max(this.now() * 1000, this.lastTs + 1)
    const digits = String(this.lastTs)
    return `${digits.slice(0, -6)}.${digits.slice(-6)}`
  }

  /** Returns a fresh id in Slack's form, such as `Ev00000001`. */
  id(prefix: string): string {
    this.count += 1
    return `${prefix}${String(this.count).padStart(10, '0')}`
  }

  /** Adds a person, or replaces one. */
  addUser(id: string, extra: Partial<User> = {}): User {
    const name = extra.name ?? id.toLowerCase()
    const user: User = {
      id,
      team_id: TEAM,
      name,
      real_name: name,
      deleted: false,
      is_bot: false,
      is_admin: false,
      is_owner: false,
      is_email_confirmed: true,
      is_restricted: false,
      is_ultra_restricted: false,
      is_stranger: false,
      tz: 'Europe/London',
      profile: profileOf(name, extra.real_name ?? name),
      ...extra,
    }
    this.users.set(id, user)
    return user
  }

  /** Adds a channel. Default: everybody is a member. The first letter of the id is its kind. */
  addChannel(id: string, extra: Partial<Channel> = {}): Channel {
    const kinds: Record<string, Channel['kind']> = { C: 'channel', G: 'group', D: 'im' }
    const channel: Channel = {
      id,
      name: id.toLowerCase(),
      kind: kinds[id[0] ?? ''] ?? 'channel',
      members: new Set(this.users.keys()),
      archived: false,
      shared: false,
      messages: [],
      ephemerals: [],
      statuses: new Map(),
      sessions: new Map(),
      prompts: new Map(),
      deleted: new Set(),
      ...extra,
    }
    this.channels.set(id, channel)
    this.tell({ type: 'channel', channel: id })
    return channel
  }

  /** Returns a person's direct messages with the bot. */
  directChannel(user: string): Channel {
    const id = `D${user.slice(1)}`
    const members = new Set([user, BOT_USER])
    return this.channels.get(id) ?? this.addChannel(id, { kind: 'im', name: 'directmessage', members })
  }

  /** Returns a channel. @throws Refusal `channel_not_found`, also for a channel that is hidden from the bot */
  channel(id: unknown): Channel {
    const channel = typeof id === 'string' ? this.channels.get(id) : undefined
    if (!channel) throw new Refusal('channel_not_found', { why: `There is no channel ${String(id)}.` })
    if (channel.kind !== 'channel' && !channel.members.has(BOT_USER)) throw declined('channel_not_found')
    return channel
  }

  /**
   * Returns a channel that the bot may write in. @throws Refusal `not_in_channel`, `is_archived`, or those of `channel`
   */
  writable(id: unknown): Channel {
    const direct = typeof id === 'string' && this.users.has(id) && id !== BOT_USER
    const channel = direct ? this.directChannel(id) : this.channel(id)
    if (channel.archived) throw declined('is_archived')
    if (!channel.members.has(BOT_USER)) throw declined('not_in_channel')
    return channel
  }

  /** Returns the message with this ts, if the channel has it. */
  find(channel: Channel, ts: unknown): StoredMessage | undefined {
    return channel.messages.find((message) => message.ts === ts)
  }

  /**
   * Returns a message. @throws Refusal with the given error; it is the app's mistake unless the message once existed
   */
  message(channel: Channel, ts: unknown, error = 'message_not_found'): StoredMessage {
    const message = this.find(channel, ts)
    if (message) return message
    const gone = channel.deleted.has(String(ts))
    throw new Refusal(error, { why: `There is no message ${String(ts)} in ${channel.id}.`, blame: !gone })
  }

  /** Adds a message to a channel. A bot's message clears the status of its thread. */
  post(channel: Channel, message: NewMessage): StoredMessage {
    const posted: StoredMessage = { type: 'message', ts: this.ts(), ...message }
    const root = posted.thread_ts ? this.find(channel, posted.thread_ts) : undefined
    if (root?.user) posted.parent_user_id = root.user
    const later = channel.messages.findLastIndex((one) => Number(one.ts) <= Number(posted.ts)) + 1
    channel.messages.splice(later, 0, posted)
    this.tell({ type: 'message', channel: channel.id, message: posted })
    if (posted.bot_id === BOT) this.clearBy(channel, posted.thread_ts ?? posted.ts)
    return posted
  }

  /** Reports a message that was changed in place. */
  changed(channel: Channel, message: StoredMessage) {
    this.tell({ type: 'message', channel: channel.id, message })
  }

  /** Removes a message. A root with replies becomes a tombstone. */
  remove(channel: Channel, message: StoredMessage) {
    channel.deleted.add(message.ts)
    const place = channel.messages.indexOf(message)
    if (this.thread(channel, message.ts).length > 1) {
      const stone = tombstone(message)
      channel.messages[place] = stone
      return this.changed(channel, stone)
    }
    channel.messages.splice(place, 1)
    this.tell({ type: 'removed', channel: channel.id, ts: message.ts })
  }

  /** Adds or removes a reaction. */
  react(channel: Channel, message: StoredMessage, { name, user, removed = false }: ReactionChange) {
    const before = message.reactions ?? []
    const users = before.find((one) => one.name === name)?.users.filter((one) => one !== user) ?? []
    if (!removed) users.push(user)
    const own = { name, users, count: users.length }
    const known = before.some((one) => one.name === name)
    message.reactions = (known ? before.map((one) => (one.name === name ? own : one)) : [...before, own]).filter(
      ({ count }) => count > 0,
    )
    this.changed(channel, message)
  }

  /** Shows an ephemeral message to one person. */
  sendEphemeral(channel: Channel, ephemeral: Omit<Ephemeral, 'ts'>): Ephemeral {
    const ephemeralMessage = { ts: this.ts(), ...ephemeral }
    channel.ephemerals.push(ephemeralMessage)
    this.tell({ type: 'ephemeral', channel: channel.id, ephemeral: ephemeralMessage })
    return ephemeralMessage
  }

  /** Replaces an ephemeral message. */
  replaceEphemeral(channel: Channel, ephemeral: Ephemeral, shown: { text: string; blocks?: Json[] | undefined }) {
    Object.assign(ephemeral, shown)
    this.tell({ type: 'ephemeral', channel: channel.id, ephemeral })
  }

  deleteEphemeral(channel: Channel, ephemeral: Ephemeral) {
    channel.ephemerals.splice(channel.ephemerals.indexOf(ephemeral), 1)
    this.tell({ type: 'removed', channel: channel.id, ts: ephemeral.ts })
  }

  /** Sets an assistant's status. An empty text clears it. */
  setStatus(channel: Channel, thread: string, text: string) {
    this.putStatus(channel, { thread, text, ofSession: false })
  }

  /** Sets the status of a thread. Sessions and assistants share it, and the last writer wins. */
  private putStatus(channel: Channel, status: { thread: string; text: string; ofSession: boolean }) {
    const { thread, text, ofSession } = status
    if (text === '' && !channel.statuses.delete(thread)) return
    const until = this.now() + (ofSession ? SESSION_MS : STATUS_MS)
    if (text !== '') channel.statuses.set(thread, { text, until, ofSession })
    this.tell({ type: 'status', channel: channel.id, thread, text })
  }

  /** Clears an assistant's status, because the bot has posted. A session's status stays. */
  private clearBy(channel: Channel, thread: string) {
    if (channel.statuses.get(thread)?.ofSession === false) this.setStatus(channel, thread, '')
  }

  /** Opens or changes a session. `processing` shows as a status; any other state clears it. */
  setSession(channel: Channel, thread: string, change: Session): Session {
    const session = { ...channel.sessions.get(thread), ...change }
    channel.sessions.set(thread, session)
    const text = session.status === 'processing' ? 'is working …' : ''
    this.putStatus(channel, { thread, text, ofSession: true })
    this.tell({ type: 'session', channel: channel.id, thread, session })
    return session
  }

  renameSession(channel: Channel, thread: string, title: string) {
    const session = { ...(channel.sessions.get(thread) ?? { status: 'active' as const }), title }
    channel.sessions.set(thread, session)
    this.tell({ type: 'session', channel: channel.id, thread, session })
  }

  setPrompts(channel: Channel, thread: string, prompts: Json[]) {
    channel.prompts.set(thread, prompts)
    this.tell({ type: 'prompts', channel: channel.id, thread, prompts })
  }

  /** Returns the bot's status in a thread. Empty if there is none, or if two minutes have passed. */
  status(channel: Channel, thread: string): string {
    const status = channel.statuses.get(thread)
    return status && status.until > this.now() ? status.text : ''
  }

  /** Returns the messages of a thread, its root first. */
  thread(channel: Channel, root: string): StoredMessage[] {
    return channel.messages.filter((message) => message.ts === root || message.thread_ts === root)
  }
}

/** Returns the message that replaces a deleted root with replies. */
function tombstone({ ts }: StoredMessage): StoredMessage {
  const text = 'This message was deleted.'
  return { type: 'message', subtype: 'tombstone', hidden: true, user: 'USLACKBOT', ts, thread_ts: ts, text }
}

/** Returns a profile: names and e-mail address. `users.info` shows the address only with `users:read.email`. */
function profileOf(name: string, real: string): Json {
  return { display_name: real, real_name: real, email: `${name}@example.com` }
}
