/** Reads a csv as one sheet: its records are the rows. */
import { parse } from 'csv-parse/sync'
import { SectionWriter } from '../section-writer.ts'
import { decodeText, linesIn } from '../text-decoding.ts'
import type { ParsedFile } from '../types.ts'
import type { ToParse } from './parser.ts'

const DELIMITERS = [',', ';', '\t', '|'] as const
const LOOKED_AT = 20

export function parseCsv({ bytes, encoding, limits }: ToParse): ParsedFile {
  const whole = decodeText(bytes, encoding)
  const [first = '', separator] = SEPARATOR.exec(whole) ?? []
  const text = whole.slice(first.length)
  const delimiter = separator ?? delimiterOf(text)
  const quoted = text.includes('"') ? quotedRows(text, delimiter, limits.maxChars) : undefined
  // An unclosed quote would swallow the rest: quotes mean nothing then.
  return (quoted ?? plainRows(text, delimiter, limits.maxChars)).file('csv')
}

/** Without quotes every line is a row. Much faster than the parser for short rows. */
function plainRows(text: string, delimiter: string, maxChars: number): SectionWriter {
  const writer = new SectionWriter(maxChars)
  for (const line of linesIn(text)) {
    if (writer.isFull) break
    writer.row(line.split(delimiter))
  }
  return writer
}

/** A longer record is an unclosed quote. Characters. */
const MAX_RECORD = 1_000_000

/** @returns undefined if the quotes do not come in pairs */
function quotedRows(text: string, delimiter: string, maxChars: number): SectionWriter | undefined {
  const writer = new SectionWriter(maxChars)
  const take = (record: string[]) => {
    writer.row(record)
    return null
  }
  try {
    parse(text, {
      bom: true,
      delimiter,
      relax_quotes: true,
      relax_column_count: true,
      record_delimiter: ['\r\n', '\n', '\r'],
      max_record_size: MAX_RECORD,
      on_record: take,
    })
  } catch {
    return undefined
  }
  return writer
}

/**
 * Returns the delimiter that divides the first lines most evenly. A comma is likelier a part of a number or a sentence
 * than other delimiters: of those that divide about as evenly, another one wins.
 */
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
    const isInEach = counts.every((count) => count > 0)
    const doubt = delimiter === ',' ? counts.reduce((sum, _, i) => sum + doubtIn(lines[i] ?? ''), 0) / lines.length : 0
    return { delimiter, score: max === 0 ? 0 : same + Math.min(max, 50) / 1000 + (isInEach ? 0.5 : 0) - 0.6 * doubt }
  })
  const { delimiter } = scores.reduce((best, one) => (one.score > best.score ? one : best))
  return isOneColumn(lines, delimiter) ? NONE : delimiter
}

/** Stands in no text. */
const NONE = '\0'

/** Returns whether the head has one column, and the delimiter stands in the numbers and sentences below it. */
function isOneColumn(lines: readonly string[], delimiter: string): boolean {
  const counts = lines.map((line) => line.split(delimiter).length - 1)
  const from = counts.findIndex((count) => count > 0)
  if (from <= 0) return false
  const below = counts.slice(from)
  const share = (count: number) => below.filter((one) => one === count).length / below.length
  if (share(0) > 0.5) return true
  if (delimiter === ',' && lines.some((line) => line.includes(',') && !IN_TEXT.test(line))) return false
  if (Math.max(...below) === 1 && delimiter === ',') return true
  return Math.min(...below) < 2 && below.every((count) => share(count) <= 0.5)
}

/** A comma in a number, or before a space. */
const IN_TEXT = /(?<!\d)\d{1,3},\d|, /

/** Returns the share of a line's commas that stand in a number or before a space, if another delimiter is there. */
function doubtIn(line: string): number {
  if (!/[;\t|]/.test(line)) return 0
  const commas = line.split(',').length - 1
  return commas === 0 ? 0 : (line.match(/\d,(?=\d)|,(?= )/g)?.length ?? 0) / commas
}

/** The first line that Excel understands: `sep=;`. */
const SEPARATOR = /^\ufeff?"?sep=([,;\t|])"?(?:\r\n|\n|\r|$)/i
