/** Chooses the remembered items for a question by its words, and gives them to the model as data. */
import { foldText, occurrences, termsOf } from '../files/search-terms.ts'
import type { Run } from '../stores/runs/types.ts'

/** The maximum length of the remembered items that the model gets, in characters. */
export const RECALLED_CHARS = 2_000

/** `ids`: of the chosen items; `text`: a line for each, with its author and time. */
interface RecalledItems {
  ids: string[]
  text: string
}

/**
 * Returns the items that fit a question; with `ids`, those that an earlier process chose and that still exist. Never
 * rejects.
 */
export type Recall = (question: string, ids?: readonly string[]) => Promise<RecalledItems>

/**
 * Recalls for a run, which stores only the ids, so that an item that is forgotten in the meantime is gone. @returns the
 * text for the model
 */
export async function recallFor(question: string, run: Run, recall: Recall | undefined): Promise<string> {
  if (!recall) return ''
  const before = run.saved.remembered
  const { ids, text } = await recall(question, before)
  if (ids.join() !== (before ?? []).join()) await run.save({ part: 'remembered', value: ids })
  return text
}

/**
 * Returns all lines if they are short enough together. Otherwise as many as fit of those that share words with the
 * question, preferring rare words, in their original order.
 */
export function fitting<Line extends { line: string }>(lines: Line[], question: string): Line[] {
  if (lengthOf(lines) <= RECALLED_CHARS) return lines
  const terms = termsOf(question)
  const counts = lines.map(({ line }) => {
    const text = foldText(line)
    return terms.map((term) => Math.min(1, occurrences(text, term)))
  })
  const rarity = terms.map((_, t) => Math.log(1 + lines.length / (1 + counts.reduce((n, of) => n + (of[t] ?? 0), 0))))
  const scored = lines.map((line, i) => ({
    line,
    score: (counts[i] ?? []).reduce((sum, count, t) => sum + count * (rarity[t] ?? 0), 0),
  }))
  const chosen: Line[] = []
  for (const { line, score } of scored.toReversed().sort((a, b) => b.score - a.score))
    if (score > 0 && lengthOf([...chosen, line]) <= RECALLED_CHARS) chosen.push(line)
  return lines.filter((line) => chosen.includes(line))
}

function lengthOf(lines: { line: string }[]): number {
  return lines.map(({ line }) => line).join('\n').length
}
