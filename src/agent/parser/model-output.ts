import { MOST_CHARS, readWhole } from '../observation-cut.ts'
import { beginsObservation } from './invented-observation.ts'
import { inPlainHand } from './label-decoration.ts'
import type { LabelReader } from './react-labels.ts'
import { sectionsOf, type Section } from './sections.ts'
import { stripThinking } from './thinking.ts'
import { cameToFinal, finalPart, withoutEnd, withoutHead } from './special-tokens.ts'

/** What the model said in its turn, its labelled parts, and the tools that may be named in it. */
export interface ModelOutput {
  text: string
  sections: Section[]
  tools: string[]
  /** The model marked the text as its last word. */
  isFinal: boolean
  /** There was more than is read: what runs to the end of the text is not whole. */
  isCut: boolean
}

/** How a dialect parts a completion, where it differs from plain ReAct. */
export interface Parting {
  labelAt?: LabelReader
}

/** Opens a completion for reading. */
export function modelOutputOf(completion: string, tools: string[], { labelAt }: Parting = {}): ModelOutput {
  const { text, isFinal, isCut } = turnText(completion)
  const plain = inPlainHand(text, labelAt)
  const own = plain === text ? text : readWhole(plain, beginsObservation).text
  return { text: own, sections: sectionsOf(own, labelAt), tools, isFinal, isCut }
}

/**
 * The turn alone: line breaks made one kind, thinking and special tokens dropped, cut at its first invented observation
 * (or where `begins` holds, in a dialect that calls observations otherwise).
 */
export function turnText(
  completion: string,
  begins: (line: string) => boolean = beginsObservation,
): { text: string; isFinal: boolean; isCut: boolean } {
  const lines = completion.slice(0, MOST_CHARS + 1).replace(/\r\n?/g, '\n')
  const cut = readWhole(withoutHead(lines), begins).text
  const said = finalPart(stripThinking(cut))
  const text = readWhole(withoutEnd(withoutHead(said.text)), begins).text
  return {
    text,
    isFinal: said.isFinal || cameToFinal(lines),
    isCut: completion.length > MOST_CHARS && lines.trimEnd().endsWith(text.slice(-100)),
  }
}
