/** The page: changes come in as server-sent events, and what a person does goes out. */
import { createComposer } from './composer.js'
import { byId, el } from './dom.js'
import { askText, showModals } from './modal.js'
import { showNotice } from './notice.js'
import { makePanels, tellPanel } from './panels.js'
import { renderPeople } from './people-switch.js'
import { aboutPerson } from './person.js'
import { markRead } from './read-marks.js'
import { isDirect, names, repliesIn, slug, state, takeAll, takeChange } from './state.js'
import { render, renderNotes, toEnd } from './view.js'

const acts = {
  go,
  openThread: (ts) => openThread(ts),
  fill: (text) => messageBox.fill(text),
  press: (channel, ts, { action_id, value, values }) => post('press', { channel, ts, action_id, value, values }),
  react: (channel, ts, { name, removed }) => post('react', { channel, ts, name, removed }),
  edit: (channel, message) =>
    askText({ title: 'Edit message', text: asTyped(message.text), button: 'Save', multiline: true }, (text) =>
      post('edit', { channel, ts: message.ts, text }),
    ),
  remove: (channel, message) => post('delete', { channel, ts: message.ts }),
  shortcut: (channel, message, callback_id) => post('shortcut', { channel, ts: message.ts, callback_id }),
  stop: (channel, thread) => post('stop', { channel, thread }),
  rename: (channel, thread, before) =>
    askText({ title: 'Title of the session', text: before, button: 'Rename' }, (title) =>
      post('rename', { channel, thread, title }),
    ),
  showTab: (isHome) => showTab(isHome),
  pressView: (view, values, { action_id, value }) => post('press', { view, values, action_id, value }),
  closeView: (view) => post('close', { view }),
  submitView: (view, values) =>
    post('submit', { view, values }).then(
      ({ errors }) => errors,
      (error) => ({ '': error.message }),
    ),
}

// ---- what comes in ----

async function load() {
  const all = await (await fetch(`state${location.search}`)).json()
  takeAll(all, decodeURIComponent(location.hash.slice(1)))
  renderNotes(all)
  renderPeople()
  labelBoxes()
  draw()
}

function draw() {
  render(acts)
  markRead(post)
  showModals(state.views.modals, acts)
}

function take(change) {
  if (change.type === 'notice') return showNotice(change)
  tellPanel(change)
  const isNew = takeChange(change)
  if (change.channel === state.current) openByItself(change, isNew)
  if (change.channel === state.current) closeByItself(change)
  draw()
}

/** When the bot begins to answer in a thread, the thread opens, unless somebody writes in another or has closed it. */
function openByItself(change, isNew) {
  const fromBot = isNew && change.type === 'message' && change.message.user === state.bot
  const begun = change.type === 'status' && change.text !== '' ? change.thread : undefined
  const thread = begun ?? (fromBot ? change.message.thread_ts : undefined)
  if (!thread || thread === state.thread || state.closed.has(thread)) return
  if (state.thread === undefined || replyBox.box.value === '') openThread(thread, { focus: false })
}

/** On a narrow page a thread stands before the channel: one in which nobody has answered makes way for what is said to you there. */
function closeByItself({ type, ephemeral }) {
  if (type !== 'ephemeral' || ephemeral.thread_ts || !state.thread || replyBox.box.value !== '') return
  if (repliesIn(state.channels.get(state.current), state.thread).length === 0) state.thread = undefined
}

// The stream is opened before the state is read, so that nothing falls between the two; each reconnection reads it anew.
const events = new EventSource(`events${location.search}`)
let ready = Promise.resolve()
events.addEventListener('open', () => {
  byId('connection').hidden = true
  ready = load()
})
events.addEventListener('error', () => (byId('connection').hidden = false))
events.addEventListener('message', (event) => void ready.then(() => take(JSON.parse(event.data))))

// ---- what a person does ----

async function post(path, body) {
  const headers = { 'content-type': 'application/json' }
  return answerOf(await fetch(path + location.search, { method: 'POST', headers, body: JSON.stringify(body) }))
}

async function get(path, params = {}) {
  const address = new URL(path, window.location.href)
  address.search = new URLSearchParams([...new URLSearchParams(location.search), ...Object.entries(params)]).toString()
  return answerOf(await fetch(address))
}

