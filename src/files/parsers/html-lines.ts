/**
 * Reads HTML as lines: the text that a reader of the page would see, headings marked as in Markdown, one line per table
 * row.
 */
import { Parser } from 'htmlparser2'
import { SectionWriter } from '../section-writer.ts'
import { decodeText } from '../text-decoding.ts'
import type { FileKind, ParsedFile } from '../types.ts'
import { words, type Attributes } from './html-tags.ts'
import { PageEquations } from './math-text.ts'
import { PageLines } from './page-lines.ts'
import type { ToParse } from './parser.ts'

/** The size of the pieces that the parser gets; between two, the remaining room is checked. */
const CHUNK = 64 * 1024
/** The parser's work on a tag grows with the number of open ones, so beyond this depth it starts over without any. */
const MAX_DEPTH = 500

export function parseHtml({ bytes, encoding, limits }: ToParse): ParsedFile {
  return htmlLines(decodeText(bytes, encoding), 'html', limits.maxChars)
}

export function htmlLines(html: string, kind: FileKind, maxChars: number): ParsedFile {
  const page = new PageLines(new SectionWriter(maxChars))
  readHtml(html, page)
  return page.file(kind)
}

export type PageTags = Pick<PageLines, 'open' | 'close' | 'text' | 'closeAll' | 'endLine' | 'writer'>

export function readHtml(html: string, page: PageTags): void {
  for (let at = 0; at < html.length && !page.writer.isFull;) at = readTags(html, at, page)
  page.endLine()
}

/** Reads from a position. @returns the position where it stopped: the end, or where too many tags were open */
function readTags(html: string, from: number, page: PageTags): number {
  let depth = 0
  const tags = new InlineTags(page)
  const parser = new Parser({
    onopentag: (name, attributes) => {
      tags.open(name, attributes)
      depth += 1
      if (depth > MAX_DEPTH) parser.pause()
    },
    onclosetag: (name) => {
      depth -= 1
      tags.close(name)
    },
    ontext: (text) => tags.text(text),
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

/** Elements in a line that do not touch the words beside them. */
const APART = words('button output meter progress')
const MAX_STYLE = 500

/** Reads what stands inside a line of HTML differently than its tag says: styles, readings of words, equations. */
class InlineTags {
  readonly #page: PageTags
  /** For each open element, the tags that its style stands for. */
  #styled: string[][] = []
  readonly #equations: PageEquations

  constructor(page: PageTags) {
    this.#page = page
    this.#equations = new PageEquations((written) => {
      page.open('math', written ? { alttext: written } : {})
      page.close('math')
    })
  }

  open(name: string, attributes: Attributes): void {
    if (this.#equations.open(name, attributes)) return
    this.#page.open(name, attributes)
    const tags = tagsOf(name, attributes)
    for (const tag of tags) this.#page.open(tag)
    this.#styled.push(tags)
    if (APART.has(name)) this.#page.text(' ')
    if (name === 'rt') this.#page.text(' (')
  }

  close(name: string): void {
    if (this.#equations.close(name)) return
    if (name === 'rt') this.#page.text(')')
    if (APART.has(name)) this.#page.text(' ')
    for (const tag of this.#styled.pop()?.reverse() ?? []) this.#page.close(tag)
    this.#page.close(name)
  }

  text(text: string): void {
    if (!this.#equations.text(text)) this.#page.text(text.replace(/\u00ad/g, ''))
  }
}

const INLINE = words('span a b i em strong small big font u code var q cite abbr mark ins label')

/** The tags that mean the same as an element's style. */
function tagsOf(name: string, { style = '' }: Attributes): string[] {
  if (style === '' || !INLINE.has(name)) return []
  const [, raised] = /vertical-align\s*:\s*(sup|sub)/i.exec(style.slice(0, MAX_STYLE)) ?? []
  const isStruck = /text-decoration(?:-line)?\s*:[^;]{0,40}line-through/i.test(style.slice(0, MAX_STYLE))
  return [...(isStruck ? ['del'] : []), ...(raised ? [raised.toLowerCase()] : [])]
}
