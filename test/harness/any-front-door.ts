/** The real bot, with its Web API at any Slack. The test delivers people's actions to its front door. */
import { randomUUID } from 'node:crypto'
import { startBot } from '../../src/bot.ts'
import { loadConfig, type Env } from '../../src/config.ts'
import { createLog } from '../../src/base/log.ts'
import { isObject } from '../../playground/slack/args.ts'
import type { DeliveryKind } from '../../playground/slack/events/delivery-attempt.ts'
import { formOf, sign } from '../../playground/slack/events/deliveries.ts'
import { actionOf, findAction } from '../../playground/slack/events/payloads.ts'
import type { Json } from '../../playground/slack/types.ts'
import { refusalCode } from '../../src/slack/client/slack-errors.ts'
import { readMessages, type ThreadMessage } from '../../src/slack/client/thread-messages.ts'
import type { AnySlack } from './any-slack.ts'
import { envFor } from './bot.ts'
import type { Ends } from './ends.ts'
import { playModel, type PlayedModel } from './played-model.ts'

/** A message as any Slack returns it. */
export type ReturnedMessage = ThreadMessage & { blocks?: Json[]; reactions?: { name: string; users?: string[] }[] }

export interface ThreadPlace {
  channel: string
  thread: string
}

/** A person's message in this Slack, and its events. */
export interface PostedMessage extends ThreadPlace {
  ts: string
  envelopes: Json[]
}

/** The place of a message. Default: the suite's channel. `thread` is the root that it replies to. */
export interface Where {
  channel?: string
  thread?: string
}

const SECRET = 'the-tests-own-signing-secret'

/** Starts a bot for this Slack. At the end the bot stops, and then all messages are deleted. */
export async function openFrontDoor(t: Ends, slack: AnySlack, env: Env = {}): Promise<FrontDoor> {
  const model = await playModel(t)
  const door = new FrontDoor(slack, model)
  t.onTestFinished(() => door.remove())
  const { apiUrl, botToken } = slack
  const here = { apiUrl, botToken, appToken: '', signingSecret: SECRET }
  const config = loadConfig({ ...envFor({ slack: here, model }), ...env }, { serves: true })
  const bot = await startBot(config, { log: createLog('silent') })
  t.onTestFinished(() => bot.stop())
  door.target = `http://127.0.0.1:${bot.port}/slack/events`
  return door
}

/** A person's actions in this Slack and its content, through its Web API and the bot's address alone. */
export class FrontDoor {
  /** The bot's address for deliveries. */
  target = ''
  readonly model: PlayedModel
  readonly #slack: AnySlack
  readonly #threads = new Map<string, ThreadPlace>()
  /** The posted messages by ts, and whether they were posted as the person. */
  readonly #written = new Map<string, { isPersons: boolean }>()

  constructor(slack: AnySlack, model: PlayedModel) {
    this.#slack = slack
    this.model = model
  }

  /** Posts a person's message that begins with a mention of the bot. */
  mention(text: string, where?: Where): Promise<PostedMessage> {
    return this.say(`<@${this.#bot}> ${text}`, where)
  }

