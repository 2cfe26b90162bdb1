/**
 * Reads an e-mail (RFC 5322 and 2045) as text: its headers with their parameters (RFC 2231) and encoded words (RFC
 * 2047), its text decoded, the names of what is attached.
 */
import { declaredEncoding, decodeDeclared } from '../text-decoding.ts'
import { htmlLines } from './html-lines.ts'

const SHOWN = ['from', 'to', 'cc', 'date', 'subject']
const MAX_DEPTH = 8
const MAX_PARTS = 200

interface Where {
  depth: number
  maxChars: number
  decode: Decode
}

/** `notes`: what was guessed. @returns undefined if the bytes do not begin like a mail */
export function mailText(bytes: Uint8Array, maxChars: number): { text: string; notes: string[] } | undefined {
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1').replace(/\r\n?/g, '\n')
  // A mail of a mailbox begins with a line of its own, one of Apple Mail with its length.
  const mail = raw.replace(/^(?:From [^\n]{1,200}|\d{1,12} *)\n/, '')
  if (!/^[\w-]{2,60}:/.test(mail)) return undefined
  const notes = new Set<string>()
  const decode: Decode = (part, charset) => {
    const { text, note } = decodeDeclared(part, charset)
    if (note !== undefined) notes.add(note)
    return text
  }
  return { text: messageText(mail, { depth: 0, maxChars, decode }).join('\n'), notes: [...notes] }
}

function messageText(raw: string, where: Where): string[] {
  const end = raw.startsWith('\n') ? 0 : raw.indexOf('\n\n')
  const headers = headersIn(raw.slice(0, end < 0 ? raw.length : end))
  const shown = SHOWN.flatMap((name) => {
    const value = decodedWords(headers.get(name) ?? '', where.decode)
    return value ? [`${name[0]?.toUpperCase()}${name.slice(1)}: ${value}`] : []
  })
  const body = bodyOf(headers, end < 0 ? '' : raw.slice(end).replace(/^\n{1,2}/, ''), where)
  return shown.length > 0 ? [...shown, '', ...body] : body
}

