/** Follows the tags of a Word part (ECMA-376, part 1, 17) and writes them as the tags of a page. */
import { hex as symbol } from 'dingbat-to-unicode'
import { takeFormat, type DocxNumbering, type ParagraphFormat } from './docx-numbering.ts'
import type { PageLines } from './page-lines.ts'
import { UnreadableFile } from './parser.ts'

/** Deleted and moved text, instructions of fields, and what belongs to no text. */
const DROPPED = new Set(['del', 'moveFrom', 'delText', 'instrText', 'delInstrText', 'rPrChange', 'pPrChange', 'tblPr'])
/** How an equation is written on one line: what stands before and behind its parts. */
const EQUATION = new Map([
  ['num', ['(', ')/']],
  ['den', ['(', ')']],
  ['sup', ['^(', ')']],
  ['sub', ['_(', ')']],
  ['rad', ['√(', ')']],
  ['d', ['(', ')']],
])

export interface DocxContext {
  page: PageLines
  numbering: DocxNumbering
  links: ReadonlyMap<string, string>
  /** The comments by id, with their authors. */
  comments: ReadonlyMap<string, string>
  /** Writes the part that an `altChunk`, a chart or a diagram names. */
  part(id: string): void
}

type XmlAttributes = Record<string, string>

export class DocxBody {
  readonly #context: DocxContext
  /** What a text box writes: it follows the paragraph that holds it. */
  #boxed: (() => void)[] | undefined
  #boxes = 0
  #paragraphs: { format: ParagraphFormat; isBegun: boolean; comments: string[] }[] = []
  #dropped = 0
  #isText = false
  #isJustOpen = false
  #inRun = false
  #inEquation = 0
  #raised = ''
  #isStruck = false
  #cell: XmlAttributes | undefined
  #tick: string | undefined
  #isTickHeld = false

  constructor(context: DocxContext) {
    this.#context = context
  }

  isDone(): boolean {
    return this.#context.page.writer.isFull
  }

