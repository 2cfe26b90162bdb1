import type { LocalSlack } from '../slack/local-slack.ts'
import { hasApp, kindOf } from './page-rules.ts'
import { ALICE, BOT_USER } from '../slack/store.ts'
import { asSeenBy } from '../slack/stream-audience.ts'
import type { Change, Channel, Json, User } from '../slack/types.ts'

/** The person at the page if its address does not name another (`?as=bob`). */
export const YOU = ALICE

/** Returns the person named in a page's address. */
export function personAt(slack: LocalSlack, name: string | null): string {
  return personNamed(slack, name) ?? YOU
}

/** Returns the id of the person with this name. Bots have no page. */
export function personNamed(slack: LocalSlack, name: string | null): string | undefined {
  return [...slack.store.users.values()].find((user) => user.name === name && !user.is_bot)?.id
}

/** The page's statements about itself. */
export interface PageNotes {
  /** The model in use, and whether it is the demo. */
  model: string
  isDemo: boolean
  /** Sentences on what is simulated and what is real. */
  notes: string[]
  /** Questions to try. `file` is the sample to attach, by its name under `/lib/`. */
  examples: { message: string; file?: string }[]
  /** The app's entries in a message's menu: https://docs.slack.dev/interactivity/implementing-shortcuts. */
  shortcuts?: { callback_id: string; name: string }[]
  /** The page's workspace, and the addresses of the other workspaces, if there are several. */
  workspace?: string
  workspaces?: { name: string; url: string }[]
}

/** Returns everything that the page shows to one person. */
export function pageState(slack: LocalSlack, notes: PageNotes, you: string = YOU): Json {
  const { store } = slack
  if (hasApp(slack, you)) store.directChannel(you)
  const channels = [...store.channels.values()].filter((channel) => channel.members.has(you))
  const users = [...store.users.values()].map(shownUser)
  const shortcuts = hasApp(slack, you) ? (notes.shortcuts ?? []) : []
  const state = { ...notes, you, bot: BOT_USER, users, views: viewsOf(slack, you), shortcuts }
  return { ...state, channels: channels.map((channel) => channelState(slack, channel, you)) }
}

/** Returns a person with their kind and profile. */
function shownUser(user: User): Json {
  const { id, name, real_name, is_bot, profile } = user
  return { id, name, real_name, is_bot, kind: kindOf(user), title: profile['title'] ?? '' }
}

/** Returns a channel with its content. An expired status becomes an empty text. */
function channelState(slack: LocalSlack, channel: Channel, you: string): Json {
  const { id, name, kind, shared, ephemerals, statuses, sessions, prompts } = channel
  const messages = channel.messages.map((message) => asSeenBy(slack, message, you))
  const running = [...statuses.keys()].map((thread) => [thread, slack.store.status(channel, thread)])
  const seen = { messages, ephemerals: ephemerals.filter(({ user }) => user === you) }
  const told = { sessions: Object.fromEntries(sessions), prompts: Object.fromEntries(prompts) }
  return { id, name, kind, shared, ...seen, ...told, statuses: Object.fromEntries(running) }
}

/** Returns a change as the page may see it: without ephemeral messages and views of others. */
export function shownChange(slack: LocalSlack, change: Change, you: string = YOU): Json | undefined {
  if (change.type === 'view') return change.user === you ? viewsOf(slack, you) : undefined
  const channel = slack.store.channels.get(change.channel)
  if (!channel?.members.has(you)) return undefined
  if (change.type === 'ephemeral' && change.ephemeral.user !== you) return undefined
  if (change.type === 'message') return { ...change, message: asSeenBy(slack, change.message, you) }
  return change.type === 'channel' ? { type: 'channel', channel: channelState(slack, channel, you) } : { ...change }
}

/** Returns the open views: modals, the topmost last, and the Home. */
function viewsOf(slack: LocalSlack, you: string): Json {
  return { type: 'views', modals: slack.views.modals(you), home: slack.views.home(you) ?? null }
}
