import {
  declined,
  Refusal,
  type Change,
  type Channel,
  type Ephemeral,
  type Json,
  type Message,
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

/** A status clears itself after two minutes; a session that nobody ends, after an hour. */
const STATUS_MS = 120_000
const SESSION_MS = 3_600_000

/** Who reacted how. */
export interface Reacted {
  name: string
  user: string
  removed?: boolean
}

/** The workspace: channels, people, messages. All that changes goes through here and is told to those who watch. */
export class Store {
  readonly channels = new Map<string, Channel>()
  readonly users = new Map<string, User>()
  /** User groups, by id: who is in them. */
  readonly usergroups = new Map<string, string[]>()
  /** Every modal and Home that the app showed, in their order; `Views` knows which are open. */
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

  /** Calls back at every change; returns what ends it. */
  watch(watcher: (change: Change) => void): () => void {
    this.watchers.add(watcher)
    return () => void this.watchers.delete(watcher)
  }

  /** Tells all watchers, in the order of their coming. */
  tell(change: Change) {
    for (const watcher of this.watchers) watcher(change)
  }

  /** A fresh message ts: seconds and microseconds, never twice the same. */
  ts(): string {
    this.lastTs = Math.max(this.now() * 1000, this.lastTs + 1)
    const digits = String(this.lastTs)
    return `${digits.slice(0, -6)}.${digits.slice(-6)}`
  }

  /** A fresh id in Slack's form, such as `Ev00000001`. */
  id(prefix: string): string {
    this.count += 1
    return `${prefix}${String(this.count).padStart(10, '0')}`
  }

  /** Adds a person, or changes one that is there. */
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

  /** Adds a channel that everybody is in; `members` says otherwise. The first letter of the id gives the kind. */
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

  /** The direct messages between a person and the bot. */
  directChannel(user: string): Channel {
    const id = `D${user.slice(1)}`
    const members = new Set([user, BOT_USER])
    return this.channels.get(id) ?? this.addChannel(id, { kind: 'im', name: 'directmessage', members })
  }

  /** @throws Refusal `channel_not_found`, also for what the bot must not know of. */
  channel(id: unknown): Channel {
    const channel = typeof id === 'string' ? this.channels.get(id) : undefined
    if (!channel) throw new Refusal('channel_not_found', { why: `There is no channel ${String(id)}.` })
    if (channel.kind !== 'channel' && !channel.members.has(BOT_USER)) throw declined('channel_not_found')
    return channel
  }

  /** A channel that the bot may write in. @throws Refusal `not_in_channel`, `is_archived` and those of `channel`. */
  writable(id: unknown): Channel {
    const direct = typeof id === 'string' && this.users.has(id) && id !== BOT_USER
    const channel = direct ? this.directChannel(id) : this.channel(id)
    if (channel.archived) throw declined('is_archived')
    if (!channel.members.has(BOT_USER)) throw declined('not_in_channel')
    return channel
  }

  /** The message with this ts, if the channel has it. */
  find(channel: Channel, ts: unknown): Message | undefined {
    return channel.messages.find((message) => message.ts === ts)
  }

  /** @throws Refusal with the error given, the app's mistake unless the message was there once. */
  message(channel: Channel, ts: unknown, error = 'message_not_found'): Message {
    const message = this.find(channel, ts)
    if (message) return message
    const gone = channel.deleted.has(String(ts))
    throw new Refusal(error, { why: `There is no message ${String(ts)} in ${channel.id}.`, blame: !gone })
  }

  /** Puts a message into a channel. A bot's message clears the status of its thread. */
  post(channel: Channel, message: Omit<Message, 'type' | 'ts'> & { text: string }): Message {
    const posted: Message = { type: 'message', ts: this.ts(), ...message }
    const root = posted.thread_ts ? this.find(channel, posted.thread_ts) : undefined
    if (root?.user) posted.parent_user_id = root.user
    const later = channel.messages.findLastIndex((one) => Number(one.ts) <= Number(posted.ts)) + 1
    channel.messages.splice(later, 0, posted)
    this.tell({ type: 'message', channel: channel.id, message: posted })
    if (posted.bot_id === BOT) this.clearBy(channel, posted.thread_ts ?? posted.ts)
    return posted
  }

  /** To be called after a message was changed in place. */
  changed(channel: Channel, message: Message) {
    this.tell({ type: 'message', channel: channel.id, message })
  }

  /** A root with replies leaves a tombstone; any other message goes. */
  remove(channel: Channel, message: Message) {
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

  /** Adds somebody's reaction, or takes it back. */
  react(channel: Channel, message: Message, { name, user, removed = false }: Reacted) {
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

  /** Shows something to one person. */
  sendEphemeral(channel: Channel, ephemeral: Omit<Ephemeral, 'ts'>): Ephemeral {
    const whispered = { ts: this.ts(), ...ephemeral }
    channel.ephemerals.push(whispered)
    this.tell({ type: 'ephemeral', channel: channel.id, ephemeral: whispered })
    return whispered
  }

  /** Shows something else in its place. */
  rewhisper(channel: Channel, ephemeral: Ephemeral, shown: { text: string; blocks?: Json[] | undefined }) {
    Object.assign(ephemeral, shown)
    this.tell({ type: 'ephemeral', channel: channel.id, ephemeral })
  }

  unwhisper(channel: Channel, ephemeral: Ephemeral) {
    channel.ephemerals.splice(channel.ephemerals.indexOf(ephemeral), 1)
    this.tell({ type: 'removed', channel: channel.id, ts: ephemeral.ts })
  }

  /** What an assistant says that it does; an empty text clears it. */
  setStatus(channel: Channel, thread: string, text: string) {
    this.putStatus(channel, { thread, text, ofSession: false })
  }

  /** Sessions and assistants share this one place: the last writer wins. */
  private putStatus(channel: Channel, status: { thread: string; text: string; ofSession: boolean }) {
    const { thread, text, ofSession } = status
    if (text === '' && !channel.statuses.delete(thread)) return
    const until = this.now() + (ofSession ? SESSION_MS : STATUS_MS)
    if (text !== '') channel.statuses.set(thread, { text, until, ofSession })
    this.tell({ type: 'status', channel: channel.id, thread, text })
  }

  /** A message of the bot's clears what an assistant said that it does; a session's own status stands. */
  private clearBy(channel: Channel, thread: string) {
    if (channel.statuses.get(thread)?.ofSession === false) this.setStatus(channel, thread, '')
  }

  /** Opens a session or changes it; `processing` shows as a status, anything else clears it. */
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

  /** What the bot says that it does in a thread; an empty string when nothing, or when two minutes have passed. */
  status(channel: Channel, thread: string): string {
    const status = channel.statuses.get(thread)
    return status && status.until > this.now() ? status.text : ''
  }

  /** The messages of a thread, its root first. */
  thread(channel: Channel, root: string): Message[] {
    return channel.messages.filter((message) => message.ts === root || message.thread_ts === root)
  }
}

/** What is left of a deleted root that has replies. */
function tombstone({ ts }: Message): Message {
  const text = 'This message was deleted.'
  return { type: 'message', subtype: 'tombstone', hidden: true, user: 'USLACKBOT', ts, thread_ts: ts, text }
}

/** Names and address; `users.info` gives the address only with `users:read.email`. */
function profileOf(name: string, real: string): Json {
  return { display_name: real, real_name: real, email: `${name}@example.com` }
}
