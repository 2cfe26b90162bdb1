/** The rows of a table in a pdf: lines that are parts of one cell are put together. */
import { isFigure, type PdfColumn, type GridLine } from './pdf-grid.ts'

/** Lines of one text stand this near. Heights of letters. */
const LEADING = 1.45
/** Lines of one row stand nearer than rows do. */
const NEARER = 0.85

interface Row {
  cells: string[]
  lines: GridLine[]
}

/** `wrapped`: how many lines were put to the row above or below. `isUnclear`: some may belong to another row. */
export interface PdfRows {
  rows: Row[]
  wrapped: number
  isUnclear: boolean
}

export function rowsOf(lines: readonly GridLine[], columns: readonly PdfColumn[]): PdfRows {
  const figures = figureColumns(lines, columns.length)
  const hasFigure = lines.map(({ cells }) => cells.some((cell, i) => figures.has(i) && cell && isFigure(cell.text)))
  const pitch = lines.reduce((least, { y }, i) => {
    return hasFigure[i] && hasFigure[i - 1] ? Math.min(least, y - lines[i - 1]!.y) : least
  }, Infinity)
  /** The number of the line whose row a line belongs to. */
  const owners = lines.map((_, i) => i)
  let isUnclear = false
  for (let from = 0, to = 1; from < lines.length; from = to, to += 1) {
    while (to < lines.length && gap(lines, to) <= Math.min(LEADING * lines[to]!.height, NEARER * pitch)) to += 1
    const inside = owners.slice(from, to).filter((i) => hasFigure[i])
    const [first] = inside
    if (inside.length === 1) owners.fill(first!, from, to)
    else if (first !== undefined && first > from) isUnclear ||= !shareOut(lines, owners, from, to, inside)
    else
      for (let i = Math.max(from, 1); i < to; i += 1) {
        // Lines below the first of their row belong to it if its words had no more room there.
        const isNear = !hasFigure[i] && gap(lines, i) <= LEADING * lines[i]!.height
        if (isNear && continues(lines, i, columns)) owners[i] = owners[i - 1]!
      }
  }
  const { rows, wrapped } = grouped(lines, owners, columns.length)
  return { rows, wrapped, isUnclear: isUnclear || rows.some((_, i) => isTorn(rows, i, figures)) }
}

/** Returns whether a row seems to be a part of another: words without the first cell, or a first cell beside none. */
function isTorn(rows: readonly Row[], at: number, figures: ReadonlySet<number>): boolean {
  const { cells } = rows[at]!
  const filled = cells.flatMap((cell, i) => (cell === '' ? [] : [i]))
  const beside = [rows[at - 1], rows[at + 1]]
  if (filled.length === 1 && filled[0] === 0) return beside.some((row) => row?.cells[0] === '')
  return cells[0] === '' && !filled.some((i) => figures.has(i) && isFigure(cells[i] ?? ''))
}

/** Figures in the middle of their rows have as much text above as below them. @returns whether that holds */
function shareOut(
  lines: readonly GridLine[],
  owners: number[],
  from: number,
  to: number,
  inside: readonly number[],
): boolean {
  let at = from
  for (const figure of inside) {
    const end = 2 * lines[figure]!.y - lines[Math.min(at, figure)]!.y + 0.3 * lines[figure]!.height
    if (at > figure) return false
    for (; at < to && lines[at]!.y <= end; at += 1) owners[at] = figure
  }
  return at === to
}

function gap(lines: readonly GridLine[], at: number): number {
  const [one, other] = [lines[at - 1], lines[at]]
  return one && other ? other.y - one.y : Infinity
}

/** Returns the columns whose cells are figures, but for some. */
export function figureColumns(lines: readonly GridLine[], width: number): Set<number> {
  const all = Array.from({ length: width }, (_, i) => i)
  const hasFigures = (i: number) => {
    const filled = lines.flatMap(({ cells }) => cells[i]?.text ?? [])
    return filled.length > 0 && filled.filter(isFigure).length >= 0.7 * filled.length
  }
  return new Set(all.filter(hasFigures))
}

/** Returns whether a line goes on with the text above it: it fits the column, and its first word had no room there. */
function continues(lines: readonly GridLine[], at: number, columns: readonly PdfColumn[]): boolean {
  const [above, line] = [lines[at - 1]!, lines[at]!]
  return line.cells.every((cell, i) => {
    if (!cell) return true
    const upper = above.cells[i]
    const { left, right } = columns[i]!
    const [word = ''] = cell.text.split(' ')
    const width = ((cell.right - cell.left) * (word.length + 1)) / Math.max(1, cell.text.length)
    const isText = upper !== undefined && upper.text.length >= SHORTEST
    return isText && upper.right + width > right && cell.right - left < 1.15 * (right - left)
  })
}

/** A text that goes on below itself is this long. */
const SHORTEST = 10

function grouped(lines: readonly GridLine[], owners: readonly number[], width: number) {
  const rows = new Map<number, Row>()
  for (const [i, line] of lines.entries()) {
    const owner = owners[i]!
    const row = rows.get(owner) ?? { cells: Array<string>(width).fill(''), lines: [] }
    row.lines.push(line)
    for (const [column, cell] of line.cells.entries()) {
      if (cell) row.cells[column] = wrappedText(row.cells[column] ?? '', cell.text)
    }
    rows.set(owner, row)
  }
  return { rows: [...rows.values()], wrapped: lines.length - rows.size }
}

/** A hyphen at the end of a line goes before a small letter. */
export function wrappedText(upper: string, lower: string): string {
  if (/\p{Ll}[-\u00ad]$/u.test(upper) && /^\p{Ll}/u.test(lower)) return upper.slice(0, -1) + lower
  return upper === '' ? lower : `${upper} ${lower}`
}
