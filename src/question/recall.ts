/** What is remembered in a question's place: chosen by its words, and given to the model as data. */
import { foldText, occurrences, termsOf } from '../files/search-terms.ts'
import type { Run } from '../stores/runs/types.ts'

/** The most characters of what is remembered that the model gets. */
export const RECALLED_CHARS = 2_000

/** `ids`: what the model gets; `text`: a line for each, with who said it and when. */
export interface Recalled {
  ids: string[]
  text: string
}

/** Returns what fits a question; with `ids`, what is still there of what the run was given before. Never rejects. */
export type Recall = (question: string, ids?: readonly string[]) => Promise<Recalled>

/** Recalls for a run, which keeps the ids alone: what is forgotten meanwhile is gone. @returns the text for the model */
export async function recallFor(question: string, run: Run, recall: Recall | undefined): Promise<string> {
  if (!recall) return ''
  const before = run.saved.remembered
  const { ids, text } = await recall(question, before)
  if (ids.join() !== (before ?? []).join()) await run.save({ part: 'remembered', value: ids })
  return text
}

/**
 * Returns all lines if they are short enough together; otherwise as many as fit of those that share words with the
 * question, preferring rare words. The order stays.
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
