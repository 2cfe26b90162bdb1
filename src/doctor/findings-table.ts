/** Findings as people read them in a terminal. */
import type { Finding } from './finding.ts'

const MARKS: Record<Finding['outcome'], string> = { ok: 'ok', note: 'note', fault: 'FAULT' }

/** A line each, in columns: area, what came of it, the thing, its sentence; and a last line with the sum. */
export function findingsTable(findings: Finding[]): string {
  const rows = findings.map(({ area, outcome, name, sentence }) => [area, MARKS[outcome], name, onOneLine(sentence)])
  const widths = [0, 1, 2].map((column) => Math.max(0, ...rows.map((row) => row[column]?.length ?? 0)))
  const lines = rows.map((row) => row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  '))
  return [...lines, '', sumOf(findings)].join('\n')
}

function sumOf(findings: Finding[]): string {
  const count = (outcome: Finding['outcome']) => findings.filter((one) => one.outcome === outcome).length
  const [faults, notes] = [count('fault'), count('note')]
  const words = (n: number, word: string) => `${n} ${word}${n === 1 ? '' : 's'}`
  return `${faults === 0 ? 'No fault' : words(faults, 'fault')}, ${words(notes, 'note')}.`
}

/** What somebody else's program said may have more lines, and signs that a terminal obeys. */
function onOneLine(sentence: string): string {
  return sentence.replace(/[\p{Cc}\s]+/gu, ' ').trim()
}
