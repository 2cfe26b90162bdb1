/** Parses a pdf into pages and bookmarks, with Mozilla's pdf.js in unpdf's build without canvas and workers. */
import { getDocumentProxy } from 'unpdf'
import { SectionWriter } from '../section-writer.ts'
import type { Heading, ParsedFile } from '../types.ts'
import { PASSWORD, UnreadableFile, type ToParse } from './parser.ts'
import { annotationLines } from './pdf-annotations.ts'
import { cmapSource } from './pdf-cmaps.ts'
import { linesOf } from './pdf-lines.ts'
import { pagesIn, PdfTables } from './pdf-table-parts.ts'
import { raisedText } from './raised-text.ts'

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>
type TextItems = Awaited<ReturnType<Awaited<ReturnType<Pdf['getPage']>>['getTextContent']>>['items']
type Bookmark = Awaited<ReturnType<Pdf['getOutline']>>[number]

const MAX_BOOKMARKS = 500
/** Stands on a page whose text is not read. */
const NOT_EMBEDDED = '[Not read: text in a font that is not embedded]'
/** Until which page fonts are loaded anew, if one is not known. */
const MAX_FORGOTTEN = 100
/** pdf.js: errors only. Its warnings about damaged files would go to the console. */
const VERBOSITY = 0

export async function parsePdf({ bytes, limits, skippedPages = [], beginPage }: ToParse): Promise<ParsedFile> {
  const { BinaryDataFactory, asked } = cmapSource()
  const pdf = await open(bytes, BinaryDataFactory)
  const writer = new SectionWriter(limits.maxChars)
  const tables = new PdfTables(writer)
  const unread: number[] = []
  /** Where fonts are used that are not embedded, in an encoding that is not known. */
  const unknown: number[] = []
  let hasText = false
  for (let number = 1; number <= pdf.numPages && !writer.isFull; number += 1) {
    beginPage?.()
    const before = asked.missing
    // A font is loaded once, so it has to be forgotten to know each page that uses it.
    if (asked.missing > 0 && number <= MAX_FORGOTTEN) await pdf.cleanup().catch(() => {})
    const text = skippedPages.includes(number) ? '' : await textOfPage(pdf, number, tables)
    if (text === undefined) unread.push(number)
    if (text === undefined || skippedPages.includes(number)) tables.unread(number)
    if (text) hasText = true
    if (asked.missing > before) unknown.push(number)
    writer.write(asked.missing > before ? `${text ?? ''}\n${NOT_EMBEDDED}`.trim() : (text ?? ''))
    writer.endSection()
  }
  tables.close()
  if (!hasText) throw new UnreadableFile(withoutText(pdf.numPages, unread.length, skippedPages, asked.missing > 0))
  for (const bookmark of await bookmarksOf(pdf)) writer.headingAt(bookmark)
  const notes = [
    ...(unread.length > 0 ? [`Damaged and not read: ${pagesIn(unread)}.`] : []),
    ...(unknown.length > 0 ? [`Not read: text in fonts that are not embedded, from ${pagesIn(unknown)}.`] : []),
    ...(skippedPages.length > 0 ? [`Not read because it takes too long: ${pagesIn(skippedPages)}.`] : []),
  ]
  return writer.file('pdf', { title: await titleOf(pdf), notes })
}

async function open(bytes: Uint8Array, BinaryDataFactory: object): Promise<Pdf> {
  const files = { BinaryDataFactory, cMapPacked: false, useWorkerFetch: false }
  const fonts = { disableFontFace: true, useSystemFonts: false }
  try {
    return await getDocumentProxy(bytes, { verbosity: VERBOSITY, ...fonts, ...files })
  } catch (error) {
    if (error instanceof Error && error.name === 'PasswordException') throw new UnreadableFile(PASSWORD)
    throw new UnreadableFile('The file is damaged: it begins like a PDF but cannot be read as one.')
  }
}

function withoutText(pages: number, unread: number, skipped: number[], lacksFonts: boolean): string {
  if (skipped.length > 0)
    return `The file contains no text except on ${pagesIn(skipped)}, which takes too long to read.`
  if (unread === pages) return 'The file is damaged: none of its pages can be read.'
  if (lacksFonts) return 'Its text uses fonts that are not embedded. Please upload a version with embedded fonts.'
  const count = pages === 1 ? 'Its one page holds' : `Its ${pages} pages hold`
  return `${count} no text that can be read: it was probably scanned. Please upload a version with text.`
}

