/** Shows notices at the edge of the page: the bot was restarted, an edit has a fault, or a hint. */
import { el } from './dom.js'

/** The time a notice stays, in ms. A fault stays until it is closed. */
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
