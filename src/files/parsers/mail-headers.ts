/** Reads the headers of a mail (RFC 5322), with their parameters (RFC 2231) and encoded words (RFC 2047). */

const MAX_HEADERS = 20_000

/** Decodes bytes that are declared to be in `charset`, which is '' if nothing declares one. */
export type Decode = (bytes: Uint8Array, charset: string) => string

/** The headers of a part by their names in lower case. `head`: one character for each byte. */
export function headersIn(head: string): Map<string, string> {
  const headers = new Map<string, string>()
  for (const line of head
    .slice(0, MAX_HEADERS)
    .replace(/\n[ \t]+/g, ' ')
    .split('\n')) {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).trim().toLowerCase()
    if (colon > 0 && !headers.has(name)) headers.set(name, line.slice(colon + 1).trim())
  }
  return headers
}

/** Returns a parameter of a header, decoded, or ''. */
export function parameter(header: string, name: string, decode: Decode): string {
  const parts = [
    ...header.matchAll(new RegExp(`;\\s*${name}(\\*[\\d*]{0,4})?=(?:"([^"]{0,300})"|([^\\s;"]{1,300}))`, 'gi')),
  ]
  // RFC 2231: the form with a charset wins over the plain one, and may be cut into numbered parts.
  const encoded = parts.filter(([, mark]) => mark !== undefined)
  if (encoded.length === 0) return decodedWords(parts[0]?.[2] ?? parts[0]?.[3] ?? '', decode)
  const whole = encoded.map(([, , quoted, bare]) => quoted ?? bare ?? '').join('')
  const [, charset, rest] = /^([\w-]{1,40})'[\w-]{0,40}'([^]*)$/.exec(whole) ?? []
  if (rest === undefined) return whole
  return decode(Buffer.from(unquoted(rest.replaceAll('%', '=')), 'latin1'), charset ?? '')
}

/** Decodes the escapes of quoted-printable. */
export function unquoted(text: string): string {
  return text.replace(/=([\da-f]{2})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
}

const WORD = /=\?([\w.:-]{1,40})(?:\*[\w-]*)?\?([BQ])\?([^?]*)\?=/gi

/**
 * Decodes `=?UTF-8?B?…?=`. Words beside each other are decoded as one, because a character's bytes may stand in two of
 * them. Other bytes are mostly UTF-8 (RFC 6532).
 */
export function decodedWords(header: string, decode: Decode): string {
  let [text, from, charset] = ['', 0, '']
  let pending: Buffer[] = []
  const end = () => {
    if (pending.length > 0) text += decode(Buffer.concat(pending), charset)
    pending = []
  }
  for (const found of header.matchAll(WORD)) {
    const between = header.slice(from, found.index)
    const [whole, named = '', how = '', word = ''] = found
    if (between.trim() !== '' || from === 0 || named.toLowerCase() !== charset) end()
    if (between.trim() !== '' || from === 0) text += decode(Buffer.from(between, 'latin1'), '')
    charset = named.toLowerCase()
    pending.push(
      how.toUpperCase() === 'B'
        ? Buffer.from(word, 'base64')
        : Buffer.from(unquoted(word.replace(/_/g, ' ')), 'latin1'),
    )
    from = found.index + whole.length
  }
  end()
  return text + decode(Buffer.from(header.slice(from), 'latin1'), '')
}
