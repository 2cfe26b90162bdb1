/** A button that opens a menu below itself. Arrows move in it. Escape, or a press elsewhere, closes it. */
import { el } from './dom.js'

/**
 * @param {{ label: string, content: (Node | string)[], menu: string }} names the button's label and content, and the
 * menu's label
 * @param {{ content: (Node | string)[], checked?: boolean, choose(): void }[]} entries at most one of them is checked
 */
export function dropMenu({ label, content, menu }, entries) {
  const button = el(
    'button.drop-button',
    { type: 'button', 'aria-label': label, 'aria-haspopup': 'menu', 'aria-expanded': 'false', onclick: () => toggle() },
    ...content,
  )
  const items = entries.map((entry) => item(entry, leave))
  const list = el('div.menu.drop-list', { role: 'menu', 'aria-label': menu, hidden: true }, ...items)
  const box = el('div.drop', {}, button, list)

  function leave() {
    toggle(false)
    button.focus()
  }

  function toggle(open = list.hidden) {
    list.hidden = !open
    button.setAttribute('aria-expanded', String(open))
    if (!open) return
    const checked = items.find((one) => one.getAttribute('aria-checked') === 'true')
    ;(checked ?? items[0])?.focus()
  }
  const close = () => toggle(false)

  list.addEventListener('keydown', (event) => moveInMenu(event, items, leave))
  box.addEventListener('focusout', ({ relatedTarget }) => relatedTarget && !box.contains(relatedTarget) && close())
  document.addEventListener('pointerdown', ({ target }) => !box.contains(target) && !list.hidden && close())
  // A press in a neighbouring frame is not reported here, but the window loses the focus.
  window.addEventListener('blur', () => !list.hidden && close())
  return box
}

/**
 * Handles keys in a menu: arrows move, Home and End go to the ends, Escape leaves.
 * @param {KeyboardEvent} event @param {HTMLElement[]} items
 */
export function moveInMenu(event, items, leave) {
  const at = items.indexOf(document.activeElement)
  const last = items.length - 1
  const to = { ArrowDown: at === last ? 0 : at + 1, ArrowUp: at <= 0 ? last : at - 1, Home: 0, End: last }[event.key]
  if (event.key === 'Escape') leave()
  else if (to !== undefined) items[to].focus()
  else return
  event.preventDefault()
  event.stopPropagation()
}

function item({ content, checked, choose }, leave) {
  const role = checked === undefined ? 'menuitem' : 'menuitemradio'
  const onclick = () => (leave(), choose())
  const state = checked !== undefined && { 'aria-checked': String(checked) }
  return el('button.menu-item', { type: 'button', role, tabindex: -1, onclick, ...state }, ...content)
}
