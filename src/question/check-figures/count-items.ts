/** Counts the items of lists and tables. */
import { parseJson } from '../../base/parse-json.ts'

/** The longest text in which items are counted. */
const COUNTED_CHARS = 100_000

/** The numbers of list items, rows or entries in a text: an answer may say `3 results` although the text does not. */
export function countsIn(text: string): number[] {
  if (text.length > COUNTED_CHARS) return []
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const items = lines.filter((line) => /^\s*(?:[-*•+]|\(?\d{1,3}[.)])\s/.test(line)).length
  const rows = lines.filter((line) => /^\s*\|/.test(line)).length
  const counts = [items, rows - 2, ...(lines.length > 2 ? [lines.length, lines.length - 1] : [])]
  return [...counts, ...entriesIn(text)].filter((count) => count > 1)
}

function entriesIn(text: string): number[] {
  if (!/^\s*[[{]/.test(text)) return []
  const value = parseJson(text)
  const parts = [value, ...(typeof value === 'object' && value !== null ? Object.values(value) : [])]
  return parts.flatMap((part) => (Array.isArray(part) ? [part.length] : []))
}

/** `XIV`. */
const ROMAN = /\b(?=[IVX]{2})X{0,3}(?:IX|IV|V?I{0,3})\b/g

function romanNumber(roman: string): number {
  const values = [...roman].map((letter) => ({ I: 1, V: 5, X: 10 })[letter] ?? 0)
  return values.reduce((sum, value, i) => sum + (value < (values[i + 1] ?? 0) ? -value : value), 0)
}

export function romansIn(text: string): number[] {
  return [...text.matchAll(ROMAN)].map(([roman]) => romanNumber(roman))
}
