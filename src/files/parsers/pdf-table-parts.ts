/** Tables over several pages of a pdf: their heading is repeated, or their rows go on in the same columns. */
import type { SectionWriter } from '../section-writer.ts'
import { gridFrom, hasFigure, isFigure } from './pdf-grid.ts'
import type { PdfLine } from './pdf-lines.ts'
import { figureColumns, rowsOf } from './pdf-rows.ts'
import { tablesOn, type PdfTable } from './pdf-tables.ts'

/** What stands on every page stands in these parts of its height. */
const TOP = 0.12
const BOTTOM = 0.88
const MAX_ON_EVERY_PAGE = 8
const CONTINUED = /contin|fortsetz|übertrag|carried|forward|suite|segue|siguiente|^(?:page|seite|p\.) ?\d/i

interface TableOnPages extends PdfTable {
  pages: number[]
  /** The pages where its heading is not repeated. */
  bare: number[]
}

export class PdfTables {
  readonly #writer: SectionWriter
  #open: TableOnPages | undefined
  /** The first lines of the page before, without their numbers, and where the first table begins. */
  #top = new Set<string>()
  #from = 0

  constructor(writer: SectionWriter) {
    this.#writer = writer
  }

  /** Takes the lines of a page from its top, and its height in points. */
  page(number: number, lines: readonly PdfLine[], height: number): void {
    const found = tablesOn(lines)
    let end = 0
    this.#from = found[0]?.from ?? lines.length
    if (this.#open) {
      end = this.#goOn(number, lines, height, found)
      if (end === 0 || !isLast(lines, end, height)) this.close()
    }
    for (const table of found) {
      if (table.from < end) continue
      this.close()
      this.#open = { ...table, pages: [number], bare: [] }
      if (!isLast(lines, table.to, height)) this.close()
    }
    this.#top = new Set(lines.slice(0, Math.min(MAX_ON_EVERY_PAGE, this.#from)).map(withoutNumbers))
  }

  /** A page that is not read may have rows of the table before. */
  unread(number: number): void {
    if (this.#open) this.#open.refused = `it may go on on page ${number}, which was not read`
    this.close()
  }

  /** @returns the index of the line behind the rows that belong to the open table; 0 if there are none */
  #goOn(number: number, lines: readonly PdfLine[], height: number, found: readonly PdfTable[]): number {
    const open = this.#open!
    const begin = lines
      .slice(0, MAX_ON_EVERY_PAGE)
      .findIndex((line) => !this.#top.has(withoutNumbers(line)) && (line.y > TOP * height || isRow(line)))
    const [first] = found
    const isSame = first !== undefined && keyOf(first.names) === keyOf(open.names) && isCaptionOf(open, first)
    const from = Math.max(0, begin)
    // Its caption may stand above it again.
    if (isSame && first.from <= from + 1) {
      open.pages.push(number)
      open.rows.push(...first.rows)
      open.wrapped += first.wrapped
      open.refused ??= first.refused
      return first.to
    }
    const line = lines[from]
    if (!line || begin < 0 || (first && first.from <= from) || !isRow(line)) return 0
    return this.#goOnBare(number, lines, from)
  }

  #goOnBare(number: number, lines: readonly PdfLine[], from: number): number {
    const open = this.#open!
    this.#from = from
    const grid = gridFrom(lines, from, open.columns)
    const figures = figureColumns(grid.lines, grid.columns.length)
    if (grid.lines.length === 0 || grid.columns.length !== open.columns.length || figures.size === 0 || grid.isBroken) {
      open.refused ??= `it may go on on page ${number}, whose columns are not the same`
      return 0
    }
    const { rows, wrapped } = rowsOf(grid.lines, grid.columns)
    const last = rows.findLastIndex(
      ({ cells }) => cells.filter((cell) => cell !== '').length > 1 || cells.some(isFigure),
    )
    open.rows.push(...rows.slice(0, last + 1).map(({ cells }) => cells))
    open.wrapped += wrapped
    open.columns = grid.columns
    open.pages.push(number)
    open.bare.push(number)
    return grid.end
  }

  close(): void {
    const table = this.#open
    this.#open = undefined
    if (!table) return
    const { caption, names, rows, refused } = table
    const found = { notes: notesOn(table), refused }
    this.#writer.table([names, ...rows], { caption: caption || `page ${table.pages[0]}`, found })
  }
}

/** Returns whether a table on the next page has no other caption. Pages are numbered above their tables. */
function isCaptionOf(open: PdfTable, { caption }: PdfTable): boolean {
  if (caption === '' || CONTINUED.test(caption)) return true
  const isNumbered = /page|seite|\d+ ?(?:of|von|\/) ?\d+/i.test(caption)
  const [one, other] = [open.caption, caption].map((text) => (isNumbered ? text.replace(/\d+/g, '#') : text))
  return one === other
}

/** Returns whether only what stands on every page follows. */
function isLast(lines: readonly PdfLine[], from: number, height: number): boolean {
  return lines.slice(from).every((line) => line.y > BOTTOM * height || CONTINUED.test(textOf(line)))
}

const textOf = ({ pieces }: PdfLine) => pieces.map(({ text }) => text).join(' ')
const withoutNumbers = (line: PdfLine) => textOf(line).replace(/\d+/g, '#')
const isRow = (line: PdfLine) => line.pieces.length > 1 && hasFigure(line)
const keyOf = (names: readonly string[]) => names.join('\t').toLowerCase().replace(/[ -]+/g, '')

function notesOn({ names, pages, bare, wrapped }: TableOnPages): string[] {
  const heading = names.filter((name) => name !== '').join(' / ')
  const notes = [
    `A PDF has words at places but no tables: this one on ${pagesIn(pages)} is guessed from aligned columns, with the heading ${heading.slice(0, 200)}.`,
  ]
  if (wrapped > 0)
    notes.push(`${wrapped} ${wrapped === 1 ? 'line is' : 'lines are'} read as part of the row beside it.`)
  if (bare.length > 0)
    notes.push(`On ${pagesIn(bare)} its heading is not repeated; the rows stand in the same columns.`)
  return notes
}

/** Returns `page 3`, or `pages 3, 4 and more`. */
export function pagesIn(numbers: readonly number[]): string {
  const shown = numbers.slice(0, 20).join(', ')
  return `page${numbers.length === 1 ? '' : 's'} ${shown}${numbers.length > 20 ? ' and more' : ''}`
}