function bodyOf(headers: ReadonlyMap<string, string>, body: string, where: Where): string[] {
  const { depth, maxChars, decode } = where
  const type = headers.get('content-type') ?? 'text/plain'
  const disposition = headers.get('content-disposition') ?? ''
  const named = parameter(disposition, 'filename', decode) || parameter(type, 'name', decode)
  const isText = /^\s*(?:text\/(?!rtf|x-vcard)|multipart\/|message\/)/i.test(type)
  if (/^\s*attachment/i.test(disposition) || !isText) return [`[Attachment: ${named || type.split(';', 1)[0]?.trim()}]`]
  if (depth >= MAX_DEPTH) return ['[A part that is nested too deeply]']
  const below = { ...where, depth: depth + 1 }
  if (/^\s*multipart\//i.test(type)) return partsOf(type, body, below)
  const encoding = headers.get('content-transfer-encoding') ?? ''
  if (/uu|yenc|binhex/i.test(encoding)) return [`[Not read: a part in ${encoding.slice(0, 40)}]`]
  const bytes = transferred(body, encoding)
  if (/^\s*message\/rfc822/i.test(type)) return messageText(bytes.toString('latin1'), below)
  const isHtml = /^\s*text\/html/i.test(type)
  const declared = parameter(type, 'charset', decode) || (isHtml ? declaredEncoding(bytes) : undefined)
  const text = decode(bytes, declared ?? '')
  return [isHtml ? (htmlLines(text, 'html', maxChars).sections[0]?.text ?? '') : text]
}

function partsOf(type: string, body: string, where: Where): string[] {
  const boundary = parameter(type, 'boundary', where.decode)
  const parts = boundary === '' ? [] : partsBetween(`\n${body}`, `\n--${boundary}`)
  if (parts.length === 0) return [where.decode(Buffer.from(body, 'latin1'), '')]
  if (!/alternative/i.test(type)) return parts.flatMap((part) => [...messageText(part, where), ''])
  // Of alternatives the plain text is enough.
  const isPlain = (part: string) => /^content-type:\s*text\/plain/im.test(part.slice(0, 1000))
  const plain = parts.find((part) => isPlain(part) && /\n\n\s*\S/.test(part)) ?? parts.at(-1)
  return plain === undefined ? [] : messageText(plain, where)
}

/** The parts behind lines that are the boundary. A boundary may be the beginning of another one. */
function partsBetween(body: string, boundary: string): string[] {
  const parts: string[] = []
  let from: number | undefined
  for (let at = body.indexOf(boundary); at >= 0; at = body.indexOf(boundary, at + 1)) {
    const [line = '', mark] =
      /^(--)?[ \t]*(?=\n|$)/.exec(body.slice(at + boundary.length, at + boundary.length + 100)) ?? []
    if (line === '' && body[at + boundary.length] !== '\n' && at + boundary.length < body.length) continue
    if (from !== undefined) parts.push(body.slice(from, at))
    from = mark === undefined ? at + boundary.length + line.length + 1 : undefined
    if (parts.length === MAX_PARTS) break
  }
  return from === undefined ? parts : [...parts, body.slice(from)]
}

function transferred(body: string, encoding: string): Buffer {
  if (/base64/i.test(encoding)) return Buffer.from(body, 'base64')
  return Buffer.from(/quoted[ -]printable/i.test(encoding) ? unquoted(body.replace(/=[ \t]*\n/g, '')) : body, 'latin1')
}

const MAX_HEADERS = 20_000

/** Decodes bytes that are declared to be in `charset`, which is '' if nothing declares one. */
type Decode = (bytes: Uint8Array, charset: string) => string

/** The headers of a part by their names in lower case. `head`: one character for each byte. */
function headersIn(head: string): Map<string, string> {
  const headers = new Map<string, string>()
  const unfolded = head.slice(0, MAX_HEADERS).replace(/\n[ \t]+/g, ' ')
  for (const line of unfolded.split('\n')) {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).trim().toLowerCase()
    if (colon > 0 && !headers.has(name)) headers.set(name, line.slice(colon + 1).trim())
  }
  return headers
}

/** Returns a parameter of a header, decoded, or ''. */
function parameter(header: string, name: string, decode: Decode): string {
  const form = new RegExp(`;\\s*${name}(\\*[\\d*]{0,4})?=(?:"([^"]{0,300})"|([^\\s;"]{1,300}))`, 'gi')
  const parts = [...header.matchAll(form)]
  // RFC 2231: the form with a charset wins over the plain one, and may be cut into numbered parts.
  const encoded = parts.filter(([, mark]) => mark !== undefined)
  if (encoded.length === 0) return decodedWords(parts[0]?.[2] ?? parts[0]?.[3] ?? '', decode)
  const whole = encoded.map(([, , quoted, bare]) => quoted ?? bare ?? '').join('')
  const [, charset, rest] = /^([\w-]{1,40})'[\w-]{0,40}'([^]*)$/.exec(whole) ?? []
  if (rest === undefined) return whole
  return decode(Buffer.from(unquoted(rest.replaceAll('%', '=')), 'latin1'), charset ?? '')
}

/** Decodes the escapes of quoted-printable. */
function unquoted(text: string): string {
  return text.replace(/=([\da-f]{2})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
}

const WORD = /=\?([\w.:-]{1,40})(?:\*[\w-]*)?\?([BQ])\?([^?]*)\?=/gi

/**
 * Decodes `=?UTF-8?B?…?=`. Words beside each other are decoded as one, because a character's bytes may stand in two of
 * them. Other bytes are mostly UTF-8 (RFC 6532).
 */
function decodedWords(header: string, decode: Decode): string {
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
    const isBase64 = how.toUpperCase() === 'B'
    pending.push(isBase64 ? Buffer.from(word, 'base64') : Buffer.from(unquoted(word.replace(/_/g, ' ')), 'latin1'))
    from = found.index + whole.length
  }
  end()
  return text + decode(Buffer.from(header.slice(from), 'latin1'), '')
}
