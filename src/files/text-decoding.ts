/** Decodes bytes to text in any encoding. */
import { decodeAs, knownEncoding } from './decode-as.ts'
import { guessEncoding, utf16WithoutMark, type OtherReading } from './guess-encoding.ts'

/** How many bytes the guess of an encoding reads. */
const SAMPLE = 64 * 1024

/** How many times more characters must be UTF-8 than not, in a text that is mostly so. */
const MOSTLY = 10

export interface DetectedEncoding {
  encoding: string
  /** Nothing in the file says it. */
  isGuessed: boolean
  /** How many characters are not in this encoding. */
  broken?: number
  /** Encodings that are nearly as likely. */
  others?: OtherReading[]
}

/**
 * Returns the name of an encoding, as `decodeText` knows it, and whether it is a guess.
 * @returns undefined if the bytes are no text
 */
export function detectEncoding(bytes: Uint8Array): DetectedEncoding | undefined {
  const sample = bytes.subarray(0, SAMPLE)
  const marked = byteOrderMark(bytes) ?? withoutMark(sample)
  if (marked) return { encoding: marked, isGuessed: false }
  if (isBinary(sample)) {
    const encoding = utf16WithoutMark(sample)
    return encoding === undefined ? undefined : { encoding, isGuessed: true }
  }
  if (isIso2022(sample)) return { encoding: 'iso-2022-jp', isGuessed: false }
  if (isUtf8(bytes)) return { encoding: 'utf-8', isGuessed: false }
  const broken = brokenInUtf8(bytes)
  if (broken !== undefined) return { encoding: 'utf-8', isGuessed: false, broken }
  const first = Math.max(0, bytes.findIndex((byte) => byte >= 0x80) - SAMPLE / 2)
  return { ...guessEncoding(bytes.subarray(first, first + SAMPLE)), isGuessed: true }
}

/**
 * Returns the encoding that a page's `<meta charset>` or the first line of XML declares, if it is known and says more
 * than the bytes themselves.
 */
export function declaredEncoding(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xff || bytes[0] === 0xfe || bytes[0] === 0xef) return undefined
  const head = Buffer.from(bytes.subarray(0, 2048)).toString('latin1')
  const [, inXml] = /^\s{0,20}<\?xml\b[^>]{0,200}?encoding\s{0,5}=\s{0,5}["']([\w:.-]{2,40})/.exec(head) ?? []
  const [, charset = inXml] = /<meta[^>]{0,200}?charset\s{0,5}=\s{0,5}["']?([\w:.-]{2,40})/i.exec(head) ?? []
  return charset === undefined || /^utf-?16/i.test(charset) ? undefined : knownEncoding(charset)
}

/**
 * Decodes a text whose encoding is declared beside it. One that is declared wrongly, under an unknown name or not at
 * all is guessed: `note` says so, and is undefined if nothing was guessed.
 */
export function decodeDeclared(bytes: Uint8Array, charset: string): { text: string; note?: string } {
  const known = knownEncoding(charset)
  const isPlain = bytes.every((byte) => byte < 0x80)
  if (isPlain && known === undefined && /utf-?7|2022|^hz/i.test(charset))
    return { text: decodeAs(bytes, 'utf-8'), note: `A part in ${charset.slice(0, 40)} is shown as it is, not decoded.` }
  // Programs declare ASCII and UTF-8 for whatever they send.
  const isTold = known !== undefined && known !== 'utf-8' && !/ascii/i.test(charset)
  if (isPlain || isTold || isUtf8(bytes)) return { text: decodeAs(bytes, isTold ? known : 'utf-8') }
  const detected = detectEncoding(bytes) ?? { encoding: 'windows-1252', isGuessed: true }
  const why = charset === '' ? 'names no encoding' : `names the encoding ${charset.slice(0, 40)}`
  const note = encodingNote(`A part that ${why}`, detected)
  return { text: decodeAs(bytes, detected.encoding), ...(note !== undefined && { note }) }
}

/** Says what was guessed, and what is not in its encoding; undefined if there is nothing to say. */
export function encodingNote(
  text: string,
  { encoding, isGuessed, broken, others = [] }: Partial<DetectedEncoding>,
): string | undefined {
  if (broken !== undefined)
    return `${broken} ${broken === 1 ? 'character is' : 'characters are'} not UTF-8 like the rest, so � is shown.`
  if (isGuessed !== true || encoding === undefined) return undefined
  const doubts = others.map((one) => ` If it is ${one.encoding}, “${one.word}” is “${one.instead}”.`)
  return `${text} is read as ${encoding} (guessed).${doubts.join('')}`
}

/**
 * Decodes bytes. Byte order marks are dropped, and invalid bytes become U+FFFD. An unknown encoding is read as
 * Windows-1252.
 */
export function decodeText(bytes: Uint8Array, encoding = detectEncoding(bytes)?.encoding): string {
  return decodeAs(bytes, encoding ?? 'windows-1252')
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

/** The escapes by which JIS changes between ASCII and Japanese. */
function isIso2022(sample: Uint8Array): boolean {
  const head = Buffer.from(sample).toString('latin1')
  return /\x1b\$[@B]/.test(head) && /\x1b\([BJ]/.test(head) && !/[\x80-\xff]/.test(head)
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

/**
 * Returns the number of broken characters if they are few of those beyond ASCII or stand in few lines, as when lines
 * of another encoding were appended; otherwise undefined.
 */
function brokenInUtf8(bytes: Uint8Array): number | undefined {
  const decoder = new TextDecoder('utf-8')
  const characters = { good: 0, bad: 0 }
  const lines = { good: 0, bad: 0 }
  let [hasGood, hasBad] = [false, false]
  const endLine = () => {
    if (hasBad) lines.bad += 1
    else if (hasGood) lines.good += 1
    hasGood = hasBad = false
  }
  for (let at = 0; at < bytes.length; at += SAMPLE) {
    const text = decoder.decode(bytes.subarray(at, at + SAMPLE), { stream: at + SAMPLE < bytes.length })
    for (let i = 0; i < text.length; i += 1) {
      const code = text.charCodeAt(i)
      if (code === 10) endLine()
      if (code <= 0x7f) continue
      if (code === 0xfffd) hasBad = true
      else hasGood = true
      characters[code === 0xfffd ? 'bad' : 'good'] += 1
    }
  }
  endLine()
  const isIn = (share: number) => characters.good >= share * characters.bad
  const isMostly = isIn(MOSTLY) || lines.good >= 2 * lines.bad || (lines.good >= lines.bad && isIn(1))
  return isMostly ? characters.bad : undefined
}
