import type { ParsedTurn } from '../types.ts'
import { readJsonBlock } from './json-block.ts'
import { toReading, type Match } from './match.ts'
import { readInline } from './inline.ts'
import { readSteps } from './steps.ts'
import { modelOutputOf, type ModelOutput } from './model-output.ts'

const FORM =
  'Write one JSON object in a code fence, {"action": "<tool>", "action_input": <input>}, and nothing after it; or, when you know the answer, "Final Answer: <answer>".'

/**
 * Reads a completion of the json dialect (LangChain's chat agent): one JSON object `{"action", "action_input"}`, fenced
 * or not, or `Final Answer:`. The input is the JSON value that the model wrote, `{}` where it wrote none. Plain labels are
 * understood where there is no JSON.
 */
export function readJson(completion: string, tools: string[]): ParsedTurn {
  const turn = modelOutputOf(completion, tools)
  return toReading(findCall(turn), turn, FORM)
}

/** A block decides, unless an answer is labelled before it, or it stands in the input of a labelled action. */
function findCall(turn: ModelOutput): Match | undefined {
  const block = readJsonBlock(turn)
  const labelled = readSteps(turn)
  if (!block || !labelled) return block ?? labelled ?? readInline(turn)
  if (labelled.kind === 'fault' || labelled.at >= block.at) return block
  return labelled.kind === 'action' && block.kind === 'action' && turn.tools.includes(block.tool) ? block : labelled
}
