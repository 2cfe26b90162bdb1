/**
 * Reads the parts of a file that a model names: pages, a sheet and a range, lines. If a part does not exist, the result
 * says so.
 */
import { cutText } from '../base/cut-text.ts'
import type { FilePart } from '../agent/contracts/tool.ts'
import type { ParsedFile, ReadPart, Section } from './types.ts'
import { columnLetters, columnNumber, countUnits, isTable, spanOf, sectionUnit, type Span } from './section-units.ts'

/** A page after the first is cut only if at least this many characters of it fit. Otherwise it is left out. */
const LEAST_OF_PAGE = 200

/** @param maxChars the maximum length of the text */
export function readPart(file: ParsedFile, wanted: FilePart, maxChars: number): ReadPart {
  if (isTable(file.kind)) return readSheet(file, wanted, maxChars)
  if (wanted.sheet !== undefined || wanted.range !== undefined)
    return { missing: `There are no sheets in it: ${describeParts(file)}` }
  return sectionUnit(file.kind) ? readPages(file, wanted, maxChars) : readLines(file, wanted, maxChars)
}

/** Returns a clause that tells a model which parts the file has. */
function describeParts({ kind, sections }: ParsedFile): string {
  const unit = sectionUnit(kind)
  if (unit === 'sheet') return `its sheets are ${sheetNames(sections)}.`
  return `it has ${unit ? countUnits(sections.length, unit) : countUnits(sections[0]?.lines ?? 0, 'line')}.`
}

function sheetNames(sections: Section[]): string {
  const names = sections.slice(0, 50).map(({ name }, i) => (name ? `"${name}"` : `${i + 1}`))
  return names.join(', ') + (sections.length > 50 ? ` and ${sections.length - 50} more` : '')
}

function readPages(file: ParsedFile, { pages, lines }: FilePart, maxChars: number): ReadPart {
  const unit = sectionUnit(file.kind) ?? 'page'
  const last = file.sections.length
  const span = pages === undefined ? { from: 1, to: last } : spanOf(pages)
  if (!span) return { missing: `"${clipped(pages)}" names no ${unit}: write 3 or 3-5; ${describeParts(file)}` }
  if (span.from > last) return { missing: `There is no ${unit} ${span.from}: ${describeParts(file)}` }
  const to = Math.min(span.to, last)
  if (lines !== undefined && span.from === to) {
    const part = linesOf(file.sections[to - 1], lines, maxChars)
    return part.text === undefined ? part : { ...part, place: `${unit} ${to}, ${part.place}`, sections: [to] }
  }
  return joinPages(file, { from: span.from, to }, maxChars)
}

/** Joins pages, each under its number, as far as they fit; the last one may be cut. */
function joinPages({ kind, sections }: ParsedFile, { from, to }: Span, maxChars: number): ReadPart {
  const unit = sectionUnit(kind) ?? 'page'
  const parts: string[] = []
  let left = maxChars
  let more: string | undefined
  for (let page = from; page <= to && !more; page += 1) {
    const head = `[${unit} ${page}]\n`
    const text = sections[page - 1]?.text || '(no text)'
    const room = left - head.length - 1
    left = room - text.length
    if (left < 0 && room < LEAST_OF_PAGE && page > from) more = `It goes on at ${unit} ${page} of ${sections.length}.`
    else {
      const shown = text.length <= room ? text : cutText(text, room)
      parts.push(head + shown)
      if (left < 0)
        more = `It is cut in ${unit} ${page}, at line ${shown.split('\n').length}: name that ${unit} and lines.`
    }
  }
  const end = from + parts.length - 1
  return {
    text: cutText(parts.join('\n'), maxChars),
    place: from === end ? `${unit} ${from}` : `${unit}s ${from}-${end}`,
    sections: parts.map((_, i) => from + i),
    ...(more && { more }),
  }
}

function readLines(file: ParsedFile, { pages, lines }: FilePart, maxChars: number): ReadPart {
  // A text has no pages, but its beginning counts as the first page.
  const isFirst = pages !== undefined && spanOf(pages)?.from === 1
  if (pages !== undefined && !isFirst && lines === undefined)
    return { missing: `There are no pages in it: ${describeParts(file)} Name lines, as in 1-100.` }
  return linesOf(file.sections[0], lines, maxChars)
}

function linesOf(section: Section | undefined, wanted: string | number | undefined, maxChars: number): ReadPart {
  const all = section && section.lines > 0 ? section.text.split('\n') : []
  const span = wanted === undefined ? { from: 1, to: Infinity } : spanOf(wanted)
  if (!span) return { missing: `"${clipped(wanted)}" names no lines: write 10-40; there are ${all.length}.` }
  if (span.from > all.length && all.length > 0)
    return { missing: `There is no line ${span.from}: the last is ${all.length}.` }
  const to = Math.min(span.to, all.length)
  const { text, end } = fitting((line) => all[line - 1] ?? '', { from: span.from, to }, maxChars)
  return {
    text,
    place: end === span.from ? `line ${end}` : `lines ${span.from}-${end}`,
    sections: [1],
    ...(end < to && { more: `It goes on at line ${end + 1} of ${all.length}.` }),
    ...(end === to && text.length < (all[to - 1] ?? '').length && { more: `Line ${to} is longer than what is here.` }),
  }
}

