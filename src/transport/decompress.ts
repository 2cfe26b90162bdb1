import { pipeline, Readable, type Duplex } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { ReadableBody } from './response-body.ts'

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
export function decoded(body: ReadableBody, encoding: string | null): ReadableBody {
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
