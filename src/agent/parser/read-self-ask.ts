import type { ParsedTurn } from '../types.ts'
import { cutAt, cutAtObservation } from './invented-observation.ts'
import { toReading } from './match.ts'
import { labelReader, type Label } from './react-labels.ts'
import { nextLine } from './fences.ts'
import { tidy } from './trim.ts'
import { turnText } from './model-output.ts'

type SelfAskLabel = 'followUp' | 'intermediate' | 'answer' | 'needed'

const labelAt = labelReader<SelfAskLabel>({
  followUp: ['follow[ -]?up(?: question)?'],
  intermediate: ['intermediate[ -]answer'],
  answer: ['so[, ]{1,2}the final answer is', 'the final answer is', 'final[ -]answer'],
  needed: ['are follow[ -]?up questions needed here'],
})
const FOLLOW_UP = /\bFollow[ -]?up ?\d{0,3} ?[:：]/i
const INLINE_ANSWER = /(?<=[.!?] {0,3})So,? the final answer is ?[:：]/
const FORM =
  'Write "Follow up: <one thing to search for>" on a line of its own, or, when you know, "So the final answer is: <answer>".'

/** Whether a line begins an intermediate answer, which the search tool gives and the model must not invent. */
export function beginsIntermediateAnswer(line: string): boolean {
  return intermediateAt(line, 0)
}

/**
 * Reads a completion of the self-ask dialect: `Follow up: …` is a search, `So the final answer is: …` ends; the first
 * wins. `searchTool` is the name of the tool that answers follow-up questions.
 */
export function readSelfAsk(completion: string, searchTool = 'search'): ParsedTurn {
  const text = turnText(completion, (whole) => cutAt(cutAtObservation(whole), intermediateAt))
  for (let at = 0; at < text.length; at = nextLine(text, at)) {
    const label = labelAt(text, at)
    const answer = label?.name === 'answer' ? answerFrom(text, label.valueAt) : ''
    if (answer) return { kind: 'finish', thought: tidy(text.slice(0, at)), answer }
    const input = label && followUp(text, label)
    if (input) return { kind: 'actions', thought: tidy(text.slice(0, at)), actions: [{ tool: searchTool, input }] }
  }
  const inline = INLINE_ANSWER.exec(text)
  const answer = inline ? answerFrom(text, inline.index + inline[0].length) : ''
  if (inline && answer) return { kind: 'finish', thought: tidy(text.slice(0, inline.index)), answer }
  return toReading(undefined, { text, sections: [], tools: [] }, FORM)
}

/** The answer, without the next question that a base model runs on to. */
function answerFrom(text: string, at: number): string {
  const rest = text.slice(at)
  return tidy(rest.slice(0, /^Question:/m.exec(rest)?.index))
}

/** The follow-up question on the label's line, or on the next; `needed here: Yes. Follow up: …` is one line sometimes. */
function followUp(text: string, label: Label<SelfAskLabel>): string | undefined {
  const rest = text.slice(label.valueAt)
  if (label.name === 'followUp') return firstLine(rest)
  const line = label.name === 'needed' ? rest.slice(0, nextLine(rest, 0)) : ''
  const inline = FOLLOW_UP.exec(line)
  return inline ? firstLine(line.slice(inline.index + inline[0].length)) : undefined
}

function firstLine(text: string): string | undefined {
  const line = /\S[^\n]*/.exec(text)?.[0] ?? ''
  return labelAt(line, 0) ? undefined : tidy(line)
}

function intermediateAt(text: string, at: number): boolean {
  const label = labelAt(text, at)
  return label?.name === 'intermediate' && label.colon
}
