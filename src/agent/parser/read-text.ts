import type { ParsedTurn } from '../types.ts'
import { readJsonBlock } from './json-block.ts'
import { firstOf, toReading, type Match } from './match.ts'
import { readInline } from './inline.ts'
import { readSteps } from './steps.ts'
import { modelOutputOf, type ModelOutput } from './model-output.ts'

const FORM =
  'Write "Thought: …", then either "Action: <tool>" and "Action Input: <input>", each on a line of its own, or "Final Answer: <answer>".'

/**
 * Reads a completion of the text dialect (LangChain's zero-shot ReAct): Thought, Action, Action Input, Final Answer.
 * A model that writes a JSON call or everything on one line is understood too. The input stays text as written, but is
 * an object where the model fenced a JSON object or wrote a Python dict.
 */
export function readText(completion: string, tools: string[]): ParsedTurn {
  const turn = modelOutputOf(completion, tools)
  return toReading(findStep(turn), turn, FORM)
}

/**
 * What a turn says that may have labels, a JSON call, or all on one line. A labelled action decides; before a labelled
 * answer, or without any label, the first call does (before an answer only that of a listed tool: a thought may hold JSON).
 */
export function findStep(turn: ModelOutput): Match | undefined {
  const labelled = readSteps(turn)
  if (labelled && labelled.kind !== 'finish') return labelled
  const before = { ...turn, text: turn.text.slice(0, labelled?.at) }
  const call = firstOf(readJsonBlock(before), readInline(before))
  const listed = call?.kind === 'action' && turn.tools.includes(call.tool)
  return labelled && !listed ? labelled : call
}
