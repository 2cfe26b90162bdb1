/** Reads an e-mail (RFC 5322, 2045 and 2047) as text: its headers, its text decoded, the names of what is attached. */
import { decodeAs } from '../decode-as.ts'
import { htmlLines } from './html-lines.ts'

const SHOWN = ['from', 'to', 'cc', 'date', 'subject']
const MAX_DEPTH = 8
const MAX_PARTS = 200
const MAX_HEADERS = 20_000

/** @returns undefined if the bytes do not begin like a mail */
export function mailText(bytes: Uint8Array, maxChars: number): string | undefined {
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1').replace(/\r\n?/g, '\n')
  // A mail of a mailbox begins with a line of its own.
  const mail = raw.replace(/^From [^\n]{1,200}\n/, '')
  if (!/^[\w-]{2,60}:/.test(mail)) return undefined
  return messageText(mail, 0, maxChars).join('\n')
}

function messageText(raw: string, depth: number, maxChars: number): string[] {
  const end = raw.startsWith('\n') ? 0 : raw.indexOf('\n\n')
  const headers = headersIn(raw.slice(0, end < 0 ? raw.length : end))
  const shown = SHOWN.flatMap((name) => {
    const value = decodedWords(headers.get(name) ?? '')
    return value ? [`${name[0]?.toUpperCase()}${name.slice(1)}: ${value}`] : []
  })
  const body = bodyOf(headers, end < 0 ? '' : raw.slice(end).replace(/^\n{1,2}/, ''), { depth, maxChars })
  return shown.length > 0 ? [...shown, '', ...body] : body
}

interface Where {
  depth: number
  maxChars: number
}

function bodyOf(headers: ReadonlyMap<string, string>, body: string, where: Where): string[] {
  const type = headers.get('content-type') ?? 'text/plain'
  const disposition = headers.get('content-disposition') ?? ''
  const name = decodedWords(parameter(disposition, 'filename') || parameter(type, 'name'))
  if (/^\s*attachment/i.test(disposition) || !/^\s*(?:text|multipart|message)\//i.test(type))
    return [`[Attachment: ${name || type.split(';', 1)[0]?.trim()}]`]
  if (where.depth >= MAX_DEPTH) return ['[A part that is nested too deeply]']
  const below = { ...where, depth: where.depth + 1 }
  if (/^\s*multipart\//i.test(type)) return partsOf(type, body, below)
  const bytes = transferred(body, headers.get('content-transfer-encoding') ?? '')
  if (/^\s*message\/rfc822/i.test(type)) return messageText(bytes.toString('latin1'), below.depth, where.maxChars)
  const text = decodeAs(bytes, parameter(type, 'charset') || 'utf-8')
  if (!/^\s*text\/html/i.test(type)) return [text]
  return [htmlLines(text, 'html', where.maxChars).sections[0]?.text ?? '']
}

function partsOf(type: string, body: string, where: Where): string[] {
  const boundary = parameter(type, 'boundary')
  if (!boundary) return [body]
  const parts = `\n${body}`
    .split(`\n--${boundary}`)
    .slice(1, MAX_PARTS)
    .filter((part) => !part.startsWith('--'))
    .map((part) => part.replace(/^[ \t]*\n/, ''))
  if (!/alternative/i.test(type))
    return parts.flatMap((part) => [...messageText(part, where.depth, where.maxChars), ''])
  // Of alternatives the plain text is enough.
  const isPlain = (part: string) => /^content-type:\s*text\/plain/im.test(part.slice(0, 1000))
  const plain = parts.find((part) => isPlain(part) && /\n\n\s*\S/.test(part)) ?? parts.at(-1)
  return plain === undefined ? [] : messageText(plain, where.depth, where.maxChars)
}

function headersIn(head: string): Map<string, string> {
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

function parameter(header: string, name: string): string {
  const parts = [
    ...header.matchAll(new RegExp(`;\\s*${name}(\\*[\\d*]{0,4})?=(?:"([^"]{0,300})"|([^\\s;"]{1,300}))`, 'gi')),
  ]
  // RFC 2231: the form with a charset wins over the plain one, and may be cut into numbered parts.
  const encoded = parts.filter(([, mark]) => mark !== undefined)
  if (encoded.length === 0) return parts[0]?.[2] ?? parts[0]?.[3] ?? ''
  const whole = encoded.map(([, , quoted, bare]) => quoted ?? bare ?? '').join('')
  const [, charset, rest] = /^([\w-]{1,40})'[\w-]{0,40}'([^]*)$/.exec(whole) ?? []
  if (rest === undefined) return whole
  return decodeAs(Buffer.from(unquoted(rest.replaceAll('%', '=')), 'latin1'), charset ?? '')
}

function transferred(body: string, encoding: string): Buffer {
  if (/base64/i.test(encoding)) return Buffer.from(body, 'base64')
  return Buffer.from(/quoted-printable/i.test(encoding) ? unquoted(body.replace(/=[ \t]*\n/g, '')) : body, 'latin1')
}

function unquoted(text: string): string {
  return text.replace(/=([\da-f]{2})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
}

/** Decodes `=?UTF-8?B?…?=`. Parts of one word may be cut between the bytes of a character. */
function decodedWords(header: string): string {
  const joined = header.replace(/(\?=)\s+(?==\?)/g, '$1')
  return joined.replace(
    /=\?([\w-]{1,40})(?:\*[\w-]*)?\?([BQ])\?([^?\s]*)\?=/gi,
    (...[, charset = '', how = '', text = '']: string[]) => {
      const bytes =
        how.toUpperCase() === 'B'
          ? Buffer.from(text, 'base64')
          : Buffer.from(unquoted(text.replace(/_/g, ' ')), 'latin1')
      return decodeAs(bytes, charset)
    },
  )
}
