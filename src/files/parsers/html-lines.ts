/**
 * Reads HTML as lines: the text that a reader of the page would see, headings marked as in Markdown, one line per table
 * row.
 */
import { Parser } from 'htmlparser2'
import { SectionWriter } from '../section-writer.ts'
import { decodeText } from '../text-decoding.ts'
import type { FileKind, ParsedFile } from '../types.ts'
import { InlineTags } from './html-inline.ts'
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

/** What reads a page's tags. */
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
