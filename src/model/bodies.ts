/** Bodies that end: what an endpoint sends is counted as it comes in, so that an endless answer takes no memory. */
import { FinalFailure } from './failures.ts'

type Bytes = Uint8Array
type Body = ReadableStream<Bytes>

/** What a body may hold, in bytes, altogether and from one event of a stream to the next. */
export interface Bounds {
  all: number
  event: number
}

/** The body's beginning as text; the rest is not fetched. */
export async function beginningOf(body: Body, most: number): Promise<string> {
  const held: Bytes[] = []
  let bytes = 0
  for await (const piece of body) {
    held.push(piece)
    bytes += piece.length
    if (bytes >= most) break
  }
  return textOf(held).slice(0, most)
}

/** The whole body as text. @throws FinalFailure where it is longer than `most`, or begins as a web page does */
export async function wholeText(body: Body, { most, ifPage }: { most: number; ifPage: FinalFailure }): Promise<string> {
  const held: Bytes[] = []
  let bytes = 0
  // A reader takes less than iterating does.
  const reader = body.getReader()
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    held.push(read.value)
    bytes += read.value.length
    if (bytes <= most) continue
    reader.cancel().catch(() => undefined)
    throw tooMuch()
  }
  const text = textOf(held)
  if (isPage(text)) throw ifPage
  return text
}

/**
 * The body in pieces that each end with a server-sent event, since the SDK's decoder joins its rest with each piece anew,
 * which takes quadratic time where an event is long.
 * @throws FinalFailure where it is longer than the bounds, or begins as a web page does
 */
export async function* eventsOf(body: Body, { bounds, ifPage }: { bounds: Bounds; ifPage: FinalFailure }) {
  let held: Bytes[] = []
  let [bytes, heldBytes] = [0, 0]
  let before = ''
  for await (const piece of body) {
    const read = before + Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString('latin1')
    if (bytes === 0 && isPage(read)) throw ifPage
    held.push(piece)
    bytes += piece.length
    heldBytes += piece.length
    if (bytes > bounds.all || (heldBytes > bounds.event && held.length > 1)) throw tooMuch()
    before = read.slice(-LONGEST_END)
    if (!EVENT_END.test(read)) continue
    yield joined(held)
    held = []
    heldBytes = 0
  }
  if (held.length > 0) yield joined(held)
}

/** An empty line, in any of the three ways to end a line. */
const EVENT_END = /\n\n|\r\r|\r\n\r\n/
const LONGEST_END = '\r\n\r'.length

function joined(pieces: Bytes[]): Bytes {
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
}

function textOf(pieces: Bytes[]): string {
  return new TextDecoder().decode(joined(pieces))
}

function isPage(text: string): boolean {
  return /^\s{0,1000}</.test(text)
}

function tooMuch(): FinalFailure {
  return new FinalFailure(
    'the answer is too long to be one',
    'The model sent far more than an answer can be, so I stopped reading it. Please ask again, perhaps for less.',
  )
}
