/** The actions on a message: frequent reactions, and a menu with the rest. */
import { el } from './dom.js'
import { moveInMenu } from './drop-menu.js'
import { icon } from './icons.js'

/** Quick reactions, each with its icon. */
const QUICK = { '+1': 'thumb-up', eyes: 'eye', x: 'cross' }

/**
 * @param {object} message
 * @param {object} view `you`, `shortcuts`, `isOwn`, and the actions `react`, `pick`, `forward`, `edit`, `remove`,
 * `shortcut` and `openThread`
 */
export function messageTools(message, view) {
  const react = ([name, sign]) => {
    const mine = message.reactions?.some((one) => one.name === name && one.users.includes(view.you)) ?? false
    const onclick = () => view.react(message, name, mine)
    return el(
      'button.tool',
      { type: 'button', 'aria-label': `React with ${name}`, title: `:${name}:`, onclick },
      icon(sign),
    )
  }
  const reply = () => {
    const attributes = {
      type: 'button',
      'aria-label': 'Reply in thread',
      'data-act': 'reply',
      title: 'Reply in thread',
      onclick: () => view.openThread(message.ts),
    }
    return el('button.tool', attributes, icon('reply'))
  }
  const pick = () => {
    const attributes = {
      type: 'button',
      'aria-label': 'Find another reaction',
      'data-act': 'react',
      title: 'Find another reaction',
      onclick: (event) => view.pick(message, event.currentTarget),
    }
    return el('button.tool', attributes, icon('smile'))
  }
  const bar = el('div.tools', { role: 'group', 'aria-label': 'Message actions' })
  const run = () =>
    el(
      'button.tool',
      { type: 'button', 'data-run-link': true, 'aria-label': 'Show the run', title: 'Show the run' },
      icon('route'),
    )
  const isOfRun = message.metadata?.event_payload?.run !== undefined
  bar.append(
    ...Object.entries(QUICK).map(react),
    pick(),
    ...(view.openThread ? [reply()] : []),
    ...(isOfRun ? [run()] : []),
  )
  if (items(message, view).length === 0) return bar
  const more = el(
    'button.tool',
    { type: 'button', 'aria-label': 'More actions', 'aria-haspopup': 'menu', 'aria-expanded': 'false' },
    icon('more'),
  )
  bar.append(more)
  more.addEventListener('click', () => toggle(more, bar, () => items(message, view)))
  return bar
}

function items(message, view) {
  const own = view.isOwn(message)
  return [
    own && { words: 'Edit message', act: () => view.edit(message) },
    own && { words: 'Delete message', act: () => view.remove(message), look: '.danger' },
    view.forward && { words: 'Forward message', act: () => view.forward(message) },
    ...view.shortcuts.map(({ name, callback_id }) => ({ words: name, act: () => view.shortcut(message, callback_id) })),
  ].filter(Boolean)
}

function toggle(button, bar, entries) {
  const open = bar.querySelector('[role="menu"]')
  if (open) return (open.remove(), button.setAttribute('aria-expanded', 'false'))
  const close = () => {
    document.removeEventListener('pointerdown', outside)
    list.remove()
    button.setAttribute('aria-expanded', 'false')
  }
  // A press elsewhere or moving on by keyboard closes the menu. A window that loses the focus does not.
  const outside = ({ target }) => !bar.contains(target) && close()
  const choose = (act) => {
    close()
    button.focus()
    act()
  }
  const list = el(
    'div.menu',
    { role: 'menu', 'aria-label': 'More actions' },
    ...entries().map(({ words, act, look = '' }) =>
      el(
        `button.menu-item${look}`,
        { type: 'button', role: 'menuitem', tabindex: -1, onclick: () => choose(act) },
        words,
      ),
    ),
  )
  list.addEventListener('keydown', (event) => moveInMenu(event, [...list.children], () => (close(), button.focus())))
  list.addEventListener('focusout', (event) => event.relatedTarget && outside({ target: event.relatedTarget }))
  document.addEventListener('pointerdown', outside)
  button.setAttribute('aria-expanded', 'true')
  // Near the lower edge the menu opens upwards.
  list.classList.toggle('up', bar.getBoundingClientRect().bottom > window.innerHeight - 260)
  bar.append(list)
  list.firstElementChild?.focus()
}
