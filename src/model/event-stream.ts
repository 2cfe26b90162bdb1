/** Reads a streamed answer: server-sent events, in batches of chunks. */
import { APIError } from 'openai/core/error'
import { parseJson } from '../base/parse-json.ts'
import { TransportResponse } from '../base/http/transport-response.ts'
import { errorIn } from './failures.ts'
import { checkNoPage, parseAnswer, tooMuch } from './model-fetch.ts'

/**
 * A fast model's tokens are read in batches of this many milliseconds: nobody sees them singly, and each turn of the
 * readers costs more than its token. The end of a stream is never delayed.
 */
const GATHER_MS = 20

/**
 * The chunks of a streamed answer, in batches as they arrived. Leaving early ends the request.
 * @throws SyntaxError for a chunk that is not JSON, APIError for an error instead of a chunk, KnownFailure for a web
 *   page or an oversized stream, and what the connection throws
 */
export function chunkBatches(response: Response): AsyncIterable<unknown[]> {
  return { [Symbol.asyncIterator]: () => new BatchReader(response) }
}

/**
 * Written by hand, because an async generator costs each token of a slow stream three more turns of the microtask
 * queue.
 */
class BatchReader implements AsyncIterator<unknown[], undefined> {
  readonly #response: Response
  readonly #bytes: AsyncIterator<Uint8Array> | undefined
  readonly #decoder = new EventDecoder()
  #isDone = false
  #bytesRead = 0
  /** Whether the answer is one JSON text, although a stream was asked for. `#whole`: its pieces. */
  #isWhole = false
  #whole: Uint8Array[] = []
  /** The error that ended the stream after a good batch. */
  #fault: unknown

  constructor(response: Response) {
    this.#response = response
    const body = response instanceof TransportResponse ? response.gathered(GATHER_MS) : response.body
    this.#bytes = body?.[Symbol.asyncIterator]()
  }

