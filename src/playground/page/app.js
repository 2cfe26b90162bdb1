/** The page: what is in the workspace, what is open, and how changes are shown as they come. */
import { createComposer } from './composer.js'
import { byId, el } from './dom.js'
import { messageItem, syncList } from './messages.js'

const state = {
  channels: new Map(),
  users: new Map(),
  current: '',
  thread: undefined,
  closed: new Set(),
  unread: new Set(),
}

const names = {
  user: (id) => state.users.get(id)?.real_name ?? id,
  channel: (id) => state.channels.get(id)?.name ?? id,
}

// ---- what is known ----

async function load() {
  const all = await (await fetch('state')).json()
  Object.assign(state, { you: all.you, bot: all.bot, examples: all.examples })
  state.users = new Map(all.users.map((user) => [user.id, user]))
  state.channels = new Map(all.channels.map((channel) => [channel.id, withMessages(channel)]))
  const wanted = decodeURIComponent(location.hash.slice(1))
  if (!state.channels.has(state.current)) state.current = byName(wanted)?.id ?? all.channels[0].id
  byId('model').replaceChildren(el(`span.chip${all.isDemo ? '.demo' : ''}`, {}, ...modelLabel(all)))
  byId('notes').replaceChildren(...all.notes.map((note) => el('li', {}, note)))
  renderAll()
}

function modelLabel({ isDemo, model }) {
  return isDemo
    ? ['Demo model', el('span.wide', {}, ': rules, no language model')]
    : [el('span.wide', {}, 'Model: '), model]
}

function withMessages(channel) {
  return { ...channel, messages: new Map(channel.messages.map((message) => [message.ts, message])) }
}

function byName(name) {
  return [...state.channels.values()].find((channel) => slug(channel) === name)
}

function slug(channel) {
  return channel.kind === 'im' ? 'dm' : channel.name
}

/** Takes in one change; says nothing of what it means for the eye. */
function apply(change) {
  if (change.type === 'channel') return void state.channels.set(change.channel.id, withMessages(change.channel))
  const channel = state.channels.get(change.channel)
  if (!channel) return
  if (change.type === 'message') channel.messages.set(change.message.ts, change.message)
  if (change.type === 'removed') channel.messages.delete(change.ts)
  if (change.type === 'ephemeral') channel.ephemerals.push(change.ephemeral)
  if (change.type === 'status') channel.statuses[change.thread] = change.text
}

function take(change) {
  const isNew = change.type === 'message' && !state.channels.get(change.channel)?.messages.has(change.message.ts)
  apply(change)
  if (isNew && change.channel !== state.current && change.message.user !== state.you) state.unread.add(change.channel)
  if (change.channel === state.current) openByItself(change, isNew)
  renderAll()
}

/** When the bot begins to answer in a thread, the thread opens, unless somebody is writing in another or closed it. */
function openByItself(change, isNew) {
  const fromBot = isNew && change.message.user === state.bot
  const thread =
    change.type === 'status' && change.text !== '' ? change.thread : fromBot ? change.message.thread_ts : undefined
  if (!thread || thread === state.thread || state.closed.has(thread)) return
  if (state.thread === undefined || replyBox.box.value === '') openThread(thread, { focus: false })
}

// ---- what is shown ----

function renderAll() {
  const channel = state.channels.get(state.current)
  renderSidebar()
  renderChannel(channel)
  renderThread(channel)
}

function titleOf(channel) {
  return channel.kind === 'im' ? names.user(state.bot) : `# ${channel.name}`
}

function renderSidebar() {
  const items = (kinds) =>
    [...state.channels.values()].filter((channel) => kinds.includes(channel.kind)).map(sidebarItem)
  syncList(byId('channel-list'), items(['channel', 'group']))
  syncList(byId('dm-list'), items(['im', 'mpim']))
}

