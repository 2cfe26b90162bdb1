/** Lines of a pdf's page as a grid: which lines stand below a heading, and which piece belongs to which column. */
import { isValue } from '../tables/table-lines.ts'
import type { PdfLine, PdfPiece } from './pdf-lines.ts'

/** From left to right, in points. */
export interface PdfColumn {
  left: number
  right: number
  /** Whether a piece of the heading, and one of the rows, stands in it. */
  isNamed?: boolean
  isFilled?: boolean
}

/** The pieces of a line by column. */
export interface GridLine {
  y: number
  height: number
  cells: (PdfPiece | undefined)[]
}

/** `end`: the index of the line behind it. `isBroken`: rows go on behind a line that does not fit the columns. */
export interface Grid {
  columns: PdfColumn[]
  lines: GridLine[]
  end: number
  isBroken: boolean
}

const MAX_COLUMNS = 40
/** A larger distance of two lines ends a table. Heights of letters. */
const MAX_GAP = 3.5
/** A column begins this far from the next. Points. */
const APART = 1

const NOTHING = /^(?:[-–—.]+|n\/?a|k\.? ?a\.?)$/i
const NAMED_YEAR = /^(?:(?:19|20)\d{2}|.{0,12}(?:19|20)\d{2})\*?$/

/** Returns whether a piece is a number, a date, or a word for nothing. */
export const isFigure = (text: string) => isValue(text) || NOTHING.test(text)
/** Returns whether a line has a figure. */
export const hasFigure = ({ pieces }: PdfLine) => pieces.some(({ text }) => isFigure(text))
/** Returns whether a piece may be the name of a column, as `2024`, `Q1 2024` and `31.12.2024` are too. */
export const isName = (text: string) => NAMED_YEAR.test(text) || !isFigure(text)

export const nameless = ({ pieces }: PdfLine) => pieces.length < 2 || !pieces.every(({ text }) => isName(text))

/**
 * Takes the lines from a heading on, as long as their pieces fit its columns. `columns`: those of the table's part on
 * the page before.
 */
export function gridFrom(lines: readonly PdfLine[], from: number, columns: readonly PdfColumn[] = []): Grid {
  const grid: Grid = { columns: columns.map((column) => ({ ...column })), lines: [], end: from, isBroken: false }
  const taken: PdfLine[] = []
  let hasFigures = false
  let stray: PdfLine | undefined
  let at = from
  for (; at < lines.length; at += 1) {
    const line = lines[at]!
    const before = lines[at - 1]
    if (at > from && before && line.y - before.y > MAX_GAP * Math.max(line.height, before.height)) break
    if (hasFigures && isNextHeading(line, taken, before)) break
    const isSingle = isText(line)
    const fitting = fitted(line, grid.columns, at === from && columns.length === 0)
    if (!fitting) {
      if (stray) break
      stray = line
      continue
    }
    if (stray && !isSingle) {
      // Words across the table, such as the name of a group, stand alone in their line.
      if (stray.pieces.length > 1 || !hasFigure(line)) break
      taken.push(stray)
      stray = undefined
    } else if (stray) break
    grid.columns = fitting
    hasFigures ||= taken.length > 0 && hasFigure(line)
    taken.push(line)
    grid.end = at + 1
  }
  grid.isBroken = stray !== undefined && goesOn(lines, grid.end, grid.columns)
  grid.lines = taken.map((line) => ({ y: line.y, height: line.height, cells: placed(line, grid.columns) }))
  return grid
}

/**
 * Returns whether a line names other columns than those of the table above it, which has figures. Its own heading may
 * be repeated.
 */
function isNextHeading(line: PdfLine, taken: readonly PdfLine[], above: PdfLine | undefined): boolean {
  const [heading] = taken
  const last = taken.length > 1 ? taken.at(-1) : undefined
  if (!heading || !last || !above || line.pieces.length < heading.pieces.length || nameless(line)) return false
  // The names below a title are those of another table.
  if (isText(above) || textOf(line) === textOf(heading)) return isText(above)
  const pitch = Math.min(...taken.slice(1, 21).map(({ y }, i) => y - (taken[i]?.y ?? y)))
  const fonts = [line, last].map(({ pieces }) => pieces.every(({ font }) => font === heading.pieces[0]?.font))
  return (fonts[0] === true && fonts[1] === false) || line.y - last.y > 1.4 * pitch || above !== last
}

