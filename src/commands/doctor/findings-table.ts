/** Formats findings for a terminal. */
import { countText } from '../command.ts'
import type { Finding } from './finding.ts'

const MARKS: Record<Finding['outcome'], string> = { ok: 'ok', note: 'note', fault: 'FAULT' }

const GAP = '  '
/**
 * A longer name, such as a gateway's name for a model, does not widen the column: its sentence begins on the next line.
 */
const MAX_NAME = 24
/** With less space than this beside the columns, sentences begin on the next line. */
const LEAST_SENTENCE = 30

/**
 * Returns the findings in columns: area, outcome, name, sentence; and a last line with the totals. Sentences are
 * wrapped under their column to the terminal's `width` in characters. Without it each finding is one line, for pipes.
 */
export function findingsTable(findings: Finding[], width = Infinity): string {
  const rows = findings.map(({ area, outcome, name, sentence }) =>
    [area, MARKS[outcome], name, sentence].map(onOneLine),
  )
  const max = width === Infinity ? Infinity : MAX_NAME
  const widths = [0, 1, 2].map((column) => Math.max(0, ...rows.map((row) => row[column]?.length ?? 0)))
  const columns = widths.map((one) => Math.min(one, max))
  return [...rows.map((row) => rowOf(row, columns, width)), '', sumOf(findings)].join('\n')
}

function rowOf(row: string[], columns: number[], width: number): string {
  const sentence = row[3] ?? ''
  const [area, mark, name] = columns.map((size, i) => (row[i] ?? '').padEnd(size))
  const head = [area, mark, name].join(GAP) + GAP
  const indent = columns.reduce((sum, size) => sum + size + GAP.length, 0)
  const room = width - indent
  if (head.length === indent && room >= LEAST_SENTENCE)
    return head + wrapped(sentence, room).join(`\n${' '.repeat(indent)}`)
  const below = room >= LEAST_SENTENCE ? indent : GAP.length
  const lines = wrapped(sentence, width - below).map((line) => ' '.repeat(below) + line)
  return [head.trimEnd(), ...lines].join('\n')
}

/** Wraps at whole words. An address that is longer than a line stays whole, so that it can be copied. */
function wrapped(sentence: string, max: number): string[] {
  const lines: string[] = []
  for (const word of sentence.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= max) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

function sumOf(findings: Finding[]): string {
  const count = (outcome: Finding['outcome']) => findings.filter((one) => one.outcome === outcome).length
  const [faults, notes] = [count('fault'), count('note')]
  return `${faults === 0 ? 'No fault' : countText(faults, 'fault')}, ${countText(notes, 'note')}.`
}

/** Puts text on one line without control characters: another program's output may have both. */
function onOneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .replace(/\p{Cf}/gu, '')
    .trim()
}
