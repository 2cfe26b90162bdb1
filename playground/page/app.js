/** The page: receives changes, and sends what the person does. */
import { messageBox, replyBox, turnBoxes } from './boxes.js'
import { receiveChanges } from './changes.js'
import { byId } from './dom.js'
import { loadEmoji } from './emoji.js'
import { forward } from './forward.js'
import { pickEmoji } from './emoji-picker.js'
import { moveByArrows } from './list-keys.js'
import { showModals } from './modal.js'
import { hintAtMention } from './mention-hint.js'
import { offerModels } from './model-choice.js'
import { edit, remove } from './own-messages.js'
import { showNotice } from './notice.js'
import { askText } from './own-window.js'
import { drawPanel, makePanels, showPanel, tellPanel } from './panels.js'
import { openRun } from './run-panel.js'
import { renderPeople } from './people-switch.js'
import { notePlace, pushPlace, readPlace } from './place.js'
import { toEnd } from './scroll-end.js'
import { get, post } from './page-calls.js'
import { isDirect, isOwn, repliesIn, state, takeAll, takeChange } from './state.js'
import { loadRead, newReplies, readShown, readUntil, unreadIn } from './unread.js'
import { render, renderNotes } from './view.js'

const acts = {
  go,
  openThread: (ts) => openThread(ts),
  fill: (text, file) => messageBox.fill(text, file),
  offer: ({ thread_ts: thread }, text) => {
    if (thread) return replyBox.fill(text)
    return messageBox.fill(isDirect(state.channels.get(state.current)) ? text : `@thinkaloud ${text}`)
  },
  press: (channel, ts, { action_id, value, chosen, values }) =>
    post('press', { channel, ts, action_id, value, chosen, values }),
  react: (channel, ts, { name, removed }) => post('react', { channel, ts, name, removed }),
  pick: (channel, message, button) =>
    pickEmoji(button, (name) => {
      const mine = message.reactions?.some((one) => one.name === name && one.users.includes(state.you)) ?? false
      void post('react', { channel, ts: message.ts, name, removed: mine })
    }),
  forward,
  edit,
  remove,
  shortcut: (channel, message, callback_id) => post('shortcut', { channel, ts: message.ts, callback_id }),
  stop: (channel, thread) => post('stop', { channel, thread }),
  rename: (channel, thread, before) =>
    askText({ title: 'Title of the session', text: before, button: 'Rename' }, (title) =>
      post('rename', { channel, thread, title }),
    ),
  showTab: (isHome) => showTab(isHome),
  openRun,
  pressView: (view, values, { action_id, value, chosen }) => post('press', { view, values, action_id, value, chosen }),
  closeView: (view) => post('close', { view }),
  submitView: (view, values) =>
    post('submit', { view, values }).then(
      ({ errors }) => errors,
      (error) => ({ '': error.message }),
    ),
}

// ---- changes ----

let isLoaded = false

async function load() {
  const [all] = await Promise.all([get('state'), loadEmoji()])
  takeAll(all)
  renderNotes(all)
  if (all.panels.includes('models')) void offerModels({ get, post })
  renderPeople()
  if (isLoaded) return draw()
  isLoaded = true
  makePanels(all.panels, tools)
  loadRead()
  come()
}

function draw() {
  readShown()
  render(acts)
  showModals(state.views.modals, acts)
}

let isDrawing = false

/** Changes that arrive together are drawn together. */
function drawSoon() {
  if (isDrawing) return
  isDrawing = true
  setTimeout(() => {
    isDrawing = false
    draw()
  }, 0)
}

function applyChange(change) {
  if (change.type === 'notice') return showNotice(change)
  if (change.type === 'model') return void load()
  tellPanel(change)
  const isNew = takeChange(change)
  if (isNew) hintAtMention(change)
  if (change.channel === state.current) {
    if (isNew && document.hidden) state.newFrom ??= readUntil(state.current)
    openByItself(change, isNew)
    closeByItself(change)
  }
  drawSoon()
}

/**
 * Opens a thread when the bot begins to answer in it, unless the person is writing in another thread or has closed this
 * one.
 */
function openByItself(change, isNew) {
  const fromBot = isNew && change.type === 'message' && change.message.user === state.bot
  const begun = change.type === 'status' && change.text !== '' ? change.thread : undefined
  const thread = begun ?? (fromBot ? change.message.thread_ts : undefined)
  if (!thread || thread === state.thread || state.closed.has(thread)) return
  if (state.thread !== undefined && replyBox.box.value !== '') return
  showThread(thread, { isWatched: true })
  notePlace()
}

/**
 * Closes a thread without answers when the person gets an ephemeral message in the channel. On a narrow page the thread
 * would hide it.
 */
