/**
 * The result of our fetch: the part of a web Response that the SDKs and we read, without web streams. Its body is read
 * as it arrives, and unpacked if the server compressed it.
 */
import { pipeline, Readable, type Duplex } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { readCapped } from './response-limits.ts'
import type { ReadableBody, ResponseBody } from './response-body.ts'

/** The largest body that is read whole, when unpacked. */
const MAX_WHOLE_BYTES = 64 * 2 ** 20
/** Statuses without a response body. */
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
  /** The unpacked bytes as they arrive. Null if there can be no body. */
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

  /**
   * The body for a reader that prefers batches: it collects bytes for some ms, so that many small pieces cost one turn.
   */
  gathered(ms: number): ReadableBody | null {
    this.#raw.gatherMs = ms
    return this.body
  }

  async text(): Promise<string> {
    const text = (await this.#whole()).toString()
    return text.startsWith('\uFEFF') ? text.slice(1) : text
  }

  /** @throws SyntaxError if it is not JSON */
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

/** The body is too large to be read whole. */
class BodyTooLarge extends Error {
  override name = 'BodyTooLarge'

  constructor(maxBytes: number) {
    super(`The answer is larger than ${maxBytes / 2 ** 20} MiB.`)
  }
}

/** Case-insensitive response headers. */
class TransportHeaders implements Iterable<[string, string]> {
  readonly #values: ResponseHead['headers']

  /** The names in `values` must be lower case. */
  constructor(values: ResponseHead['headers']) {
    this.#values = values
  }

  get(name: string): string | null {
    const value = this.#values[name.toLowerCase()]
    return value === undefined ? null : headerText(value)
  }

  has(name: string): boolean {
    return this.#values[name.toLowerCase()] !== undefined
  }

  *entries(): IterableIterator<[string, string]> {
    for (const [name, value] of Object.entries(this.#values)) if (value !== undefined) yield [name, headerText(value)]
  }

  [Symbol.iterator](): IterableIterator<[string, string]> {
    return this.entries()
  }

  forEach(take: (value: string, name: string) => void): void {
    for (const [name, value] of this) take(value, name)
  }
}

function headerText(value: string | string[]): string {
  return typeof value === 'string' ? value : value.join(', ')
}

/** Maximum number of encodings, against a malicious server. */
const MAX_LAYERS = 3
/** Emits available data at once. A truncated stream yields what it had, as in browsers. */
const ZLIB = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH }
const BROTLI = { flush: constants.BROTLI_OPERATION_FLUSH, finishFlush: constants.BROTLI_OPERATION_FLUSH }

const DECODERS: Record<string, () => Duplex> = {
  gzip: () => createGunzip(ZLIB),
  'x-gzip': () => createGunzip(ZLIB),
  deflate: () => createInflate(ZLIB),
  br: () => createBrotliDecompress(BROTLI),
}

/**
 * The body without the layers of its Content-Encoding, as it arrives. We request no encoding, since responses are small
 * and unpacking costs more than it saves, but a server or gateway may compress anyway. An unknown encoding is left as
 * is.
 */
function decoded(body: ReadableBody, encoding: string | null): ReadableBody {
  if (encoding === null || encoding === 'identity') return body
  const layers = encoding.split(',', MAX_LAYERS + 1).map((layer) => DECODERS[layer.trim().toLowerCase()])
  const known = layers.filter((create) => create !== undefined)
  if (known.length === 0 || known.length < layers.length || known.length > MAX_LAYERS) return body
  return { [Symbol.asyncIterator]: () => unpacked(body, known)[Symbol.asyncIterator](), cancel: () => body.cancel() }
}

/** An error on either side ends the iteration with that error. Leaving early closes the connection. */
function unpacked(body: AsyncIterable<Uint8Array>, layers: (() => Duplex)[]): AsyncIterable<Uint8Array> {
  const decoders = layers.reverse().map((create) => create())
  const last = decoders.at(-1)!
  pipeline([Readable.from(body), ...decoders], () => {})
  return last
}
