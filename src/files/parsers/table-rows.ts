/** The rows of a table in a document: each has a cell for every column, also where a cell spans several. */
import type { SectionWriter } from '../section-writer.ts'

/** Wider than the tables of documents. A page may say that a cell spans a thousand columns in each of its rows. */
const MAX_SPANNED = 200
/** A longer text is not repeated in the other cells that it spans. */
const MAX_REPEATED = 200

interface CellSpan {
  columns?: number
  rows?: number
  /** Whether the cell continues the one above it (Word's `vMerge`). */
  isContinued?: boolean
}

export class TableRows {
  #row: string[] = []
  #isBegun = false
  #columns = 0
  /** By column: a text that also belongs to the next rows, and to how many of them. */
  #below = new Map<number, { text: string; rows: number }>()
  #above: string[] = []

  /** Adds a cell behind those that already stand in the row. */
  cell(text: string, { columns = 1, rows = 1, isContinued = false }: CellSpan): void {
    this.#isBegun = true
    this.#fillFromAbove()
    const from = this.#row.length
    const own = isContinued && text === '' ? repeatable(this.#above[from] ?? '') : text
    const width = Math.min(Math.max(1, columns), MAX_SPANNED)
    for (let column = from; column < from + width; column += 1) {
      const shown = column === from ? own : repeatable(own)
      this.#row.push(shown)
      if (rows > 1 && column < MAX_SPANNED && repeatable(own) !== '')
        this.#below.set(column, { text: own, rows: rows - 1 })
    }
  }

  /** Ends the row. @returns its cells, one for each column; undefined if all are empty */
  end(): string[] | undefined {
    if (!this.#isBegun) return undefined
    this.#isBegun = false
    this.#fillFromAbove()
    const last = Math.max(-1, ...this.#below.keys())
    while (this.#row.length <= last) {
      this.#row.push('')
      this.#fillFromAbove()
    }
    const row = this.#row
    this.#row = []
    this.#above = row
    if (row.every((cell) => cell === '')) return undefined
    const missing = Math.max(0, Math.min(this.#columns, MAX_SPANNED) - row.length)
    this.#columns = Math.max(this.#columns, row.length)
    return [...row, ...Array<string>(missing).fill('')]
  }

  /** Row spans end with their part of the table. */
  endPart(): void {
    this.#below.clear()
  }

  #fillFromAbove(): void {
    for (let at = this.#row.length; ; at += 1) {
      const held = this.#below.get(at)
      if (!held) return
      this.#row.push(held.text)
      held.rows -= 1
      if (held.rows <= 0) this.#below.delete(at)
    }
  }
}

function repeatable(text: string): string {
  return text.length > MAX_REPEATED ? '' : text
}

/** More is not kept as a table. Characters. */
const MAX_DATA = 2_000_000
/** A longer text in a cell is prose. */
const MAX_IN_CELL = 2000

/** The rows of a table that have ended, as SQL can ask them. */
export class TableData {
  caption = ''
  /** A cell holds a table, so this one only lays out others. */
  isLayout = false
  readonly #rows: string[][] = []
  #chars = 0

  add(row: readonly string[]): void {
    if (this.isLayout || this.#chars > MAX_DATA) return
    const cells = row.map(dataCell)
    this.#rows.push(cells)
    for (const cell of cells) this.#chars += cell.length + 1
  }

  keepIn(writer: SectionWriter): void {
    if (!this.isLayout) writer.table(this.#rows, { caption: this.caption, isCut: this.#chars > MAX_DATA })
  }
}

/** The addresses of links, and marks of footnotes behind a value, are no part of it. */
function dataCell(text: string): string {
  return text
    .slice(0, MAX_IN_CELL)
    .replace(/ \((?:https?:|mailto:|\/|#)[^\s()]*\)/g, '')
    .replace(/(?:\s?\[[\p{L}\d]{1,3}\]){1,5}$/u, '')
}

/** A table whose rows are being read. */
export interface OpenTable {
  rows: TableRows
  data: TableData
  /** The cell that is open. */
  cell?: CellSpan | undefined
  /** What the outer cell holds already. */
  outer: string[]
  /** What follows the row: the rows of tables in its cells, and the text behind them. */
  waiting: string[]
  /** Where the text behind a table in the open cell begins in the line. */
  behind?: number | undefined
}
