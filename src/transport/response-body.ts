/** The socket that fills a body. */
export interface BodySource {
  pause(): void
  resume(): void
  /** Closes the connection: nobody reads on. */
  abort(reason: Error): void
}

/** What a reader has of a body: its bytes, once, and a way to say that they are not wanted. */
export interface ReadableBody extends AsyncIterable<Uint8Array> {
  cancel(): Promise<void>
}

type Read = IteratorResult<Buffer<ArrayBuffer>, undefined>

/** Unread bytes from which on the socket waits for its reader. */
const HIGH_WATER = 256 * 1024

/**
 * A response's bytes. Iterating gives all that has come in since the last read as one Buffer, so that a reader of small
 * chunks wakes once a network read, not once a chunk; leaving early closes the connection. It can be read once.
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
  /** How long after the first bytes that it waits for a reader is woken, in ms; at the end of the body it is at once. */
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

  /** The last byte is here. With a fault: what is unread is dropped, and reading throws it. */
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

  /** Nobody reads this: the connection is closed, unless all is here already. */
  async cancel(): Promise<void> {
    this.#isTaken = true
    if (!this.#isOver) this.#source.abort(new Error('the body is not read'))
  }

  #next(): Promise<Read> {
    // One turn of the microtask queue after the first bytes, when all of the same network read are here.
    if (this.#size === 0 && !this.#isOver)
      return new Promise<void>((wake) => (this.#wake = wake)).then(() => this.#next())
    return this.#fault === undefined ? Promise.resolve(this.#read()) : Promise.reject(this.#fault)
  }

  #read(): Read {
    if (this.#size === 0) return OVER
    const value = this.#take()
    if (this.#isPaused) {
      this.#isPaused = false
      this.#source.resume()
    }
    return { value, done: false }
  }

  async #leave(): Promise<Read> {
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
    const wake = this.#wake
    this.#wake = undefined
    wake?.()
  }
}

const OVER = { value: undefined, done: true } as const

function joined(chunks: Buffer<ArrayBuffer>[]): Buffer<ArrayBuffer> {
  const [only] = chunks
  return chunks.length === 1 && only ? only : Buffer.concat(chunks)
}
