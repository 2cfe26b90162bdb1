/** The heading of a table in a pdf: the names of its columns, over several lines and over groups of columns. */
import { hasFigure, isFigure, isName, nameless, type PdfColumn, type Grid, type GridLine } from './pdf-grid.ts'
import type { PdfLine, PdfPiece } from './pdf-lines.ts'
import { wrappedText } from './pdf-rows.ts'

const LEADING = 1.6
const NEARER = 0.85
const FARTHER = 1.1
const MAX_UPPER = 2

/** Returns whether a line may be the heading of the lines below it. */
export function isHeadingAt(lines: readonly PdfLine[], at: number): boolean {
  const line = lines[at]!
  if (nameless(line)) return false
  for (let i = at + 1; i <= at + 3 && i < lines.length; i += 1) {
    const next = lines[i]!
    if (hasFigure(next)) return true
    if (next.pieces.length < 2) continue
    if (line.pieces.length > 2 && isOther(line, next)) return true
    // The first rows may have words instead of figures; lines of one heading stand nearer, and titles farther.
    const after = lines[i + 1]
    const [gap, below] = [next.y - line.y, (after?.y ?? Infinity) - next.y]
    const isOneOfRows = next.pieces.length === line.pieces.length && gap >= NEARER * below && gap <= FARTHER * below
    if (!isOneOfRows || (after && isOther(next, after))) return false
  }
  return false
}

/** Returns whether a line is set in another font than the next. */
export function isOther({ pieces }: PdfLine, next: PdfLine): boolean {
  const font = pieces[0]?.font
  const isOwn = (piece: PdfPiece) => piece.font === font
  return pieces.every(isOwn) && next.pieces.length > 1 && !next.pieces.some(isOwn)
}

/** `rows`: how many lines of the grid it takes. `group`: words above groups of columns that cannot be told apart. */
export interface PdfHeading {
  names: string[]
  rows: number
  top: number
  unclear?: string
}

export function headingOf(grid: Grid, lines: readonly PdfLine[], from: number): PdfHeading {
  const { columns } = grid
  const names = columns.map((_, i) => grid.lines[0]?.cells[i]?.text ?? '')
  const font = grid.lines[0]?.cells.find((cell) => cell !== undefined)?.font
  let rows = 1
  for (; rows < grid.lines.length - 1; rows += 1) {
    const line = grid.lines[rows]!
    const own = line.cells.filter((cell) => cell !== undefined)
    const [above, below] = [line.y - grid.lines[rows - 1]!.y, grid.lines[rows + 1]!.y - line.y]
    if (own.length > 1 || own.some((cell) => isFigure(cell.text) || cell.font !== font)) break
    if (above > LEADING * line.height || above > 1.1 * below) break
    for (const [i, cell] of line.cells.entries()) if (cell) names[i] = wrappedText(names[i] ?? '', cell.text)
  }
  return withUpper({ names, rows, top: from }, grid, lines, font)
}

/** Adds the lines above: the first words of a name, or the names of groups of columns. */
function withUpper(heading: PdfHeading, grid: Grid, lines: readonly PdfLine[], font: string | undefined): PdfHeading {
  let { names, top } = heading
  for (let n = 0; n < MAX_UPPER; n += 1) {
    const [line, below] = [lines[top - 1], lines[top]!]
    if (!line || below.y - line.y > LEADING * Math.max(below.height, line.height)) break
    const { pieces } = line
    if (!pieces.every(({ text }) => isName(text)) || pieces.some((piece) => piece.font !== font)) break
    const groups = grid.lines[0] ? groupsOf(pieces, names, grid.columns) : undefined
    const over = pieces.map((piece) => grid.columns.findIndex((column) => isWithin(piece, column)))
    const isWrapped =
      over.every((at) => at > 0 || (at === 0 && (pieces.length > 1 || names[0] === ''))) &&
      new Set(over).size === over.length
    if (groups) names = names.map((name, i) => `${groups[i] ?? ''} ${name}`.trim())
    else if (isWrapped) {
      names = names.map((name, i) => {
        const upper = pieces[over.indexOf(i)]
        return upper ? wrappedText(upper.text, name) : name
      })
    } else if (pieces.length > 1 && new Set(names).size < names.length)
      return { ...heading, names, top, unclear: pieces.map(({ text }) => text).join(' / ') }
    else break
    top -= 1
  }
  return { ...heading, names, top }
}

