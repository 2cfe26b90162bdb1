/** What people do in Slack, and how the app is told of it. */
import type { Attempt, Deliveries, Delivery } from './deliveries.ts'
import { acked } from './deliveries.ts'
import {
  changedEvent,
  deletedEvent,
  envelope,
  mentionEvent,
  mentions,
  messageEvent,
  subscription,
} from './event-payloads.ts'
import { findAction, parsed, richText } from './payloads.ts'
import type { ResponseUrls } from './response-urls.ts'
import { ALICE, APP, BOT_USER, GENERAL, TEAM, type Store } from './store.ts'
import type { Channel, Json } from './types.ts'

/** What is said, where and by whom: Alice in #general unless told otherwise. */
export interface SayOptions {
  channel?: string
  user?: string
  /** As Slack carries it: `<@U…>` for a mention, `&lt;` for a sign. */
  text: string
  thread_ts?: string
  subtype?: string
  files?: Json[]
  /** Anything else that the message shall have. */
  extra?: Json
}

/** A message that was said, and how the app took it. `thread` is the root that replies to it stand under. */
export interface Said {
  ts: string
  thread: string
  channel: string
  deliveries: Delivery[]
}

/** How a command or a press went: the first try, and what its ack carried. */
export interface Done {
  ok: boolean
  status: number
  body: string
  delivery: Delivery
}

/** What people need to be heard. */
export interface PeopleOptions {
  store: Store
  deliveries: Deliveries
  responseUrls: ResponseUrls
  now: () => number
  base: () => string
  /** A fresh trigger, good for a few seconds. */
  trigger: () => string
  /** The events that the app subscribed to; all where this is missing. */
  events?: string[]
}

/** The hands and voices of a workspace. Every method resolves when the app has had its first chance to ack. */
export class People {
  private readonly with: PeopleOptions

  constructor(options: PeopleOptions) {
    this.with = options
  }

  /** Sends an event, if the app subscribed to it. */
  event(event: Json): Delivery | undefined {
    const { store, deliveries, events, now } = this.with
    if (events && !events.includes(subscription(event))) return undefined
    return deliveries.deliver('events_api', envelope(store, event, now()))
  }

  /** Somebody writes. Resolves when the app has had its first chance to ack. */
  async say(options: SayOptions): Promise<Said> {
    const { store } = this.with
    const { user = ALICE, text, thread_ts, subtype, files, extra = {} } = options
    const channel = this.channel(options.channel ?? GENERAL)
    const message = store.post(channel, {
      user,
      text,
      team: TEAM,
      client_msg_id: store.id('M'),
      blocks: [richText(text)],
      ...(thread_ts && { thread_ts }),
      ...(subtype && { subtype }),
      ...(files && { files }),
      ...extra,
    })
    const person = message.bot_id === undefined
    const events = person && mentions(channel, message.text) ? [mentionEvent(channel, message)] : []
    if (channel.members.has(BOT_USER)) events.push(messageEvent(channel, message))
    const deliveries = await this.all(events)
    return { ts: message.ts, thread: message.thread_ts ?? message.ts, channel: channel.id, deliveries }
  }

  /** Somebody changes their message. An edit that names the bot for the first time is an `app_mention` too. */
  async edit(where: { channel: string; ts: string }, text: string): Promise<Delivery[]> {
    const { store } = this.with
    const channel = this.channel(where.channel)
    const message = store.message(channel, where.ts)
    const previous = structuredClone(message)
    const edited = { user: message.user ?? ALICE, ts: store.ts() }
    Object.assign(message, { text, blocks: [richText(text)], edited })
    store.changed(channel, message)
    const named = mentions(channel, text) && !mentions(channel, previous.text)
    return this.all([
      ...(named ? [mentionEvent(channel, message)] : []),
      changedEvent(channel, { message, previous, ts: edited.ts }),
    ])
  }

  /** Somebody deletes a message. */
  async remove(where: { channel: string; ts: string }): Promise<Delivery[]> {
    const { store } = this.with
    const channel = this.channel(where.channel)
    const previous = store.message(channel, where.ts)
    store.remove(channel, previous)
    return this.all([deletedEvent(channel, { previous, ts: store.ts() })])
  }

  /** Somebody joins a channel. */
  async join(where: { channel: string; user: string }): Promise<Delivery[]> {
    const channel = this.channel(where.channel)
    channel.members.add(where.user)
    const text = `<@${where.user}> has joined the channel`
    const message = this.with.store.post(channel, { subtype: 'channel_join', user: where.user, text })
    return this.all([messageEvent(channel, message)])
  }

  /** Somebody adds a reaction, or takes theirs back. */
  async react(where: {
    channel: string
    ts: string
    name: string
    user?: string
    removed?: boolean
  }): Promise<Delivery[]> {
    const { store } = this.with
    const { name, user = ALICE, removed = false } = where
    const channel = this.channel(where.channel)
    const message = store.message(channel, where.ts)
    const others = (message.reactions ?? []).filter((one) => one.name !== name)
    const before = message.reactions?.find((one) => one.name === name)?.users.filter((one) => one !== user) ?? []
    const users = removed ? before : [...before, user]
    message.reactions = users.length > 0 ? [...others, { name, users, count: users.length }] : others
    store.changed(channel, message)
    return this.all([
      {
        type: removed ? 'reaction_removed' : 'reaction_added',
        user,
        reaction: name,
        item_user: message.user,
        item: { type: 'message', channel: channel.id, ts: message.ts },
        event_ts: store.ts(),
      },
    ])
  }