/** Joins whole lines as far as they fit; the first is cut if necessary. */
function fitting(lineAt: (line: number) => string, { from, to }: Span, maxChars: number) {
  const lines: string[] = []
  let left = maxChars
  for (let line = from; line <= to; line += 1) {
    const text = lineAt(line)
    if (text.length > left && lines.length > 0) break
    lines.push(cutText(text, left))
    left -= text.length + 1
  }
  return { text: lines.join('\n'), end: from + Math.max(0, lines.length - 1) }
}

function readSheet(file: ParsedFile, wanted: FilePart, maxChars: number): ReadPart {
  const [sheet, range] = sheetAndRange(wanted)
  const number = sheetNumber(file.sections, sheet)
  const section = file.sections[number - 1]
  if (!section) return { missing: `There is no sheet "${clipped(sheet)}": ${describeParts(file)}` }
  const part = readRange(section, range, maxChars)
  if (part.text === undefined) return part
  const others = file.sections.length - 1
  const more =
    part.more ??
    (sheet === undefined && others > 0 ? `There are more sheets: ${sheetNames(file.sections)}.` : undefined)
  const named = section.name ? `sheet "${section.name}", ` : ''
  return { ...part, place: named + part.place, sections: [number], ...(more && { more }) }
}

/** A range may name its sheet: `Sales!A1:C20`, `'Sales 2024'!B:D`. */
function sheetAndRange({ pages, sheet, range, lines }: FilePart): (string | number | undefined)[] {
  const at = range?.lastIndexOf('!') ?? -1
  if (range === undefined || at < 0) return [sheet ?? pages, range ?? lines]
  return [sheet ?? range.slice(0, at).replace(/^'|'$/g, ''), range.slice(at + 1)]
}

/** Returns 0 if there is none. Names come first: a sheet may be called `2024`. */
function sheetNumber(sections: Section[], wanted: string | number | undefined): number {
  if (wanted === undefined) return 1
  const name = String(wanted).slice(0, 300).trim().toLowerCase()
  const named = sections.findIndex((section) => section.name?.toLowerCase() === name)
  if (named >= 0) return named + 1
  const [, digits] = /^(?:sheet\s*)?#?(\d{1,4})$/.exec(name) ?? []
  return digits ? Number(digits) : 0
}

function clipped(written: unknown): string {
  return String(written).slice(0, 60)
}

interface CellRange {
  rows: Span
  columns: Span
}

/**
 * Returns the rows of the range, each after its number, under the letters of its columns, divided by tabs.
 * @param written `A1:C20`, `B:D`, `10:20`, `B7`, also `10-20`; the whole sheet if undefined
 */
function readRange(section: Section, written: string | number | undefined, maxChars: number): ReadPart {
  const { lines, columns = 1 } = section
  const whole = `the sheet is A1:${columnLetters(columns)}${lines}.`
  if (lines === 0) return { missing: 'The sheet is empty.' }
  const range = written === undefined ? parseRange('1:') : parseRange(String(written))
  if (!range) return { missing: `"${clipped(written)}" is no range: write A1:C20, B:D or 10:20; ${whole}` }
  if (range.rows.from > lines || range.columns.from > columns) return { missing: `These cells are empty: ${whole}` }
  const rows = { from: range.rows.from, to: Math.min(range.rows.to, lines) }
  const shown = { from: range.columns.from, to: Math.min(range.columns.to, columns) }
  const { text, end } = rowsOf(section, { rows, columns: shown }, maxChars)
  const place = `${columnLetters(shown.from)}${rows.from}:${columnLetters(shown.to)}${end}`
  return { text, place, sections: [1], ...(end < rows.to && { more: `It goes on at row ${end + 1} of ${lines}.` }) }
}

/** Joins whole rows below the letters of their columns, as far as they fit. */
function rowsOf(section: Section, { rows, columns }: CellRange, maxChars: number) {
  const letters = Array.from({ length: columns.to - columns.from + 1 }, (_, i) => columnLetters(columns.from + i))
  const head = cutText(['row', ...letters].join('\t'), maxChars)
  const all = section.text.split('\n')
  const rowAt = (row: number) => {
    const cells = (all[row - 1] ?? '').split('\t').slice(columns.from - 1, columns.to)
    return [row, ...cells].join('\t')
  }
  const { text, end } = fitting(rowAt, rows, maxChars - head.length - 1)
  return { text: cutText(`${head}\n${text}`, maxChars), end }
}

/** Columns end at XFD, rows at 1,048,576: three letters and seven digits. */
const CELL = /^\$?([a-z]{1,3})?\$?(\d{1,7})?$/i

function parseRange(written: string): CellRange | undefined {
  const text = written.slice(0, 60).replace(/\s+/g, '')
  const [first = '', second, ...rest] = text.split(':')
  if (second === undefined && !/[a-z]/i.test(text)) {
    const rows = spanOf(text)
    return rows && { rows, columns: { from: 1, to: Infinity } }
  }
  const [from, to] = [CELL.exec(first), CELL.exec(second ?? first)]
  if (!from || !to || rest.length > 0 || text === '' || text === ':') return undefined
  const span = (a: number | undefined, b: number | undefined) => {
    const [start, end] = [a ?? 1, b ?? Infinity]
    return { from: Math.max(1, Math.min(start, end)), to: Math.max(start, end) }
  }
  const row = (digits: string | undefined) => (digits === undefined ? undefined : Number(digits))
  const column = (letters: string | undefined) => (letters === undefined ? undefined : columnNumber(letters))
  return { rows: span(row(from[2]), row(to[2])), columns: span(column(from[1]), column(to[1])) }
}
