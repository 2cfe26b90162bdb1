/** Reads a web page: its main text by Readability, or all visible text; and what else a page may be. */
import { Readability } from '@mozilla/readability'
import { parseHTML } from 'linkedom'
import { decodeText } from '../text-decoding.ts'
import type { ParsedFile } from '../types.ts'
import { htmlLines } from './html-lines.ts'
import { pagePieces } from './page-pieces.ts'
import { endsAtPaywall, wallOf } from './page-walls.ts'
import { UnreadableFile, type ToParse } from './parser.ts'

/** A main text below this is not trusted if the page has clearly more. */
const LEAST_MAIN = 200
const CLEARLY_MORE = 3

export function parseWebPage({ bytes, encoding, limits, page }: ToParse): ParsedFile {
  const address = page?.address ?? ''
  const html = decodeText(bytes, encoding)
  const { html: reduced, ...facts } = pagePieces(html, address)
  const all = htmlLines(reduced ?? html, 'html', limits.maxChars)
  const article = page?.isWhole || reduced === undefined ? undefined : articleOf(reduced)
  const main = article && htmlLines(article.content, 'html', limits.maxChars)
  const [chars, mainChars] = [lengthOf(all), main ? lengthOf(main) : 0]
  const isMain = main !== undefined && mainChars > 0 && (mainChars >= LEAST_MAIN || chars < CLEARLY_MORE * mainChars)
  const shown = isMain ? main : all
  const text = shown.sections.map((section) => section.text).join('\n')
  const [heading] = shown.headings ?? []
  const visible = { text, heading: heading?.text ?? '', chars, address }
  const wall = wallOf(visible, facts)
  if (wall !== undefined) throw new UnreadableFile(wall)
  const isCut = endsAtPaywall(visible, facts)
  const title = article?.title || facts.title || heading?.text
  return {
    ...shown,
    ...(all.tables && { tables: all.tables }),
    ...(title && { title: title.slice(0, 200) }),
    ...(facts.published && { published: facts.published }),
    notes: [...(shown.notes ?? []), ...notesOf(isCut, isMain ? { chars, mainChars } : undefined)],
  }
}

function articleOf(html: string): { title: string; content: string } | undefined {
  try {
    const article = new Readability(parseHTML(html).document, { serializer: withoutCaptions }).parse()
    return article?.content ? { title: article.title ?? '', content: article.content } : undefined
  } catch {
    return undefined
  }
}

/** The parts of a DOM's element that are used here. */
interface PageElement {
  innerHTML: string
  parentElement: PageElement | null
  querySelector(selector: string): PageElement | null
  querySelectorAll(selector: string): Iterable<PageElement>
  remove(): void
}

/** A caption says what is in a picture, which is not read. One of a table, of code or of a quotation is kept. */
function withoutCaptions(article: PageElement): string {
  for (const caption of article.querySelectorAll('figcaption'))
    if (!caption.parentElement?.querySelector('table, pre, blockquote')) caption.remove()
  return article.innerHTML
}

function lengthOf({ sections }: ParsedFile): number {
  return sections.reduce((sum, { text }) => sum + text.length, 0)
}

function notesOf(isCut: boolean, kept: { chars: number; mainChars: number } | undefined): string[] {
  const paid = isCut ? ['Parts of this page may be missing: it says that only subscribers can read all of it.'] : []
  if (!kept || kept.mainChars > 0.9 * kept.chars) return paid
  const [main, all] = [kept.mainChars, kept.chars].map((count) => count.toLocaleString('en-US'))
  return [...paid, `This is the main text, ${main} of the page’s ${all} characters; whole: true gives all of them.`]
}