function isWithin(piece: PdfPiece, column: PdfColumn): boolean {
  const room = (column.right - column.left) * 0.3 + 4
  const isOver = piece.left < column.right && piece.right > column.left
  return isOver && piece.left > column.left - room && piece.right < column.right + room
}

/** Words that stand over the middle of as many columns each, such as `2023` over `Plan` and `Actual`. */
function groupsOf(
  pieces: readonly PdfPiece[],
  names: readonly string[],
  columns: readonly PdfColumn[],
): string[] | undefined {
  for (const first of [0, 1, 2]) {
    const each = (columns.length - first) / pieces.length
    if (each < 2 || !Number.isInteger(each) || (pieces.length < 2 && first === 0)) continue
    const isOver = pieces.every(({ left, right }, i) => {
      const [one, last] = [columns[first + i * each]!, columns[first + (i + 1) * each - 1]!]
      const isFirst = Math.abs(left - one.left) < 4
      const isMiddle = Math.abs(left + right - one.left - last.right) < 0.5 * (last.right - one.left)
      return (isFirst || isMiddle) && right < last.right + 4 && left > one.left - 4
    })
    const below = pieces.map((_, i) => names.slice(first + i * each, first + (i + 1) * each).join('\t'))
    const isRepeated = below.every((one) => one === below[0])
    if (isOver && (isRepeated || pieces.length > 1))
      return columns.map((_, i) => (i < first ? '' : (pieces[Math.floor((i - first) / each)]?.text ?? '')))
  }
  return undefined
}

/** The currency of an amount may stand in a column of its own, and numbers may stand beside their name. */
export function withoutHalfColumns(grid: Grid): Grid {
  const [heading, ...body] = grid.lines
  let { lines, columns } = grid
  for (let at = columns.length - 1; at >= 0; at -= 1) {
    if (heading?.cells[at]) continue
    const textsIn = (i: number) => body.flatMap(({ cells }) => cells[i]?.text ?? [])
    const texts = textsIn(at)
    // Nothing, or only the signs of currencies, stands below a name.
    const isHalf = (i: number) => heading?.cells[i] !== undefined && textsIn(i).every((text) => SIGN.test(text))
    const isEnd = at > 0 && texts.every((text) => /^[%)€]$/.test(text))
    const isSign = at + 1 < columns.length && texts.every((text) => SIGN.test(text))
    const other = isEnd ? at - 1 : isSign ? at + 1 : [at - 1, at + 1].find(isHalf)
    if (other === undefined || texts.length === 0) continue
    const [one, two] = [Math.min(at, other), Math.max(at, other)]
    lines = lines.map((line) => ({ ...line, cells: merged(line.cells, one, two) }))
    columns = columns.flatMap((column, i) =>
      i === two ? [] : i === one ? [{ left: column.left, right: columns[two]!.right }] : [column],
    )
    return withoutHalfColumns({ ...grid, lines, columns })
  }
  return { ...grid, lines, columns }
}

const SIGN = /^(?:[$€£¥]|[A-Z]{3})$/

function merged(cells: GridLine['cells'], one: number, two: number): GridLine['cells'] {
  const [left, right] = [cells[one], cells[two]]
  const both = left && right ? { ...left, text: `${left.text} ${right.text}`, right: right.right } : (left ?? right)
  return cells.flatMap((cell, i) => (i === two ? [] : [i === one ? both : cell]))
}
