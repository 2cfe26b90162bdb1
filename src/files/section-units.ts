/** The names of the locations in a file, and the ways a model may write them. */
import type { KeptFile } from './store/types.ts'
import { FILE_KINDS, type FileKind, type ParsedFile } from './types.ts'

/** Returns what the sections of a file are; undefined if a file is one text. */
export function sectionUnit(kind: FileKind): 'page' | 'slide' | 'sheet' | undefined {
  if (kind === 'pdf') return 'page'
  if (kind === 'pptx' || kind === 'odp') return 'slide'
  return isTable(kind) ? 'sheet' : undefined
}

export function isTable(kind: KeptFile['kind']): boolean {
  return kind === 'xlsx' || kind === 'ods' || kind === 'csv'
}

/** Returns the kind and the size: `A PDF of 300 pages`. */
export function describeKind({ kind, sections }: ParsedFile): string {
  const unit = sectionUnit(kind)
  const lines = sections.reduce((sum, section) => sum + section.lines, 0)
  const size =
    unit && kind !== 'csv' ? countUnits(sections.length, unit) : countUnits(lines, kind === 'csv' ? 'row' : 'line')
  return `${FILE_KINDS[kind]} of ${size}`
}

export function countUnits(number: number, what: string): string {
  return `${number.toLocaleString('en-US')} ${what}${number === 1 ? '' : 's'}`
}

/** From and to, both inclusive. `to` is Infinity if it was left open. */
export interface Span {
  from: number
  to: number
}

/** Parses `7`, `3-5`, `3–5`, `from 3 to 5`, `12-` and `page 4`; returns undefined for anything else. */
export function spanOf(written: string | number): Span | undefined {
  const text = String(written).slice(0, 60)
  const [, first, dash, second] =
    /^\D{0,20}?(\d{1,9})\s*(-|–|—|\.\.|:|to)?\s*\D{0,10}?(\d{1,9})?\D{0,5}$/.exec(text) ?? []
  if (!first || (second && !dash)) return undefined
  const from = Math.max(1, Number(first))
  const to = second ? Number(second) : dash ? Infinity : from
  return to < from ? { from: to, to: from } : { from, to }
}

/** `B` is 2, `AA` is 27. */
export function columnNumber(letters: string): number {
  return [...letters.toUpperCase()].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0)
}

export function columnLetters(column: number): string {
  return column <= 0 ? '' : columnLetters(Math.floor((column - 1) / 26)) + String.fromCharCode(65 + ((column - 1) % 26))
}
