/** Reads an e-mail (RFC 5322 and 2045) as text: its headers, its text decoded, the names of what is attached. */
import { declaredEncoding, decodeDeclared } from '../text-decoding.ts'
import { htmlLines } from './html-lines.ts'
import { decodedWords, headersIn, parameter, unquoted, type Decode } from './mail-headers.ts'

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
  // A mail of a mailbox begins with a line of its own.
  const mail = raw.replace(/^From [^\n]{1,200}\n/, '')
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
