/**
 * Opens what a model wrote for reading. The readers are tolerant of form and strict about one thing: only what the model
 * wrote in this turn, up to its first invented observation, is read. No reader throws on any text, none takes more than
 * linear time, and what is cut off is unreadable, never guessed.
 */
import type { LabelReader } from './labels.ts'
import type { AcceptsInput, ModelOutput } from './match.ts'
import { beginsObservation, cutWhole, MOST_CHARS } from './observation-cut.ts'
import { withoutReasoning } from './reasoning.ts'
import { plainLabels, sectionsOf } from './sections.ts'
import { cameToFinal, finalPart, withoutEnd, withoutHead } from './special-tokens.ts'

/** How a dialect reads. `labelAt`: its labels, where they are not those of plain ReAct. */
export interface ReadOptions {
  labelAt?: LabelReader
  accepts?: AcceptsInput | undefined
}

/** Opens a completion, in which `tools` may be named. */
export function modelOutputOf(
  completion: string,
  tools: string[],
  { labelAt, accepts }: ReadOptions = {},
): ModelOutput {
  const { text, isFinal, isCut } = turnText(completion)
  const sections = sectionsOf(text, labelAt)
  const plain = plainLabels(text, sections, labelAt)
  if (plain === text) return { text, sections, tools, accepts, isFinal, isCut }
  const own = cutWhole(plain).text
  return { text: own, sections: sectionsOf(own, labelAt), tools, accepts, isFinal, isCut }
}

/** The text of a turn. `isFinal` and `isCut` as in ModelOutput. */
export interface TurnText {
  text: string
  isFinal: boolean
  isCut: boolean
}

/**
 * The turn alone: line breaks made one kind, reasoning and special tokens dropped, cut at its first invented observation
 * (where `begins` holds, in a dialect that calls observations otherwise).
 */
export function turnText(completion: string, begins: (line: string) => boolean = beginsObservation): TurnText {
  const lines = withPlainBreaks(completion.slice(0, MOST_CHARS + 1))
  const cut = cutWhole(withoutHead(lines), begins)
  const final = finalPart(withoutReasoning(cut.text, cut.reasoning))
  const ended = withoutEnd(withoutHead(final.text))
  const text =
    cut.text.startsWith(ended) && cut.reasoning.length === 0 ? cutLastLine(ended, begins) : cutWhole(ended, begins).text
  return {
    text,
    isFinal: final.isFinal || cameToFinal(lines),
    isCut: completion.length > MOST_CHARS && lines.trimEnd().endsWith(text.slice(-100)),
  }
}

function withPlainBreaks(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text
}

/** The beginning of a text that was cut once: only its last line, which may have lost its end, can begin an observation now. */
function cutLastLine(text: string, begins: (line: string) => boolean): string {
  const at = text.lastIndexOf('\n') + 1
  return at < text.length && begins(`${text.slice(at)}\n`) ? text.slice(0, at) : text
}
