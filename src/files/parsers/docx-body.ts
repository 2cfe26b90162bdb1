/** Follows the tags of a Word part (ECMA-376, part 1, 17) and writes them as the tags of a page. */
import { hex as symbol } from 'dingbat-to-unicode'
import {
  isOn,
  takeFormat,
  takeRun,
  type DocxNumbering,
  type ParagraphFormat,
  type RunFormat,
} from './docx-numbering.ts'
import { EquationText } from './equation-text.ts'
import { DocxFields } from './docx-fields.ts'
import type { PageLines } from './page-lines.ts'
import { UnreadableFile } from './parser.ts'
import type { XmlAttributes } from './xml-walk.ts'

/** Deleted and moved text, instructions of fields, and what belongs to no text. */
const DROPPED = new Set(['del', 'moveFrom', 'delText', 'instrText', 'delInstrText', 'rPrChange', 'pPrChange', 'tblPr'])

export interface DocxContext {
  page: PageLines
  numbering: DocxNumbering
  links: ReadonlyMap<string, string>
  /** The comments by id, with their authors. */
  comments: ReadonlyMap<string, string>
  /** Writes the part that an `altChunk`, a chart or a diagram names. */
  part(id: string): void
}

/** A sign, digits or letters that points may raise. */
const SHORT = /^[\p{L}\p{N}+\-−()*]{1,3}$/u

export class DocxBody {
  readonly #context: DocxContext
  /** What a text box writes: it follows the paragraph that holds it. */
  #boxed: (() => void)[] | undefined
  #boxes = 0
  #paragraphs: { format: ParagraphFormat; isBegun: boolean; comments: string[] }[] = []
  #dropped = 0
  #isJustOpen = false
  #inRun = false
  #equation: EquationText | undefined
  readonly #fields: DocxFields
  /** The reading of a word, which follows it. */
  #ruby = ''
  #isRuby = false
  #object = ''
  #run: RunFormat = {}
  /** The tags around the run's text, once it has any. */
  #marks: string[] | undefined
  #cell: XmlAttributes | undefined
  #tick: string | undefined
  #isTickHeld = false

  constructor(context: DocxContext) {
    this.#context = context
    this.#fields = new DocxFields({
      link: (href) => this.#openLink(href),
      endLink: () => this.#emit((page) => page.close('a')),
      put: (text) => this.#put(text),
      unread: (what) => this.#unread(what),
    })
  }

  isDone(): boolean {
    return this.#context.page.writer.isFull
  }

  open(name: string, attributes: XmlAttributes): void {
    const { val = '', id = '' } = attributes
    this.#isJustOpen = true
    if (DROPPED.has(name)) this.#dropped += 1
    if (this.#dropped > 0) return
    this.#fields.open(name, attributes)
    if (name === 'txbxContent' && (this.#boxes += 1) === 1) this.#boxed = []
    if (name === 'p') this.#paragraphs.push({ format: {}, isBegun: false, comments: [] })
    this.#openFormat(name, attributes)
    this.#openTable(name, attributes)
    this.#openControl(name, val)
    if (name === 'oMath') this.#equation ??= new EquationText()
    else this.#equation?.open(name, attributes)
    if (name === 'rt') this.#isRuby = true
    if (name === 'tab' && this.#inRun) this.#put(' ')
    if (name === 'br' || name === 'cr') this.#emit((page) => page.open('br'))
    if (name === 'noBreakHyphen') this.#put('-')
    if (name === 'sym') this.#put(symbolOf(attributes))
    if (name === 'hyperlink') this.#openLink(this.#context.links.get(id) ?? '')
    if (name === 'footnoteReference') this.#put(`[${id}]`)
    if (name === 'endnoteReference') this.#put(`[e${id}]`)
    if (name === 'commentReference') this.#paragraphs.at(-1)?.comments.push(id)
    if (name === 'docPr' && attributes.descr) this.#put(` [Image: ${attributes.descr.slice(0, 1000)}] `)
    if (name === 'object') this.#object = 'embedded object'
    if (name === 'OLEObject' && /^Equation/i.test(attributes.ProgID ?? '')) this.#object = 'equation'
    if (name === 'altChunk') this.#context.part(id)
    if (name === 'chart' || name === 'relIds') this.#emit(() => this.#context.part(attributes.dm ?? id))
  }

  text(text: string, inside: string): void {
    // An instruction is dropped itself.
    if (inside === 'instrText' && this.#dropped === 1) this.#fields.instruction(text)
    if (inside !== 't' || this.#dropped > 0) return
    if (this.#isRuby) this.#ruby += text
    else this.#put(this.#equation?.text(text) ?? text)
  }

  close(name: string, isImplied: boolean): void {
    // A tag that closes itself is closed right after it was opened. A document that is cut has open tags at its end.
    if (isImplied && !this.#isJustOpen && !this.isDone())
      throw new UnreadableFile('The file is damaged: it cannot be read as docx.')
    this.#isJustOpen = false
    if (DROPPED.has(name)) return void (this.#dropped -= 1)
    if (this.#dropped > 0) return
    this.#fields.close(name)
    if (name === 'oMath') this.#equation = undefined
    else if (this.#equation) this.#put(this.#equation.close())
    if (name === 'rt') this.#isRuby = false
    if (name === 'ruby') this.#endRuby()
    if (name === 'object') this.#unread(this.#object)
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
      this.#run = {}
      this.#marks = undefined
    }
    if (!this.#inRun) return
    takeRun(this.#run, name, val)
    if (name === 'rStyle') Object.assign(this.#run, this.#context.numbering.runStyle(val))
  }

  #endRun(): void {
    for (const tag of this.#marks?.reverse() ?? []) this.#emit((page) => page.close(tag))
    this.#inRun = false
    this.#marks = undefined
  }

  /**
   * Opens the marks of a run before its first text, when its format is known. Points may move longer text for its
   * looks.
   */
  #openMarks(text: string): void {
    if (!this.#inRun || this.#marks) return
    const { isStruck, raised = SHORT.test(text) ? this.#run.lifted : undefined } = this.#run
    this.#marks = [...(isStruck ? ['del'] : []), ...(raised ? [raised] : [])]
    for (const tag of this.#marks) this.#emit((page) => page.open(tag))
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
    if (name === 'checkbox' || name === 'checkBox') this.#tick = '☐'
    if (this.#tick && (name === 'checked' || name === 'default')) this.#tick = isOn(value) ? '☒' : '☐'
    if (name === 'sdtContent' && this.#tick) {
      this.#put(this.#tick)
      this.#tick = undefined
      this.#isTickHeld = true
    }
    if (name === 'fldChar' && this.#tick) this.#endTick()
  }

  #unread(what: string): void {
    this.#begin()
    this.#emit((page) => page.unread(what))
  }

  #endRuby(): void {
    const reading = this.#ruby.trim()
    this.#ruby = ''
    this.#put(reading === '' ? '' : ` (${reading})`)
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
    this.#openMarks(text)
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
