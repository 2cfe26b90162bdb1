/** The state of a workspace in a comparable form, without anything that differs between two runs. */
import { isObject } from '../slack/args.ts'
import { shown } from '../slack/shown.ts'
import type { LocalSlack } from '../slack/local-slack.ts'
import type { Channel, Ephemeral, Json, StoredMessage } from '../slack/types.ts'
import type { StateMessage, WorkspaceState } from './conversation-file.ts'
import {
  channelName,
  eachText,
  isMeant,
  withPlaceNames,
  type PlaceNames,
  type Places,
  type NameScope,
} from './place-names.ts'

/** Fields of a message that differ between runs, or that are stored elsewhere in the state. */
const LEFT_OUT = new Set([
  ...['type', 'ts', 'thread_ts', 'parent_user_id', 'user', 'client_msg_id', 'bot_id', 'app_id', 'team', 'text'],
  ...['blocks', 'streaming_expires', 'username', 'icons'],
])

/** The scope: the whole workspace, a channel or a thread. */
interface StateScope {
  scope?: NameScope
  /** The people whose modals are in scope. Homes belong to no channel. */
  modalsOf?: ReadonlySet<string>
  /** Removes secrets from texts, before they are cut. */
  clean?: (text: string) => string
}

export function workspaceState(places: Places, meant: StateScope = {}): WorkspaceState {
  const { scope = {}, modalsOf = new Set(), clean = (text) => text } = meant
  const { slack } = places
  const names = places.names(scope)
  const channels = [...slack.store.channels.values()].filter(({ id }) => !scope.channel || id === scope.channel)
  const messages = channels.flatMap((channel) =>
    [...channel.messages, ...channel.ephemerals]
      .filter(({ ts, thread_ts: thread }) => isMeant({ ts, channel: channel.id, ...(thread && { thread }) }, scope))
      .map((one) => messageState(slack, names, channel, one)),
  )
  /** Returns the values of the threads in scope. */
  const byThread = <T>(values: (channel: Channel) => [string, T][]): Record<string, T> =>
    Object.fromEntries(channels.flatMap(values).filter(([thread]) => !scope.thread || thread === scope.thread))
  const state = {
    messages: messages.toSorted(inPlace),
    views: viewsOf(slack, scope.channel ? modalsOf : undefined),
    sessions: byThread(({ sessions }) => [...sessions].map(([thread, one]): [string, Json] => [thread, { ...one }])),
    statuses: byThread((channel) => statusesOf(slack, channel)),
  }
  return steady(withPlaceNames(eachText(state, clean), names))
}

function statusesOf({ store }: LocalSlack, channel: Channel): [string, string][] {
  const all = [...channel.statuses.keys()].map((thread): [string, string] => [thread, store.status(channel, thread)])
  return all.filter(([, text]) => text !== '')
}

function messageState(
  slack: LocalSlack,
  { byId }: PlaceNames,
  channel: Channel,
  one: StoredMessage | Ephemeral,
): StateMessage {
  const isEphemeral = !('type' in one)
  const user = (id: string | undefined) => slack.store.users.get(id ?? '')?.name ?? id ?? '?'
  const rest = Object.entries(one).filter(([key]) => !LEFT_OUT.has(key) && !(isEphemeral && key === 'user'))
  const { chunks, edited, ...is } = Object.fromEntries(rest)
  const isBots = isEphemeral || one.bot_id !== undefined
  return {
    at: byId.get(one.ts) ?? channelName(slack, channel),
    by: isEphemeral ? 'thinkaloud' : user(one.user),
    ...(isEphemeral && { to: user(one.user) }),
    shown: shown(slack.store, one).split('\n'),
    is: {
      ...is,
      // Whether the bot posted a text at once or edited it depends on timing, so its edits are left out.
      ...(isObject(edited) && !isBots && { edited: user(String(edited['user'])) }),
      // People's own blocks repeat their text.
      ...(one.blocks && isBots && { blocks: one.blocks.map(withoutIds) }),
      ...(Array.isArray(chunks) && { chunks: joined(chunks) }),
    },
  }
}

/** Joins streamed text. The sizes of its pieces differ between runs. */
function joined(chunks: unknown[]): Json[] {
  const all: Json[] = []
  for (const chunk of chunks.filter(isObject)) {
    const before = all.at(-1)
    if (before?.['type'] === 'markdown_text' && chunk['type'] === 'markdown_text')
      all[all.length - 1] = { ...before, text: `${String(before['text'])}${String(chunk['text'])}` }
    else all.push({ ...chunk })
  }
  return all
}

/** Removes the ids that Slack gives to blocks without one. */
function withoutIds(value: Json): Json {
  const { block_id: id, ...rest } = value
  return typeof id === 'string' && !/^b\d{10}$/.test(id) ? value : rest
}

/** Returns the views. With `modalsOf`, only the modals of these people, without Homes. */
function viewsOf(slack: LocalSlack, modalsOf: ReadonlySet<string> | undefined): WorkspaceState['views'] {
  const all = [...slack.store.users.values()].map(({ id, name }) => {
    const home = modalsOf ? undefined : slack.views.home(id)
    const modals = !modalsOf || modalsOf.has(id) ? slack.views.modals(id) : []
    return [
      name,
      { ...(home && { home: viewState(home) }), ...(modals.length > 0 && { modals: modals.map(viewState) }) },
    ] as const
  })
  return Object.fromEntries(all.filter(([, views]) => Object.keys(views).length > 0))
}

function viewState({ title, submit, close, blocks, callback_id, type }: Json): Json {
  const list: unknown[] = Array.isArray(blocks) ? blocks : []
  return { type, title, submit, close, callback_id, blocks: list.filter(isObject).map(withoutIds) }
}

/** Matches what differs between runs: durations, token counts, costs, ports, dates and ids. */
const UNSTEADY: [RegExp, string][] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '⟦id⟧'],
  [/(Reference: `?)[0-9a-f]{8}(?![0-9a-f])/g, '$1⟦id⟧'],
  [/\b(localhost|127\.0\.0\.1):\d+/g, '$1:⟦port⟧'],
  [/\b\d[\d,]*(?:\.\d+)? ?(?:ms|s|min)\b/g, '⟦n⟧ s'],
  [/\b\d[\d,.]*k?(?= tokens?\b)/g, '⟦n⟧'],
  [/\$\d+(?:\.\d+)?/g, '$⟦n⟧'],
  [/<!date\^\d+\^/g, '<!date^⟦n⟧^'],
  [/\b(F|V|h|Ev|M|b)\d{10}\b/g, '$1⟦id⟧'],
  [/\b\d{10}\b/g, '⟦time⟧'],
  [/\b20\d\d-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: UTC|Z)?)?/g, '⟦date⟧'],
]

/** Replaces what differs between two runs, including seconds since the epoch. */
function steady<T>(value: T): T {
  const texts = eachText(value, (text) => UNSTEADY.reduce((all, [found, stands]) => all.replace(found, stands), text))
  return JSON.parse(
    JSON.stringify(texts, (_, one: unknown) => (typeof one === 'number' && one >= 1e9 && one < 1e14 ? 0 : one)),
  ) as T
}

/** Compares messages by reading order: each message, then its replies. */
function inPlace(a: StateMessage, b: StateMessage): number {
  return a.at.localeCompare(b.at, 'en', { numeric: true })
}
