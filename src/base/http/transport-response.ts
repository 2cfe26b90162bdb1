/**
 * What a call of our fetch resolves to: the part of a web Response that the SDKs and we read, without web streams. Its body is
 * read as it comes in, unpacked where a server has packed it.
 */
import { pipeline, Readable, type Duplex } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { readCapped } from './bounds.ts'

/** The largest body that is read whole, unpacked. */
const MAX_WHOLE_BYTES = 64 * 2 ** 20
/** Statuses whose answers have no body. */
const BODILESS = new Set([204, 205, 304])

export interface ResponseHead {
  url: string
  method: string
  status: number
  statusText: string
  headers: Record<string, string | string[] | undefined>
}

export class TransportResponse {
  readonly url: string
  readonly status: number
  readonly statusText: string
  readonly ok: boolean
  readonly redirected: boolean
  readonly headers: TransportHeaders
  /** The unpacked bytes as they come in; null where there can be none. */
  readonly body: ReadableBody | null
  readonly #raw: ResponseBody

  constructor(head: ResponseHead, raw: ResponseBody, redirected: boolean) {
    this.url = head.url
    this.status = head.status
    this.statusText = head.statusText
    this.ok = head.status >= 200 && head.status < 300
    this.redirected = redirected
    this.headers = new TransportHeaders(head.headers)
    this.#raw = raw
    const isBodiless = BODILESS.has(head.status) || head.method === 'HEAD'
    this.body = isBodiless ? null : decoded(raw, this.headers.get('content-encoding'))
  }

  get bodyUsed(): boolean {
    return this.#raw.isTaken
  }

  /** The body for a reader that is content with what came in some ms: many small pieces then cost it one turn. */
  gathered(ms: number): ReadableBody | null {
    this.#raw.gatherMs = ms
    return this.body
  }

  async text(): Promise<string> {
    const text = (await this.#whole()).toString()
    return text.startsWith('\uFEFF') ? text.slice(1) : text
  }

  /** @throws SyntaxError where it is not JSON */
  async json(): Promise<unknown> {
    return JSON.parse(await this.text())
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    const { buffer, byteOffset, byteLength } = await this.#whole()
    return buffer.slice(byteOffset, byteOffset + byteLength)
  }

  async #whole(): Promise<Buffer<ArrayBuffer>> {
    if (!this.body) return Buffer.alloc(0)
    const whole = await readCapped(this.body, MAX_WHOLE_BYTES)
    if (!whole) throw new BodyTooLarge(MAX_WHOLE_BYTES)
    return whole
  }
}

/** A body that is larger than it may be to be read whole. */
export class BodyTooLarge extends Error {
  override name = 'BodyTooLarge'

  constructor(maxBytes: number) {
    super(`The answer is larger than ${maxBytes / 2 ** 20} MiB.`)
  }
}

/** Response headers, read by name in any case. */
export class TransportHeaders implements Iterable<[string, string]> {
  readonly #values: ResponseHead['headers']

  /** `values` has its names in lower case. */
  constructor(values: ResponseHead['headers']) {
    this.#values = values
  }

  get(name: string): string | null {
    const value = this.#values[name.toLowerCase()]
    return value === undefined ? null : textOf(value)
  }

  has(name: string): boolean {
    return this.#values[name.toLowerCase()] !== undefined
  }

  *entries(): IterableIterator<[string, string]> {
    for (const [name, value] of Object.entries(this.#values)) if (value !== undefined) yield [name, textOf(value)]
  }

  [Symbol.iterator](): IterableIterator<[string, string]> {
    return this.entries()
  }

  forEach(take: (value: string, name: string) => void): void {
    for (const [name, value] of this) take(value, name)
  }
}

function textOf(value: string | string[]): string {
  return typeof value === 'string' ? value : value.join(', ')
}

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
  /** How long after the first bytes that it waits for a reader is resumed, in ms; at the end of the body it is at once. */
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
      return new Promise<void>((resume) => (this.#wake = resume)).then(() => this.#next())
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

/** An endless list of encodings would be work for nothing. */
const MAX_LAYERS = 3
/** What is there is given at once, and a stream that is cut short gives what it had, as browsers do. */
const ZLIB = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH }
const BROTLI = { flush: constants.BROTLI_OPERATION_FLUSH, finishFlush: constants.BROTLI_OPERATION_FLUSH }

const DECODERS: Record<string, () => Duplex> = {
  gzip: () => createGunzip(ZLIB),
  'x-gzip': () => createGunzip(ZLIB),
  deflate: () => createInflate(ZLIB),
  br: () => createBrotliDecompress(BROTLI),
}

/**
 * The body with the layers of its Content-Encoding taken off, as it comes in. We ask for none, since answers are small and
 * unpacking costs more than it saves; a server or a gateway may pack all the same. An encoding that nobody knows is left on.
 */
function decoded(body: ReadableBody, encoding: string | null): ReadableBody {
  if (encoding === null || encoding === 'identity') return body
  const layers = encoding.split(',', MAX_LAYERS + 1).map((layer) => DECODERS[layer.trim().toLowerCase()])
  const known = layers.filter((create) => create !== undefined)
  if (known.length === 0 || known.length < layers.length || known.length > MAX_LAYERS) return body
  return { [Symbol.asyncIterator]: () => unpacked(body, known)[Symbol.asyncIterator](), cancel: () => body.cancel() }
}

/** A fault on either side ends the reading with it; leaving early closes the connection. */
function unpacked(body: AsyncIterable<Uint8Array>, layers: (() => Duplex)[]): AsyncIterable<Uint8Array> {
  const decoders = layers.reverse().map((create) => create())
  const last = decoders.at(-1)!
  pipeline([Readable.from(body), ...decoders], () => {})
  return last
}
