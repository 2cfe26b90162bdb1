/** Parses a workbook into sheets (ECMA-376, part 1, 18): values as last calculated, dates as ISO dates. */
import { columnNumber } from '../section-units.ts'
import { SectionWriter } from '../section-writer.ts'
import type { ParsedFile } from '../types.ts'
import { readMembers, type ZipMembers } from '../zip-members.ts'
import { cellFormat, formatNumber, type CellFormat } from './cell-format.ts'
import { UnreadableFile, type ToParse } from './parser.ts'
import { relationshipsOf } from './relationships.ts'
import { walkXml } from './xml-walk.ts'

/** Pictures, charts and macros are not unpacked. */
const isText = (name: string) => /\.(?:xml|rels)$/i.test(name) && !/\/(?:drawings|charts|pivot\w*|media)\//.test(name)

const WORKBOOK = 'xl/workbook.xml'
const MAX_COLUMNS = 16_384
const MAX_ROWS = 1_048_576

interface Workbook {
  sheets: { name: string; path: string }[]
  is1904: boolean
  strings: string[]
  formats: CellFormat[]
}

export function parseXlsx({ bytes, limits }: ToParse): ParsedFile {
  const members = readMembers(bytes, isText, limits.zip)
  const workbook = workbookIn(members)
  if (workbook.sheets.length === 0) throw new UnreadableFile('The file is damaged: it has no sheets.')
  const writer = new SectionWriter(limits.maxChars)
  const notes: string[] = []
  let formulas = 0
  for (const { name, path } of workbook.sheets) {
    if (writer.isFull) break
    writer.name(name)
    const sheet = new Sheet(writer, workbook)
    walkXml(members[path], sheet)
    if (sheet.isCut && !writer.isFull) notes.push(`Sheet "${name.slice(0, 100)}" is damaged: its end is missing.`)
    formulas += sheet.formulas
    writer.endSection()
  }
  if (writer.sections.every(({ lines }) => lines === 0))
    throw new UnreadableFile('All sheets of the workbook are empty.')
  if (formulas > 0)
    notes.push(
      `${formulas} ${formulas === 1 ? 'formula has' : 'formulas have'} no stored value, so the formula is shown.`,
    )
  return writer.file('xlsx', { notes })
}

function workbookIn(members: ZipMembers): Workbook {
  const relations = relationshipsOf(members, WORKBOOK)
  const pathOf = (kind: string) => relations.find(({ type }) => type === kind)?.path ?? `xl/${kind}.xml`
  const sheets: Workbook['sheets'] = []
  let is1904 = false
  const open = (name: string, { id = '', name: title = '', date1904 = '' }: Record<string, string>) => {
    if (name === 'workbookPr') is1904 = date1904 === '1' || date1904 === 'true'
    if (name !== 'sheet') return
    const relation = relations.find((one) => one.id === id)
    if (relation?.type === 'worksheet' && members[relation.path]) sheets.push({ name: title, path: relation.path })
  }
  walkXml(members[WORKBOOK], { open })
  const strings = stringsIn(members[pathOf('sharedStrings')])
  return { sheets, is1904, strings, formats: formatsIn(members[pathOf('styles')]) }
}

/** Returns the shared strings, without hints for pronunciation. */
function stringsIn(bytes: Uint8Array | undefined): string[] {
  const strings: string[] = []
  let [text, isHint] = ['', false]
  walkXml(bytes, {
    open: (name) => {
      if (name === 'si') text = ''
      if (name === 'rPh') isHint = true
    },
    close: (name) => {
      if (name === 'rPh') isHint = false
      if (name === 'si') strings.push(unescaped(text))
    },
    text: (piece, inside) => {
      if (inside === 't' && !isHint) text += piece
    },
  })
  return strings
}

