/**
 * Keeps the draft of each place while the box shows another place, as in Slack. A place is a channel or a thread. Texts
 * survive a reload of the tab.
 */
export class Drafts {
  place = ''
  #kept = new Map()
  #box
  #name
  #texts

  /**
   * @param {{ read(): object, write(draft: object, problem?: string): void }} box `read` returns the content and
   * empties the box
   * @param {string} id the box's own id
   */
  constructor(box, id) {
    this.#box = box
    // Each person at the page has their own drafts.
    this.#name = `drafts ${id} ${location.search}`
    this.#texts = JSON.parse(window.sessionStorage.getItem(this.#name) ?? '{}')
  }

  /** Remembers the text in the box. */
  note(text) {
    if (this.place === '' || (this.#texts[this.place] ?? '') === text) return
    this.#texts = { ...this.#texts, [this.place]: text }
    if (text === '') delete this.#texts[this.place]
    window.sessionStorage.setItem(this.#name, JSON.stringify(this.#texts))
  }

  turnTo(place) {
    if (place === this.place) return
    this.#kept.set(this.place, this.#box.read())
    this.place = place
    this.#box.write(this.#kept.get(place) ?? { text: this.#texts[place] ?? '', files: [] })
  }

  /** Restores a draft that could not be sent, even if the box shows another place now. */
  putBack(place, draft, problem) {
    if (place === this.place) this.#box.write(draft, problem)
    else this.#kept.set(place, draft)
  }
}