  /** Somebody opens the app's Home, or its messages. */
  async openHome(user = ALICE, tab: 'home' | 'messages' = 'home'): Promise<Delivery[]> {
    const channel = this.with.store.directChannel(user).id
    return this.all([{ type: 'app_home_opened', user, channel, tab, event_ts: this.with.store.ts() }])
  }

  /** Somebody presses Stop while the bot streams in a thread. */
  async stopStreams(where: { channel: string; thread: string; user?: string }): Promise<Delivery[]> {
    const { store } = this.with
    const channel = this.channel(where.channel)
    const live = store.thread(channel, where.thread).filter((message) => message.streaming_state === 'in_progress')
    const { user = ALICE } = where
    for (const message of live) {
      Object.assign(message, { streaming_state: 'stopped', stopped_by: user })
      store.changed(channel, message)
    }
    const event = {
      type: 'agent_session_stopped',
      channel: channel.id,
      thread_ts: where.thread,
      user,
      event_ts: store.ts(),
    }
    return this.all([{ ...event, streaming_message_ts: live.map((message) => message.ts) }])
  }

  /** Somebody sends a slash command. What its ack carries is shown to them, as is a failure. */
  async slash(text: string, options: { channel?: string; user?: string; command?: string } = {}): Promise<Done> {
    const { store, responseUrls, base } = this.with
    const { user = ALICE, command = '/ask' } = options
    const channel = this.channel(options.channel ?? GENERAL)
    const to = { channel, user }
    const payload = {
      token: 'local',
      team_id: TEAM,
      team_domain: 'local',
      channel_id: channel.id,
      channel_name: channel.kind === 'group' ? 'privategroup' : channel.name,
      user_id: user,
      user_name: store.users.get(user)?.name ?? user,
      command,
      text,
      api_app_id: APP,
      is_enterprise_install: 'false',
      response_url: responseUrls.issue(base(), to),
      trigger_id: this.with.trigger(),
    }
    const done = await this.hand('slash_commands', payload)
    if (!done.ok) store.whisper(channel, { user, text: `${command} failed with the error "operation_timeout"` })
    const answer = parsed(done.body)
    if (done.ok && (answer['text'] || answer['blocks'])) responseUrls.show(to, answer)
    return done
  }

  /** Somebody presses a button (or another element with an `action_id`) in a message. */
  async press(
    where: { channel: string; ts: string; user?: string },
    action: { action_id: string; value?: string; extra?: Json },
  ): Promise<Done> {
    const { store, responseUrls, base } = this.with
    const { user = ALICE } = where
    const channel = this.channel(where.channel)
    const message = store.message(channel, where.ts)
    const found = findAction(message.blocks, action.action_id)
    if (!found) throw new Error(`Message ${where.ts} has no element with the action_id ${action.action_id}.`)
    const thread = message.thread_ts
    const { type, text, value = action.value } = found.element
    return this.hand('interactive', {
      type: 'block_actions',
      token: 'local',
      api_app_id: APP,
      team: { id: TEAM, domain: 'local' },
      user: { id: user, username: store.users.get(user)?.name, team_id: TEAM },
      channel: { id: channel.id, name: channel.name },
      container: {
        type: 'message',
        message_ts: message.ts,
        channel_id: channel.id,
        is_ephemeral: false,
        thread_ts: thread,
      },
      message,
      trigger_id: this.with.trigger(),
      response_url: responseUrls.issue(base(), { channel, user, message: message.ts, ...(thread && { thread }) }),
      actions: [
        {
          type,
          action_id: action.action_id,
          block_id: found.block,
          text,
          value,
          action_ts: store.ts(),
          ...action.extra,
        },
      ],
    })
  }

  /** A command or a press: one try, and its ack is the answer. */
  private async hand(kind: 'slash_commands' | 'interactive', payload: Json): Promise<Done> {
    const delivery = this.with.deliveries.deliver(kind, payload)
    const first: Attempt = await delivery.first
    return { ok: acked(first), status: first.status, body: first.body, delivery }
  }

  /** Events go out together, in no promised order, as Slack sends them. */
  private async all(events: Json[]): Promise<Delivery[]> {
    const made = events.map((event) => this.event(event)).filter((delivery) => delivery !== undefined)
    await Promise.all(made.map((delivery) => delivery.first))
    return made
  }

  /** People may write where the bot is not. */
  private channel(id: string): Channel {
    const { store } = this.with
    const direct = id.startsWith('D') ? store.users.get(`U${id.slice(1)}`) : undefined
    const channel = store.channels.get(id) ?? (direct && store.directChannel(direct.id))
    if (!channel) throw new Error(`There is no channel ${id}; addChannel makes one.`)
    return channel
  }
}
