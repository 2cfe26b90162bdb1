/**
 * Reads HTML as lines: the text that a reader of the page would see, headings marked as in Markdown, one line per table
 * row.
 */
import { Parser } from 'htmlparser2'
import { SectionWriter } from '../section-writer.ts'
import { decodeText } from '../text-decoding.ts'
import type { FileKind, ParsedFile } from '../types.ts'
import type { ToParse } from './parser.ts'

const words = (text: string) => new Set(text.split(' '))

/** Elements whose content is no text of the page. */
const DROPPED = words('script style template svg math noscript iframe object canvas select textarea title head')
const BLOCKS = words(
  'p div section article aside header footer nav main figure figcaption blockquote pre ul ol li dl dt dd table thead ' +
    'tbody tfoot tr caption h1 h2 h3 h4 h5 h6 hr form fieldset address details summary body html',
)

/** The size of the pieces that the parser gets; between two, the remaining room is checked. */
const CHUNK = 64 * 1024
/** The parser's work on a tag grows with the number of open ones, so beyond this depth it starts over without any. */
const MAX_DEPTH = 500

export function parseHtml({ bytes, encoding, limits }: ToParse): ParsedFile {
  return htmlLines(decodeText(bytes, declaredEncoding(bytes) ?? encoding), 'html', limits.maxChars)
}

export function htmlLines(html: string, kind: FileKind, maxChars: number): ParsedFile {
  const page = new HtmlLines(new SectionWriter(maxChars))
  for (let at = 0; at < html.length && !page.writer.isFull;) at = readTags(html, at, page)
  page.endLine()
  return page.writer.file(kind, { title: page.title })
}

/** Reads from a position. @returns the position where it stopped: the end, or where too many tags were open */
function readTags(html: string, from: number, page: HtmlLines): number {
  let depth = 0
  const parser = new Parser({
    onopentag: (name) => {
      page.open(name)
      depth += 1
      if (depth > MAX_DEPTH) parser.pause()
    },
    onclosetag: (name) => {
      depth -= 1
      page.close(name)
    },
    ontext: (text) => page.text(text),
  })
  for (let at = from; at < html.length && !page.writer.isFull; at += CHUNK) {
    parser.write(html.slice(at, at + CHUNK))
    if (depth <= MAX_DEPTH) continue
    page.closeAll()
    return from + parser.endIndex + 1
  }
  parser.end()
  return html.length
}

/** Follows the tags and writes lines. */
class HtmlLines {
  title = ''
  readonly writer: SectionWriter
  #line: string[] = []
  #dropped = 0
  #cells = 0
  #pre = 0
  #prefix = ''
  #level = 0
  #inTitle = false
  #isBlank = true
  /** Whether the current line contains more than spaces. */
  #hasText = false

  constructor(writer: SectionWriter) {
    this.writer = writer
  }

  open(name: string): void {
    if (name === 'title') this.#inTitle = this.title === ''
    if (DROPPED.has(name)) this.#dropped += 1
    if (name === 'br' || BLOCKS.has(name)) this.#breakAt(name)
    if (name === 'td' || name === 'th') {
      if (this.#hasText) this.#line.push(' | ')
      this.#cells += 1
    }
    if (name === 'pre') this.#pre += 1
    if (name === 'li') this.#prefix = '- '
    if (/^h[1-6]$/.test(name)) {
      this.#level = Number(name[1])
      this.#prefix = `${'#'.repeat(this.#level)} `
    }
  }

  close(name: string): void {
    if (name === 'title') this.#inTitle = false
    if (DROPPED.has(name)) this.#dropped = Math.max(0, this.#dropped - 1)
    if (name === 'td' || name === 'th') this.#cells = Math.max(0, this.#cells - 1)
    if (BLOCKS.has(name)) this.#breakAt(name)
    if (name === 'pre') this.#pre = Math.max(0, this.#pre - 1)
    if (name === 'p' || name === 'table') this.#blankLine()
  }

  text(text: string): void {
    if (this.#inTitle) this.title += text.slice(0, 500)
    if (this.#dropped > 0) return
    this.#hasText ||= /\S/.test(text)
    if (this.#pre === 0 || this.#cells > 0) return void this.#line.push(text.replace(/\s+/g, ' '))
    const [first = '', ...others] = text.split('\n')
    this.#line.push(first)
    for (const line of others) {
      this.endLine()
      this.#line.push(line)
      this.#hasText = line.trim() !== ''
    }
  }

  /** Closes everything that is open. */
  closeAll(): void {
    this.#inTitle = false
    this.#dropped = 0
    this.#cells = 0
    this.#pre = 0
    this.endLine()
  }

  endLine(): void {
    const joined = this.#line.join('')
    const line = this.#pre > 0 ? joined.trimEnd() : joined.replace(/ {2,}/g, ' ').trim()
    this.#line = []
    this.#hasText = false
    if (line === '') return
    if (this.#level > 0) {
      this.#blankLine()
      this.writer.heading(line, this.#level)
    }
    this.writer.write(this.#prefix + line)
    this.#isBlank = false
    this.#prefix = ''
    this.#level = 0
  }

  /** A block in a table's cell becomes a space, so that a row stays one line. */
  #breakAt(name: string): void {
    if (this.#cells > 0 && name !== 'tr' && name !== 'table') this.#line.push(' ')
    else this.endLine()
  }

  #blankLine(): void {
    if (!this.#isBlank && this.#cells === 0) this.writer.write('')
    this.#isBlank = true
  }
}

/** Returns the encoding of `<meta charset>` in the first bytes, if it says more than the bytes themselves. */
function declaredEncoding(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xff || bytes[0] === 0xfe || bytes[0] === 0xef) return undefined
  const head = Buffer.from(bytes.subarray(0, 2048)).toString('latin1')
  const [, charset] = /<meta[^>]{0,200}?charset=["']?([\w-]{2,40})/i.exec(head) ?? []
  return charset?.toLowerCase().startsWith('utf-16') ? undefined : charset
}