/** Returns undefined if the page cannot be read. */
async function textOfPage(pdf: Pdf, number: number, tables: PdfTables): Promise<string | undefined> {
  try {
    const page = await pdf.getPage(number)
    const { items } = await page.getTextContent()
    const text = pageText(items)
    const beside = annotationLines(await page.getAnnotations().catch(() => []))
    const { transform, height } = page.getViewport({ scale: 1 })
    page.cleanup()
    tables.page(number, linesOf(items, transform as number[]), height)
    return [text, ...beside].join('\n').trim()
  } catch {
    return undefined
  }
}

/** pdf.js has already placed spaces and line ends by the glyphs' positions. Hyphens at line ends stay. */
function pageText(items: TextItems): string {
  /** The last words of the line that stand on it, and its last words, which may be raised. */
  let [base, last]: (DrawnWords | undefined)[] = []
  let text = ''
  for (const item of items) {
    if (!('str' in item)) continue
    const shift = base && last && isTouching(item, last, base) ? shiftOf(item, base) : 0
    text += shift === 0 ? item.str : item.str.replace(/\S.*\S|\S/, (words) => raisedText(words, shift > 0))
    if (item.str.trim() !== '') last = item
    if (shift === 0 && item.str.trim() !== '') base = item
    if (!item.hasEOL) continue
    text += '\n'
    base = undefined
  }
  const lines = text.split('\n').map((line) => line.trimEnd())
  return lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

type DrawnWords = Extract<TextItems[number], { str: string }>

/** Returns whether words begin where the last ones end. Those of another cell or column stand apart. */
function isTouching(item: DrawnWords, last: DrawnWords, base: DrawnWords): boolean {
  const gap = placeOf(item).x - placeOf(last).x - last.width
  return placeOf(item).x >= placeOf(base).x && gap < base.height * 0.25 && !/\s$/.test(last.str)
}

/** Returns 1 for small letters that are raised above the others of a line, -1 for lowered ones, else 0. */
function shiftOf(item: DrawnWords, base: DrawnWords): number {
  const { slant, y } = placeOf(item)
  const rise = (y - placeOf(base).y) / base.height
  if (slant !== 0 || item.height > 0.85 * base.height || Math.abs(rise) > 0.8) return 0
  return rise > 0.15 ? 1 : rise < -0.12 ? -1 : 0
}

function placeOf({ transform }: DrawnWords): { slant: number; x: number; y: number } {
  const [, slant = 0, , , x = 0, y = 0] = transform as number[]
  return { slant, x, y }
}

async function titleOf(pdf: Pdf): Promise<string | undefined> {
  try {
    const { info }: { info: object } = await pdf.getMetadata()
    const title: unknown = 'Title' in info ? info.Title : undefined
    return typeof title === 'string' ? title : undefined
  } catch {
    return undefined
  }
}

/** Returns the bookmarks in document order, without those that lead nowhere. */
async function bookmarksOf(pdf: Pdf): Promise<Heading[]> {
  const found: Heading[] = []
  try {
    const open = ((await pdf.getOutline()) ?? []).map((bookmark) => ({ bookmark, level: 1 })).reverse()
    for (let seen = 0; open.length > 0 && seen < MAX_BOOKMARKS; seen += 1) {
      const { bookmark, level } = open.pop()!
      const section = await pageOf(pdf, bookmark)
      if (section) found.push({ text: bookmark.title, level, section, line: 1 })
      const below: Bookmark[] = (bookmark.items ?? []).slice(0, MAX_BOOKMARKS).reverse()
      open.push(...below.map((one) => ({ bookmark: one, level: level + 1 })))
    }
  } catch {
    // Those before a damaged one are kept.
  }
  return found
}

async function pageOf(pdf: Pdf, { dest }: Bookmark): Promise<number | undefined> {
  try {
    const place: unknown = typeof dest === 'string' ? await pdf.getDestination(dest) : dest
    if (!Array.isArray(place)) return undefined
    const page: unknown = place[0]
    if (typeof page === 'number') return page + 1
    return typeof page === 'object' && page !== null ? (await pdf.getPageIndex(page as Ref)) + 1 : undefined
  } catch {
    return undefined
  }
}

type Ref = Parameters<Pdf['getPageIndex']>[0]
