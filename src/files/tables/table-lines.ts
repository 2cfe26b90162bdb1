import { writtenDate } from './dates.ts'
import { writtenNumber } from './numbers.ts'

/** The lines of a table, split into cells only when they are read: a table may have a million cells. */
export class TableLines {
  readonly #lines: string[]
  /** The numbers of the rows that are not blank, from 1. */
  readonly filled: number[] = []

  constructor(text: string) {
    this.#lines = text.split('\n')
    for (const [i, line] of this.#lines.entries()) if (!/^\s*$/.test(line)) this.filled.push(i + 1)
  }

  /** The first cell of a row. */
  first(row: number): string {
    const line = this.#lines[row - 1] ?? ''
    const end = line.indexOf('\t')
    return (end < 0 ? line : line.slice(0, end)).trim()
  }

  width(row: number): number {
    const line = this.#lines[row - 1] ?? ''
    let width = 1
    for (let at = line.indexOf('\t'); at >= 0; at = line.indexOf('\t', at + 1)) width += 1
    return width
  }

  at(row: number | undefined): string[] {
    if (row === undefined) return []
    return (this.#lines[row - 1] ?? '').split('\t').map((cell) => cell.trim())
  }
}

export const said = (cells: readonly string[]) => cells.filter((cell) => cell !== '').join(' ')
export const filledIn = (cells: readonly string[]) => cells.filter((cell) => cell !== '').length
export const isValue = (cell: string) => (writtenNumber(cell)?.digits ?? '') !== '' || writtenDate(cell) !== undefined
