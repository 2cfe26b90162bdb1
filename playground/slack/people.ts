/** The acts of people in Slack, and their events. */
import type { Delivery } from './events/deliveries.ts'
import { earlierTs } from './earlier-ts.ts'
import { changedEvent, deletedEvent, mentionEvent, mentions, messageEvent } from './events/event-payloads.ts'
import { fileObject } from './files/file-object.ts'
import type { HandOver } from './events/hand-over.ts'
import { richText, signature } from './events/payloads.ts'
import { ALICE, BOT_USER, GENERAL, TEAM } from './store.ts'
import { keepFile, type UploadedFile } from './files/stored-files.ts'
import type { Json, StoredFile } from './types.ts'

/** A message to send, its place and its author. Default: Alice in #general. */
export interface SayOptions {
  channel?: string
  /** A person, or a bot that `addUser` made. */
  user?: string
  /** The text in Slack's form: `<@U…>` for a mention, `&lt;` for an escaped character. */
  text: string
  thread_ts?: string
  subtype?: string
  /** New files, existing ones (by `id`), or file objects as they should appear. */
  files?: (UploadedFile | Partial<Record<'id' | 'name' | 'title', string>>)[]
  /** Sends the `app_mention` without the files, as Slack sometimes does. `alone` omits the `message` event too. */
  bareMention?: boolean | 'alone'
  /** Further fields of the message. */
  extra?: Json
}

/** A sent message, and its deliveries. `thread` is its own ts, or the root's in a thread. */
export interface SentMessage {
  ts: string
  thread: string
  channel: string
  deliveries: Delivery[]
}

/** The place of a message. */
export interface MessagePlace {
  channel: string
  ts: string
}

/** A message, and the reaction that a person adds to it or removes. */
interface ReactionPlace extends MessagePlace {
  name: string
  user?: string
  removed?: boolean
}

/** A thread, and the person who acts in it. */
interface ThreadPlace {
  channel: string
  thread: string
  user?: string
}

/** The acts of the people of a workspace. Every method resolves after the app had its first chance to ack. */
export class People {
  private readonly handOver: HandOver

  constructor(handOver: HandOver) {
    this.handOver = handOver
  }

  /** Sends an event as given, if the app subscribed to it. `around`: fields of its envelope that differ. */
  event(event: Json, around?: Json): Delivery | undefined {
    return this.handOver.event(event, around)
  }

  /** Sends a person's message. Resolves after the app had its first chance to ack. */
  async say(options: SayOptions): Promise<SentMessage> {
    const { store } = this.handOver.with
    const { user = ALICE, text, thread_ts, extra = {}, bareMention = false } = options
    const channel = this.handOver.channel(options.channel ?? GENERAL)
    const files = options.files && this.shared(options.files, { user, channel: channel.id })
    const subtype = options.subtype ?? (files?.length ? 'file_share' : undefined)
    const lateMs = this.handOver.with.lateMs()
    const message = store.post(channel, {
      ...(lateMs > 0 && { ts: earlierTs(store, channel, lateMs, thread_ts) }),
      user,
      text,
      ...(text !== '' && { blocks: [richText(text)] }),
      ...signature(store.users.get(user), () => store.id('M')),
      ...(thread_ts && { thread_ts }),
      ...(subtype && { subtype }),
      ...(files && { files, upload: false }),
      ...extra,
    })
    // Messages of bots and workflows that name the bot are mentions too, with their bot_id.
    const events = mentions(channel, message.text) ? [mentionEvent(channel, message, { carries: !bareMention })] : []
    if (channel.members.has(BOT_USER) && bareMention !== 'alone') events.push(messageEvent(channel, message))
    const deliveries = await this.handOver.all(events)
    return { ts: message.ts, thread: message.thread_ts ?? message.ts, channel: channel.id, deliveries }
  }

  /** Uploads a person's file without sharing it. `say` shares it by its id. */
  upload(file: UploadedFile, user: string = ALICE): StoredFile {
    return keepFile(this.handOver.with.store, file, user)
  }

  /** Changes a file, also in the messages that show it. @throws Error if the id is unknown */
  changeFile(id: string, change: Partial<Omit<StoredFile, 'id'>>): StoredFile {
    const { store, base } = this.handOver.with
    const file = store.files.get(id)
    if (!file) throw new Error(`There is no file ${id}.`)
    Object.assign(file, change)
    for (const channel of store.channels.values()) {
      for (const message of channel.messages.filter(({ files }) => files?.some((one) => one['id'] === id))) {
        message.files = message.files?.map((one) => (one['id'] === id ? fileObject(file, base()) : one)) ?? []
        store.changed(channel, message)
      }
    }
    return file
  }

  /** Returns the objects of the files that a person shares. */
  private shared(files: NonNullable<SayOptions['files']>, by: { user: string; channel: string }): Json[] {
    const { store, base } = this.handOver.with
    return files.map((one) => {
      const known = 'id' in one && one.id !== undefined ? store.files.get(one.id) : undefined
      const file = known ?? ('bytes' in one || 'mode' in one ? this.upload(one, by.user) : undefined)
      file?.channels.add(by.channel)
      return file ? fileObject(file, base()) : { ...one }
    })
  }

