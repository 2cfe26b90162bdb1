/** Decodes bytes in an encoding that is known by name. */

/** Decodes bytes. Invalid ones become U+FFFD, and an unknown encoding is read as Windows-1252. */
export function decodeAs(bytes: Uint8Array, encoding: string): string {
  const known = knownEncoding(encoding) ?? 'windows-1252'
  const table = TABLES.get(known)
  return table ? fromTable(bytes, table) : new TextDecoder(known).decode(bytes)
}

/** Names that mails and pages use, beside those of the Encoding Standard. */
const ALIASES = new Map([
  ...['cp850', 'ibm850', 'cp-850', '850'].map((name) => [name, 'cp850'] as const),
  ...['cp932', 'shift-jis-2004', 'ms_kanji'].map((name) => [name, 'shift_jis'] as const),
  ...['cp936', 'ms936'].map((name) => [name, 'gbk'] as const),
  ...['cp949', 'ms949', 'euckr', 'uhc'].map((name) => [name, 'euc-kr'] as const),
  ...['cp950', 'ms950', 'big-5'].map((name) => [name, 'big5'] as const),
  ...['eucjp', 'x-eucjp'].map((name) => [name, 'euc-jp'] as const),
  ...['macroman', 'mac-roman', 'x-macroman'].map((name) => [name, 'macintosh'] as const),
  ...['latin-1', 'iso-latin-1', 'ansi'].map((name) => [name, 'windows-1252'] as const),
  ...['utf_8', 'utf8mb4', 'cp65001'].map((name) => [name, 'utf-8'] as const),
])

/** The name under which an encoding is decoded here; undefined for one that is not known. */
export function knownEncoding(name: string): string | undefined {
  const label = name.trim().toLowerCase()
  const alias = ALIASES.get(label)
  if (alias !== undefined) return alias
  try {
    return new TextDecoder(label).encoding
  } catch {
    return undefined
  }
}

/** The bytes from 80 to 9F. Node 20's decoder reads them as latin1, which has only control characters there. */
const WINDOWS_1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'

/** The bytes from 80 of DOS in Western Europe, which TextDecoder does not know. */
const CP850 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\xad±‗¾¶§÷¸°¨·¹³²■\xa0'

/** The code of each byte. Without a letter of its own, it is that of latin1. */
const TABLES = new Map(
  Object.entries({ 'windows-1252': WINDOWS_1252, cp850: CP850 }).map(([name, from80]) => [
    name,
    Uint16Array.from({ length: 256 }, (_, byte) => (byte < 0x80 ? byte : from80.charCodeAt(byte - 0x80) || byte)),
  ]),
)
/** The number of arguments that `String.fromCharCode` gets at once. Too many overflow the stack. */
const PIECE = 8192

function fromTable(bytes: Uint8Array, codeOf: Uint16Array): string {
  const pieces: string[] = []
  const codes = new Uint16Array(PIECE)
  for (let at = 0; at < bytes.length; at += PIECE) {
    const end = Math.min(at + PIECE, bytes.length)
    for (let i = at; i < end; i += 1) codes[i - at] = codeOf[bytes[i]!]!
    pieces.push(String.fromCharCode(...codes.subarray(0, end - at)))
  }
  return pieces.join('')
}
