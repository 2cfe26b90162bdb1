/** Reads a csv as one sheet: its records are the rows. */
import { parse } from 'csv-parse/sync'
import { SectionWriter } from '../section-writer.ts'
import { decodeText, linesIn } from '../text-decoding.ts'
import type { ParsedFile } from '../types.ts'
import type { ToParse } from './parser.ts'

const DELIMITERS = [',', ';', '\t', '|'] as const
const LOOKED_AT = 20

export function parseCsv({ bytes, encoding, limits }: ToParse): ParsedFile {
  const text = decodeText(bytes, encoding)
  if (!text.includes('"')) return plainRows(text, limits.maxChars).file('csv')
  return (
    rowsOf(text, { maxChars: limits.maxChars, quote: '"' }) ??
    // An unclosed quote would swallow the rest: quotes mean nothing then.
    rowsOf(text, { maxChars: limits.maxChars, quote: false })
  ).file('csv')
}

/** Without quotes every line is a row. Much faster than the parser for short rows. */
function plainRows(text: string, maxChars: number): SectionWriter {
  const writer = new SectionWriter(maxChars)
  const delimiter = delimiterOf(text)
  for (const line of linesIn(text)) {
    if (writer.isFull) break
    writer.row(line.split(delimiter))
  }
  return writer
}

function rowsOf(text: string, how: { maxChars: number; quote: false }): SectionWriter
function rowsOf(text: string, how: { maxChars: number; quote: '"' }): SectionWriter | undefined
function rowsOf(
  text: string,
  { maxChars, quote }: { maxChars: number; quote: '"' | false },
): SectionWriter | undefined {
  const writer = new SectionWriter(maxChars)
  const take = (record: string[]) => {
    writer.row(record)
    return null
  }
  try {
    parse(text, {
      bom: true,
      delimiter: delimiterOf(text),
      quote,
      relax_quotes: true,
      relax_column_count: true,
      record_delimiter: ['\r\n', '\n', '\r'],
      on_record: take,
    })
  } catch (error) {
    if (quote) return undefined
    throw error
  }
  return writer
}

/** Returns the delimiter that divides the first lines most evenly. */
function delimiterOf(text: string): string {
  const lines = text
    .slice(0, 64 * 1024)
    .split(/\r\n|\n|\r/, LOOKED_AT)
    .filter((line) => line !== '')
    .map((line) => line.replace(/"[^"]*"/g, ''))
  const scores = DELIMITERS.map((delimiter) => {
    const counts = lines.map((line) => line.split(delimiter).length - 1)
    const max = Math.max(...counts, 0)
    const same = counts.filter((count) => count === max).length / Math.max(1, counts.length)
    return { delimiter, score: max === 0 ? 0 : same + Math.min(max, 50) / 1000 }
  })
  return scores.reduce((best, one) => (one.score > best.score ? one : best)).delimiter
}
