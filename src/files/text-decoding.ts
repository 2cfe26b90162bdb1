/** Decodes bytes to text in any encoding. */
import chardet from 'chardet'

/** How many bytes the guess of an encoding reads. */
const SAMPLE = 64 * 1024

/** Returns the name of an encoding, as TextDecoder knows it. @returns undefined if the bytes are no text */
export function encodingOf(bytes: Uint8Array): string | undefined {
  const marked = byteOrderMark(bytes) ?? withoutMark(bytes.subarray(0, SAMPLE))
  if (marked) return marked
  if (isBinary(bytes.subarray(0, SAMPLE))) return undefined
  return isUtf8(bytes) ? 'utf-8' : legacyEncoding(bytes.subarray(0, SAMPLE))
}

/**
 * Decodes bytes. Byte order marks are dropped, and invalid bytes become U+FFFD. An unknown encoding is read as
 * Windows-1252.
 */
export function decodeText(bytes: Uint8Array, encoding = encodingOf(bytes)): string {
  const known = decoder(encoding ?? 'windows-1252')
  return known.encoding === 'windows-1252' ? fromWindows1252(bytes) : known.decode(bytes)
}

/**
 * Decodes XML piece by piece, so that the text of a large member is never in memory as a whole. XML is UTF-8 unless a
 * mark, or zeros, say UTF-16.
 */
export function* decodeXml(bytes: Uint8Array): Generator<string> {
  const decoder = new TextDecoder(byteOrderMark(bytes) ?? withoutMark(bytes.subarray(0, SAMPLE)))
  for (let at = 0; at < bytes.length; at += SAMPLE)
    yield decoder.decode(bytes.subarray(at, at + SAMPLE), { stream: true })
  yield decoder.decode()
}

/** Yields the lines of a text: a list of all of them would cost more memory than the text. */
export function* linesIn(text: string): Generator<string> {
  const breaks = /\r\n?|\n/g
  let from = 0
  for (let found = breaks.exec(text); found; found = breaks.exec(text)) {
    yield text.slice(from, found.index)
    from = breaks.lastIndex
  }
  yield text.slice(from)
}

/** The bytes from 80 to 9F. Node 20's decoder reads them as latin1, which has only control characters there. */
const WINDOWS_1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'

const WINDOWS_1252_CODES = Uint16Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x80 && byte < 0xa0 ? WINDOWS_1252.charCodeAt(byte - 0x80) : byte,
)
/** How many arguments `String.fromCharCode` gets at once. Too many overflow the stack. */
const PIECE = 8192

function fromWindows1252(bytes: Uint8Array): string {
  const pieces: string[] = []
  const codes = new Uint16Array(PIECE)
  for (let at = 0; at < bytes.length; at += PIECE) {
    const end = Math.min(at + PIECE, bytes.length)
    for (let i = at; i < end; i += 1) codes[i - at] = WINDOWS_1252_CODES[bytes[i]!]!
    pieces.push(String.fromCharCode(...codes.subarray(0, end - at)))
  }
  return pieces.join('')
}

function decoder(encoding: string) {
  try {
    return new TextDecoder(encoding)
  } catch {
    return new TextDecoder('windows-1252')
  }
}

function byteOrderMark([a, b, c]: Uint8Array): string | undefined {
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8'
  if (a === 0xff && b === 0xfe) return 'utf-16le'
  return a === 0xfe && b === 0xff ? 'utf-16be' : undefined
}

/** UTF-16 of mostly Latin text has a zero in every other byte. */
function withoutMark(sample: Uint8Array): string | undefined {
  if (sample.length < 4) return undefined
  const zeros = [0, 0]
  for (let i = 0; i < sample.length; i++) if (sample[i] === 0) zeros[i % 2]! += 1
  const [even = 0, odd = 0] = zeros
  const half = sample.length / 2
  if (odd > half * 0.6 && even < half * 0.05) return 'utf-16le'
  return even > half * 0.6 && odd < half * 0.05 ? 'utf-16be' : undefined
}

/**
 * Text has no zero bytes, and hardly any control characters but tab, line feed, form feed, carriage return and escape.
 */
function isBinary(sample: Uint8Array): boolean {
  let controls = 0
  for (const byte of sample) {
    if (byte === 0) return true
    if (byte < 32 && !(byte >= 9 && byte <= 13) && byte !== 27) controls += 1
  }
  return controls > sample.length * 0.01
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

/** Guesses the encoding from the bytes' statistics (ICU's, in chardet). Text that is almost UTF-8 is read as UTF-8. */
function legacyEncoding(sample: Uint8Array): string {
  const guesses = chardet.analyse(sample)
  const guess = guesses.find(({ name }) => name !== 'ASCII' && isKnown(name))
  if (!guess || guess.confidence < 20 || guess.name.startsWith('ISO-8859-1')) return 'windows-1252'
  return guess.name.toLowerCase()
}

function isKnown(encoding: string): boolean {
  try {
    return new TextDecoder(encoding).encoding.length > 0
  } catch {
    return false
  }
}
