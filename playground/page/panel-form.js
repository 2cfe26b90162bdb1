/** Runs the buttons of a panel's form, and shows the result or the error in a box of the form. */
import { el } from './dom.js'

/**
 * @param {HTMLElement} said the box
 * @returns {(doing: string, work: () => Promise<(Node | string)[]>) => (event: Event) => Promise<void>} makes of some
 *   work, which gives what is to be
 *   said, what listens; `doing` stands there meanwhile
 */
export function actIn(said) {
  return (doing, work) => async (event) => {
    event.preventDefault()
    said.replaceChildren(el('p.quiet', {}, doing))
    try {
      said.replaceChildren(...(await work()))
    } catch (error) {
      said.replaceChildren(el('p.panel-fault', {}, error.message))
    }
  }
}
