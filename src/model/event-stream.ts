/** Reads a streamed answer: server-sent events, in batches of chunks. */
import { readLoose } from '../agent/parser/loose-json.ts'
import { LineReader } from '../base/line-reader.ts'
import { TransportResponse } from '../base/http/transport-response.ts'
import { apiErrorIn, errorInWords } from './error-words.ts'
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
          batch.push(...chunksOf(data, this.#response))
        }
    } catch (error) {
      this.#fault = error
    }
    return batch
  }

  /** The whole answer, once: one JSON text, or several. */
  #wholeAnswer(): unknown[] {
    const text = Buffer.concat(this.#whole).toString().trim()
    this.#whole = []
    if (text === '') return []
    return chunksOf(text, this.#response)
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
/** How data with a chunk begins. Others are words: a ping, `null`, a status, or an error. */
const BEGINS_CHUNK = /^\s{0,100}[{[\d]/

const OVER = { value: undefined, done: true } as const

/** The chunks in the data of an event, usually one. @throws APIError, SyntaxError */
function chunksOf(data: string, response: Response): unknown[] {
  if (!BEGINS_CHUNK.test(data)) {
    const error = errorInWords(data)
    if (error) throw error
    return []
  }
  const chunks = jsonTexts(data).filter((chunk) => chunk !== undefined && chunk !== null)
  for (const chunk of chunks) {
    const error = apiErrorIn(chunk, response.headers)
    if (error) throw error
  }
  return chunks
}

/** The value of a JSON text, or those of several that no empty line separates, or whose numbers are no JSON. */
function jsonTexts(text: string): unknown[] {
  try {
    return [parseAnswer(text)]
  } catch (error) {
    const values: unknown[] = []
    for (let at = 0; at < text.length; at = afterGap(text, at)) {
      const loose = text[at] === '{' ? readLoose(text, at) : undefined
      if (!loose?.ok) throw error
      values.push(loose.value)
      at = loose.end
    }
    return values
  }
}

function isWholeJson(text: string): boolean {
  try {
    return jsonTexts(text).length > 0
  } catch {
    return false
  }
}

/** Matches the text between two JSON texts. */
const GAP = /(?:[\s\ufeff]|data:|"?\[DONE\]"?)*/iy

function afterGap(text: string, at: number): number {
  GAP.lastIndex = at
  return at + (GAP.exec(text)?.[0].length ?? 0)
}

/** This many bytes are enough to recognise a web page. */
const PAGE_BYTES = 1100
/** Each token of a stream takes about 200 bytes. The longest answer that is read has a megabyte (answer-buffer.ts). */
const MAX_STREAM_BYTES = 64_000_000
const MAX_EVENT_BYTES = 2_000_000

/** The name of a field with data. JSON without a name is data too. */
const DATA = /^(?:[\s\ufeff]{0,9}data:){1,4} ?|^(?=\{)/i

const LONE_RETURN = /\r(?!\n)/

/**
 * Server-sent events (WHATWG HTML, "Interpreting an event stream"): bytes in, the data of complete events out. Reads
 * each byte once, however the bytes are split. Lines end with LF, CRLF or CR. Names, ids, comments and a byte order
 * mark are ignored.
 */
export class EventDecoder {
  readonly #lines = new LineReader(MAX_EVENT_BYTES, tooMuch, true)
  /** Data lines of an incomplete event. */
  #data: string[] = []
  #dataChars = 0
  #isFirst = true

  push(bytes: Uint8Array): string[] {
    const lines = this.#lines.push(bytes)
    return lines === '' ? [] : this.#read(lines)
  }

  /** The data of a last event that no empty line ends. Data that is cut off is none. */
  end(): string[] {
    return this.#read(`${this.#lines.end()}\n\n`).filter((data) => IS_DONE.test(data) || isWholeJson(data))
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
      else this.#readLine(text, from, text[end - 1] === '\r' ? end - 1 : end)
      from = end + 1
    }
    return events
  }

  /** A line of data, also where its field's name is written in another way, twice, or left out. */
  #readLine(text: string, from: number, to: number): void {
    if (text.startsWith('data: {', from)) return this.#take(text.slice(from + 6, to))
    const [name] = DATA.exec(text.slice(from, Math.min(to, from + 100))) ?? []
    if (name !== undefined) this.#take(text.slice(from + name.length, to))
  }

  #take(value: string): void {
    this.#data.push(value)
    this.#dataChars += value.length + 1
    if (this.#dataChars > MAX_EVENT_BYTES) throw tooMuch()
  }

  #finish(events: string[]): void {
    if (this.#data.length > 0) events.push(this.#data.join('\n'))
    this.#data = []
    this.#dataChars = 0
  }
}