function sidebarItem(channel) {
  const isCurrent = channel.id === state.current
  const isUnread = state.unread.has(channel.id)
  const label =
    channel.kind === 'im'
      ? [el('img', { src: 'icon.svg', alt: '', width: 18, height: 18 }), names.user(state.bot)]
      : [el('span.hash', { 'aria-hidden': 'true' }, '#'), channel.name]
  const make = () =>
    el(
      'li',
      {},
      el(
        `button.channel${isUnread ? '.unread' : ''}`,
        { type: 'button', 'aria-current': isCurrent && 'page', onclick: () => go(channel.id) },
        ...label,
        isUnread && el('span.sr-only', {}, ', unread'),
      ),
    )
  return { key: channel.id, state: [channel.name, isCurrent, isUnread], make }
}

/** Messages and whispers in their order, each with what is around it. */
function listItems(channel, messages, extra) {
  let previous
  return messages.map((message) => {
    const before = previous
    previous = { user: message.user, ts: message.ts, subtype: message.subtype, isWhisper: message.isWhisper }
    const more = extra(message)
    const make = () => messageItem(message, { ...actions(channel), previous: before, ...more })
    return {
      key: `${channel.id}-${message.ts}`,
      state: [message, before?.user, before?.ts, more.replies, more.status],
      make,
    }
  })
}

function actions(channel) {
  return {
    names,
    you: state.you,
    bot: state.bot,
    user: (id) => state.users.get(id) ?? { name: id, real_name: id, is_bot: false },
    press: (message, { action_id, value }) => post('press', { channel: channel.id, ts: message.ts, action_id, value }),
    react: (message, name, removed) => post('react', { channel: channel.id, ts: message.ts, name, removed }),
  }
}

function whispers(channel, thread) {
  return channel.ephemerals.filter((one) => one.thread_ts === thread).map((one) => ({ ...one, isWhisper: true }))
}

function inOrder(messages) {
  return messages.sort((a, b) => Number(a.ts) - Number(b.ts))
}

function renderChannel(channel) {
  const roots = [...channel.messages.values()].filter(
    (one) => !one.thread_ts || one.thread_ts === one.ts || one.subtype === 'thread_broadcast',
  )
  byId('channel-title').textContent = titleOf(channel)
  byId('channel-about').textContent =
    channel.kind === 'im' ? 'Every message here is a question.' : 'Mention @thinkaloud to ask it something.'
  document.title = `${titleOf(channel)} – Thinkaloud playground`
  const all = inOrder([...roots, ...whispers(channel, undefined)])
  const extra = (message) => ({
    replies: repliesTo(channel, message.ts).length,
    status: statusOf(channel, message.ts),
    openThread: message.isWhisper ? undefined : openThread,
  })
  keepAtEnd(byId('scroller'), () => syncList(byId('messages'), listItems(channel, all, extra)))
  renderEmpty(channel, all.length === 0)
}

function repliesTo(channel, root) {
  return [...channel.messages.values()].filter((one) => one.thread_ts === root && one.ts !== root)
}

function statusOf(channel, thread) {
  const status = channel.statuses[thread]
  return status ? `${names.user(state.bot)} ${status}` : ''
}

/** An empty channel says what can be done, and offers questions. */
function renderEmpty(channel, isEmpty) {
  const box = byId('empty')
  box.hidden = !isEmpty
  if (!isEmpty || box.dataset.channel === channel.id) return
  box.dataset.channel = channel.id
  const isDirect = channel.kind === 'im'
  const fill = (text) => messageBox.fill(isDirect ? text : `@thinkaloud ${text}`)
  box.replaceChildren(
    el('h3', {}, isDirect ? `This is you and ${names.user(state.bot)}` : `Welcome to #${channel.name}`),
    el(
      'p',
      {},
      isDirect
        ? 'Ask something, and watch it reason in the thread.'
        : 'Ask @thinkaloud something, and watch it reason in the thread: each step as it happens, then the answer.',
    ),
    el(
      'ul.examples',
      { 'aria-label': 'Questions to try' },
      ...state.examples.map((text) =>
        el('li', {}, el('button.example', { type: 'button', onclick: () => fill(text) }, text)),
      ),
    ),
  )
}

