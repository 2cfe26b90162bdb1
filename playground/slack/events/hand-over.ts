/** Delivers people's actions to the app: events to subscribers, interactions with their only answer. */
import { acked, type Deliveries, type Delivery } from './deliveries.ts'
import { envelope, subscription } from './event-payloads.ts'
import type { ResponseUrls } from './response-urls.ts'
import { APP, TEAM, type Store } from '../store.ts'
import type { Channel, Json, RefusedCall } from '../types.ts'
import type { Views } from '../view-stack.ts'

/** The result of a command, a press or a form: the first try, and the content of its ack. */
export interface AckResult {
  ok: boolean
  status: number
  body: string
  delivery: Delivery
}

/** The parts that a hand-over needs. */
interface HandOverOptions {
  store: Store
  views: Views
  deliveries: Deliveries
  responseUrls: ResponseUrls
  now: () => number
  base: () => string
  /** Returns a fresh trigger for a person. It is valid for a few seconds. */
  trigger: (user: string) => string
  /** Records a mistake of the app. */
  refuse: (refused: RefusedCall) => void
  /** Revokes the bot's token, because the app was removed. */
  revoke: () => void
  /** Adds the search token to an event. Absent if the app may not search. */
  withToken?: ((event: Json) => Json) | undefined
  /** Whether people and channels in a command are escaped: the manifest's `should_escape`. */
  shouldEscape: boolean
  /** The events that the app subscribed to; all if absent. */
  events?: string[]
  /** Returns whether the app gets an event. */
  isHeard: (event: Json) => boolean
  /** The age of late events, in ms. Their messages are dated this long ago. */
  lateMs: () => number
}

/** Delivers people's actions to the app. */
export class HandOver {
  readonly with: HandOverOptions

  constructor(options: HandOverOptions) {
    this.with = options
  }

  /** Sends an event, if the app subscribed to it. `around`: fields of its envelope that differ. */
  event(event: Json, around: Json = {}): Delivery | undefined {
    const { store, deliveries, events, now, withToken = (one) => one, isHeard, lateMs } = this.with
    if ((events && !events.includes(subscription(event))) || !isHeard(event)) return undefined
    return deliveries.deliver('events_api', {
      ...envelope(store, withToken(event), now() - lateMs()),
      ...around,
    })
  }

  /** Sends events together, in no fixed order, as Slack does. Resolves when each had its first try. */
  async all(events: Json[]): Promise<Delivery[]> {
    const made = events.map((event) => this.event(event)).filter((delivery) => delivery !== undefined)
    await Promise.all(made.map((delivery) => delivery.first))
    return made
  }

  /** Sends a command or an interaction: one try, whose ack is the answer. */
  async hand(kind: 'slash_commands' | 'interactive', payload: Json): Promise<AckResult> {
    const delivery = this.with.deliveries.deliver(kind, payload)
    const first = await delivery.first
    return { ok: acked(first), status: first.status, body: first.body, delivery }
  }

  /** Returns the fields of every interaction: the person, and a trigger for opening a modal. */
  interaction(type: string, user: string): Json {
    const name = this.with.store.users.get(user)?.name ?? user
    const team = this.with.store.users.get(user)?.team_id ?? TEAM
    return {
      type,
      token: 'local',
      api_app_id: APP,
      team: { id: TEAM, domain: 'local' },
      enterprise: null,
      is_enterprise_install: false,
      user: { id: user, username: name, name, team_id: team },
      trigger_id: this.with.trigger(user),
    }
  }

  /** Returns a channel, even if the bot is not in it: people may write there. @throws Error if there is none */
  channel(id: string): Channel {
    const { store } = this.with
    const direct = id.startsWith('D') ? store.users.get(`U${id.slice(1)}`) : undefined
    const channel = store.channels.get(id) ?? (direct && store.directChannel(direct.id))
    if (!channel) throw new Error(`There is no channel ${id}; addChannel makes one.`)
    return channel
  }
}