  async next(): Promise<IteratorResult<unknown[], undefined>> {
    for (;;) {
      if (this.#fault !== undefined) return this.#fail(this.#fault)
      const read = await this.#bytes?.next()
      const isOver = !read || read.done === true
      const batch = this.#decode(isOver ? undefined : read.value)
      if (isOver && batch.length === 0 && this.#fault === undefined) return OVER
      if (batch.length > 0) return { value: batch, done: false }
    }
  }

  async return(): Promise<IteratorResult<unknown[], undefined>> {
    await this.#bytes?.return?.()
    return OVER
  }

  /** Without bytes, decodes what is left at the end. */
  #decode(bytes: Uint8Array | undefined): unknown[] {
    const batch: unknown[] = []
    try {
      if (bytes) this.#check(bytes)
      if (bytes && this.#isWhole) this.#whole.push(bytes)
      else if (this.#isWhole) batch.push(...this.#wholeAnswer())
      else
        for (const data of bytes ? this.#decoder.push(bytes) : this.#decoder.end()) {
          if (this.#isDone) break
          this.#isDone = IS_DONE.test(data)
          // Still reads to the end, so that the connection can be reused.
          if (this.#isDone) {
            batch.push(DONE)
            break
          }
          if (!NO_CHUNK.test(data)) batch.push(chunkOf(data, this.#response))
        }
    } catch (error) {
      this.#fault = error
    }
    return batch
  }

  /** The whole answer, once: one JSON text, or one on each line. */
  #wholeAnswer(): unknown[] {
    const text = Buffer.concat(this.#whole).toString().trim()
    this.#whole = []
    if (text === '') return []
    const lines = parseJson(text.replace(/^\ufeff/, '')) === undefined ? text.split('\n') : [text]
    return lines.filter((line) => line.trim() !== '').map((line) => chunkOf(line, this.#response))
  }

  #check(bytes: Uint8Array): void {
    if (this.#bytesRead === 0) {
      const beginning = Buffer.from(bytes.subarray(0, PAGE_BYTES)).toString('latin1')
      checkNoPage(beginning)
      this.#isWhole = BEGINS_JSON.test(beginning)
    }
    this.#bytesRead += bytes.length
    if (this.#bytesRead > MAX_STREAM_BYTES) throw tooMuch()
  }

  async #fail(fault: unknown): Promise<never> {
    await this.return()
    throw fault
  }
}

/** How one JSON text begins, perhaps after a byte order mark (in Latin-1). */
const BEGINS_JSON = /^(?:\xef\xbb\xbf)?\s{0,1000}[{[]/

/** The chunk for the stream's `[DONE]`, which no API sends as such. */
const DONE = { type: 'done' }
const IS_DONE = /^\s{0,9}"?\[?DONE\]?"?/i
/** Data without a chunk: nothing, `null`, a ping. */
const NO_CHUNK = /^(?!\d+$)[\s\w.:-]{0,20}$/

const OVER = { value: undefined, done: true } as const

function chunkOf(data: string, response: Response): unknown {
  const chunk = parseAnswer(data)
  const error = errorIn(chunk)
  if (error) throw new APIError(undefined, error, undefined, response.headers)
  return chunk
}

/** This many bytes are enough to recognise a web page. */
const PAGE_BYTES = 1100
/** Each token of a stream takes about 200 bytes. The longest answer that is read has a megabyte (answer-buffer.ts). */
const MAX_STREAM_BYTES = 64_000_000
const MAX_EVENT_BYTES = 2_000_000
const LINE_FEED = 10
const RETURN = 13

const LONE_RETURN = /\r(?!\n)/

/**
 * Server-sent events (WHATWG HTML, "Interpreting an event stream"): bytes in, the data of complete events out. Reads
 * each byte once, however the bytes are split. Lines end with LF, CRLF or CR. Names, ids, comments and a byte order mark
 * are ignored.
 */
export class EventDecoder {
  /** The bytes of an incomplete line; `#restBytes` is their number. Grows by doubling. */
  #rest = Buffer.alloc(0)
  #restBytes = 0
  /** Data lines of an incomplete event. */
  #data: string[] = []
  #dataChars = 0
  #isFirst = true

  push(bytes: Uint8Array): string[] {
    // The last CR may be half of a CRLF.
    const end = Math.max(bytes.lastIndexOf(LINE_FEED), bytes.lastIndexOf(RETURN, -2)) + 1
    if (end === 0) {
      this.#keep(bytes)
      return []
    }
    const whole = Buffer.concat([this.#rest.subarray(0, this.#restBytes), bytes.subarray(0, end)])
    this.#restBytes = 0
    if (end < bytes.length) this.#keep(bytes.subarray(end))
    // Split at a line feed, which is never inside a character.
    return this.#read(whole.toString())
  }

  /** The data of a last event that no empty line ends. Data that is cut off is none. */
  end(): string[] {
    const rest = this.#rest.toString('utf8', 0, this.#restBytes)
    this.#restBytes = 0
    return this.#read(`${rest}\n\n`).filter((data) => IS_DONE.test(data) || parseJson(data) !== undefined)
  }

  #keep(bytes: Uint8Array): void {
    const size = this.#restBytes + bytes.length
    if (size > MAX_EVENT_BYTES) throw tooMuch()
    if (size > this.#rest.length) this.#rest = Buffer.concat([this.#rest], 2 * size)
    this.#rest.set(bytes, this.#restBytes)
    this.#restBytes = size
  }

  /** Reads complete lines. */
  #read(given: string): string[] {
    const events: string[] = []
    const unmarked = this.#isFirst && given.startsWith('\ufeff') ? given.slice(1) : given
    this.#isFirst = false
    const text = LONE_RETURN.test(unmarked) ? unmarked.replace(/\r\n?/g, '\n') : unmarked
    for (let from = 0; from < text.length;) {
      const end = text.indexOf('\n', from)
      const isEmpty = end === from || (end === from + 1 && text[from] === '\r')
      if (isEmpty) this.#finish(events)
      else if (text.startsWith('data:', from)) this.#take(text.slice(from + 5, text[end - 1] === '\r' ? end - 1 : end))
      from = end + 1
    }
    return events
  }

  #take(value: string): void {
    this.#data.push(value.startsWith(' ') ? value.slice(1) : value)
    this.#dataChars += value.length + 1
    if (this.#dataChars > MAX_EVENT_BYTES) throw tooMuch()
  }

  #finish(events: string[]): void {
    if (this.#data.length > 0) events.push(this.#data.join('\n'))
    this.#data = []
    this.#dataChars = 0
  }
}
