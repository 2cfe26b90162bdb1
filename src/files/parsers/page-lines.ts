/**
 * Writes the tags and texts of a page or a document as lines. Headings are marked as in Markdown, a table row is a
 * line.
 */
import type { SectionWriter } from '../section-writer.ts'
import type { FileKind, ParsedFile } from '../types.ts'
import { BLOCKS, DROPPED, MAX_IN_ATTRIBUTE, numberIn, shownChoice, shownInput, STRUCK, targetOf } from './html-tags.ts'
import type { Attributes, ListEntry } from './html-tags.ts'
import { nextMark, openList, type OpenList } from './list-number.ts'
import { raisedText } from './raised-text.ts'
import { TableData, TableRows, type OpenTable } from './table-rows.ts'

const STRUCK_MARK = '~~'
/** The maximum text of tables in cells that waits for the end of the outer row. Characters. */
const MAX_WAITING = 1_000_000
/** The marks of lists in lists before a line. Characters. */
const MAX_MARKS = 40

export class PageLines {
  title = ''
  readonly writer: SectionWriter
  #line: string[] = []
  #dropped = 0
  #pre = 0
  #prefix = ''
  #level = 0
  #inTitle = false
  #isBlank = true
  /** Whether the current line contains more than spaces. */
  #hasText = false
  #tables: OpenTable[] = []
  #waitingChars = 0
  #lists: OpenList[] = []
  #links: { href: string; from: number }[] = []
  /** Where the raised or lowered text begins in the line. */
  #raised: number | undefined
  #choices: ListEntry[] | undefined
  #unread = new Map<string, number>()

  constructor(writer: SectionWriter) {
    this.writer = writer
  }

