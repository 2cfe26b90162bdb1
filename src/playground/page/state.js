/** What the page knows of the workspace, and what is open on it. */
export const state = {
  you: '',
  bot: '',
  examples: [],
  shortcuts: [],
  /** What stands open before the person: modals, the uppermost last, and the app's Home. */
  views: { modals: [], home: null },
  /** Whether the direct messages show the app's Home in place of the messages. */
  isHome: false,
  channels: new Map(),
  users: new Map(),
  /** The open channel, and the root of the open thread. */
  current: '',
  thread: undefined,
  /** Threads that the person closed: they do not open again by themselves. */
  closed: new Set(),
  unread: new Set(),
  /** The id of the open panel. */
  panel: undefined,
  /** What is open in it. */
  panelItem: undefined,
}

export const names = {
  user: (id) => state.users.get(id)?.real_name ?? id,
  channel: (id) => state.channels.get(id)?.name ?? id,
}

/** Takes in the whole workspace. The open channel stays open; at first it is the one that the address names. */
export function takeAll(all, wanted) {
  const { you, bot, examples, shortcuts, views } = all
  Object.assign(state, { you, bot, examples, shortcuts, views })
  state.users = new Map(all.users.map((user) => [user.id, user]))
  state.channels = new Map(all.channels.map((channel) => [channel.id, withMessages(channel)]))
  if (!state.channels.has(state.current))
    state.current = [...state.channels.values()].find((channel) => slug(channel) === wanted)?.id ?? all.channels[0].id
  const unread = all.channels.filter(({ id, isUnread }) => isUnread && id !== state.current)
  state.unread = new Set(unread.map(({ id }) => id))
}

function withMessages(channel) {
  return { ...channel, messages: new Map(channel.messages.map((message) => [message.ts, message])) }
}

/** Takes in one change; says whether it is a message that was not there before. */
export function takeChange(change) {
  if (change.type === 'channel') return void state.channels.set(change.channel.id, withMessages(change.channel))
  if (change.type === 'views') return void (state.views = change)
  const channel = state.channels.get(change.channel)
  if (!channel) return false
  const isNew = change.type === 'message' && !channel.messages.has(change.message.ts)
  if (change.type === 'message') channel.messages.set(change.message.ts, change.message)
  if (change.type === 'removed') channel.messages.delete(change.ts)
  if (change.type === 'removed' || change.type === 'ephemeral')
    channel.ephemerals = channel.ephemerals.filter((one) => one.ts !== (change.ts ?? change.ephemeral.ts))
  if (change.type === 'ephemeral') channel.ephemerals.push(change.ephemeral)
  if (change.type === 'session') channel.sessions[change.thread] = change.session
  if (change.type === 'prompts') channel.prompts[change.thread] = change.prompts
  if (change.type === 'status') channel.statuses[change.thread] = change.text
  if (isNew && channel.id !== state.current && change.message.user !== state.you) state.unread.add(channel.id)
  return isNew
}

/** A channel in the page's address. */
export function slug(channel) {
  return isDirect(channel) ? 'dm' : channel.name
}

export function isDirect(channel) {
  return channel.kind === 'im'
}

export function titleOf(channel) {
  return isDirect(channel) ? names.user(state.bot) : `# ${channel.name}`
}

/** What stands in a channel itself: roots, broadcasts and whispers, in their order. */
export function rootsIn(channel) {
  const roots = [...channel.messages.values()].filter(
    (one) => !one.thread_ts || one.thread_ts === one.ts || one.subtype === 'thread_broadcast',
  )
  return inOrder([...roots, ...whispers(channel, undefined)])
}

/** What stands in a thread under its root. */
export function repliesIn(channel, root) {
  return inOrder([...repliesTo(channel, root), ...whispers(channel, root)])
}

export function repliesTo(channel, root) {
  return [...channel.messages.values()].filter((one) => one.thread_ts === root && one.ts !== root)
}

function whispers(channel, thread) {
  return channel.ephemerals.filter((one) => one.thread_ts === thread).map((one) => ({ ...one, isWhisper: true }))
}

function inOrder(messages) {
  return messages.sort((a, b) => Number(a.ts) - Number(b.ts))
}

/** "Thinkaloud is thinking …", or nothing. */
export function statusOf(channel, thread) {
  const status = channel.statuses[thread]
  return status ? `${names.user(state.bot)} ${status}` : ''
}

/** Whether the bot works or writes in a thread, so that it can be stopped. */
export function isWorking(channel, thread) {
  const streams = [...channel.messages.values()].some(
    (one) => (one.thread_ts ?? one.ts) === thread && one.streaming_state === 'in_progress',
  )
  return streams || (channel.sessions[thread]?.status === 'processing' && statusOf(channel, thread) !== '')
}