function closeByItself({ type, ephemeral }) {
  if (type !== 'ephemeral' || ephemeral.thread_ts || !state.thread || replyBox.box.value !== '') return
  if (repliesIn(state.channels.get(state.current), state.thread).length === 0) state.thread = undefined
}

// Listening starts before the state is read, so that no change is lost. Each reconnection reads the state again.
let ready = Promise.resolve()
receiveChanges({
  onOpen() {
    byId('connection').hidden = true
    ready = load()
  },
  onLost: () => (byId('connection').hidden = false),
  onChange: (change) => void ready.then(() => applyChange(change)),
})

// ---- places ----

/**
 * Goes to the place in the address: at the start, with Back, and when somebody edits the address. Parts that are
 * already open stay unchanged.
 */
function come() {
  const { current = [...state.channels.keys()][0], thread, isHome, panel, panelItem } = readPlace()
  const isOther = current !== state.current
  if (isOther || isHome !== state.isHome) enter(current, isHome)
  if (thread !== state.thread) showThread(thread)
  else draw()
  if (isOther) toEnd(byId('scroller'))
  drawPanel(panel, tools, panelItem)
  notePlace()
}

/** The app is told when either tab of the direct messages opens, and may then publish its Home. */
function enter(channel, isHome = false) {
  if (channel !== state.current)
    state.newFrom = unreadIn(state.channels.get(channel)).isUnread ? readUntil(channel) : undefined
  Object.assign(state, { current: channel, thread: undefined, isHome })
  if (isDirect(state.channels.get(channel))) void post('home', { tab: isHome ? 'home' : 'messages' })
  toggleMenu(false)
  turnBoxes()
}

function go(id) {
  enter(id)
  draw()
  pushPlace()
  toEnd(byId('scroller'))
  messageBox.box.focus()
}

function showTab(isHome) {
  enter(state.current, isHome)
  draw()
  pushPlace()
}

/**
 * @param {string | undefined} ts its root; without one the open thread closes. `isWatched`: the person sees its
 * messages arrive, so none is new
 */
function showThread(ts, { isWatched = false } = {}) {
  const channel = state.channels.get(state.current)
  const hasNew = ts && !isWatched && newReplies(channel, ts) > 0
  state.newRepliesFrom = hasNew ? readUntil(`${channel.id}/${ts}`) : undefined
  state.thread = ts
  state.closed.delete(ts)
  turnBoxes()
  draw()
  toEnd(byId('thread-scroller'))
}

function openThread(ts) {
  showThread(ts)
  pushPlace()
  replyBox.box.focus()
}

function closeThread() {
  if (!state.thread) return
  state.closed.add(state.thread)
  state.thread = undefined
  draw()
  pushPlace()
  messageBox.box.focus()
}

function toggleMenu(open = !document.body.classList.contains('with-menu')) {
  document.body.classList.toggle('with-menu', open)
  byId('menu-button').setAttribute('aria-expanded', String(open))
}

window.addEventListener('popstate', () => isLoaded && come())
document.addEventListener('visibilitychange', () => isLoaded && draw())
// Updates "Last reply 2 minutes ago".
setInterval(() => isLoaded && draw(), 30_000)

// ---- the panels, and the keyboard ----

const tools = {
  post,
  get,
  go,
  openThread,
  showPanel: (id, item) => showPanel(id, tools, item),
  showItem: (item) => {
    state.panelItem = item
    pushPlace()
  },
}

byId('thread-close').addEventListener('click', closeThread)
byId('menu-button').addEventListener('click', () => toggleMenu())
/** The keys for the focused message, as in Slack: E edits, R reacts, T opens the thread, Delete deletes it. */
const letters = {
  e: (item) => ofOne(item, edit),
  r: (item) => item.querySelector('[data-act="react"]')?.click(),
  t: (item) => item.querySelector('[data-act="reply"]')?.click(),
  Delete: (item) => ofOne(item, remove),
}
function ofOne(item, act) {
  const message = state.channels.get(state.current).messages.get(item.dataset.ts)
  if (message && isOwn(message)) act(state.current, message)
}

moveByArrows(byId('sidebar'), '.channel')
for (const id of ['scroller', 'thread-scroller']) moveByArrows(byId(id), '.message', letters)
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || event.defaultPrevented) return
  if (document.body.classList.contains('with-menu')) return toggleMenu(false)
  const at = document.activeElement
  if (byId('thread').contains(at)) closeThread()
  // Escape empties a search box.
  else if (
    !at.closest('dialog') &&
    (at === document.body || at.closest('#panel, .panels')) &&
    !(at.type === 'search' && at.value)
  )
    showPanel(undefined, tools)
})
