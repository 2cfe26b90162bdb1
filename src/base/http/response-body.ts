/** The socket that fills a body. */
interface BodySource {
  pause(): void
  resume(): void
  /** Closes the connection, because nobody reads on. */
  abort(reason: Error): void
}

/** A body for a reader: its bytes, once, and a method to cancel. */
export interface ReadableBody extends AsyncIterable<Uint8Array> {
  cancel(): Promise<void>
}

type ReadResult = IteratorResult<Buffer<ArrayBuffer>, undefined>

/** The socket pauses above this number of unread bytes. */
const HIGH_WATER = 256 * 1024

/**
 * A response's bytes. Each iteration returns everything since the last read as one Buffer, so that the reader wakes
 * once per network read, not once per chunk. Leaving early closes the connection. It can be read only once.
 */
export class ResponseBody implements ReadableBody {
  readonly #source: BodySource
  #unread: Buffer<ArrayBuffer>[] = []
  #size = 0
  #isPaused = false
  #isOver = false
  #fault: unknown
  #wake: (() => void) | undefined
  #isTaken = false
  #timer: NodeJS.Timeout | undefined
  /**
   * How long to wait after the first bytes before a waiting reader is resumed, in ms. The end of the body resumes it at
   * once.
   */
  gatherMs = 0

  constructor(source: BodySource) {
    this.#source = source
  }

  get isTaken(): boolean {
    return this.#isTaken
  }

  push(bytes: Buffer<ArrayBuffer>): void {
    this.#unread.push(bytes)
    this.#size += bytes.length
    if (this.#size < HIGH_WATER) return this.#gather()
    this.#isPaused = true
    this.#source.pause()
    this.#rouse()
  }

  /** Marks the end of the body. With a fault, unread bytes are dropped and reading throws it. */
  end(fault?: unknown): void {
    if (this.#isOver) return
    this.#isOver = true
    if (fault !== undefined) {
      this.#fault = fault
      this.#take()
    }
    this.#rouse()
  }

  [Symbol.asyncIterator](): AsyncIterator<Buffer<ArrayBuffer>, undefined, void> {
    if (this.#isTaken) throw new TypeError('The body has been read already.')
    this.#isTaken = true
    return { next: () => this.#next(), return: () => this.#leave() }
  }

  /** Discards the body: closes the connection, unless everything has arrived. */
  async cancel(): Promise<void> {
    this.#isTaken = true
    if (!this.#isOver) this.#source.abort(new Error('the body is not read'))
  }

  #next(): Promise<ReadResult> {
    // Resumes one microtask after the first bytes, when all bytes of that network read have arrived.
    if (this.#size === 0 && !this.#isOver)
      return new Promise<void>((resume) => (this.#wake = resume)).then(() => this.#next())
    return this.#fault === undefined ? Promise.resolve(this.#read()) : Promise.reject(this.#fault)
  }

  #read(): ReadResult {
    if (this.#size === 0) return OVER
    const value = this.#take()
    if (this.#isPaused) {
      this.#isPaused = false
      this.#source.resume()
    }
    return { value, done: false }
  }

  async #leave(): Promise<ReadResult> {
    await this.cancel()
    return OVER
  }

  #take(): Buffer<ArrayBuffer> {
    const bytes = joined(this.#unread)
    this.#unread = []
    this.#size = 0
    return bytes
  }

  #gather(): void {
    if (this.gatherMs === 0) this.#rouse()
    else this.#timer ??= setTimeout(() => this.#rouse(), this.gatherMs)
  }

  #rouse(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const resume = this.#wake
    this.#wake = undefined
    resume?.()
  }
}

const OVER = { value: undefined, done: true } as const

function joined(chunks: Buffer<ArrayBuffer>[]): Buffer<ArrayBuffer> {
  const [only] = chunks
  return chunks.length === 1 && only ? only : Buffer.concat(chunks)
}
