/**
 * Names for what has an id or a time in one workspace alone. `⟦#general/2⟧` is the second message of #general itself, `⟦#general/2/1⟧` its
 * first reply, `@alice` is the channel of her direct messages; `⟦#general~alice/1⟧` is the first word there for Alice alone,
 * `⟦modal alice 1⟧` her lowest open modal, `⟦home alice⟧` her Home.
 */
import { BOT_USER } from '../store.ts'
import type { LocalSlack } from '../local-slack.ts'
import type { Channel, Ephemeral, Json, Message } from '../types.ts'

const TS = /\b\d{10}\.\d{6}\b/g
const VIEW = /\bV\d{10}\b/g
const NAMED = /⟦((?:[#@]|modal |home )[^⟦⟧\n]{1,200})⟧/g

/** Two ways to look at the same workspace: ids as names, and back. */
export interface PlaceNames {
  byId: Map<string, string>
  byName: Map<string, string>
}

/** All that has a name now. */
export function placeNames(slack: LocalSlack): PlaceNames {
  const byId = new Map<string, string>()
  for (const channel of slack.store.channels.values()) {
    for (const [ts, name] of messageNames(slack, channel)) byId.set(ts, name)
  }
  for (const { id, name } of slack.store.users.values()) {
    slack.views.modals(id).forEach((view, i) => byId.set(String(view['id']), `modal ${name} ${i + 1}`))
    const home = slack.views.home(id)
    if (home) byId.set(String(home['id']), `home ${name}`)
  }
  return { byId, byName: new Map([...byId].map(([id, name]) => [name, id])) }
}

/** The messages of a channel by their ts: each by its number among those of its thread. */
function messageNames(slack: LocalSlack, channel: Channel): [string, string][] {
  const where = channelName(slack, channel)
  const all = channel.messages.toSorted((a, b) => Number(a.ts) - Number(b.ts))
  const roots = all.filter((one) => rootOf(one) === undefined)
  const replies = groupBy(all)
  const whispers = new Map<string, number>()
  return [
    ...roots.flatMap(({ ts }, i): [string, string][] => [
      [ts, `${where}/${i + 1}`],
      ...(replies.get(ts) ?? []).map((reply, k): [string, string] => [reply.ts, `${where}/${i + 1}/${k + 1}`]),
    ]),
    ...channel.ephemerals.map((one): [string, string] => [one.ts, whisperName(slack, where, { one, whispers })]),
  ]
}

function groupBy(all: Message[]): Map<string, Message[]> {
  const replies = new Map<string, Message[]>()
  for (const message of all) {
    const root = rootOf(message)
    if (root !== undefined) replies.set(root, [...(replies.get(root) ?? []), message])
  }
  return replies
}

function rootOf({ ts, thread_ts }: Message): string | undefined {
  return thread_ts === ts ? undefined : thread_ts
}

function whisperName(
  slack: LocalSlack,
  where: string,
  { one, whispers }: { one: Ephemeral; whispers: Map<string, number> },
): string {
  const n = (whispers.get(one.user) ?? 0) + 1
  whispers.set(one.user, n)
  return `${where}~${slack.store.users.get(one.user)?.name ?? one.user}/${n}`
}

/** `#general`; the direct messages of a person with the bot are `@alice`. */
export function channelName(slack: LocalSlack, { id, name, kind, members }: Channel): string {
  if (kind !== 'im') return `#${name}`
  const person = [...members].find((member) => member !== BOT_USER) ?? id
  return `@${slack.store.users.get(person)?.name ?? person}`
}

/** A value with names in place of ids and times, at every depth. A time that is none of the workspace's stays as `?`. */
export function named<T>(value: T, { byId }: PlaceNames): T {
  const name = (id: string) => `⟦${byId.get(id) ?? '?'}⟧`
  return eachText(value, (text) => text.replace(TS, name).replace(VIEW, name))
}

/** The other way. @throws Error for a name of nothing */
export function unnamed<T>(value: T, { byName }: PlaceNames): T {
  return eachText(value, (text) =>
    text.replace(NAMED, (_, name: string) => {
      const id = byName.get(name)
      if (id === undefined) throw new Error(`There is no ${name} in the workspace.`)
      return id
    }),
  )
}

/** The names that stand in a value. */
export function namesIn(value: Json): string[] {
  return [...JSON.stringify(value).matchAll(NAMED)].map(([, name]) => name ?? '')
}

/** A copy with each text changed, keys too. */
export function eachText<T>(value: T, change: (text: string) => string): T {
  const walk = (one: unknown): unknown => {
    if (typeof one === 'string') return change(one)
    if (Array.isArray(one)) return one.map(walk)
    if (typeof one !== 'object' || one === null) return one
    return Object.fromEntries(Object.entries(one).map(([key, inner]) => [change(key), walk(inner)]))
  }
  return walk(value) as T
}