const textOf = ({ pieces }: PdfLine) => pieces.map(({ text }) => text).join('\t')

/** Returns the columns with the pieces of a line; undefined if a piece lies across two, or two lie in one. */
function fitted(line: PdfLine, columns: readonly PdfColumn[], isHeading: boolean): PdfColumn[] | undefined {
  const isSingle = isText(line)
  let wider = columns.map((column) => ({ ...column }))
  const used = new Set<PdfColumn>()
  for (const piece of line.pieces) {
    const over = wider.filter((column) => isOver(piece, column))
    const column = over.length > 1 ? asOne(over) : (over[0] ?? { ...piece, isNamed: isHeading, isFilled: !isHeading })
    if (!column || used.has(column) || (isSingle && over.length === 0)) return undefined
    used.add(column)
    if (over.length === 0 && isLabel(line, piece, wider)) continue
    // A line of one text may be longer than its column, or stand below the table.
    if (!isSingle) widen(column, piece)
    if (!isHeading) column.isFilled = true
    wider = [...wider.filter((one) => !over.includes(one)), column]
  }
  if (wider.length > MAX_COLUMNS) return undefined
  wider.sort((a, b) => a.left - b.left)
  return wider.every((column, i) => i === 0 || wider[i - 1]!.right + APART <= column.left) ? wider : undefined
}

const isOver = (piece: PdfPiece, { left, right }: PdfColumn) => piece.left < right + APART && piece.right > left - APART
const isText = ({ pieces }: PdfLine) => pieces.length === 1 && !isFigure(pieces[0]?.text ?? '')

function widen(column: PdfColumn, { left, right }: Pick<PdfColumn, 'left' | 'right'>): void {
  column.left = Math.min(column.left, left)
  column.right = Math.max(column.right, right)
}

/** A name at the left of its column and numbers at its right may not touch, until a longer number comes. */
function asOne(over: readonly PdfColumn[]): PdfColumn | undefined {
  const [one, two] = over
  if (over.length !== 2 || !one || !two || one.isNamed === two.isNamed || one.isFilled === two.isFilled)
    return undefined
  const both = { ...one, isNamed: true, isFilled: true }
  widen(both, two)
  return both
}

/** Returns whether a piece is the label of a sum, such as `Subtotal`, which stands anywhere before it. */
function isLabel({ pieces }: PdfLine, piece: PdfPiece, columns: readonly PdfColumn[]): boolean {
  const [first] = columns
  return (
    first !== undefined && piece === pieces[0] && pieces.length > 1 && !isFigure(piece.text) && piece.left > first.right
  )
}

/** Words across the table stand in its first column. */
function placed({ pieces }: PdfLine, columns: readonly PdfColumn[]): (PdfPiece | undefined)[] {
  const cells = Array.from({ length: columns.length }, (): PdfPiece | undefined => undefined)
  for (const piece of pieces) {
    const at = columns.findIndex((column) => isOver(piece, column))
    cells[Math.max(0, at)] = piece
  }
  return cells
}

/** Returns whether one of the next lines, before another heading, has a figure where the rows above have theirs. */
function goesOn(lines: readonly PdfLine[], from: number, columns: readonly PdfColumn[]): boolean {
  for (let at = from; at < from + 4 && at < lines.length; at += 1) {
    const line = lines[at]!
    if (!nameless(line) || line.y - (lines[at - 1]?.y ?? line.y) > MAX_GAP * line.height) return false
    const isAligned = line.pieces.some(
      ({ text, left, right }) =>
        isFigure(text) &&
        columns.slice(1).some((column) => Math.abs(column.right - right) < 2 || Math.abs(column.left - left) < 2),
    )
    if (line.pieces.length > 1 && isAligned) return true
  }
  return false
}
