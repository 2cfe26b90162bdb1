const LINE_FEED = 10
const RETURN = 13
/** A buffer that is kept for the next line. Bytes. */
const SMALL = 100_000

/**
 * Cuts a stream of UTF-8 at its line ends. Reads each byte once, however the bytes are split. A line feed ends a line;
 * with `endsAtReturn` a carriage return does too. A line may have `maxBytes`. Without `tooLarge`, the rest of a longer
 * one is dropped while it is incomplete.
 */
export class LineReader {
  /**
   * The bytes of an incomplete line; `#size` is their number. Grows by doubling, since a line may come byte by byte.
   */
  #held = Buffer.alloc(0)
  #size = 0
  readonly #maxBytes: number
  readonly #tooLarge: (() => Error) | undefined
  readonly #endsAtReturn: boolean

  constructor(maxBytes: number, tooLarge?: () => Error, endsAtReturn = false) {
    this.#maxBytes = maxBytes
    this.#tooLarge = tooLarge
    this.#endsAtReturn = endsAtReturn
  }

  /**
   * Returns the complete lines with their ends, as one text; '' if none is complete. @throws what `tooLarge` returns
   */
  push(bytes: Uint8Array): string {
    // The last return may be half of a CRLF.
    const atReturn = this.#endsAtReturn ? bytes.lastIndexOf(RETURN, -2) : -1
    const end = Math.max(bytes.lastIndexOf(LINE_FEED), atReturn) + 1
    // Cut at a line end, which is never inside a character.
    const whole = end === 0 ? '' : this.#take(bytes.subarray(0, end))
    this.#hold(bytes.subarray(end))
    return whole
  }

  /** Returns the incomplete line at the end. */
  end(): string {
    return this.#take(Buffer.alloc(0))
  }

  #take(bytes: Uint8Array): string {
    const text = Buffer.concat([this.#held.subarray(0, this.#size), bytes]).toString()
    this.#size = 0
    if (this.#held.length > SMALL) this.#held = Buffer.alloc(0)
    return text
  }

  #hold(bytes: Uint8Array): void {
    if (this.#size + bytes.length > this.#maxBytes && this.#tooLarge) throw this.#tooLarge()
    const taken = bytes.subarray(0, this.#maxBytes - this.#size)
    const size = this.#size + taken.length
    if (size > this.#held.length) this.#held = Buffer.concat([this.#held.subarray(0, this.#size)], 2 * size)
    this.#held.set(taken, this.#size)
    this.#size = size
  }
}