/** Characters that XML cannot hold stand as `_x000D_` (ECMA-376, part 1, 22.9.2.19). */
function unescaped(text: string): string {
  return text.replace(/_x([\da-f]{4})_/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
}

/** Returns the formats by the number that a cell has as its style. */
function formatsIn(bytes: Uint8Array | undefined): CellFormat[] {
  const custom = new Map<number, string>()
  const formats: CellFormat[] = []
  let isCells = false
  walkXml(bytes, {
    open: (name, { numFmtId, formatCode = '' }) => {
      if (name === 'numFmt') custom.set(Number(numFmtId), formatCode)
      if (name === 'cellXfs') isCells = true
      if (name === 'xf' && isCells) formats.push(cellFormat(Number(numFmtId ?? 0), custom))
    },
    close: (name) => {
      if (name === 'cellXfs') isCells = false
    },
  })
  return formats
}

/** Follows the tags of a sheet and writes its rows. Rows and cells without a place follow the one before. */
class Sheet {
  formulas = 0
  isCut = false
  readonly #writer: SectionWriter
  readonly #workbook: Workbook
  #cells: string[] = []
  #row = 0
  #column = 0
  #cell: Record<string, string> = {}
  #value = ''
  #formula = ''
  #hasFormula = false
  #isHint = false

  constructor(writer: SectionWriter, workbook: Workbook) {
    this.#writer = writer
    this.#workbook = workbook
  }

  isDone(): boolean {
    return this.#writer.isFull
  }

  open(name: string, attributes: Record<string, string>): void {
    if (name === 'row') this.#beginRow(Number(attributes.r))
    if (name === 'c') this.#beginCell(attributes)
    if (name === 'rPh') this.#isHint = true
    if (name === 'f') this.#hasFormula = true
  }

  text(text: string, inside: string): void {
    if ((inside === 'v' || inside === 't') && !this.#isHint) this.#value += text
    if (inside === 'f') this.#formula += text
  }

  close(name: string, isImplied: boolean): void {
    if (name === 'rPh') this.#isHint = false
    if (name === 'c') this.#endCell()
    if (name === 'row') {
      this.#writer.row(this.#cells)
      this.#cells = []
    }
    if (name === 'worksheet') this.isCut = isImplied
  }

  #beginRow(place: number): void {
    const row = place > this.#row && place <= MAX_ROWS ? place : this.#row + 1
    for (let at = this.#row + 1; at < row && !this.#writer.isFull; at += 1) this.#writer.row([])
    this.#row = row
    this.#column = 0
    this.#cells = []
  }

  #beginCell(attributes: Record<string, string>): void {
    // `AB12`: column 28.
    const place = columnNumber(/^[A-Z]{1,3}/i.exec(attributes.r ?? '')?.[0] ?? '')
    this.#column = place > 0 && place <= MAX_COLUMNS ? place : this.#column + 1
    this.#cell = attributes
    this.#value = ''
    this.#formula = ''
    this.#hasFormula = false
  }

  #endCell(): void {
    const text = this.#hasFormula && this.#value === '' ? this.#uncalculated() : this.#textOf(this.#value)
    if (text === '' || this.#column > MAX_COLUMNS) return
    while (this.#cells.length < this.#column - 1) this.#cells.push('')
    this.#cells[this.#column - 1] = text
  }

  #uncalculated(): string {
    // A formula whose result is an empty text has a type.
    if (this.#cell.t === 'str') return ''
    this.formulas += 1
    return this.#formula === '' ? '(formula)' : `=${this.#formula}`
  }

  #textOf(value: string): string {
    const { t: type = 'n', s: style = '0' } = this.#cell
    if (type === 's') return this.#workbook.strings[Number(value)] ?? ''
    if (type === 'b') return value === '1' || value === 'true' ? 'TRUE' : 'FALSE'
    if (type === 'd') return value.replace('T', ' ').replace(/ 00:00:00(?:\.0+)?Z?$/, '')
    const format = type === 'n' ? this.#workbook.formats[Number(style)] : undefined
    if (type !== 'n' || value === '') return unescaped(value)
    return formatNumber(value, format ?? cellFormat(0, new Map()), this.#workbook.is1904)
  }
}
