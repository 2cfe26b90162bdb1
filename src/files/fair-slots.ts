/** Slots that people take in turn: at most one slot per person at a time. */
export class FairSlots {
  #free: number
  readonly #busy = new Set<string>()
  /** The waiting starts, by person; those whose turn is next come first. */
  readonly #waiting = new Map<string, (() => void)[]>()

  constructor(slots: number) {
    this.#free = slots
  }

  /** Waits for a slot. @returns the function that releases it @throws the signal's reason */
  take(person: string, signal?: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#drop(person, start)
        reject(signal?.reason)
      }
      const start = () => {
        signal?.removeEventListener('abort', leave)
        resolve(() => this.#release(person))
      }
      if (signal?.aborted) return reject(signal.reason)
      signal?.addEventListener('abort', leave, { once: true })
      this.#waiting.set(person, [...(this.#waiting.get(person) ?? []), start])
      this.#startNext()
    })
  }

  /** A person who waits for more slots goes to the end of the line. */
  #release(person: string): void {
    const later = this.#waiting.get(person)
    this.#waiting.delete(person)
    if (later) this.#waiting.set(person, later)
    this.#busy.delete(person)
    this.#free += 1
    this.#startNext()
  }

  #startNext(): void {
    const next = [...this.#waiting].find(([person]) => !this.#busy.has(person))
    if (!next || this.#free === 0) return
    const [person, [start]] = next
    if (start) this.#drop(person, start)
    this.#free -= 1
    this.#busy.add(person)
    start?.()
  }

  #drop(person: string, start: () => void): void {
    const left = (this.#waiting.get(person) ?? []).filter((one) => one !== start)
    if (left.length > 0) this.#waiting.set(person, left)
    else this.#waiting.delete(person)
  }
}
