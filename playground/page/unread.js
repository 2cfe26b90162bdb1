/** Remembers what a person has read of each channel and thread. The browser stores it for the person at the page. */
import { isDirect, repliesTo, rootsIn, state } from './state.js'

const storeKey = () => `thinkaloud-read-${state.you}`

/** The ts of the last message that was read, by place: `CHANNEL` or `CHANNEL/ROOT`. */
let read = {}

const newest = (messages) => messages.at(-1)?.ts ?? '0'

/** Loads what the browser stored. If it stored nothing, all existing messages count as read. */
export function loadRead() {
  const kept = parsed(window.localStorage.getItem(storeKey()))
  read = kept ?? {}
  if (kept) return
  for (const channel of state.channels.values()) {
    read[channel.id] = newest(rootsIn(channel))
    for (const root of followed(channel)) read[`${channel.id}/${root.ts}`] = newest(repliesTo(channel, root.ts))
  }
  save()
}

function parsed(text) {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' ? value : undefined
  } catch {
    return undefined
  }
}

function save() {
  window.localStorage.setItem(storeKey(), JSON.stringify(read))
}

/** Marks the visible messages as read, while the page has the focus. */
export function readShown() {
  const channel = state.channels.get(state.current)
  if (!channel || document.hidden) return
  const before = JSON.stringify(read)
  if (!state.isHome) read[channel.id] = newest(rootsIn(channel))
  if (state.thread) read[`${channel.id}/${state.thread}`] = newest(repliesTo(channel, state.thread))
  if (JSON.stringify(read) !== before) save()
}

/** Returns the last message that was read in a channel or a thread. The separator "New" comes after it. */
export function readUntil(place) {
  return read[place] ?? '0'
}

/** Returns the threads that the person is in: they began them, wrote in them or were mentioned. */
function followed(channel) {
  return rootsIn(channel).filter((root) => {
    const replies = repliesTo(channel, root.ts)
    return replies.length > 0 && [root, ...replies].some((one) => one.user === state.you || names(one))
  })
}

const names = (message) => (message.text ?? '').includes(`<@${state.you}>`)

const isNew = (message, until) => message.ts > until && message.user !== state.you

/** Returns the unread replies of a thread. */
export function newReplies(channel, root) {
  const until = readUntil(`${channel.id}/${root}`)
  return repliesTo(channel, root).filter((one) => isNew(one, until)).length
}

/**
 * Returns what is unread in a channel and in the person's threads there. `count` is the number that Slack shows beside
 * the name: mentions of the person, or all messages in direct messages.
 */
export function unreadIn(channel) {
  const until = readUntil(channel.id)
  const roots = rootsIn(channel).filter((one) => isNew(one, until))
  const replies = followed(channel).flatMap((root) => {
    const last = readUntil(`${channel.id}/${root.ts}`)
    return repliesTo(channel, root.ts).filter((one) => isNew(one, last))
  })
  const all = [...roots, ...replies]
  return { isUnread: all.length > 0, count: isDirect(channel) ? all.length : all.filter(names).length }
}
