/** The words of a pdf's page by their places: lines of pieces, which stand apart as the cells of a table do. */
import { raisedText } from './raised-text.ts'

/** Left and right in points, from the left of the page as it is shown. */
export interface PdfPiece {
  text: string
  left: number
  right: number
  font: string
}

/** `y`: the baseline, from the top of the page. `height`: of its largest letters. In points. */
export interface PdfLine {
  y: number
  height: number
  pieces: PdfPiece[]
}

/** What pdf.js calls an item of a text. */
interface TextItem {
  str: string
  width: number
  transform: unknown[]
  fontName: string
}

/** A page with more is a drawing. */
const MAX_ITEMS = 20_000
/** Pieces that are nearer belong together. Parts of the letters' height. */
const APART = 0.5
const SPACE = 0.1
/** All letters of a typewriter's font are this wide, and so are its spaces. */
const TYPED = 0.6

interface Placed extends PdfPiece {
  y: number
  height: number
}

/** `toPage`: the matrix from the pdf's points to those of the shown page. Slanted and vertical words are left out. */
export function linesOf(items: readonly object[], toPage: readonly number[]): PdfLine[] {
  const words = items.filter((item): item is TextItem => 'str' in item && String(item.str).trim() !== '')
  if (words.length > MAX_ITEMS) return []
  const placed = words.flatMap((word) => placedOn(word, toPage) ?? []).sort((a, b) => a.y - b.y || a.left - b.left)
  const lines: PlacedLine[] = []
  for (const word of placed) {
    const line = lines.at(-1)
    if (!line || line.words.length >= MAX_IN_LINE || !isBeside(word, line.main)) {
      lines.push({ words: [word], main: word })
      continue
    }
    line.words.push(word)
    if (word.height > line.main.height) line.main = word
  }
  return lines.map(joined)
}

/** `main`: the tallest word, the first of several. */
interface PlacedLine {
  words: Placed[]
  main: Placed
}

const MAX_IN_LINE = 200

function placedOn({ str, width, transform, fontName }: TextItem, toPage: readonly number[]): Placed | undefined {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = toPage
  const [A, B, C, D, E, F] = transform.map(Number) as [number, number, number, number, number, number]
  const [dx, dy] = [a * A + c * B, b * A + d * B]
  const height = Math.hypot(C, D)
  const left = a * E + c * F + e
  if (!(dx > 0) || Math.abs(dy) > 0.05 * dx || !(height > 0) || !(width > 0) || !Number.isFinite(left + width))
    return undefined
  return { text: str.trim(), left, right: left + width, y: b * E + d * F + f, height, font: fontName }
}

/** Raised and lowered digits are smaller than their line, and stand higher or lower. */
function isBeside(one: Placed, other: Placed): boolean {
  const [small, large] = one.height < other.height ? [one.height, other.height] : [other.height, one.height]
  return Math.abs(one.y - other.y) <= (small < 0.85 * large ? 0.5 : 0.3) * large
}

function joined({ words, main }: PlacedLine): PdfLine {
  const pieces: PdfPiece[] = []
  for (const word of words.sort((a, b) => a.left - b.left)) {
    const last = pieces.at(-1)
    const gap = last ? word.left - last.right : Infinity
    // Some programs draw a word twice to make it bold.
    if (last && last.text === word.text && Math.abs(word.left - last.left) < 0.2 * word.height) continue
    if (!last || (gap > APART * main.height && !isTyped(last, word, main.height))) {
      const { text, left, right, font } = word
      pieces.push({ text, left, right, font })
      continue
    }
    const isRaised = word.height < 0.85 * main.height && word.y < main.y - 0.15 * main.height
    last.text = isRaised
      ? withRaised(last.text, word.text)
      : `${last.text}${gap > SPACE * main.height ? ' ' : ''}${word.text}`
    last.right = Math.max(last.right, word.right)
  }
  return { y: main.y, height: main.height, pieces }
}

/** Returns whether two words of a typewriter's font are one space apart. */
function isTyped(last: PdfPiece, word: PdfPiece, height: number): boolean {
  const widths = [last, word].map(({ text, left, right }) => (right - left) / text.length)
  return [...widths, word.left - last.right].every((width) => Math.abs(width - TYPED * height) < 0.015 * height)
}

/** The mark of a footnote behind a number is no digit of it. */
function withRaised(text: string, raised: string): string {
  const isMark = /\d$/.test(text) && !/(?:^|\D)10$/.test(text) && raised.length <= 3
  return isMark ? text : text + raisedText(raised, true)
}