  /** Posts a person's message in this Slack, and sends the bot its events as Slack does. */
  async say(text: string, where?: Where): Promise<PostedMessage> {
    const written = await this.post(text, where)
    const { channel, ts, thread } = written
    const { person, installation } = this.#slack
    const said = { user: person, text, ts, team: installation.identity.team, client_msg_id: randomUUID() }
    const place = { channel, event_ts: ts, ...(thread === ts ? {} : { thread_ts: thread }) }
    const kind = channel.startsWith('D') ? 'im' : channel.startsWith('G') ? 'group' : 'channel'
    const message = { type: 'message', ...said, ...place, channel_type: kind }
    const isMention = kind !== 'im' && text.includes(`<@${this.#bot}>`)
    const events = [...(isMention ? [{ type: 'app_mention', ...said, ...place }] : []), message]
    const envelopes = events.map((event) => this.#envelope(event))
    for (const envelope of envelopes) await this.#deliver('events_api', envelope)
    return { ...written, envelopes }
  }

  /**
   * Posts a message without telling the bot: as the person if there is a token, else as the bot. In direct messages as
   * the bot.
   */
  async post(text: string, { channel, thread }: Where = {}): Promise<PostedMessage> {
    const { asPerson, installation } = this.#slack
    const speaker = channel === undefined || channel === this.#slack.channel ? asPerson : undefined
    const args = { channel: channel ?? this.#slack.channel, text, ...(thread ? { thread_ts: thread } : {}) }
    const options = { effort: 'patient', asker: this.#bot } as const
    const posted = await (speaker ?? installation.client).call('chat.postMessage', args, options)
    // A direct message is sent to its person.
    const place = { channel: String(posted.channel ?? args.channel), thread: thread ?? String(posted.ts) }
    this.#note(place)
    this.#written.set(String(posted.ts), { isPersons: speaker !== undefined })
    return { ...place, ts: String(posted.ts), envelopes: [] }
  }

  /** Delivers the events of a message again, as Slack does without an ack. */
  async redeliver({ envelopes }: PostedMessage): Promise<void> {
    for (const envelope of envelopes) await this.#deliver('events_api', envelope, { retry: 1 })
  }

  /** Delivers an event that has no counterpart in this Slack. */
  async event(event: Json): Promise<void> {
    await this.#deliver('events_api', this.#envelope(event))
  }

  /** Deletes a person's message. Since it has replies, a tombstone stays, which is delivered as a change. */
  async delete({ channel, ts, envelopes }: PostedMessage): Promise<void> {
    await this.#remove(channel, ts)
    const previous = envelopes.at(-1)?.['event']
    const stone = { type: 'message', subtype: 'tombstone', user: 'USLACKBOT', ts, thread_ts: ts, hidden: true }
    const change = { type: 'message', subtype: 'message_changed', channel, channel_type: 'channel', hidden: true }
    await this.event({
      ...change,
      message: stone,
      previous_message: previous,
      ts: `${Math.floor(Date.now() / 1000)}.000100`,
    })
  }

  /** Sends a person's `/ask`. Returns the text of its ack. */
  slash(text: string): Promise<string> {
    const { channel, person, installation } = this.#slack
    return this.#deliver('slash_commands', {
      command: '/ask',
      text,
      team_id: installation.identity.team,
      channel_id: channel,
      user_id: person,
      trigger_id: `1.2.${randomUUID()}`,
      // An address of this Slack's server that leads nowhere.
      response_url: new URL('/commands/any', this.#slack.apiUrl).href,
    })
  }

  #envelope(event: Json): Json {
    const { team } = this.#slack.installation.identity
    const authorization = { enterprise_id: null, team_id: team, user_id: this.#bot, is_bot: true }
    return {
      type: 'event_callback',
      team_id: team,
      api_app_id: 'A0ANYAPP001',
      event,
      event_id: `Ev${randomUUID()}`,
      event_time: Math.floor(Date.now() / 1000),
      authorizations: [{ ...authorization, is_enterprise_install: false }],
      is_ext_shared_channel: false,
    }
  }

  /** Sends a signed request. Returns the response. @throws Error if the bot does not ack it */
  async #deliver(kind: DeliveryKind, payload: Json, { retry = 0 } = {}): Promise<string> {
    const isEvent = kind === 'events_api'
    const body = isEvent ? JSON.stringify(payload) : formOf(kind, payload)
    const timestamp = String(Math.floor(Date.now() / 1000))
    const headers = {
      'content-type': isEvent ? 'application/json' : 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': sign(SECRET, timestamp, body),
      ...(retry > 0 && { 'x-slack-retry-num': String(retry), 'x-slack-retry-reason': 'http_timeout' }),
    }
    const response = await fetch(this.target, { method: 'POST', headers, body })
    const text = await response.text()
    if (!response.ok) throw new Error(`The bot did not take ${kind}: ${response.status} ${text}`)
    return text
  }

  /** Returns the bot's root in the channel with this text, when it exists. */
  async rootOf(text: string): Promise<ThreadPlace | undefined> {
    const { channel, installation } = this.#slack
    const args = { channel, limit: 50 }
    const { messages } = await installation.client.call('conversations.history', args, { effort: 'patient' })
    const all = Array.isArray(messages) ? (messages as ReturnedMessage[]) : []
    const root = all.find((message) => this.#isBots(message) && wordsOf(message).includes(text))
    if (!root) return undefined
    const place = { channel, thread: root.ts }
    this.#note(place)
    return place
  }

  /** Presses the first element with this `action_id` in the thread. @throws if this Slack returns no such element */
  async press({ channel, thread }: ThreadPlace, actionId: string): Promise<void> {
    const { person, installation } = this.#slack
    const chosen = { action_id: actionId }
    const message = (await this.messages({ channel, thread })).find(({ blocks }) => findAction(blocks, chosen))
    const found = message && findAction(message.blocks, chosen)
    if (!found) throw new Error(`This Slack gives no element with the action_id ${actionId} back in ${thread}.`)
    const { team } = installation.identity
    await this.#deliver('interactive', {
      type: 'block_actions',
      team: { id: team },
      user: { id: person, team_id: team },
      api_app_id: 'A0ANYAPP001',
      trigger_id: `1.2.${randomUUID()}`,
      channel: { id: channel },
      container: { type: 'message', message_ts: message.ts, channel_id: channel, thread_ts: thread },
      message,
      actions: [actionOf(found, chosen, message.ts)],
    })
  }

