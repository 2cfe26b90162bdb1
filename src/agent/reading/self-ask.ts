import type { Reading } from '../types.ts'
import { cutAt, cutAtObservation } from './cut.ts'
import { toReading } from './found.ts'
import { labelReader, type Label } from './labels.ts'
import { nextLine } from './fences.ts'
import { tidy } from './trim.ts'
import { turnText } from './turn.ts'

type SelfAskLabel = 'followUp' | 'intermediate' | 'answer' | 'needed'

const labelAt = labelReader<SelfAskLabel>({
  followUp: ['follow[ -]?up(?: question)?'],
  intermediate: ['intermediate[ -]answer'],
  answer: ['so[, ]{1,2}the final answer is', 'the final answer is', 'final[ -]answer'],
  needed: ['are follow[ -]?up questions needed here'],
})
const FOLLOW_UP = /\bFollow[ -]?up ?\d{0,3} ?[:：]/i
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
export function readSelfAsk(completion: string, searchTool = 'search'): Reading {
  const text = turnText(completion, (whole) => cutAt(cutAtObservation(whole), intermediateAt))
  for (let at = 0; at < text.length; at = nextLine(text, at)) {
    const thought = () => tidy(text.slice(0, at))
    const label = labelAt(text, at)
    const answer = label?.name === 'answer' ? tidy(text.slice(label.valueAt)) : ''
    if (answer) return { kind: 'finish', thought: thought(), answer }
    const question = label && followUp(text, label)
    if (question) return { kind: 'actions', thought: thought(), actions: [{ tool: searchTool, input: question }] }
  }
  return toReading(undefined, { form: FORM, thought: tidy(text) })
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