async function answerOf(response) {
  const answer = await response.json().catch(() => ({}))
  if (!response.ok) throw new Error(answer.error ?? `The playground answered ${response.status}.`)
  return answer
}

/** Files go first, one after the other; the message names them. */
async function say(message, files) {
  const ids = []
  for (const { file, alt } of files) ids.push(await upload(file, alt))
  await post('say', { ...message, files: ids })
}

async function upload(file, alt) {
  const address = new URL('upload', window.location.href)
  for (const [key, value] of Object.entries({
    ...Object.fromEntries(new URLSearchParams(location.search)),
    name: file.name,
    alt,
  }))
    address.searchParams.set(key, value)
  const headers = { 'content-type': 'application/octet-stream' }
  return (await answerOf(await fetch(address, { method: 'POST', headers, body: file }))).id
}

/** A person's text as they typed it: mentions by name, signs unescaped. */
function asTyped(text) {
  const named = text.replace(/<@([UW]\w+)>/g, (whole, id) => `@${state.users.get(id)?.name ?? id}`)
  return named.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}

/** Opening either side of the direct messages is told to the app, which may then publish its Home. */
function showTab(isHome) {
  state.isHome = isHome
  void post('home', { tab: isHome ? 'home' : 'messages' })
  render(acts)
}

function go(id) {
  Object.assign(state, { current: id, thread: undefined, isHome: false })
  if (isDirect(state.channels.get(id))) void post('home', { tab: 'messages' })
  state.unread.delete(id)
  markRead(post)
  window.history.replaceState(null, '', `${location.search}#${slug(state.channels.get(id))}`)
  toggleMenu(false)
  labelBoxes()
  render(acts)
  toEnd(byId('scroller'))
  messageBox.box.focus()
}

function openThread(ts, { focus = true } = {}) {
  state.thread = ts
  state.closed.delete(ts)
  render(acts)
  toEnd(byId('thread-scroller'))
  if (focus) replyBox.box.focus()
}

function closeThread() {
  if (!state.thread) return
  state.closed.add(state.thread)
  state.thread = undefined
  render(acts)
  messageBox.box.focus()
}

function toggleMenu(open = !document.body.classList.contains('with-menu')) {
  document.body.classList.toggle('with-menu', open)
  byId('menu-button').setAttribute('aria-expanded', String(open))
}

// ---- where messages are written ----

const messageBox = createComposer(byId('message-form'), {
  id: 'message-box',
  suggestions: () => [...people(), ...commands()],
  send: (text, files) => say({ channel: state.current, text }, files),
})
const replyBox = createComposer(byId('reply-form'), {
  id: 'reply-box',
  suggestions: people,
  send: (text, files) => say({ channel: state.current, text, thread_ts: state.thread }, files),
})

function people() {
  const others = [...state.users.values()].filter((user) => user.id !== state.you)
  return others.map((user) => ({
    insert: `@${user.name}`,
    label: `@${user.name}`,
    about: user.is_bot ? 'the bot' : `${user.real_name}, ${aboutPerson(user)}`,
  }))
}

/** Somebody of another company has none of the app's. */
function commands() {
  const isOwn = state.users.get(state.you)?.kind !== 'external'
  return isOwn ? [{ insert: '/ask', label: '/ask', about: 'a question; /ask alone for help' }] : []
}

function labelBoxes() {
  const channel = state.channels.get(state.current)
  const ask = [el('kbd', {}, '@thinkaloud'), ' or ', el('kbd', {}, '/ask'), ' with a question · Enter sends']
  if (isDirect(channel)) messageBox.label(`Message ${names.user(state.bot)}`, ['Enter sends'])
  else messageBox.label(`Message #${channel.name}`, ask)
  replyBox.label('Reply in thread', ['No mention is needed in a thread that the bot has answered in.'])
}

makePanels({ post, get, go, openThread })

byId('thread-close').addEventListener('click', closeThread)
byId('menu-button').addEventListener('click', () => toggleMenu())
document.addEventListener('visibilitychange', () => markRead(post))
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || event.defaultPrevented) return
  if (document.body.classList.contains('with-menu')) return toggleMenu(false)
  if (byId('thread').contains(document.activeElement)) closeThread()
})