  open(name: string, attributes: Attributes = {}): void {
    if (name === 'title') this.#inTitle = this.title === ''
    if (name === 'math') this.#equation(attributes)
    if (name === 'select') this.#choices = []
    if (name === 'option') this.#choices?.push({ text: '', isChosen: 'selected' in attributes })
    if (DROPPED.has(name)) this.#dropped += 1
    if (this.#dropped > 0) return
    if (name === 'table') return this.#beginTable()
    if (name === 'td' || name === 'th') return this.#beginCell(attributes)
    if (name === 'tr') return this.#endRow()
    if (name === 'br' || BLOCKS.has(name)) this.#breakLine()
    if (name === 'thead' || name === 'tbody' || name === 'tfoot') this.#tables.at(-1)?.rows.endPart()
    if (name === 'pre') this.#pre += 1
    if (name === 'ol' || name === 'ul') this.#lists.push(openList(name, attributes))
    if (name === 'li') this.item(nextMark(this.#lists.at(-1), attributes))
    if (/^h[1-6]$/.test(name)) this.heading(Number(name[1]))
    this.#openInline(name, attributes)
  }

  #openInline(name: string, attributes: Attributes): void {
    if (name === 'input') this.text(shownInput(attributes))
    if (name === 'textarea') this.text(' ')
    if (name === 'img' && attributes.alt) this.text(` [Image: ${attributes.alt.slice(0, MAX_IN_ATTRIBUTE)}] `)
    if (STRUCK.has(name)) this.#strike()
    if (name === 'a') this.#links.push({ href: targetOf(attributes.href), from: this.#line.length })
    if (name === 'sup' || name === 'sub') this.#raised ??= this.#line.length
  }

  close(name: string): void {
    if (name === 'title') this.#inTitle = false
    if (DROPPED.has(name)) this.#dropped = Math.max(0, this.#dropped - 1)
    if (name === 'select') this.#endChoices()
    if (this.#dropped > 0) return
    if (name === 'table') return this.#endTable()
    if (name === 'td' || name === 'th') return this.#endCell()
    if (name === 'tr') return this.#endRow()
    if (name === 'caption') this.#endCaption()
    if (name === 'a') this.#endLink()
    if (name === 'sup' || name === 'sub') this.#endRaised(name === 'sup')
    if (STRUCK.has(name)) this.#strike()
    if (BLOCKS.has(name)) this.#breakLine()
    if (name === 'pre') this.#pre = Math.max(0, this.#pre - 1)
    if (name === 'ol' || name === 'ul') this.#lists.pop()
    if (name === 'p') this.#blankLine()
  }

  text(text: string): void {
    if (this.#inTitle) this.title += text.slice(0, 500)
    const choice = this.#choices?.at(-1)
    if (choice && choice.text.length < MAX_IN_ATTRIBUTE) choice.text += text.slice(0, MAX_IN_ATTRIBUTE)
    if (this.#dropped > 0) return
    this.#hasText ||= /\S/.test(text)
    if (this.#pre === 0 || this.#inCell) return void this.#line.push(text.replace(/\s+/g, ' '))
    const [first = '', ...others] = text.split('\n')
    this.#line.push(first)
    for (const line of others) {
      this.endLine()
      this.#line.push(line)
      this.#hasText = line.trim() !== ''
    }
  }

  heading(level: number): void {
    this.#level = level
    this.#prefix = `${'#'.repeat(level)} `
  }

  /** Writes the mark of a list's item before the current line. */
  item(mark: string): void {
    if (this.#inCell) this.text(mark)
    else if (this.#prefix.length < MAX_MARKS) this.#prefix += mark
  }

  /** Names a part that is not read where it stands, in the singular, and counts it. */
  unread(what: string): void {
    this.text(` [${what}] `)
    this.#unread.set(what, (this.#unread.get(what) ?? 0) + 1)
  }

  closeAll(): void {
    this.#inTitle = false
    this.#dropped = 0
    this.#choices = undefined
    while (this.#tables.length > 0) this.#endTable()
    this.#pre = 0
    this.#lists = []
    this.endLine()
  }

  endLine(): void {
    this.#writeTarget()
    const joined = this.#line.join('')
    const line = this.#pre > 0 ? joined.trimEnd() : joined.replace(/ {2,}/g, ' ').trim()
    this.#startLine([])
    if (line !== '') this.#writeLine(line)
  }

  file(kind: FileKind): ParsedFile {
    this.closeAll()
    const unread = [...this.#unread].map(([what, count]) => `${count} ${what}${count === 1 ? '' : 's'}`)
    const notes = unread.length > 0 ? [`Not read: ${unread.join(', ')}.`] : []
    return this.writer.file(kind, { title: this.title, notes })
  }

  get #inCell(): boolean {
    return this.#tables.some(({ cell }) => cell !== undefined)
  }

  #startLine(line: string[]): void {
    this.#line = line
    this.#hasText = line.length > 0
    this.#raised = undefined
    for (const link of this.#links) link.from = 0
  }

  #writeLine(line: string): void {
    if (this.#tables.length > 1) return this.#wait(line, this.#tables.at(-2))
    if (this.#level > 0) {
      this.#blankLine()
      this.writer.heading(line.replace(/ \([a-z]+:\S+\)$/, ''), this.#level)
    }
    this.writer.write(this.#prefix + line)
    this.#isBlank = false
    this.#prefix = ''
    this.#level = 0
  }

  #beginTable(): void {
    if (this.#inCell) this.#endBehind()
    else this.endLine()
    for (const { data } of this.#tables) data.isLayout = true
    this.#tables.push({ rows: new TableRows(), data: new TableData(), outer: this.#line, waiting: [] })
    this.#startLine([])
  }

  #endTable(): void {
    this.#endRow()
    const table = this.#tables.pop()
    if (!table) return
    table.data.keepIn(this.writer)
    this.#startLine(table.outer)
    if (!this.#inCell) return this.#blankLine()
    this.#line.push(' ')
    const outer = this.#tables.at(-1)
    if (outer?.cell) outer.behind = this.#line.length
  }

  #endCaption(): void {
    const data = this.#tables.at(-1)?.data
    if (data && !this.#inCell) data.caption = this.#line.join('').replace(/\s+/g, ' ').trim()
  }

  /** The text behind a table in a cell follows the rows of that table. */
  #endBehind(): void {
    const table = this.#tables.at(-1)
    if (table?.behind === undefined) return
    const text = this.#line.splice(table.behind).join('').replace(/\s+/g, ' ').trim()
    table.behind = undefined
    if (text !== '') this.#wait(text, table)
  }

  /** Keeps a line until the row of a table is written that it follows. */
  #wait(line: string, table?: OpenTable): void {
    if (table && this.#waitingChars < MAX_WAITING) table.waiting.push(line)
    else this.writer.write(line)
    this.#waitingChars += line.length
  }

  #beginCell({ colspan, rowspan, isContinued }: Attributes): void {
    if (this.#tables.length === 0) this.#beginTable()
    this.#endCell()
    const [table] = this.#tables.slice(-1)
    if (!table) return
    if (this.#hasText) this.endLine()
    this.#startLine([])
    const rows = rowspan === '0' ? Infinity : numberIn(rowspan)
    table.cell = { columns: numberIn(colspan), rows, isContinued: isContinued !== undefined }
  }

  #endCell(): void {
    const table = this.#tables.at(-1)
    if (!table?.cell) return
    this.#endBehind()
    table.rows.cell(this.#line.join('').replace(/\s+/g, ' ').trim(), table.cell)
    table.cell = undefined
    this.#startLine([])
  }

  #endRow(): void {
    const table = this.#tables.at(-1)
    if (!table) return this.endLine()
    this.#endCell()
    this.endLine()
    const row = this.writer.isFull ? undefined : table.rows.end()
    if (row !== undefined) {
      this.#writeLine(row.join(' | ').trim())
      table.data.add(row)
    }
    for (const line of table.waiting.splice(0)) this.#wait(line, this.#tables.at(-2))
    if (this.#tables.length === 1) this.#waitingChars = 0
  }

  /** A block in a table's cell becomes a space, so that a row stays one line. */
  #breakLine(): void {
    if (this.#inCell) this.#line.push(' ')
    else this.endLine()
  }

  #blankLine(): void {
    if (!this.#isBlank && !this.#inCell) this.writer.write('')
    this.#isBlank = true
  }

  #endChoices(): void {
    const shown = shownChoice(this.#choices ?? [])
    this.#choices = undefined
    if (shown !== '') this.text(` ${shown} `)
  }

  /** Begins or ends struck text. Two marks side by side cancel out. */
  #strike(): void {
    if (this.#line.at(-1) === STRUCK_MARK) this.#line.pop()
    else this.#line.push(STRUCK_MARK)
  }

  #endLink(): void {
    this.#writeTarget()
    this.#links.pop()
  }

  /** Writes the address of a link behind its text, or behind the first line of it. */
  #writeTarget(): void {
    const link = this.#links.at(-1)
    const text = link && this.#line.slice(link.from).join('').trim()
    if (!link || !text || link.href === '') return
    if (text !== link.href.replace(/^mailto:/, '')) this.#line.push(` (${link.href})`)
    link.href = ''
  }

  #endRaised(isRaised: boolean): void {
    const from = this.#raised
    this.#raised = undefined
    if (from === undefined || this.#line.length - from > 20) return
    this.#line.push(raisedText(this.#line.splice(from).join(''), isRaised))
  }

  #equation({ alttext }: Attributes): void {
    if (alttext) this.text(` ${alttext.slice(0, MAX_IN_ATTRIBUTE)} `)
    else this.unread('equation')
  }
}
