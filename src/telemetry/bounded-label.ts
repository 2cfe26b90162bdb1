/**
 * A label's values, bounded: every value of a Prometheus label is a time series of its own, for ever. The first `max` values
 * of the form of a name pass; whatever else an endpoint makes up becomes `other`.
 */
export class BoundedLabel {
  readonly #seen = new Set<string>()
  readonly #max: number

  constructor(max = 60) {
    this.#max = max
  }

  of(value: string): string {
    if (this.#seen.has(value)) return value
    if (this.#seen.size >= this.#max || !NAME.test(value)) return 'other'
    this.#seen.add(value)
    return value
  }
}

const NAME = /^[\w.:/@ -]{1,100}$/
