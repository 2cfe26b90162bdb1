/** Draws the page from its state. Everything is drawn at each change; unchanged parts keep their elements. */
import { byId, el } from './dom.js'
import { renderBlocks } from './draw-blocks.js'
import { line, listItems } from './list-items.js'
import { redrawPanel } from './panels.js'
import { followEnd } from './scroll-end.js'
import { renderSidebar } from './sidebar.js'
import { isDirect, isWorking, names, repliesIn, repliesTo, rootsIn, state, statusOf, titleOf } from './state.js'
import { syncList } from './sync-list.js'
import { ago, dateOf } from './times.js'
import { newReplies } from './unread.js'

for (const id of ['scroller', 'thread-scroller']) followEnd(byId(id))

/**
 * @param {object} acts the actions: `go(channel)`, `openThread(ts)`, `fill(text)`, `press(…)`, `react(…)` and so on,
 * see app.js
 */
export function render(acts) {
  const channel = state.channels.get(state.current)
  renderSidebar(acts)
  renderChannel(channel, acts)
  renderThread(channel, acts)
  renderHome(channel, acts)
  redrawPanel()
}

/** Draws the line at the top: the model in use, and what is simulated or real. */
export function renderNotes({ isDemo, model, notes }) {
  const label = isDemo
    ? ['Demo', el('span.wide', {}, ' model'), el('span.roomy', {}, ': recordings and rules')]
    : [el('span.wide', {}, 'Model: '), model]
  byId('model').replaceChildren(el(`span.chip${isDemo ? '.demo' : ''}`, {}, ...label))
  byId('notes').replaceChildren(...notes.map((note) => el('li', {}, ...folded(note))))
}

/** Folds the list at the end of a note, so that all notes fit on a screen. */
function folded(note) {
  const at = note.lastIndexOf(': ')
  if (note.length < 400 || at < 0) return [note]
  return [`${note.slice(0, at)}. `, el('details', {}, el('summary', {}, 'Which ones?'), note.slice(at + 2))]
}

function renderChannel(channel, acts) {
  byId('channel-title').textContent = titleOf(channel)
  byId('channel-about').textContent = isDirect(channel)
    ? 'Every message here is a question.'
    : 'Mention @thinkaloud to ask it something.'
  document.title = `${titleOf(channel)} – Thinkaloud playground`
  const messages = rootsIn(channel)
  const extra = (message) => (message.isEphemeral ? {} : under(channel, message, acts))
  syncList(byId('messages'), listItems(channel, { messages, acts, extra, newFrom: state.newFrom }))
  renderEmpty(channel, messages.length === 0, acts)
}

/** Draws the line below a message about its thread. */
function under(channel, message, acts) {
  const replies = repliesTo(channel, message.ts)
  return {
    openThread: acts.openThread,
    replies: replies.length,
    last: replies.length > 0 ? ago(replies.at(-1).ts) : undefined,
    fresh: replies.length > 0 ? newReplies(channel, message.ts) : 0,
    status: statusOf(channel, message.ts),
  }
}

/** The button of an example names its sample file. */
/** A question about the same file as the one before does not name it again. */
const titled = ({ message, file }, i, all) => {
  const isNew = file && file !== all[i - 1]?.file
  const title = isNew ? `${message} (with ${file})` : file ? `${message} (with the same file)` : message
  return { title, message, file }
}

/** Draws an empty channel: what can be done, and questions to try. */
function renderEmpty(channel, isEmpty, acts) {
  const box = byId('empty')
  const prompts = channel.prompts[''] ?? []
  const print = JSON.stringify([channel.id, prompts])
  box.hidden = !isEmpty
  if (!isEmpty || box.dataset.print === print) return
  box.dataset.print = print
  const fill = (text, file) => acts.fill(isDirect(channel) ? text : `@thinkaloud ${text}`, file)
  const example = ({ title, message, file }) =>
    el('li', {}, el('button.example', { type: 'button', onclick: () => fill(message, file) }, title))
  // The agent's suggestions come before the playground's examples.
  const questions = prompts.length > 0 ? prompts : state.examples.map(titled)
  box.replaceChildren(
    el('h3', {}, isDirect(channel) ? `This is you and ${names.user(state.bot)}` : `Welcome to #${channel.name}`),
    el(
      'p',
      {},
      `Ask ${isDirect(channel) ? '' : '@thinkaloud '}something, and watch it reason in the thread: each step as it happens, then the answer.`,
    ),
    el('ul.examples', { 'aria-label': 'Questions to try' }, ...questions.map(example)),
  )
}

function renderThread(channel, acts) {
  const root = state.thread && channel.messages.get(state.thread)
  byId('thread').hidden = !root
  document.body.classList.toggle('with-thread', Boolean(root))
  if (!root) return
  byId('thread-channel').textContent = titleOf(channel)
  byId('thread-status').textContent = statusOf(channel, root.ts)
  renderSession(channel, root.ts, acts)
  const messages = repliesIn(channel, root.ts)
  const extra = () => ({})
  const day = dateOf(root.ts).toDateString()
  // Replies are never grouped with the root.
  const items = [
    ...listItems(channel, { messages: [root], acts, extra, day }),
    ...(messages.length > 0 ? [countLine(root, messages.length)] : []),
    ...listItems(channel, { messages, acts, extra, day, newFrom: state.newRepliesFrom }),
  ]
  syncList(byId('replies'), items)
}

/** Draws an agent's session: its title, which people may change, and Slack's Stop while it works. */
function renderSession(channel, thread, acts) {
  const stop = byId('thread-stop')
  stop.hidden = !isWorking(channel, thread)
  stop.onclick = () => acts.stop(channel.id, thread)
  const session = channel.sessions[thread]
  const title = byId('thread-title')
  title.hidden = !session
  title.textContent = session?.title ?? 'Untitled'
  title.setAttribute('aria-label', `Rename the session: ${title.textContent}`)
  title.onclick = () => acts.rename(channel.id, thread, session?.title ?? '')
}

/** Draws the app's Home beside its direct messages. */
function renderHome(channel, acts) {
  const direct = isDirect(channel)
  const isHome = direct && state.isHome
  const tabs = byId('tabs')
  tabs.hidden = !direct
  for (const tab of tabs.children) {
    const selected = (tab.dataset.tab === 'home') === isHome
    tab.setAttribute('aria-pressed', String(selected))
    tab.onclick = () => acts.showTab(tab.dataset.tab === 'home')
  }
  byId('scroller').hidden = isHome
  byId('message-form').hidden = isHome
  const home = byId('home')
  home.hidden = !isHome
  const view = state.views.home
  if (!isHome || home.dataset.hash === (view?.hash ?? 'none')) return
  home.dataset.hash = view?.hash ?? 'none'
  const context = { key: view?.id, names, press: (action) => acts.pressView(view.id, {}, action) }
  const nothing = el('p.quiet', {}, 'The app has published no Home yet.')
  home.replaceChildren(...(view ? renderBlocks(view.blocks, context) : [nothing]))
}

function countLine(root, count) {
  return line(`count-${root.ts}`, count === 1 ? '1 reply' : `${count.toLocaleString('en')} replies`, 'replies')
}