  async #all({ channel, thread }: ThreadPlace): Promise<ReturnedMessage[]> {
    const found: ReturnedMessage[] = []
    try {
      const { client } = this.#slack.installation
      for await (const message of readMessages(client, { channel, thread, since: '0' }))
        found.push(message as ReturnedMessage)
    } catch (error) {
      if (refusalCode(error) !== 'thread_not_found') throw error
    }
    return found
  }

  /** Returns the bot's messages in a thread as this Slack returns them. Empty if the thread is gone. */
  async messages(where: ThreadPlace): Promise<ReturnedMessage[]> {
    return (await this.#all(where)).filter((message) => this.#isBots(message) && message.ts !== where.thread)
  }

  /** Returns the text that people read in them. */
  async shown(where: ThreadPlace): Promise<string[]> {
    return (await this.messages(where)).map(wordsOf)
  }

  /** Returns the bot's reactions to a message. */
  async reactions({ ts, ...where }: PostedMessage): Promise<string[]> {
    const message = (await this.#all(where)).find((one) => one.ts === ts)
    return (message?.reactions ?? []).flatMap(({ name, users }) => (users?.includes(this.#bot) ? [name] : []))
  }

  /** Deletes all messages, as far as this Slack allows it. */
  async remove(): Promise<void> {
    for (const place of this.#threads.values())
      for (const { ts } of (await this.#standing(place)).toReversed()) await this.#remove(place.channel, ts)
  }

  /** Deletes the messages, except those that are gone or another person's. */
  async #remove(channel: string, ts: string): Promise<void> {
    const { asPerson, installation } = this.#slack
    const client = (this.#written.get(ts)?.isPersons ? asPerson : undefined) ?? installation.client
    await client.call('chat.delete', { channel, ts }, { effort: 'patient' }).catch((error: unknown) => {
      if (refusalCode(error) === undefined) throw error
    })
  }

  /** Returns the messages that still exist. */
  async left(): Promise<string[]> {
    const threads = [...this.#threads.values()].map((place) => this.#standing(place))
    return (await Promise.all(threads)).flat().map(wordsOf)
  }

  /** Returns the messages of a thread by any author, without the tombstone of its root. */
  async #standing(place: ThreadPlace): Promise<ReturnedMessage[]> {
    return (await this.#all(place)).filter(({ subtype }) => subtype !== 'tombstone')
  }

  get #bot(): string {
    return this.#slack.installation.identity.botUser
  }

  #note(place: ThreadPlace): void {
    this.#threads.set(`${place.channel}:${place.thread}`, place)
  }

  #isBots({ user, bot_id, ts }: ReturnedMessage): boolean {
    const { botUser, botId } = this.#slack.installation.identity
    return !this.#written.has(ts) && (user === botUser || (bot_id !== undefined && bot_id === botId))
  }
}

/** Returns the text that people read in a message: its blocks if it has any, else its text. For a stream, both. */
function wordsOf({ text = '', blocks = [], streaming_state }: ReturnedMessage): string {
  const words = blocks.flatMap(wordsIn)
  return [...(words.length === 0 || streaming_state !== undefined ? [text] : []), ...words].join('\n')
}

function wordsIn(part: unknown): string[] {
  if (Array.isArray(part)) return part.flatMap(wordsIn)
  if (!isObject(part)) return []
  return Object.entries(part).flatMap(([key, value]) =>
    typeof value !== 'string' ? wordsIn(value) : key === 'text' || key === 'title' ? [value] : [],
  )
}
