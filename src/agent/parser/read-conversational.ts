import type { ParsedTurn } from '../types.ts'
import { toReading } from './match.ts'
import { labelReader, REACT } from './react-labels.ts'
import { findStep } from './read-text.ts'
import { tidy } from './trim.ts'
import { modelOutputOf, type ModelOutput } from './model-output.ts'

const labelAt = labelReader({ ...REACT, answer: [...REACT.answer, 'ai', 'assistant'] })
const FORM =
  'Write "Thought: Do I need to use a tool? Yes", "Action: <tool>" and "Action Input: <input>", each on a line of its own; or "Thought: Do I need to use a tool? No" and "AI: <reply>".'

/**
 * Reads a completion of the conversational dialect (LangChain's conversational-react-description): an action as in the
 * text dialect, `AI: …` or `Final Answer: …` as the reply. What carries no label at all is the reply itself.
 */
export function readConversational(completion: string, tools: string[]): ParsedTurn {
  const turn = modelOutputOf(completion, tools, { labelAt })
  const found = findStep(turn)
  const reply = found ? '' : plainReply(turn)
  return reply ? { kind: 'finish', ...reply } : toReading(found, turn, FORM)
}

/** The reply of a turn that labels none: all of it, or what follows the line that says no tool is needed. */
function plainReply({ text, sections }: ModelOutput): { thought: string; answer: string } | undefined {
  const [thought, ...others] = sections
  if (!thought) return tidy(text) ? { thought: '', answer: tidy(text) } : undefined
  if (thought.name !== 'thought' || others.length > 0) return undefined
  const [said = '', ...rest] = tidy(text.slice(thought.valueAt)).split('\n')
  const answer = tidy(rest.join('\n'))
  return /\bno\b[.!]?$/i.test(said.trim()) && answer ? { thought: said.trim(), answer } : undefined
}
