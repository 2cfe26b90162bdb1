/** Bodies that end: what an endpoint sends is counted as it comes in, so that an endless answer takes no memory. */
import { KnownFailure, noModel } from './failures.ts'

type Bytes = Uint8Array
type Body = AsyncIterable<Bytes>

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

/** The whole body as text. @throws KnownFailure where it is longer than `most`, or begins as a web page does */
export async function wholeText(body: Body, most: number): Promise<string> {
  const held: Bytes[] = []
  let bytes = 0
  for await (const piece of body) {
    held.push(piece)
    bytes += piece.length
    if (bytes > most) throw tooMuch()
  }
  const text = textOf(held)
  checkNoPage(text)
  return text
}

function joined(pieces: Bytes[]): Bytes {
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
}

function textOf(pieces: Bytes[]): string {
  return new TextDecoder().decode(joined(pieces))
}

/**
 * A byte order mark is three characters of Latin-1.
 * @throws KnownFailure for what begins as a web page does, rather than as JSON or a stream of events
 */
export function checkNoPage(beginning: string): void {
  if (/^(?:\ufeff|\xef\xbb\xbf)?\s{0,1000}</.test(beginning)) throw noModel('a web page')
}

export function tooMuch(): KnownFailure {
  return new KnownFailure(
    'the answer is too long to be one',
    'The model sent far more than an answer can be, so I stopped reading it. Please ask again, perhaps for less.',
  )
}
