/** What the playground says of the bot behind it: that it was started anew, or that an edit is not right. */
import { el } from './dom.js'

/** How long a notice stays that is no fault, in ms. */
const STAYS_MS = 4_000
let box
let timer

/** @param {{ text: string, isFault: boolean }} notice */
export function showNotice({ text, isFault }) {
  box ??= document.body.appendChild(el('div', { id: 'notice', role: 'status' }))
  clearTimeout(timer)
  box.className = isFault ? 'notice fault' : 'notice'
  box.replaceChildren(
    el('p', {}, text),
    el('button.icon-button', { type: 'button', 'aria-label': 'Close notice', onclick: () => (box.hidden = true) }, '✕'),
  )
  box.hidden = false
  if (!isFault) timer = setTimeout(() => (box.hidden = true), STAYS_MS)
}