function renderThread(channel) {
  const pane = byId('thread')
  const root = state.thread && channel.messages.get(state.thread)
  pane.hidden = !root
  document.body.classList.toggle('with-thread', Boolean(root))
  if (!root) return
  byId('thread-channel').textContent = titleOf(channel)
  const replies = inOrder([...repliesTo(channel, root.ts), ...whispers(channel, root.ts)])
  const items = listItems(channel, [root, ...replies], () => ({}))
  const count = replies.length === 1 ? '1 reply' : `${replies.length} replies`
  if (replies.length > 0)
    items.splice(1, 0, {
      key: `count-${root.ts}`,
      state: count,
      make: () => el('li.divider', {}, el('span', {}, count)),
    })
  byId('thread-status').textContent = statusOf(channel, root.ts)
  keepAtEnd(byId('thread-scroller'), () => syncList(byId('replies'), items))
}

/** Who reads the end goes on reading the end. */
function keepAtEnd(scroller, change) {
  const atEnd = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 80
  change()
  if (atEnd) scroller.scrollTop = scroller.scrollHeight
}

// ---- what can be done ----

function go(id) {
  Object.assign(state, { current: id, thread: undefined })
  state.unread.delete(id)
  const channel = state.channels.get(id)
  history.replaceState(null, '', `#${slug(channel)}`)
  toggleMenu(false)
  labelBoxes()
  renderAll()
  byId('scroller').scrollTop = byId('scroller').scrollHeight
  messageBox.box.focus()
}

function openThread(ts, { focus = true } = {}) {
  state.thread = ts
  state.closed.delete(ts)
  renderAll()
  byId('thread-scroller').scrollTop = byId('thread-scroller').scrollHeight
  if (focus) replyBox.box.focus()
}

function closeThread() {
  if (!state.thread) return
  state.closed.add(state.thread)
  state.thread = undefined
  renderAll()
  messageBox.box.focus()
}

async function post(path, body) {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`The playground answered ${response.status}.`)
}

function toggleMenu(open = !document.body.classList.contains('with-menu')) {
  document.body.classList.toggle('with-menu', open)
  byId('menu-button').setAttribute('aria-expanded', String(open))
}

function suggestions(withCommands) {
  const people = [...state.users.values()]
    .filter((user) => user.id !== state.you)
    .map((user) => ({
      insert: `@${user.name}`,
      label: `@${user.name}`,
      about: user.is_bot ? 'the bot' : user.real_name,
    }))
  const ask = { insert: '/ask', label: '/ask', about: 'a question; /ask alone for help' }
  return withCommands ? [...people, ask] : people
}

function labelBoxes() {
  const channel = state.channels.get(state.current)
  const isDirect = channel.kind === 'im'
  const help = isDirect
    ? ['Enter sends']
    : [el('kbd', {}, '@thinkaloud'), ' or ', el('kbd', {}, '/ask'), ' with a question · Enter sends']
  messageBox.label(isDirect ? `Message ${names.user(state.bot)}` : `Message #${channel.name}`, help)
  replyBox.label('Reply in thread', ['No mention is needed in a thread that the bot has answered in.'])
}

const messageBox = createComposer(byId('message-form'), {
  id: 'message-box',
  suggestions: () => suggestions(true),
  send: (text) => post('say', { channel: state.current, text }),
})
const replyBox = createComposer(byId('reply-form'), {
  id: 'reply-box',
  suggestions: () => suggestions(false),
  send: (text) => post('say', { channel: state.current, text, thread_ts: state.thread }),
})

byId('thread-close').addEventListener('click', closeThread)
byId('menu-button').addEventListener('click', () => toggleMenu())
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return
  if (document.body.classList.contains('with-menu')) return toggleMenu(false)
  if (byId('thread').contains(document.activeElement)) closeThread()
})

// The stream is opened before the state is read, so that nothing falls between the two; each reconnection reads it anew.
const events = new EventSource('events')
let ready = Promise.resolve()
events.addEventListener('open', () => {
  byId('connection').hidden = true
  ready = load().then(labelBoxes)
})
events.addEventListener('error', () => (byId('connection').hidden = false))
events.addEventListener('message', (event) => void ready.then(() => take(JSON.parse(event.data))))
