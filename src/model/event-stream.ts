import { APIError } from 'openai/core/error'
import type { ChatCompletionChunk } from 'openai/resources/chat/completions'
import { checkNoPage, tooMuch } from './model-fetch.ts'
import { TransportResponse } from '../transport/transport-response.ts'

/**
 * A fast model's tokens are read so many milliseconds' worth at a time: nobody sees them singly, and each turn of the readers
 * costs more than its token. The end of a stream is never waited for.
 */
const GATHER_MS = 20

/**
 * A streamed answer's chunks, those together that came together. Leaving early ends the request.
 * @throws SyntaxError for a chunk that is not JSON, APIError for an error in place of a chunk, KnownFailure for a web page or for
 * far more than an answer has, and what the connection throws
 */
export function chunkBatches(response: Response): AsyncIterable<ChatCompletionChunk[]> {
  return { [Symbol.asyncIterator]: () => new BatchReader(response) }
}

/** By hand, because an async generator costs each token of a slow stream three turns of the microtask queue more. */
class BatchReader implements AsyncIterator<ChatCompletionChunk[], undefined> {
  readonly #response: Response
  readonly #bytes: AsyncIterator<Uint8Array> | undefined
  readonly #decoder = new EventDecoder()
  #isDone = false
  #bytesRead = 0
  /** What ended the stream, behind a batch that was good. */
  #fault: unknown

  constructor(response: Response) {
    this.#response = response
    const body = response instanceof TransportResponse ? response.gathered(GATHER_MS) : response.body
    this.#bytes = body?.[Symbol.asyncIterator]()
  }

  async next(): Promise<IteratorResult<ChatCompletionChunk[], undefined>> {
    for (;;) {
      if (this.#fault !== undefined) return this.#fail(this.#fault)
      const read = await this.#bytes?.next()
      if (!read || read.done) return OVER
      const batch = this.#decode(read.value)
      if (batch.length > 0) return { value: batch, done: false }
    }
  }

  async return(): Promise<IteratorResult<ChatCompletionChunk[], undefined>> {
    await this.#bytes?.return?.()
    return OVER
  }

  #decode(bytes: Uint8Array): ChatCompletionChunk[] {
    const batch: ChatCompletionChunk[] = []
    try {
      this.#check(bytes)
      for (const data of this.#decoder.push(bytes)) {
        this.#isDone ||= data.startsWith('[DONE]')
        // Read to its end all the same, so that the connection can be used again.
        if (this.#isDone) break
        batch.push(chunkOf(data, this.#response))
      }
    } catch (error) {
      this.#fault = error
    }
    return batch
  }

  #check(bytes: Uint8Array): void {
    if (this.#bytesRead === 0) checkNoPage(Buffer.from(bytes.subarray(0, PAGE_BYTES)).toString('latin1'))
    this.#bytesRead += bytes.length
    if (this.#bytesRead > MAX_STREAM_BYTES) throw tooMuch()
  }

  async #fail(fault: unknown): Promise<never> {
    await this.return()
    throw fault
  }
}

const OVER = { value: undefined, done: true } as const

function chunkOf(data: string, response: Response): ChatCompletionChunk {
  const chunk = JSON.parse(data) as ChatCompletionChunk & { error?: object }
  if (chunk?.error) throw new APIError(undefined, chunk.error, undefined, response.headers)
  return chunk
}

/** By so many bytes a web page is known. */
const PAGE_BYTES = 1100
/** Each token of a stream comes in some 200 bytes. The longest answer that is read has a megabyte (completion.ts). */
const MAX_STREAM_BYTES = 64_000_000
const MAX_EVENT_BYTES = 2_000_000
const LINE_FEED = 10

/**
 * Server-sent events (WHATWG HTML, "Interpreting an event stream"): bytes in, the data of whole events out. Each byte is
 * looked at once, however the bytes are cut. Lines end with LF or CRLF; names, ids and comments are of no use here.
 */
export class EventDecoder {
  /** Holds the bytes of a line that has no end yet, and how many they are. Grows by doubling. */
  #rest = Buffer.alloc(0)
  #restBytes = 0
  /** Data lines of an event that has no end yet. */
  #data: string[] = []
  #dataChars = 0

  push(bytes: Uint8Array): string[] {
    const end = bytes.lastIndexOf(LINE_FEED) + 1
    if (end === 0) {
      this.#keep(bytes)
      return []
    }
    const whole = Buffer.concat([this.#rest.subarray(0, this.#restBytes), bytes.subarray(0, end)])
    this.#restBytes = 0
    if (end < bytes.length) this.#keep(bytes.subarray(end))
    // Cut at a line feed, which is never inside a character.
    return this.#read(whole.toString())
  }

  #keep(bytes: Uint8Array): void {
    const size = this.#restBytes + bytes.length
    this.#check(size)
    if (size > this.#rest.length) this.#rest = Buffer.concat([this.#rest], 2 * size)
    this.#rest.set(bytes, this.#restBytes)
    this.#restBytes = size
  }

  #check(size: number): void {
    if (size > MAX_EVENT_BYTES) throw tooMuch()
  }

  /** Whole lines. */
  #read(text: string): string[] {
    const events: string[] = []
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
    this.#check(this.#dataChars)
  }

  #finish(events: string[]): void {
    if (this.#data.length > 0) events.push(this.#data.join('\n'))
    this.#data = []
    this.#dataChars = 0
  }
}
