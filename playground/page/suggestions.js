/**
 * The list of suggestions above a box, opened by @, / and :. The focus stays in the box, and `aria-activedescendant`
 * names the active suggestion.
 */
import { el } from './dom.js'

export class Suggestions {
  #box
  #list
  #source
  #offered = []
  #chosen = 0

  /**
   * @param {HTMLTextAreaElement} box
   * @param {{ id: string, source(word: string): { insert: string, label: string, about: string, isFit?: boolean }[] }}
   * options `isFit`: the source has already matched it with the word
   */
  constructor(box, { id, source }) {
    this.#box = box
    this.#source = source
    this.#list = el('ul.suggestions', { id, role: 'listbox', 'aria-label': 'Suggestions', hidden: true })
    box.setAttribute('aria-autocomplete', 'list')
    box.setAttribute('aria-controls', id)
    box.addEventListener('input', () => this.#offer())
    box.addEventListener('blur', () => this.#close())
  }

  get element() {
    return this.#list
  }

  /** Moves in the list, takes a suggestion or closes the list. Returns whether it handled the key. */
  key(event) {
    const count = this.#offered.length
    if (count === 0) return false
    if (event.key === 'ArrowDown') this.#choose((this.#chosen + 1) % count)
    else if (event.key === 'ArrowUp') this.#choose((this.#chosen + count - 1) % count)
    else if (event.key === 'Enter' || event.key === 'Tab') this.#accept(this.#chosen)
    else if (event.key === 'Escape') this.#close()
    else return false
    return true
  }

  /** Returns the word before the caret, if it begins with @ or :, or with / at the very start. */
  #word() {
    const before = this.#box.value.slice(0, this.#box.selectionStart)
    return /(?:^|\s)([@:][\w+-]*)$/.exec(before)?.[1] ?? /^(\/[\w-]*)$/.exec(before)?.[1]
  }

  #offer() {
    const word = this.#word()?.toLowerCase()
    const fits = ({ insert, isFit }) => isFit || (insert.startsWith(word) && insert !== word)
    this.#offered = word === undefined ? [] : this.#source(word).filter(fits)
    this.#choose(0)
  }

  #close() {
    this.#offered = []
    this.#choose(0)
  }

  #choose(index) {
    this.#chosen = index
    this.#list.hidden = this.#offered.length === 0
    this.#list.replaceChildren(...this.#offered.map((one, place) => this.#option(one, place)))
    if (this.#list.hidden) this.#box.removeAttribute('aria-activedescendant')
    else this.#box.setAttribute('aria-activedescendant', `${this.#list.id}-${index}`)
  }

  #option({ label, about }, place) {
    // A press must not take the focus from the box, so that the click counts.
    const onmousedown = (event) => {
      event.preventDefault()
      this.#accept(place)
    }
    const attributes = {
      id: `${this.#list.id}-${place}`,
      role: 'option',
      'aria-selected': String(place === this.#chosen),
      onmousedown,
    }
    return el('li', attributes, el('strong', {}, label), ' ', el('span.quiet', {}, about))
  }

  #accept(index) {
    const caret = this.#box.selectionStart
    this.#box.setRangeText(`${this.#offered[index].insert} `, caret - this.#word().length, caret, 'end')
    this.#box.dispatchEvent(new Event('input'))
    this.#close()
    this.#box.focus()
  }
}
