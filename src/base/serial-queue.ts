/** Runs work one after another. Once it has `ended`, what is left is dropped. */
export class SerialQueue {
  /** The error that ended it. */
  ended: unknown
  readonly #onError: (error: unknown) => void
  #tail: Promise<void> = Promise.resolve()

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  add(work: () => Promise<void>, onError = this.#onError): void {
    this.#tail = this.#tail.then(async () => {
      if (this.ended === undefined) await work().catch(onError)
    })
  }

  /** Resolves once everything so far has run. */
  settled(): Promise<void> {
    return this.#tail
  }

  /** @throws the error that ended it */
  throwIfEnded(): void {
    if (this.ended !== undefined) throw this.ended
  }
}