  open(name: string, attributes: XmlAttributes): void {
    const { val = '', id = '' } = attributes
    this.#isJustOpen = true
    if (DROPPED.has(name)) this.#dropped += 1
    if (this.#dropped > 0) return
    if (name === 'txbxContent' && (this.#boxes += 1) === 1) this.#boxed = []
    if (name === 'p') this.#paragraphs.push({ format: {}, isBegun: false, comments: [] })
    this.#openFormat(name, attributes)
    this.#openTable(name, attributes)
    this.#openControl(name, val)
    if (name === 'oMath') this.#inEquation += 1
    if (this.#inEquation > 0) this.#put(EQUATION.get(name)?.[0] ?? '')
    if (name === 't') this.#isText = true
    if (name === 'tab' && this.#inRun) this.#put(' ')
    if (name === 'br' || name === 'cr') this.#emit((page) => page.open('br'))
    if (name === 'noBreakHyphen') this.#put('-')
    if (name === 'sym') this.#put(symbolOf(attributes))
    if (name === 'hyperlink') this.#openLink(this.#context.links.get(id) ?? '')
    if (name === 'footnoteReference') this.#put(`[${id}]`)
    if (name === 'endnoteReference') this.#put(`[e${id}]`)
    if (name === 'commentReference') this.#paragraphs.at(-1)?.comments.push(id)
    if (name === 'docPr' && attributes.descr) this.#put(` [Image: ${attributes.descr.slice(0, 1000)}] `)
    if (name === 'object') this.#emit((page) => page.unread('embedded object'))
    if (name === 'altChunk') this.#context.part(id)
    if (name === 'chart' || name === 'relIds') this.#emit(() => this.#context.part(attributes.dm ?? id))
  }

  text(text: string): void {
    if (this.#isText && this.#dropped === 0) this.#put(text)
  }

  close(name: string, isImplied: boolean): void {
    // A tag that closes itself is closed right after it was opened. A document that is cut has open tags at its end.
    if (isImplied && !this.#isJustOpen && !this.isDone())
      throw new UnreadableFile('The file is damaged: it cannot be read as docx.')
    this.#isJustOpen = false
    if (DROPPED.has(name)) return void (this.#dropped -= 1)
    if (this.#dropped > 0) return
    if (this.#inEquation > 0) this.#put(EQUATION.get(name)?.[1] ?? '')
    if (name === 'oMath') this.#inEquation -= 1
    if (name === 't') this.#isText = false
    if (name === 'r') this.#endRun()
    if (name === 'hyperlink') this.#emit((page) => page.close('a'))
    if (name === 'sdtContent') this.#isTickHeld = false
    if (name === 'p') this.#endParagraph()
    if (name === 'txbxContent') this.#boxes -= 1
    if (name === 'tc') this.#beginCell()
    if (name === 'tc' || name === 'tr' || name === 'tbl') this.#emit((page) => page.close(tableTag(name)))
  }

  #openFormat(name: string, { val = '' }: XmlAttributes): void {
    const paragraph = this.#paragraphs.at(-1)
    if (name === 'pStyle' && paragraph) paragraph.format.style = val
    if (paragraph && !this.#inRun) takeFormat(paragraph.format, name, val)
    if (name === 'r') {
      this.#inRun = true
      this.#raised = ''
      this.#isStruck = false
    }
    if (!this.#inRun) return
    if (name === 'vertAlign') this.#raised = val === 'superscript' ? 'sup' : val === 'subscript' ? 'sub' : ''
    if (name === 'strike' || name === 'dstrike') this.#isStruck = !/^(?:0|false|off)$/.test(val)
    if (this.#raised && name === 'vertAlign') this.#mark('open', this.#raised)
    if (this.#isStruck && name.endsWith('strike')) this.#mark('open', 'del')
  }

  #endRun(): void {
    if (this.#isStruck) this.#mark('close', 'del')
    if (this.#raised) this.#mark('close', this.#raised)
    this.#inRun = false
    this.#raised = ''
    this.#isStruck = false
  }

  #mark(end: 'open' | 'close', tag: string): void {
    this.#begin()
    this.#emit((page) => page[end](tag))
  }

  #openTable(name: string, { val = '' }: XmlAttributes): void {
    if (name === 'tbl' || name === 'tr') this.#emit((page) => page.open(tableTag(name)))
    if (name === 'gridBefore') this.#emit((page) => page.open('td', { colspan: val }))
    if (name === 'tc') this.#cell = {}
    if (!this.#cell) return
    if (name === 'gridSpan') this.#cell.colspan = val
    if ((name === 'vMerge' || name === 'hMerge') && val !== 'restart') this.#cell.isContinued = ''
    if (name === 'p' || name === 'tbl') this.#beginCell()
  }

  #beginCell(): void {
    const cell = this.#cell
    this.#cell = undefined
    if (cell) this.#emit((page) => page.open('td', cell))
  }

  /** Ticks: content controls of Word 2010, and form fields before that. */
  #openControl(name: string, value: string): void {
    const isOn = !/^(?:0|false|off)$/.test(value)
    if (name === 'checkbox' || name === 'checkBox') this.#tick = '☐'
    if (this.#tick && (name === 'checked' || name === 'default')) this.#tick = isOn ? '☒' : '☐'
    if (name === 'sdtContent' && this.#tick) {
      this.#put(this.#tick)
      this.#tick = undefined
      this.#isTickHeld = true
    }
    if (name === 'fldChar' && this.#tick) this.#endTick()
  }

  #endTick(): void {
    const tick = this.#tick ?? ''
    this.#tick = undefined
    this.#put(tick)
  }

  #openLink(href: string): void {
    this.#begin()
    this.#emit((page) => page.open('a', { href }))
  }

  #put(text: string): void {
    if (text === '' || this.#isTickHeld) return
    this.#begin()
    this.#emit((page) => page.text(text))
  }

  /** A paragraph begins with its first text, when its format is known. */
  #begin(): void {
    const paragraph = this.#paragraphs.at(-1)
    if (!paragraph || paragraph.isBegun) return
    paragraph.isBegun = true
    const format = this.#context.numbering.resolve(paragraph.format)
    const mark = this.#context.numbering.mark(format)
    this.#emit((page) => {
      page.open('p')
      if (format.outline) page.heading(format.outline)
      if (mark === '- ' || !format.outline) page.item(mark)
      else page.text(mark)
    })
  }

  #endParagraph(): void {
    const paragraph = this.#paragraphs.pop()
    if (!paragraph) return
    if (this.#tick) this.#endTick()
    const isItem = this.#context.numbering.resolve(paragraph.format).list !== undefined
    this.#emit((page) => page.close(isItem ? 'li' : 'p'))
    for (const id of paragraph.comments) {
      const comment = this.#context.comments.get(id)
      if (comment) this.#emit((page) => paragraphOf(page, comment))
    }
    if (this.#paragraphs.length > 0 || !this.#boxed || this.#boxes > 0) return
    const boxed = this.#boxed
    this.#boxed = undefined
    for (const write of boxed) write()
  }

  #emit(write: (page: PageLines) => void): void {
    const { page } = this.#context
    if (this.#boxes > 0 && this.#boxed) this.#boxed.push(() => write(page))
    else write(page)
  }
}

export function paragraphOf(page: PageLines, text: string): void {
  page.open('p')
  page.text(text)
  page.close('p')
}

/** Wingdings' boxes, as Word's own controls show them. */
const BOXES = new Map([
  ['FE', '☒'],
  ['FD', '☒'],
  ['A8', '☐'],
])

/** @returns the character of a symbol font. Word counts them from F000. */
function symbolOf({ font = '', char = '' }: XmlAttributes): string {
  const code = char.toUpperCase().replace(/^F0(?=..$)/, '')
  return (font === 'Wingdings' && BOXES.get(code)) || symbol(font, code)?.string || ''
}

function tableTag(name: string): string {
  return name === 'tbl' ? 'table' : name === 'tc' ? 'td' : 'tr'
}