  /** Edits a person's message. An edit that names the bot for the first time is an `app_mention` too. */
  async edit(where: MessagePlace, text: string): Promise<Delivery[]> {
    const { store } = this.handOver.with
    const channel = this.handOver.channel(where.channel)
    const message = store.message(channel, where.ts)
    const previous = structuredClone(message)
    const edited = { user: message.user ?? ALICE, ts: store.ts() }
    Object.assign(message, { text, blocks: [richText(text)], edited })
    store.changed(channel, message)
    const named = mentions(channel, text) && !mentions(channel, previous.text)
    return this.handOver.all([
      ...(named ? [mentionEvent(channel, message)] : []),
      changedEvent(channel, message, previous, edited.ts),
    ])
  }

  /** Deletes a message. A root that has replies becomes a tombstone, which is sent as a change. */
  async remove(where: MessagePlace): Promise<Delivery[]> {
    const { store } = this.handOver.with
    const channel = this.handOver.channel(where.channel)
    const previous = store.message(channel, where.ts)
    store.remove(channel, previous)
    const stone = store.find(channel, where.ts)
    const ts = store.ts()
    return this.handOver.all([stone ? changedEvent(channel, stone, previous, ts) : deletedEvent(channel, previous, ts)])
  }

  /** Lets a person join a channel. */
  async join(where: { channel: string; user: string }): Promise<Delivery[]> {
    const channel = this.handOver.channel(where.channel)
    channel.members.add(where.user)
    const text = `<@${where.user}> has joined the channel`
    const message = this.handOver.with.store.post(channel, { subtype: 'channel_join', user: where.user, text })
    return this.handOver.all([messageEvent(channel, message)])
  }

  /** Adds or removes a person's reaction. */
  async react(where: ReactionPlace): Promise<Delivery[]> {
    const { store } = this.handOver.with
    const { name, user = ALICE, removed = false } = where
    const channel = this.handOver.channel(where.channel)
    const message = store.message(channel, where.ts)
    store.react(channel, message, { name, user, removed })
    const item = { type: 'message', channel: channel.id, ts: message.ts }
    const type = removed ? 'reaction_removed' : 'reaction_added'
    return this.handOver.all([{ type, user, reaction: name, item_user: message.user, item, event_ts: store.ts() }])
  }

  /** Opens the app's Home, or its messages. The event carries the latest published Home. */
  async openHome(user = ALICE, tab: 'home' | 'messages' = 'home'): Promise<Delivery[]> {
    const { store, views } = this.handOver.with
    const channel = store.directChannel(user).id
    const view = tab === 'home' ? views.home(user) : undefined
    return this.handOver.all([
      { type: 'app_home_opened', user, channel, tab, event_ts: store.ts(), ...(view && { view }) },
    ])
  }

  /** Changes what a person views beside the agent, such as another channel. */
  async lookAt(entities: Json[], user = ALICE): Promise<Delivery[]> {
    const { store } = this.handOver.with
    const channel = store.directChannel(user).id
    return this.handOver.all([
      { type: 'app_context_changed', channel, user, context: { entities }, event_ts: store.ts() },
    ])
  }

  /** Presses Slack's own Stop. It ends the thread's streams. The session continues until the app ends it. */
  async stopSession(where: ThreadPlace): Promise<Delivery[]> {
    const { store } = this.handOver.with
    const channel = this.handOver.channel(where.channel)
    const live = store.thread(channel, where.thread).filter((message) => message.streaming_state === 'in_progress')
    const { user = ALICE, thread } = where
    for (const message of live) {
      Object.assign(message, { streaming_state: 'stopped', stopped_by: user })
      store.changed(channel, message)
    }
    const streaming = live.map((message) => message.ts)
    const type = 'agent_session_stopped'
    const event = { type, channel: channel.id, thread_ts: thread, user, streaming_message_ts: streaming }
    return this.handOver.all([{ ...event, event_ts: store.ts() }])
  }

  /** Renames an agent's session. */
  async renameSession(where: ThreadPlace, title: string): Promise<Delivery[]> {
    const { store } = this.handOver.with
    const channel = this.handOver.channel(where.channel)
    const { user = ALICE, thread } = where
    const previous = channel.sessions.get(thread)?.title
    store.renameSession(channel, thread, title)
    const place = { channel: channel.id, thread_ts: thread, user, team_id: TEAM }
    const told = { title, ...(previous && { previous_title: previous }), event_ts: store.ts() }
    return this.handOver.all([{ type: 'agent_session_title_changed', ...place, ...told }])
  }

  /** Removes the app: revokes its token, and sends the two events on it. */
  async uninstall(): Promise<Delivery[]> {
    this.handOver.with.revoke()
    return this.handOver.all([{ type: 'tokens_revoked', tokens: { bot: [BOT_USER] } }, { type: 'app_uninstalled' }])
  }
}
