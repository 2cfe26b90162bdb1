/**
 * Finds the passages of a file that a question is about: Okapi BM25 (Robertson and Zaragoza, "The Probabilistic
 * Relevance Framework: BM25 and Beyond", 2009), with k1 = 1.2 and b = 0.75.
 * A file is asked few questions, so there is no index: each search reads the text once and counts only the question's
 * words.
 */
import { cutText } from '../base/cut-text.ts'
import { setImmediate } from 'node:timers/promises'
import { foldText, occurrences, termsOf } from './search-terms.ts'
import type { ParsedFile, Section } from './types.ts'
import { isTable, sectionUnit } from './section-units.ts'

const K1 = 1.2
const B = 0.75
/** Characters in a passage, unless a single line is longer. */
const PASSAGE_CHARS = 800
/** The number of passages after which the search yields to the event loop. */
const TURN = 500

export interface Passage {
  /** The number of the page, slide or sheet. */
  section: number
  firstLine: number
  lastLine: number
  text: string
  /** The location: `page 12, lines 3-9`, `sheet "Sales", rows 40-52`, `lines 10-20`. */
  place: string
  score: number
}

/** Returns up to `limit` passages, best first. Passages without any of the words are left out. */
export async function searchPassages(file: ParsedFile, query: string, limit = 5): Promise<Passage[]> {
  const terms = termsOf(query)
  const found: { slice: Slice; counts: number[] }[] = []
  const inHowMany = terms.map(() => 0)
  let [passages, chars] = [0, 0]
  for (const slice of slicesOf(file)) {
    passages += 1
    chars += slice.text.length
    const text = foldText(slice.text)
    const counts = terms.map((term) => occurrences(text, term))
    counts.forEach((count, i) => (inHowMany[i]! += count > 0 ? 1 : 0))
    if (counts.some((count) => count > 0)) found.push({ slice, counts })
    if (passages % TURN === 0) await setImmediate()
  }
  const rarity = inHowMany.map((held) => Math.log(1 + (passages - held + 0.5) / (held + 0.5)))
  const average = chars / Math.max(1, passages)
  const score = ({ slice, counts }: (typeof found)[number]) => {
    const weight = K1 * (1 - B + (B * slice.text.length) / average)
    return counts.reduce((sum, count, i) => sum + ((rarity[i] ?? 0) * count * (K1 + 1)) / (count + weight), 0)
  }
  return found
    .map((one) => ({ ...one.slice, score: score(one) }))
    .sort((a, b) => b.score - a.score || a.section - b.section || a.firstLine - b.firstLine)
    .slice(0, Math.max(0, limit))
    .map((passage) => ({ ...passage, place: placeOf(file, passage) }))
}

/** Returns the part of a passage, at most `maxChars` long, that contains most of the question's words. */
export function richestPart(text: string, query: string, maxChars: number): string {
  if (text.length <= maxChars) return text
  const terms = termsOf(query)
  let best = { from: 0, score: -1 }
  for (let from = 0; from < text.length; from += Math.ceil(maxChars / 2)) {
    const part = foldText(text.slice(from, from + maxChars))
    const score = terms.reduce((sum, term) => sum + Math.min(1, occurrences(part, term)), 0)
    if (score > best.score) best = { from, score }
  }
  // Moves the last part back so that it is as long as the others.
  const from = Math.min(best.from, text.length - maxChars)
  return from === 0 ? cutText(text, maxChars) : cutText(`…${text.slice(from + 1)}`, maxChars)
}

type Slice = Pick<Passage, 'section' | 'firstLine' | 'lastLine' | 'text'>

/** Groups neighbouring lines of a section into passages. Passages do not overlap. */
function* slicesOf({ sections }: ParsedFile): Generator<Slice> {
  for (const [i, section] of sections.entries()) if (section.lines > 0) yield* slicesIn(section, i + 1)
}

function* slicesIn({ text }: Section, section: number): Generator<Slice> {
  let [from, line, firstLine] = [0, 0, 1]
  for (let at = 0; at <= text.length;) {
    const end = text.indexOf('\n', at)
    const next = end < 0 ? text.length + 1 : end + 1
    line += 1
    at = next
    if (at - from <= PASSAGE_CHARS && at <= text.length) continue
    yield { section, firstLine, lastLine: line, text: text.slice(from, at - 1) }
    from = at
    firstLine = line + 1
  }
}

function placeOf({ kind, sections }: ParsedFile, { section, firstLine, lastLine }: Slice): string {
  const unit = sectionUnit(kind)
  const what = isTable(kind) ? 'row' : 'line'
  const lines = firstLine === lastLine ? `${what} ${firstLine}` : `${what}s ${firstLine}-${lastLine}`
  const name = sections[section - 1]?.name
  if (unit === 'sheet') return name ? `sheet "${name}", ${lines}` : lines
  return unit ? `${unit} ${section}, ${lines}` : lines
}
