/** The first look that a model gets at a file: all of a short one, or an outline and the beginning of a long one. */
import { cutText } from '../base/cut-text.ts'
import { readPart } from './read-part.ts'
import type { ParsedFile, Section } from './types.ts'
import { columnLetters, countUnits, describeKind, isTable, sectionUnit } from './section-units.ts'

/** The share of the space that the outline may take. */
const OUTLINE_SHARE = 0.5
const MAX_IN_ENTRY = 100
const LEAST_IN_ENTRY = 40
/** Space for the line that says how many entries are left out. */
const LAST_LINE = 40

/**
 * `isWhole`: `text` is the whole file, so nothing is left to read or to search.
 * @param maxChars the maximum length of `text`
 */
export function openingOf(file: ParsedFile, maxChars: number): { text: string; isWhole: boolean } {
  const head = headOf(file)
  const whole = readPart(file, {}, Math.max(0, maxChars - head.length - 2))
  if (whole.text !== undefined && !whole.more) return { text: fit(`${head}\n\n${whole.text}`, maxChars), isWhole: true }
  const outline = outlineOf(file, Math.floor(maxChars * OUTLINE_SHARE))
  const begins = '\n\nIt begins:\n'
  const first = readPart(file, {}, Math.max(0, maxChars - outline.length - begins.length))
  return { text: fit(`${outline}${begins}${first.text ?? ''}`, maxChars), isWhole: false }
}

/** Returns the file's description, and as many of its pages, sheets or headings with their places as fit. */
export function outlineOf(file: ParsedFile, maxChars: number): string {
  const head = headOf(file)
  const room = maxChars - head.length - 1
  const entries = entriesOf(file, room)
  return fit(entries.length > 0 ? `${head}\n${entries.join('\n')}` : head, maxChars)
}

function headOf(file: ParsedFile): string {
  const title = file.title ? ` Title: ${file.title}.` : ''
  return [`${describeKind(file)}.${title}`, ...(file.notes ?? [])].join(' ')
}

/** Returns the entries. If not all fit, only every second, third, … of them. */
function entriesOf(file: ParsedFile, room: number): string[] {
  const entries = isTable(file.kind) ? file.sections.map(sheetEntry) : (headingEntries(file) ?? pageEntries(file))
  const every = Math.max(1, Math.ceil((entries.length * (LEAST_IN_ENTRY + 1)) / Math.max(1, room - LAST_LINE)))
  const kept = entries.filter((_, i) => i % every === 0)
  const each = Math.max(
    LEAST_IN_ENTRY,
    Math.min(MAX_IN_ENTRY, Math.floor((room - LAST_LINE) / Math.max(1, kept.length)) - 1),
  )
  const shown = kept.map((entry) => fit(entry, isTable(file.kind) ? 400 : each))
  return every > 1 ? [...shown, `(1 of every ${every} entries is shown)`] : shown
}

/** @returns undefined if the headings say less than the first words of each page */
function headingEntries({ kind, headings = [], sections }: ParsedFile): string[] | undefined {
  const unit = sectionUnit(kind)
  if (headings.length < 2 && sections.length > 1) return undefined
  if (headings.length === 0) return []
  return headings.map(({ text, level, section, line }) => {
    const indent = '  '.repeat(Math.min(5, level - 1))
    return `${indent}${unit ? `${unit} ${section}` : `line ${line}`}: ${text}`
  })
}

function pageEntries({ kind, sections }: ParsedFile): string[] {
  const unit = sectionUnit(kind)
  if (!unit) return []
  return sections.map((section, i) => `${unit} ${i + 1}: ${section.name ?? firstWords(section)}`)
}

function firstWords({ text }: Section): string {
  return (
    text
      .slice(0, 2 * MAX_IN_ENTRY)
      .replace(/\s+/g, ' ')
      .trim() || '(no text)'
  )
}

/** Returns the name, the range and the first row, which usually names the columns. */
function sheetEntry({ name, text, lines, columns = 0 }: Section, i: number): string {
  const label = name ? `sheet ${i + 1} "${name}"` : 'the table'
  if (lines === 0) return `${label}: empty`
  const end = text.indexOf('\n')
  const first = (end < 0 ? text : text.slice(0, end)).slice(0, 1000).split('\t').join(' | ')
  return `${label}: A1:${columnLetters(columns)}${lines} (${countUnits(lines, 'row')}), first row: ${first}`
}

function fit(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : cutText(`${cutText(text, maxChars - 1).trimEnd()}…`, maxChars)
}
