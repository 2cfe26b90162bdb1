/** Runs the buttons of a panel's form, and shows the result or the error in a box of the form. */
import { el } from './dom.js'

/**
 * @param {HTMLElement} said the box for results
 * @returns {(doing: string, work: () => Promise<(Node | string)[]>) => (event: Event) => Promise<void>} turns work into
 * a listener, which shows its result; `doing` is shown meanwhile
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
