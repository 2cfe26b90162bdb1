/** Decodes bytes in an encoding that is known by name. */

/** Decodes bytes. Invalid ones become U+FFFD, and an unknown encoding is read as Windows-1252. */
export function decodeAs(bytes: Uint8Array, encoding: string): string {
  if (encoding === 'cp850') return fromTable(bytes, CP850_CODES)
  const known = decoder(encoding)
  return known.encoding === 'windows-1252' ? fromTable(bytes, WINDOWS_1252_CODES) : known.decode(bytes)
}

/** The bytes from 80 to 9F. Node 20's decoder reads them as latin1, which has only control characters there. */
const WINDOWS_1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'

const WINDOWS_1252_CODES = Uint16Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x80 && byte < 0xa0 ? WINDOWS_1252.charCodeAt(byte - 0x80) : byte,
)
/** How many arguments `String.fromCharCode` gets at once. Too many overflow the stack. */
const PIECE = 8192

/** The bytes from 80 of DOS in Western Europe, which TextDecoder does not know. */
const CP850 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\xad±‗¾¶§÷¸°¨·¹³²■\xa0'
const CP850_CODES = Uint16Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x80 ? CP850.charCodeAt(byte - 0x80) : byte,
)

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

function decoder(encoding: string) {
  try {
    return new TextDecoder(encoding)
  } catch {
    return new TextDecoder('windows-1252')
  }
}
