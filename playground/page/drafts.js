/** What was begun at one place waits there while the box is another's, as in Slack. A place is a channel or a thread. */
export class Drafts {
  place = ''
  #kept = new Map()
  #box

  /** @param {{ read(): object, write(draft: object, problem?: string): void }} box `read` takes what is in it away */
  constructor(box) {
    this.#box = box
  }

  turnTo(place) {
    if (place === this.place) return
    this.#kept.set(this.place, this.#box.read())
    this.place = place
    this.#box.write(this.#kept.get(place) ?? { text: '', files: [] })
  }

  /** What could not be sent is given back, wherever the box is by now. */
  putBack(place, draft, problem) {
    if (place === this.place) this.#box.write(draft, problem)
    else this.#kept.set(place, draft)
  }
}
