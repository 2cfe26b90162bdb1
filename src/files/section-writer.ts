/** Collects a file's lines into sections, up to a number of characters. */
import type { Heading, ParsedFile, ParsedTable, Section } from './types.ts'

/** A longer line is broken, so that each line can be shown whole. Rows of a sheet are not broken. */
const MAX_IN_LINE = 2000
const MAX_HEADINGS = 1000
const MAX_IN_HEADING = 200
/** The tables that are kept beside the text, and their characters. */
const MAX_TABLES = 100
const MAX_TABLE_CHARS = 2_000_000

/** The note of a file whose end is missing. */
export const CUT_NOTE = 'The file is too long to keep whole. Its end is missing.'

/** `found`: the table was found among the words of a page, with a heading; how, or why it is refused. */
interface TableMarks {
  caption?: string
  isCut?: boolean
  found?: { notes: string[]; refused?: string | undefined }
}

export class SectionWriter {
  readonly sections: Section[] = []
  readonly headings: Heading[] = []
  readonly #tables: ParsedTable[] = []
  #tableChars = 0
  #left: number
  #lines: string[] = []
  #columns = 0
  #name: string | undefined
  #isCut = false

  constructor(maxChars: number) {
    this.#left = maxChars
  }

  /** Whether nothing more is accepted: a parser may stop. */
  get isFull(): boolean {
    return this.#isCut
  }

  get section(): number {
    return this.sections.length + 1
  }

  /** The number of the line that is written next. */
  get nextLine(): number {
    return this.#lines.length + 1
  }

  name(name: string): void {
    this.#name = name.trim().slice(0, MAX_IN_HEADING) || undefined
  }

  /** Writes a text of any number of lines, including long ones. */
  write(text: string): void {
    if (text.length <= MAX_IN_LINE && !LINE_BREAK.test(text)) return this.#push(clean(text))
    for (const line of text.split(LINE_BREAKS)) for (const part of broken(clean(line))) this.#push(part)
  }

  /** Writes a row of a sheet. Characters that divide cells and rows become spaces inside them. */
  row(cells: readonly string[]): void {
    const filled = cells.findLastIndex((cell) => cell !== '') + 1
    this.#columns = Math.max(this.#columns, filled)
    this.#push(cells.slice(0, filled).map(asCell).join('\t'))
  }

  /** Keeps a table inside a document, unless it only lays out text. Its name is its caption, or the heading above. */
  table(rows: readonly (readonly string[])[], { caption = '', isCut = false, found }: TableMarks = {}): void {
    const filled = rows.filter((row) => row.some((cell) => cell !== ''))
    const isData = filled.length > 1 && filled.some((row) => row.filter((cell) => cell !== '').length > 1)
    const isLeftOut = isCut && rows.length === 0
    if (!(isData || isLeftOut) || this.#tables.length >= MAX_TABLES) return
    const text = filled.map((row) => row.map(asCell).join('\t')).join('\n')
    this.#tableChars += text.length
    const name = (caption.trim() || this.headings.at(-1)?.text || '').slice(0, MAX_IN_HEADING)
    const isTooMuch = isCut || this.#isCut || this.#tableChars > MAX_TABLE_CHARS
    const refused = found?.refused ?? (isTooMuch ? 'it is too large to keep whole' : undefined)
    const marks = found && { notes: found.notes, hasHeading: true as const }
    this.#tables.push({ ...(name && { name }), text: refused === undefined ? text : '', refused, ...marks })
  }

  /** Adds a heading where the next line begins. */
  heading(text: string, level: number): void {
    const { section, nextLine: line } = this
    this.headingAt({ text, level, section, line })
  }

  headingAt(heading: Heading): void {
    const text = heading.text.replace(/\s+/g, ' ').trim().slice(0, MAX_IN_HEADING)
    if (text && !this.#isCut && this.headings.length < MAX_HEADINGS) this.headings.push({ ...heading, text })
  }

  /** Ends the section, without empty lines at its end; what follows belongs to the next one. */
  endSection(): void {
    const lines = this.#lines.slice(0, this.#lines.findLastIndex((line) => line.trim() !== '') + 1)
    const columns = this.#columns || undefined
    this.sections.push({ name: this.#name, text: lines.join('\n'), lines: lines.length, columns })
    this.#lines = []
    this.#columns = 0
    this.#name = undefined
  }

  /** Returns the parsed file. Ends an open section; there is always one. */
  file(kind: ParsedFile['kind'], more: { title?: string | undefined; notes?: string[] } = {}): ParsedFile {
    if (this.#lines.length > 0 || this.sections.length === 0) this.endSection()
    const cut = this.#isCut ? [CUT_NOTE] : []
    const notes = [...(more.notes ?? []), ...cut]
    const title = clean(more.title ?? '').trim()
    return {
      kind,
      ...(title && { title: title.slice(0, MAX_IN_HEADING) }),
      sections: this.sections,
      ...(this.headings.length > 0 && { headings: this.headings }),
      ...(this.#tables.length > 0 && { tables: this.#tables }),
      ...(notes.length > 0 && { notes }),
    }
  }

  #push(line: string): void {
    if (this.#isCut) return
    this.#left -= line.length + 1
    if (this.#left < 0) this.#isCut = true
    else this.#lines.push(line)
  }
}

/** Removes control characters that mean nothing in text. */
function clean(text: string): string {
  return CONTROL.test(text) ? text.replace(new RegExp(CONTROL, 'g'), '') : text
}

const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f\ufeff\ufffe\uffff]/
const LINE_BREAK = /[\n\r\u2028\u2029]/
const LINE_BREAKS = /\r\n|[\n\r\u2028\u2029]/
const DIVIDERS = /[\t\n\r\u2028\u2029]+/g

function asCell(cell: string): string {
  return clean(cell.replace(DIVIDERS, ' ')).trim()
}

/** Breaks a long line, at spaces if possible. */
function broken(line: string): string[] {
  if (line.length <= MAX_IN_LINE) return [line]
  const parts: string[] = []
  for (let from = 0; from < line.length;) {
    const space = line.length - from > MAX_IN_LINE ? line.slice(from, from + MAX_IN_LINE).lastIndexOf(' ') : -1
    const to = space > MAX_IN_LINE / 2 ? from + space + 1 : from + MAX_IN_LINE
    parts.push(line.slice(from, to).trimEnd())
    from = to
  }
  return parts
}
