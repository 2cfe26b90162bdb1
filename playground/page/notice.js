/**
 * What the playground says at the edge of the page: that the bot was started anew, that an edit is not right, or a
 * hint.
 */
import { el } from './dom.js'

/** How long a notice stays that is no fault, in ms. */
const STAYS_MS = 4_000
let box
let timer

/** @param {{ text: string, isFault?: boolean, staysMs?: number }} notice */
export function showNotice({ text, isFault = false, staysMs = STAYS_MS }) {
  box ??= document.body.appendChild(el('div', { id: 'notice', role: 'status' }))
  clearTimeout(timer)
  box.className = isFault ? 'notice fault' : 'notice'
  box.replaceChildren(
    el('p', {}, text),
    el('button.icon-button', { type: 'button', 'aria-label': 'Close notice', onclick: () => (box.hidden = true) }, '✕'),
  )
  box.hidden = false
  if (!isFault) timer = setTimeout(() => (box.hidden = true), staysMs)
}
