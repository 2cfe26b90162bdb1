/** What a call of our fetch resolves to: the part of a web Response that the SDKs and we read, without web streams. */
import { decoded } from './decompress.ts'
import type { ReadableBody, ResponseBody } from './response-body.ts'

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
    const chunks: Uint8Array[] = []
    let size = 0
    for await (const bytes of this.body) {
      size += bytes.length
      if (size > MAX_WHOLE_BYTES) throw new BodyTooLarge(MAX_WHOLE_BYTES)
      chunks.push(bytes)
    }
    return Buffer.concat(chunks, size)
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
