/**
 * Bounds a label's values, because every value of a Prometheus label is a time series for ever. The first `max` values
 * in the form of a name pass; all others become `other`.
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
