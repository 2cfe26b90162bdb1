/** The page's state: the workspace, and the open parts. */
export const state = {
  you: '',
  bot: '',
  isDemo: false,
  examples: [],
  shortcuts: [],
  /** The page's workspace, and the addresses of all workspaces, if there are several. */
  workspace: undefined,
  workspaces: undefined,
  /** The person's open views: modals, the uppermost last, and the app's Home. */
  views: { modals: [], home: null },
  /** Whether the direct messages show the app's Home in place of the messages. */
  isHome: false,
  channels: new Map(),
  users: new Map(),
  /** The open channel, and the root of the open thread. */
  current: '',
  thread: undefined,
  /** Threads that the person closed. They do not open again by themselves. */
  closed: new Set(),
  /**
   * The last message that had been read when the open channel or thread was opened. The separator "New" comes after it.
   */
  newFrom: undefined,
  newRepliesFrom: undefined,
  /** The id of the open panel, and the shown item. */
  panel: undefined,
  panelItem: undefined,
  /** The run whose work was requested last: see run-panel.js. */
  workOf: undefined,
}

export const names = {
  user: (id) => state.users.get(id)?.real_name ?? id,
  channel: (id) => state.channels.get(id)?.name ?? id,
}

/** Takes the whole workspace. Unchanged messages keep their objects, so that they are not drawn again. */
export function takeAll(all) {
  const { you, bot, isDemo, examples, shortcuts, views, workspace, workspaces } = all
  Object.assign(state, { you, bot, isDemo, examples, shortcuts, views, workspace, workspaces })
  state.users = new Map(all.users.map((user) => [user.id, user]))
  state.channels = new Map(all.channels.map((channel) => [channel.id, withMessages(channel)]))
}

function withMessages(channel) {
  const known = state.channels.get(channel.id)?.messages
  const kept = (message) => {
    const before = known?.get(message.ts)
    return before && JSON.stringify(before) === JSON.stringify(message) ? before : message
  }
  const messages = new Map(channel.messages.map((message) => [message.ts, kept(message)]))
  return { ...channel, messages, ephemerals: channel.ephemerals.map(markEphemeral) }
}

function markEphemeral(ephemeral) {
  return { ...ephemeral, isEphemeral: true }
}

/** Takes one change. Returns whether it is a new message. */
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
  if (change.type === 'ephemeral') channel.ephemerals.push(markEphemeral(change.ephemeral))
  if (change.type === 'session') channel.sessions[change.thread] = change.session
  if (change.type === 'prompts') channel.prompts[change.thread] = change.prompts
  if (change.type === 'status') channel.statuses[change.thread] = change.text
  if (['message', 'removed', 'ephemeral'].includes(change.type)) channel.sorted = undefined
  return isNew
}

/** The subtypes of people's own messages. Slack lets people edit and delete no others. */
const OWN_KINDS = [undefined, 'file_share', 'thread_broadcast', 'me_message']

export function isOwn(message) {
  return message.user === state.you && !message.isEphemeral && OWN_KINDS.includes(message.subtype)
}

/** Returns a channel's name in the page's address. */
export function slug(channel) {
  return isDirect(channel) ? 'dm' : channel.name
}

export function isDirect(channel) {
  return channel.kind === 'im'
}

export function titleOf(channel) {
  return isDirect(channel) ? names.user(state.bot) : `# ${channel.name}`
}

/** Returns the messages of a channel itself: roots, broadcasts and ephemeral ones, in order. */
export function rootsIn(channel) {
  return sorted(channel).roots
}

/** Returns the messages of a thread under its root, ephemeral ones included. */
export function repliesIn(channel, root) {
  const told = sorted(channel).ephemerals.get(root)
  return told ? inOrder([...repliesTo(channel, root), ...told]) : repliesTo(channel, root)
}

/** Returns the replies to a message, in order. */
export function repliesTo(channel, root) {
  return sorted(channel).replies.get(root) ?? []
}

/** Returns a channel's messages, sorted into roots and replies. Cached until the next change. */
function sorted(channel) {
  channel.sorted ??= sort(channel)
  return channel.sorted
}

function sort(channel) {
  const [roots, replies, ephemerals] = [[], new Map(), new Map()]
  const put = (map, key, one) => (map.has(key) ? map.get(key).push(one) : map.set(key, [one]))
  for (const one of channel.messages.values()) {
    const isReply = one.thread_ts && one.thread_ts !== one.ts
    if (isReply) put(replies, one.thread_ts, one)
    if (!isReply || one.subtype === 'thread_broadcast') roots.push(one)
  }
  for (const one of channel.ephemerals) {
    if (one.thread_ts) put(ephemerals, one.thread_ts, one)
    else roots.push(one)
  }
  for (const list of replies.values()) inOrder(list)
  return { roots: inOrder(roots), replies, ephemerals }
}

/** All ts have the same number of digits. */
function inOrder(messages) {
  return messages.sort((a, b) => (a.ts < b.ts ? -1 : Number(a.ts > b.ts)))
}

/** Returns the status, such as "Thinkaloud is thinking …". Empty if there is none. */
export function statusOf(channel, thread) {
  const status = channel.statuses[thread]
  return status ? `${names.user(state.bot)} ${status}` : ''
}

/** Returns whether the bot works or writes in a thread and can be stopped. */
export function isWorking(channel, thread) {
  const streams = [...channel.messages.values()].some(
    (one) => (one.thread_ts ?? one.ts) === thread && one.streaming_state === 'in_progress',
  )
  return streams || (channel.sessions[thread]?.status === 'processing' && statusOf(channel, thread) !== '')
}
