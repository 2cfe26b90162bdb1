/** Parses LibreOffice's texts, slides and sheets (OpenDocument 1.3, part 3: one `content.xml` for all of them). */
import { SectionWriter } from '../section-writer.ts'
import type { FileKind, ParsedFile } from '../types.ts'
import { readMembers } from '../zip-members.ts'
import { PASSWORD, UnreadableFile, type ToParse } from './parser.ts'
import { TableData } from './table-rows.ts'
import { walkXml } from './xml-walk.ts'

const CONTENT = 'content.xml'
const MANIFEST = 'META-INF/manifest.xml'
const META = 'meta.xml'

/** Deleted text, comments, and what LibreOffice writes on every page. */
const DROPPED = new Set(['tracked-changes', 'annotation', 'forms', 'date-time-decl', 'footer-decl', 'header-decl'])
/** The maximum number of columns in a sheet. A file may say that one cell repeats a million times. */
const MAX_COLUMNS = 16_384
const MAX_ROWS = 1_048_576
const MAX_SPACES = 100
/** The maximum of one cell's repetitions. Characters. */
const MAX_REPEATED = 1_000_000

export function parseOdf({ kind, bytes, limits }: ToParse): ParsedFile {
  const members = readMembers(bytes, (name) => [CONTENT, MANIFEST, META].includes(name), limits.zip)
  if (isEncrypted(members[MANIFEST])) throw new UnreadableFile(PASSWORD)
  if (!members[CONTENT]) throw new UnreadableFile('The file is damaged: it has no content.')
  const reader = new OdfText(kind, new SectionWriter(limits.maxChars))
  walkXml(members[CONTENT], reader)
  return reader.writer.file(kind, { title: titleIn(members[META]) })
}

function isEncrypted(manifest: Uint8Array | undefined): boolean {
  let encrypted = false
  walkXml(manifest, { open: (name) => void (encrypted ||= name === 'encryption-data') })
  return encrypted
}

function titleIn(meta: Uint8Array | undefined): string | undefined {
  let title = ''
  walkXml(meta, {
    open: () => {},
    text: (text, inside) => void (title += inside === 'title' ? text.slice(0, 500) : ''),
  })
  return title
}

/** Follows the tags of `content.xml` and writes lines, or rows in a workbook. */
class OdfText {
  readonly writer: SectionWriter
  readonly #kind: FileKind
  #text = ''
  #dropped = 0
  #level = 0
  #items = 0
  #inNotes = false
  #slideTitle = ''
  #isTitle = false
  #row: string[] | undefined
  #cell: string[] = []
  /** How often the current cell and row are repeated. Empty ones are held back until one with text follows. */
  #cellTimes = 1
  #emptyCells = 0
  #rowTimes = 1
  #emptyRows = 0
  #rows = 0
  /** The tables that are open in a text or on a slide. */
  readonly #tables: TableData[] = []

  constructor(kind: FileKind, writer: SectionWriter) {
    this.#kind = kind
    this.writer = writer
  }

  isDone(): boolean {
    return this.writer.isFull
  }

  open(name: string, attributes: Record<string, string>): void {
    if (DROPPED.has(name)) this.#dropped += 1
    if (name === 's') this.#text += ' '.repeat(countOf(attributes.c, MAX_SPACES))
    if (name === 'tab' || name === 'line-break') this.#text += ' '
    if (name === 'p' || name === 'h') this.#text = ''
    if (name === 'h') this.#level = countOf(attributes['outline-level'], 6)
    if (name === 'list-item') this.#items += 1
    if (name === 'notes') this.#inNotes = true
    if (name === 'frame') this.#isTitle = attributes.class === 'title'
    if (name === 'table' && this.#kind === 'ods') this.#beginSheet(attributes.name ?? '')
    else if (name === 'table') this.#beginTable()
    if (name === 'table-row') this.#beginRow(attributes)
    if (name === 'table-cell' || name === 'covered-table-cell') {
      this.#cell = []
      this.#cellTimes = countOf(attributes['number-columns-repeated'], MAX_COLUMNS)
    }
  }

  text(text: string): void {
    if (this.#dropped === 0) this.#text += text
  }

  close(name: string): void {
    if (DROPPED.has(name)) this.#dropped = Math.max(0, this.#dropped - 1)
    if (name === 'p' || name === 'h') this.#endParagraph()
    if (name === 'list-item') this.#items = Math.max(0, this.#items - 1)
    if (name === 'notes') this.#inNotes = false
    if (name === 'table-cell' || name === 'covered-table-cell') this.#endCell()
    if (name === 'table-row') this.#endRow()
    if (name === 'table' && this.#kind === 'ods') this.writer.endSection()
    else if (name === 'table') this.#tables.pop()?.keepIn(this.writer)
    if (name === 'page' && this.#kind === 'odp') this.#endSlide()
  }

  #endParagraph(): void {
    const line = this.#text.replace(/\s+/g, ' ').trim()
    const level = this.#level
    this.#text = ''
    this.#level = 0
    if (line === '' || this.#dropped > 0) return
    if (this.#row) return void this.#cell.push(line)
    if (this.#isTitle && this.#slideTitle === '') this.#slideTitle = line
    if (level > 0) this.writer.heading(line, level)
    const mark = level > 0 ? `${'#'.repeat(level)} ` : this.#inNotes ? 'Notes: ' : this.#items > 0 ? '- ' : ''
    this.writer.write(mark + line)
  }

  #endSlide(): void {
    this.writer.name(this.#slideTitle)
    this.#slideTitle = ''
    this.writer.endSection()
  }

  #beginTable(): void {
    for (const data of this.#tables) data.isLayout = true
    this.#tables.push(new TableData())
  }

  #beginSheet(name: string): void {
    this.writer.name(name)
    this.#emptyRows = 0
    this.#rows = 0
  }

  #beginRow(attributes: Record<string, string>): void {
    this.#row = []
    this.#emptyCells = 0
    this.#rowTimes = countOf(attributes['number-rows-repeated'], MAX_ROWS)
  }

  #endCell(): void {
    const row = this.#row
    if (!row) return
    const text = this.#cell.join(' ')
    this.#cell = []
    if (text === '') return void (this.#emptyCells += this.#cellTimes)
    const push = (cell: string, count: number) => {
      for (let i = 0; i < count && row.length < MAX_COLUMNS; i += 1) row.push(cell)
    }
    push('', this.#emptyCells)
    push(text, Math.min(this.#cellTimes, Math.ceil(MAX_REPEATED / text.length)))
    this.#emptyCells = 0
  }

  #endRow(): void {
    const row = this.#row ?? []
    this.#row = undefined
    const isEmpty = row.length === 0
    if (this.#kind !== 'ods') {
      if (isEmpty) return
      this.writer.write(row.join(' | '))
      return this.#tables.at(-1)?.add(row)
    }
    if (isEmpty) return void (this.#emptyRows += this.#rowTimes)
    const before = this.#emptyRows
    this.#emptyRows = 0
    for (let i = 0; i < before + this.#rowTimes && this.#rows < MAX_ROWS && !this.isDone(); i += 1) {
      this.writer.row(i < before ? [] : row)
      this.#rows += 1
    }
  }
}

/** Returns a count from an attribute; 1 if it is missing or invalid. */
function countOf(written: string | undefined, max: number): number {
  const count = Number(written ?? 1)
  return Number.isInteger(count) && count > 0 ? Math.min(count, max) : 1
}
